"""Do scripts stand in for the compilers of this machine, and for no others?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from whence.subject.stand_ins import with_stand_ins

MACHINE = os.uname().machine
C = ("cc", "gcc", "gcc-12", "clang", "clang-19", f"{MACHINE}-linux-gnu-gcc")
CXX = ("c++", "g++", "g++-12", "clang++", f"{MACHINE}-linux-gnu-g++")
OTHERS = ("gcc-ar", "clang-format", "arm-none-eabi-gcc", "ccache", "gccgo", "cpp", "acc")


def test_every_compiler_of_this_machine_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in (*C, *CXX, *OTHERS):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\necho own {name}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    given = {"PATH": f"/nowhere:{tmp_path}/bin:/bin", "CC": "echo C", "CXX": "echo C++"}
    env = with_stand_ins(given, tmp_path / "stand ins")
    assert given["PATH"] in env["PATH"]
    for names, says in ((C, "C a b"), (CXX, "C++ a b")):
        for name in names:
            done = subprocess.run(["sh", "-c", f"{name} 'a b'"], env=env, capture_output=True)
            assert done.stdout.decode().strip() == says, name
    for name in OTHERS:
        done = subprocess.run(["sh", "-c", name], env=env, capture_output=True)
        assert done.stdout.decode().strip() == f"own {name}"
