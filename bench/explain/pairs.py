"""Does only the hidden fault make the bad version behave differently?"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.explain.harmless import Files, Hidden, write
from bench.why import verify
from bench.why.suite import BadSuiteError, Fault, Program, Test
from whence.subject.toolchain import compilers


def complaints(hidden: Hidden, program: Program, fault: Fault, folder: Path) -> Iterator[str]:
    """Yield what is wrong with a pair; `folder` is a new folder for us."""
    built = {}
    for name, files in (("good", hidden.good), ("harmless", hidden.harmless), ("bad", hidden.bad)):
        try:
            built[name] = build(files, folder / name)
        except subprocess.CalledProcessError as error:
            yield f"{name} does not build: {error.stderr.decode(errors='replace')[:2000]}"
    if len(built) < 3:
        return
    correct = verify.build(program.source, folder / "correct")
    for test in program.tests:
        truth = verify.run(correct, test)
        for name in ("good", "harmless"):
            if verify.run(built[name], test) != truth:
                yield f"{name} does not behave as the correct program on {test.name}"
    truth = verify.run(correct, failing(fault))
    try:
        verify.failure(verify.run(built["bad"], failing(fault)), truth)
    except BadSuiteError:
        yield f"bad passes {failing(fault).name}"


def failing(fault: Fault) -> Test:
    """Return the test of a fault that is to be explained."""
    return fault.tests[0]


def build(files: Files, folder: Path) -> Path:
    """Compile all files into the program `program` in the new `folder`."""
    write(files, folder)
    compiler = shlex.split(compilers(os.environ)["CC"])
    sources = sorted(name for name in files if name.endswith(".c"))
    command = [*compiler, "-std=c99", "-O0", "-w", "-o", "program", *sources]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder
