"""How is whence's own C code compiled, for Python to load or to run?"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from whence.errors import UserError, install_command
from whence.subject.toolchain import compilers

_FLAGS = ("-O2", "-std=gnu11")
_LIBRARY_FLAGS = (*_FLAGS, "-fPIC", "-shared", "-fvisibility=hidden")


def library(sources: Sequence[Path], compiler: Sequence[str] | None = None) -> Path:
    """Return a shared library compiled from the C `sources` (and the headers beside them).

    It is compiled once and kept in the user's cache, under a hash of its sources and the
    compiler.  Several processes may ask for it at the same time.
    """
    return _made(sources, compiler, _LIBRARY_FLAGS, ".so")


def executable(source: Path, compiler: Sequence[str] | None = None) -> Path:
    """Return a program compiled from the C `source` (and the headers beside it), kept likewise."""
    return _made([source], compiler, _FLAGS, "")


def _made(
    sources: Sequence[Path], compiler: Sequence[str] | None, flags: Sequence[str], suffix: str
) -> Path:
    command = [*(compiler or _compiler()), *flags]
    path = native_cache() / f"{_fingerprint(sources, command)}{suffix}"
    if not path.exists():
        _compile([*command, *map(str, sources), "-lm"], path)
    return path


def _compiler() -> list[str]:
    command = compilers(os.environ).get("CC")
    if command is None:
        raise UserError(
            "whence found no C compiler.  It needs one to read the recording of a run.\n"
            "We looked for $CC, cc, gcc and clang on the PATH, and for the ziglang package.\n"
            f"Install ziglang with: {install_command('c')}",
            slug="no-c-compiler",
        )
    return shlex.split(command)


def native_cache() -> Path:
    """Return the folder of compiled code in the cache of the user."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "whence" / "native"


def _fingerprint(sources: Sequence[Path], command: Sequence[str]) -> str:
    headers = {header for source in sources for header in source.parent.glob("*.h")}
    digest = hashlib.sha256(repr(list(command)).encode())
    for file in sorted({*sources, *headers}):
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _compile(command: Sequence[str], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        ran = subprocess.run([*command, "-o", str(made)], capture_output=True, text=True)
        if ran.returncode:
            raise UserError(
                f"The C compiler cannot compile whence's own code.\nWe ran: {shlex.join(command)}\n"
                f"{ran.stderr.strip()[-2000:]}\n"
                "Set $CC to a compiler that can: gcc 9, clang 10 or newer, or zig cc.",
                slug="no-c-compiler",
            )
        made.replace(path)  # in one move: another process sees the whole file or none
