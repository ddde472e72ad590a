"""Which compilers do build commands get as $CC and $CXX?"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path


def compilers(env: Mapping[str, str]) -> dict[str, str]:
    """Return CC and CXX: the user's own, else the system's, else zig's from PyPI, else none."""
    found = {}
    for variable, names, zig in (("CC", ("cc", "gcc", "clang"), "cc"),
                                 ("CXX", ("c++", "g++", "clang++"), "c++")):  # fmt: skip
        on_path = (name for name in names if shutil.which(name, path=env.get("PATH")))
        command = env.get(variable) or next(on_path, None) or _zig(zig)
        if command:
            found[variable] = command
    return found


def recording_compilers() -> dict[str, str]:
    """Return whence's own CC and CXX.

    With $WHENCE_MODE unset they compile as they are told to, by the compiler that they record
    with.  A call costs a start of Python more than a call of that compiler.
    """
    return {"CC": _own("whence-cc", "cc"), "CXX": _own("whence-c++", "c++")}


def _own(script: str, language: str) -> str:
    """The command that runs our compiler: one word where that can be, as some builds want."""
    beside = Path(sys.executable).parent / script
    if beside.exists() and " " not in str(beside):
        return str(beside)
    return f"{shlex.quote(sys.executable)} -m whence.frontend.c.driver {language}"


def _zig(mode: str) -> str | None:
    if importlib.util.find_spec("ziglang") is None:
        return None
    # zig turns UBSan on by default; a build must behave as with any other compiler.  Told only
    # that all sanitizers are off, it would still build their runtime before the first link.
    return f"{shlex.quote(sys.executable)} -m ziglang {mode} -fno-sanitize=all,undefined"
