"""Records one faulty run and measures what a user reads of it before the fault is seen.

measure.py PROGRAM FAULT TEST WORK    prints a row as JSON; the recording stays in WORK
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bench.why import verify
from bench.why.suite import PROGRAMS, BadSuiteError, Fault, Test, load
from bench.why.verify import Ended
from whence.errors import UserError
from whence.frontend.c.record import DEFAULT_MAX_TRACE, record
from whence.model import Cause, CauseTree
from whence.semantics.tree import open_tree
from whence.subject.trial import Recipe
from whence.trace.points import Point, find
from whence.trace.recording import Recording
from whence.trace.slices import lines_that_ran, steps_of
from whence.trace.statements import Narrator
from whence.trace.summary import summarise

MOST_CAUSES = 400
MOST_SECONDS = 60.0  # for a whole tree


class Tree(CauseTree, Protocol):
    """A cause tree that also says which executed instructions a cause is made of."""

    def steps(
        self, number: int, lines: Collection[tuple[str, int]] | None = None
    ) -> npt.NDArray[np.uint32]: ...


OpenTree = Callable[[Recording, bytes | None], Tree]


@dataclass(frozen=True, slots=True)
class Read:
    """What has to be read: of a slice all; of a tree the causes until the fault is among them.

    If the fault is not found, that is everything there is.
    """

    found: bool
    steps: int
    lines: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Walk:
    """What came of reading a cause tree breadth first."""

    read: Read
    way: Read | None  # only the causes from the failure down to the one with the fault
    level: int | None  # where the fault is; None: nowhere
    causes: int  # read
    all_causes: int
    all_seconds: float
    is_whole: bool  # False: we stopped at MOST_CAUSES or MOST_SECONDS


@dataclass(frozen=True, slots=True)
class Row:
    """All that was measured of one faulty run."""

    program: str
    fault: str
    kind: str
    test: str
    point: str
    steps: int
    lines: int  # that ran
    dynamic: Read
    relevant: Read
    tree: Walk | None
    error: str = ""  # why there is no tree


def measure(fault: Fault, test: Test, work: Path, opened: OpenTree = open_tree) -> Row:
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
        dynamic=_sliced(point, fault, relevant=False),
        relevant=_sliced(point, fault, relevant=True),
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
    recipe = Recipe(
        test=test.command(fault.program),
        build=f"$CC -std=c99 -g -o {fault.program} {fault.program}.c",
        asked_timeout=verify.TIMEOUT,
    )
    done = record(tree, recipe, out)
    summarise(out, tree, max_trace=DEFAULT_MAX_TRACE)
    return Recording(out), Ended(done.status, done.stdout)


def _point(recording: Recording, failure: str) -> Point:
    if failure != "crash":
        return find(recording, failure if failure != "short" else "exit")
    try:
        return find(recording, "assert")
    except UserError:  # it is no failed assertion
        return find(recording, "crash")


# --- reading -----------------------------------------------------------------------------------


def _sliced(point: Point, fault: Fault, *, relevant: bool) -> Read:
    started = time.monotonic()
    steps = steps_of(point, relevant=relevant)
    lines = {(line.file, line.number) for line in Narrator(point.thread).lines(steps)}
    return Read(
        found=_has_fault(lines, fault),
        steps=len(steps),
        lines=len(lines),
        seconds=time.monotonic() - started,
    )


def _has_fault(lines: set[tuple[str, int]], fault: Fault) -> bool:
    return any((f"{fault.program}.c", line) in lines for line in fault.lines)


Place = tuple[str, int]
NOTHING: set[Place] = set()


def walk(opened: Callable[[], Tree], fault: Fault) -> Walk:
    """Read causes level by level; the first that shows the fault is where a user stops."""
    started = time.monotonic()
    tree = opened()
    numbers: list[int] = []  # read until the fault was found
    read: Read | None = None
    count = 0
    is_whole = True
    for number in breadth_first(tree):
        count += 1
        if read is None:
            numbers.append(number)
            if _has_fault(set(lines_of(tree.cause(number))), fault):
                read = _read(tree, numbers, fault, started)
        if count >= MOST_CAUSES or time.monotonic() - started >= MOST_SECONDS:
            is_whole = False
            break
    seconds = time.monotonic() - started
    if read is None:
        read = _read(tree, numbers, None, started)
        return Walk(read, None, None, count, count, seconds, is_whole)
    way = _read(tree, _way(tree, numbers[-1]), fault, started, _dismissed(tree, numbers[-1]))
    level = tree.cause(numbers[-1]).level
    return Walk(read, way, level, len(numbers), count, seconds, is_whole)


def _read(
    tree: Tree, numbers: list[int], fault: Fault | None, started: float, more: set[Place] = NOTHING
) -> Read:
    """What is read in some causes: of the last only so much as to see the fault, if it is there.

    A cause is read from its predicate back, the way the damage came.
    """
    *before, last = numbers
    lines = more | {line for number in before for line in lines_of(tree.cause(number))}
    seen: list[Place] = []
    for line in lines_of(tree.cause(last)):
        seen.append(line)
        if fault is not None and _has_fault({line}, fault):
            break
    parts = [tree.steps(number) for number in before]
    parts.append(tree.steps(last, seen if fault else None))
    steps = np.unique(np.concatenate(parts))
    return Read(fault is not None, len(steps), len(lines | set(seen)), time.monotonic() - started)


def _dismissed(tree: Tree, number: int) -> set[Place]:
    """The predicates that a user passes over on the way down to a cause."""
    found: set[Place] = set()
    for on_way in _way(tree, number)[1:]:
        parent = tree.cause(on_way).parent
        assert parent is not None
        for child in tree.children(parent):
            if child == on_way:
                break
            found.update(lines_of(tree.cause(child))[:1])
    return found


def _way(tree: Tree, number: int) -> list[int]:
    """A cause and those above it."""
    parent = tree.cause(number).parent
    return [number] if parent is None else [*_way(tree, parent), number]


def breadth_first(tree: Tree) -> Iterator[int]:
    """Each cause once, level by level, the children of a cause computed when they are reached."""
    yield 0
    seen, level = {0}, [0]
    while level:
        following: list[int] = []
        for parent in level:
            for child in tree.children(parent):
                if child not in seen:
                    seen.add(child)
                    following.append(child)
                    yield child
        level = following


def lines_of(cause: Cause) -> list[Place]:
    """The lines of a cause in the order in which they are read, each once."""
    predicate = cause.predicate
    own = [(predicate.file, predicate.line)] if predicate.file else []
    shown = [(statement.file, statement.line) for statement in reversed(cause.statements)]
    return list(dict.fromkeys([*own, *shown]))


# --- a process of its own ----------------------------------------------------------------------


def row_of(told: dict[str, Any]) -> Row:
    """The row that was printed as JSON."""
    tree = told["tree"]
    return Row(**told | {
        "dynamic": Read(**told["dynamic"]),
        "relevant": Read(**told["relevant"]),
        "tree": _walk_of(tree) if tree else None,
    })  # fmt: skip


def _walk_of(told: dict[str, Any]) -> Walk:
    way = Read(**told["way"]) if told["way"] else None
    return Walk(**told | {"read": Read(**told["read"]), "way": way})


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
