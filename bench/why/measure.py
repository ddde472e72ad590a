"""Record one faulty run and measure what a user reads before the fault is seen.

measure.py PROGRAM FAULT TEST WORK    prints a row as JSON; the recording stays in WORK
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.why import verify
from bench.why.reading import (
    Place,
    Read,
    Tree,
    breadth_first,
    lines_of,
    read_in,
    read_on_the_way,
    sliced,
)
from bench.why.suite import PROGRAMS, BadSuiteError, Fault, Test, load
from bench.why.verify import Ended
from whence.errors import UserError
from whence.frontend.c.record import record
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import open_recording, open_search
from whence.subject.trial import BuildAndTest
from whence.trace.points import Point, find
from whence.trace.recording import Recording
from whence.trace.slice_at import lines_that_ran
from whence.trace.summary import summarise

MOST_CAUSES = 400
MOST_SECONDS = 60.0  # limits for a whole tree; guessed


OpenTree = Callable[[Recording, bytes | None], Tree]


@dataclass(frozen=True, slots=True)
class Walk:
    """The result of reading a cause tree breadth first."""

    read: Read
    way: Read | None  # only the causes from the failure down to the one with the fault
    level: int | None  # the level with the fault; None if it is not found
    causes: int  # causes that were read
    all_causes: int
    all_seconds: float
    is_whole: bool  # False if reading stopped at MOST_CAUSES or MOST_SECONDS


@dataclass(frozen=True, slots=True)
class Row:
    """All measurements of one faulty run."""

    program: str
    fault: str
    kind: str
    test: str
    point: str
    steps: int
    lines: int  # instructions that ran
    dynamic: Read
    relevant: Read
    tree: Walk | None
    error: str = ""  # why there is no tree


def measure(fault: Fault, test: Test, work: Path, opened: OpenTree = open_search) -> Row:
    """Record the faulty run in the new folder `work`, slice it, and read its tree."""
    truth = verify.run(verify.build(fault.correct, work / "correct"), test)
    recording, seen = record_fault(fault, test, work)
    failure = verify.failure(seen, truth)
    expect = truth.stdout if failure not in ("crash", "exit") else None
    point = _point(recording, failure)
    tree, error = None, ""
    try:
        tree = walk(lambda: opened(recording, expect), fault)
    except UserError as refused:
        error = str(refused)
    return Row(
        program=fault.program,
        fault=fault.name,
        kind=fault.kind,
        test=test.name,
        point=point.words,
        steps=point.thread.stream.steps,
        lines=lines_that_ran(point.thread),
        dynamic=sliced(point, faulty_lines(fault), relevant=False),
        relevant=sliced(point, faulty_lines(fault), relevant=True),
        tree=tree,
        error=error,
    )


# --- recording ---------------------------------------------------------------------------------


def record_fault(fault: Fault, test: Test, work: Path) -> tuple[Recording, Ended]:
    tree, out = work / "tree", work / "trace"
    tree.mkdir(parents=True)
    out.mkdir()
    (tree / f"{fault.program}.c").write_text(fault.faulty, "utf-8")
    (tree / "stdin").write_bytes(test.stdin)
    recipe = BuildAndTest(
        test=test.command(fault.program),
        build=f"$CC -std=c99 -g -o {fault.program} {fault.program}.c",
        asked_timeout=verify.TIMEOUT,
    )
    done = record(tree, recipe, out)
    summarise(open_recording(out), tree, max_trace=DEFAULT_MAX_TRACE)
    return open_recording(out), Ended(done.status, done.stdout)


def _point(recording: Recording, failure: str) -> Point:
    if failure != "crash":
        return find(recording, failure if failure != "short" else "exit")
    try:
        return find(recording, "assert")
    except UserError:  # the failure is no failed assertion
        return find(recording, "crash")


# --- reading -----------------------------------------------------------------------------------


def faulty_lines(fault: Fault) -> frozenset[Place]:
    return frozenset((f"{fault.program}.c", line) for line in fault.lines)


def walk(opened: Callable[[], Tree], fault: Fault) -> Walk:
    """Read causes level by level up to the first that shows the fault."""
    started = time.monotonic()
    tree = opened()
    wanted = faulty_lines(fault)
    numbers: list[int] = []  # causes read until the fault was found
    until: float | None = None  # seconds until then
    count = 0
    is_whole = True
    for number in breadth_first(tree):
        count += 1
        if until is None:
            numbers.append(number)
            if not wanted.isdisjoint(lines_of(tree.cause(number))):
                until = time.monotonic() - started
        if count >= MOST_CAUSES or time.monotonic() - started >= MOST_SECONDS:
            is_whole = False
            break
    seconds = time.monotonic() - started
    read = replace(read_in(tree, numbers, wanted), seconds=until or seconds)
    if not read.found:
        return Walk(read, None, None, count, count, seconds, is_whole)
    way = replace(read_on_the_way(tree, numbers[-1], wanted), seconds=read.seconds)
    level = tree.cause(numbers[-1]).level
    return Walk(read, way, level, len(numbers), count, seconds, is_whole)


# --- a process of its own ----------------------------------------------------------------------


def row_of(document: dict[str, Any]) -> Row:
    """Return the row that was printed as JSON."""
    tree = document["tree"]
    return Row(**document | {
        "dynamic": Read(**document["dynamic"]),
        "relevant": Read(**document["relevant"]),
        "tree": _walk_of(tree) if tree else None,
    })  # fmt: skip


def _walk_of(document: dict[str, Any]) -> Walk:
    way = Read(**document["way"]) if document["way"] else None
    return Walk(**document | {"read": Read(**document["read"]), "way": way})


def main(program: str, fault: str, test: str, work: str) -> int:
    (chosen,) = [one for one in load(PROGRAMS / program).faults if one.name == fault]
    (given,) = [one for one in chosen.tests if one.name == test]
    shutil.rmtree(work, ignore_errors=True)
    try:
        print(json.dumps(asdict(measure(chosen, given, Path(work).resolve()))))
    except (BadSuiteError, UserError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
