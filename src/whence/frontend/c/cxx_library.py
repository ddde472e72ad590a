"""How does a C++ program get recorded copies of the standard library's compiled templates?

The headers of the standard library declare std::string and the streams as compiled elsewhere.
`runtime/cxx_library.cc` compiles them once more, recorded, into a library that each recorded C++
program is linked with.  It is made once for each compiler and kept in the cache.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.frontend.c.cache import Compiled
from whence.frontend.c.clang import executable_state, on_path
from whence.frontend.c.runtime import SOURCES

SOURCE = SOURCES / "cxx_library.cc"
# The newest standard that all supported compilers know: its templates have all members.
FLAGS = ("-std=gnu++20", "-fPIC", "-w")
_LIBRARY = "libwhence_cxx.so"
_OBJECT = "whence_cxx.o"
_MODULE = "module"  # the id of the recorded module


@dataclass(frozen=True, slots=True)
class CxxLibrary:
    """The compiled library: `shared` for most programs, `object` for those with -static."""

    folder: Path

    @property
    def shared(self) -> Path:
        return self.folder / _LIBRARY

    @property
    def object(self) -> Path:
        return self.folder / _OBJECT

    @property
    def is_made(self) -> bool:
        """Could this compiler make it?"""
        return self.shared.exists()

    def module(self) -> tuple[str, bytes, bytes]:
        """Return the id of the recorded module, its description, and its IR."""
        name = (self.folder / _MODULE).read_text()
        parts = (self.folder / f"{_MODULE}{suffix}" for suffix in (".npz", ".ll.gz"))
        description, text = (part.read_bytes() for part in parts)
        return name, description, text


def build(
    into: Path, key: Sequence[str], make: Callable[[], Compiled | None], link: Sequence[str]
) -> CxxLibrary:
    """Return the library in the folder of `into` that `key` names; make it if it is missing.

    `make` compiles `SOURCE`; `link` is the command that links a shared library.  The folder appears
    whole or not at all.  If the library cannot be made, the folder stays empty.
    """
    name = hashlib.sha256("\0".join([*key, SOURCE.read_text(), *FLAGS]).encode()).hexdigest()[:16]
    folder = into / f"cxx-{name}"
    if not folder.is_dir():
        into.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=into, prefix="cxx-new-") as scratch:
            made = Path(scratch, "made")
            made.mkdir()
            compiled = make()
            if compiled is not None:
                _write(made, compiled, link)
            try:
                made.rename(folder)
            except OSError:
                if not folder.is_dir():  # another build was first, with the same result
                    raise
    return CxxLibrary(folder)


def _write(folder: Path, compiled: Compiled, link: Sequence[str]) -> None:
    (folder / _OBJECT).write_bytes(compiled.object)
    (folder / _MODULE).write_bytes(compiled.module)
    (folder / f"{_MODULE}.npz").write_bytes(compiled.description)
    (folder / f"{_MODULE}.ll.gz").write_bytes(compiled.text)
    words = ["-shared", f"-Wl,-soname,{_LIBRARY}", str(folder / _OBJECT)]
    subprocess.run([*link, *words, "-o", str(folder / _LIBRARY)], capture_output=True, check=False)


def system_state(env: Mapping[str, str]) -> list[str]:
    """Return texts that change when the system's compilers, and so its C++ headers, change."""
    programs = (on_path(name, env) for name in ("gcc", "g++", "clang++"))
    return [executable_state(path) for path in programs if path]
