"""Which compilers do build commands get as $CC and $CXX?"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path


def compilers(env: Mapping[str, str]) -> dict[str, str]:
    """Return CC and CXX: the user's, else the system's, else zig's from PyPI, else none."""
    found = {}
    for variable, names, zig in (("CC", ("cc", "gcc", "clang"), "cc"),
                                 ("CXX", ("c++", "g++", "clang++"), "c++")):  # fmt: skip
        on_path = (name for name in names if shutil.which(name, path=env.get("PATH")))
        command = env.get(variable) or next(on_path, None) or _zig(zig)
        if command:
            found[variable] = command
    return found


def recording_compilers() -> dict[str, str]:
    """Return the CC and CXX of whence.

    With $WHENCE_MODE unset, they call the compiler that recording uses, with unchanged arguments.
    A call also costs the start of a Python interpreter.
    """
    return {"CC": _own("whence-cc", "cc"), "CXX": _own("whence-c++", "c++")}


def _own(script: str, language: str) -> str:
    """Return the command of our compiler: one word if possible, as some builds require it."""
    in_folder = Path(sys.executable).parent / script
    if in_folder.exists() and " " not in str(in_folder):
        return str(in_folder)
    return f"{shlex.quote(sys.executable)} -m whence.frontend.c.driver {language}"


def _zig(mode: str) -> str | None:
    if importlib.util.find_spec("ziglang") is None:
        return None
    # zig turns UBSan on by default; a build must behave as with any other compiler.  With `all`
    # alone, zig would still build the sanitizer runtime before the first link.
    return f"{shlex.quote(sys.executable)} -m ziglang {mode} -fno-sanitize=all,undefined"
