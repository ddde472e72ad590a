"""Which temporary folders are in use, and which did a killed whence leave behind?

The process that makes a folder holds a lock on it.  The kernel releases the lock when the process
ends, however it does.  A process number would not do: in another container the same number can
stand for another process, or for none.  A folder gets its name when it is locked, so every folder
with such a name is in use or left behind.  Until then, its name has the number of its process and
of that process's namespace: in the same namespace the number tells whether the process lives.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

# The compiler driver starts hundreds of times and needs neither of these to start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "whence-of-"  # of the names of all temporary folders
_NEW = "whence-new-"  # of the name of a folder until it is locked
_MAX_NEW_SECONDS = 3600.0  # a process locks the folder that it made within this time; guessed


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """Give a temporary folder that is held, and delete it afterwards."""
    import shutil

    with held_folder(purpose) as folder:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def held_folder(purpose: str, below: Path | None = None) -> Iterator[Path]:
    """Give a new temporary folder that is held until the end; the caller deletes it."""
    import tempfile
    from pathlib import Path

    prefix = f"{_NEW}{_namespace()}-{os.getpid()}-"
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=below)).resolve()
    lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        unique = made.name.removeprefix(prefix)
        try:
            folder = made.rename(made.with_name(f"{PREFIX}{os.getpid()}-{purpose}-{unique}"))
        except BaseException:
            made.rmdir()
            raise
        yield folder
    finally:
        os.close(lock)


def unused_path(prefix: str) -> Path:
    """Return a new name of a folder for results; the folder is made when something is written."""
    import secrets
    import tempfile
    from pathlib import Path

    return Path(tempfile.gettempdir(), f"{prefix}{secrets.token_hex(8)}")


def left_behind(below: Path) -> Iterator[Path]:
    """Yield the temporary folders of this user that no process holds."""
    for folder in below.glob(f"{PREFIX}*"):
        if _is_left(folder):
            yield folder
    for folder in below.glob(f"{_NEW}*"):  # a process was killed just before it locked the folder
        if (_maker_is_dead(folder.name) or _is_old(folder)) and _is_left(folder):
            yield folder


def _namespace() -> str:
    """Return what is the same for two processes only if they see the same process numbers."""
    try:
        return os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return "unknown"


def _maker_is_dead(name: str) -> bool:
    """Is it known that the process has ended that made a folder, by the folder's name?"""
    namespace, _, rest = name.removeprefix(_NEW).partition("-")
    process = rest.partition("-")[0]
    if namespace != _namespace() or namespace == "unknown" or not process.isdecimal():
        return False
    return not os.path.exists(f"/proc/{process}")


def _is_old(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > _MAX_NEW_SECONDS
    except OSError:
        return False


def _is_left(folder: Path) -> bool:
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # gone, no folder, or of another user
        return False
    try:
        if os.fstat(lock).st_uid != os.getuid():
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held, or a file system without locks
        return False
    else:
        return True
    finally:
        os.close(lock)
