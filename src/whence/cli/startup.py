"""What must hold before a command can start: memory, and a place for files that are kept?"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.errors import UserError
from whence.temporary import temporary_folder

# Address space that whence needs to start, in bytes; measured with ulimit -v, with some room.
MIN_ADDRESSES = 256 << 20
_THREADS = "OPENBLAS_NUM_THREADS"
_CACHE = "XDG_CACHE_HOME"


def load_numpy() -> None:
    """Import numpy with little memory, or end with a message if there is too little.

    numpy's OpenBLAS takes memory for a thread of each core when it is loaded, and ends the process
    if it gets none.  whence multiplies no matrices.  The tests must not see the variable.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < MIN_ADDRESSES:
        error = UserError(
            f"whence may use {limit >> 20} MB of address space here, and needs "
            f"{MIN_ADDRESSES >> 20} MB to start.\n"
            "Raise the limit (ulimit -v); --memory limits the builds and tests alone.",
            slug="too-little-memory",
        )
        sys.stderr.write(f"whence: {error}\n[{error.slug}]\n")
        sys.exit(2)
    given = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        import numpy  # noqa: F401 - the first import decides the number of threads
    finally:
        if given is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = given


@contextmanager
def usable_cache() -> Iterator[str | None]:
    """Have a cache that can be written; give a note if it is only a temporary one.

    Compilers keep files there, too.  A folder that the user chose is taken as it is.
    """
    if os.environ.get(_CACHE):
        yield None
        return
    folder = Path(os.path.expanduser("~/.cache"))
    problem = _why_not_writable(folder / "whence")
    if problem is None:
        yield None
        return
    with temporary_folder("cache") as temporary:
        os.environ[_CACHE] = str(temporary)
        try:
            yield (
                f"{folder} cannot be written ({problem}), so outcomes and compiled files are not "
                "kept for later.  To keep them, set XDG_CACHE_HOME to a folder that can be written."
            )
        finally:
            del os.environ[_CACHE]


def _why_not_writable(folder: Path) -> str | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return None if os.access(folder, os.W_OK | os.X_OK) else "it is read-only"
