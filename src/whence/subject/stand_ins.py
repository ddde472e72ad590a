"""What does a build find that calls its compiler by name, and not as $CC?

A Makefile may say `CC = gcc`, or link with `LD = gcc` what $CC compiled.  While a build must use
whence's compilers, scripts that run them stand in for the compilers on its PATH.  A compiler that
is called by an absolute path, and a compiler for another machine, are left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from whence.subject.python_hook import write_script

# The folder of the scripts, in the environment of a build.  whence-cc leaves it out of its PATH.
STAND_INS = "WHENCE_STAND_INS"
_NAME = re.compile(
    rf"({re.escape(os.uname().machine)}-linux-gnu-)?(cc|gcc|clang|(?P<plus>[cg]\+\+|clang\+\+))(-\d+)?"
)


def with_stand_ins(env: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return `env` with a PATH on which all compilers are those that $CC and $CXX name.

    The scripts are written to `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = env.get("PATH", os.defpath)
    for name in _compilers_on(path):
        found = _NAME.fullmatch(name)
        command = env["CXX" if found and found["plus"] else "CC"]
        write_script(folder / name, f'#!/bin/sh\nexec {command} "$@"\n')
    return {**env, STAND_INS: str(folder), "PATH": f"{folder}{os.pathsep}{path}"}


def _compilers_on(path: str) -> set[str]:
    """Return the names of the compilers for this machine in the folders of a PATH."""
    names = set()
    for directory in path.split(os.pathsep):
        try:
            names |= {name for name in os.listdir(directory or ".") if _NAME.fullmatch(name)}
        except OSError:
            continue  # a PATH may name folders that do not exist
    return names
