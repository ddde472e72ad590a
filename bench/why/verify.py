"""Does each fault of the suite make its tests fail, and always in the same way?"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.why.suite import BadSuiteError, Fault, Program, Test
from whence.subject.toolchain import compilers

TIMEOUT = 20.0  # limit in seconds for a program of the suite; guessed


@dataclass(frozen=True, slots=True)
class Ended:
    """What a program did on a test."""

    status: int
    stdout: bytes

    @property
    def has_crashed(self) -> bool:
        return self.status < 0 or self.status > 128  # a shell adds 128 to the signal


def failure(seen: Ended, truth: Ended) -> str:
    """Return how a run failed: `crash`, `output:BYTE`, `short` (the end is missing) or `exit`.

    A run that passes is a BadSuiteError.
    """
    if seen.has_crashed:
        return "crash"
    if seen.stdout != truth.stdout:
        byte = _first_difference(seen.stdout, truth.stdout)
        return f"output:{byte}" if byte < len(seen.stdout) else "short"
    if seen.status != truth.status:
        return "exit"
    raise BadSuiteError("the test passes")


def _first_difference(seen: bytes, expected: bytes) -> int:
    pairs = enumerate(zip(seen, expected, strict=False))
    shorter = min(len(seen), len(expected))
    return next((number for number, (one, other) in pairs if one != other), shorter)


def build(source: str, folder: Path, *flags: str) -> Path:
    """Compile a source in the new `folder`, without recording."""
    folder.mkdir(parents=True)
    (folder / "program.c").write_text(source, "utf-8")
    compiler = shlex.split(compilers(os.environ)["CC"])
    command = [*compiler, "-std=c99", *flags, "-o", "program", "program.c"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


def run(folder: Path, test: Test) -> Ended:
    """Run the program that `build` made."""
    done = subprocess.run(
        ["./program", *test.args], input=test.stdin, cwd=folder, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, timeout=TIMEOUT,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout)


def complaints(program: Program, folder: Path) -> Iterator[str]:
    """Yield what is wrong with a program and its faults; `folder` is a new folder for us."""
    correct = _Builds(program.source, folder / "correct")
    truths: dict[str, Ended] = {}
    for test in program.tests:
        truths[test.name] = correct.run(test)
        if truths[test.name].has_crashed or not correct.agree(test):
            yield f"{program.name}: the correct program does not pass {test.name}"
    for fault in program.faults:
        faulty = _Builds(fault.faulty, folder / fault.name)
        for test in fault.tests:
            yield from _complaints(fault, test, faulty, truths[test.name])


def _complaints(fault: Fault, test: Test, faulty: _Builds, truth: Ended) -> Iterator[str]:
    where = f"{fault.program}/{fault.name} on {test.name}"
    try:
        failure(faulty.run(test), truth)
    except BadSuiteError as error:
        yield f"{where}: {error}"
    except subprocess.TimeoutExpired:
        yield f"{where}: it does not end"
    else:
        if not faulty.agree(test):
            yield f"{where}: optimised, it fails in another way"


class _Builds:
    """Compile a source twice: its behaviour must not depend on optimisation."""

    def __init__(self, source: str, folder: Path) -> None:
        self.plain = build(source, folder / "plain", "-O0")
        self.optimised = build(source, folder / "optimised", "-O2")

    def run(self, test: Test) -> Ended:
        return run(self.plain, test)

    def agree(self, test: Test) -> bool:
        one, other = run(self.plain, test), run(self.optimised, test)
        return one == other or (one.has_crashed and other.has_crashed)
