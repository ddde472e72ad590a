"""How much of a slice or a cause tree has to be read before some source lines are seen?"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from whence.languages import describer_of, language_of
from whence.model import Cause, CauseTree
from whence.trace.points import Point
from whence.trace.slice_at import steps_of

Place = tuple[str, int]  # a file and a line of it


class Tree(CauseTree, Protocol):
    """A cause tree that also says which executed instructions belong to a cause."""

    def steps(
        self, number: int, lines: Collection[Place] | None = None
    ) -> npt.NDArray[np.uint32]: ...


@dataclass(frozen=True, slots=True)
class Read:
    """What has to be read: a whole slice, or the causes of a tree until the lines are among them.

    If the lines are not found, that is everything.
    """

    found: bool
    steps: int
    lines: int
    seconds: float


def sliced(point: Point, wanted: Collection[Place], *, relevant: bool) -> Read:
    """Return what has to be read of a slice."""
    started = time.process_time()
    steps = steps_of(point, language_of(point.thread.recording).analysis, relevant=relevant)
    lines = {(line.file, line.number) for line in describer_of(point.thread).lines(steps)}
    seconds = time.process_time() - started
    return Read(not lines.isdisjoint(wanted), len(steps), len(lines), seconds)


def read_in(
    tree: Tree, numbers: Sequence[int], wanted: Collection[Place], more: Collection[Place] = ()
) -> Read:
    """Return what is read in some causes; of the last cause, only up to a wanted line.

    A cause is read from its predicate backwards.  The time is not filled in.
    """
    *before, last = numbers
    lines = {*more, *(line for number in before for line in lines_of(tree.cause(number)))}
    seen = lines_of(tree.cause(last))
    first = next((at for at, line in enumerate(seen) if line in wanted), None)
    if first is not None:
        seen = seen[: first + 1]
    parts = [tree.steps(number) for number in before]
    parts.append(tree.steps(last, seen if first is not None else None))
    steps = np.unique(np.concatenate(parts))
    return Read(first is not None, len(steps), len(lines | set(seen)), 0.0)


def read_on_the_way(tree: Tree, number: int, wanted: Collection[Place]) -> Read:
    """Return what a user reads on the way down to a cause, with predicates beside it skipped."""
    return read_in(tree, _way(tree, number), wanted, _dismissed(tree, number))


def _dismissed(tree: Tree, number: int) -> set[Place]:
    """Return the predicates that a user skips on the way down to a cause."""
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
    """Return a cause and those above it."""
    parent = tree.cause(number).parent
    return [number] if parent is None else [*_way(tree, parent), number]


def breadth_first(tree: Tree) -> Iterator[int]:
    """Yield each cause once, level by level; compute the children of a cause when it is reached."""
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
    """Return the lines of a cause in reading order, each once."""
    predicate = cause.predicate
    own = [(predicate.file, predicate.line)] if predicate.file else []
    shown = [(statement.file, statement.line) for statement in reversed(cause.statements)]
    return list(dict.fromkeys([*own, *shown]))
