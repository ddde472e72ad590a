"""All statements of the tables, each in a function of its own, compiled together once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.frontend.names.statements import C_ROWS, CPP_ROWS, Row, c_program, cpp_program
from whence.frontend.c import ir
from whence.frontend.c.names import CNames
from whence.frontend.c.reader import read_module

Compile = Callable[[str, str], CNames]
Say = Callable[[Row], str]


@pytest.fixture(scope="session")
def compile_names(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return a function from a file's name and text to the names of its module."""

    def compiled(name: str, text: str) -> CNames:
        folder = tmp_path_factory.mktemp("names")
        (folder / name).write_text(text, "utf-8")
        compiler = "c++" if name.endswith(".cc") else "cc"
        command = [
            *(sys.executable, "-m", "ziglang", compiler, "-fno-sanitize=all,undefined", "-w"),
            *("-O0", "-g", "-S", "-emit-llvm", name, "-o", "out.ll"),
        ]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return CNames(read_module((folder / "out.ll").read_text("utf-8")))

    return compiled


@pytest.fixture(scope="session")
def c_names(compile_names: Compile) -> CNames:
    return compile_names("rows.c", c_program())


@pytest.fixture(scope="session")
def cpp_names(compile_names: Compile) -> CNames:
    return compile_names("rows.cc", cpp_program())


def described(names: CNames, function: str) -> str:
    """Return what a function does, in order: `if x < y; a[i] = 3`.

    Instructions without a place in the source are left out, such as the stores of parameters.
    """
    parts = []
    for block in names.module.functions[function].blocks:
        for each in block.instructions:
            if each.location is None:
                continue
            copies = isinstance(each.callee, ir.Global) and each.callee.name.startswith("llvm.mem")
            if each.opcode in ("store", "atomicrmw", "cmpxchg") or copies:
                parts.append(f"{names.target(function, each)} = {names.source(function, each)}")
            elif each.opcode in ("br", "switch") and (text := names.condition(function, each)):
                parts.append(f"if {text}")
            elif each.opcode in ("call", "invoke") and each.type == ir.VOID and each.result is None:
                parts.append(names.call(function, each))
    return "; ".join(parts)


@pytest.fixture(scope="session")
def describe_c(c_names: CNames) -> Say:
    return lambda row: described(c_names, f"row_{C_ROWS.index(row)}")


@pytest.fixture(scope="session")
def describe_cpp(cpp_names: CNames) -> Say:
    return lambda row: described(cpp_names, f"row_{CPP_ROWS.index(row)}")
