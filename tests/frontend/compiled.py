"""The tour programs as LLVM IR, and LLVM's own view of them: the oracle of these tests."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm

from whence.frontend.c.ir import Module
from whence.frontend.c.reader import read_module

TOUR = Path(__file__).parent / "tour"
X86, ARM = "x86_64-linux-gnu", "aarch64-linux-gnu"
# Each way of compiling shows other shapes: register names, another target, C++.
TOURS = [
    ("tour.c", X86, "-O0"),
    ("tour.c", X86, "-O0 -fno-discard-value-names"),
    ("tour.c", ARM, "-O0"),
    ("tour.c", X86, "-O1 -fno-sanitize=all -fpic -ftrivial-auto-var-init=pattern"),
    ("tour.cpp", X86, "-O0"),
    ("tour.cpp", ARM, "-O0 -fno-discard-value-names"),
]


@cache
def ir(source: str, target: str, flags: str) -> str:
    """Return the IR that clang makes from a tour program."""
    command = "c++" if source.endswith(".cpp") else "cc"
    options = f"-g -S -emit-llvm -w -fno-sanitize=all,undefined -target {target} {flags}".split()
    compiler = [sys.executable, "-m", "ziglang", command, *options, str(TOUR / source)]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "tour.ll")
        subprocess.run([*compiler, "-o", str(out)], check=True, capture_output=True)
        return out.read_text()


@cache
def module(source: str, target: str, flags: str) -> Module:
    return read_module(ir(source, target, flags))


@cache
def oracle(text: str) -> llvm.ModuleRef:
    """Return LLVM's view of the same text."""
    # Each in a context of its own: modules in one context share named types, and LLVM renames them.
    return llvm.parse_assembly(text, context=llvm.create_context())


def machine() -> llvm.TargetMachine:
    """Return the machine of this process, to run IR on."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine()


@cache
def host_layout() -> str:
    return str(machine().target_data)


def run(text: str) -> llvm.ExecutionEngine:
    """Compile a module for this machine and load it."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine())
    engine.finalize_object()
    return engine
