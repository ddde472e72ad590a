"""Which causes have been found so far, and which changes do they meet?

AFTER's Θ, level by level from the failure upstream, and Δ∩Θ.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from whence.explain.meeting import Meeting
from whence.model import Cause, ChangeId
from whence.semantics.tree import Tree

_LONGEST_LEVEL = 60.0  # seconds that one level may take; then it is looked at no further
_MOST_CAUSES = 400  # of one level
_MOST_THROUGH = 12  # changes that one statement may meet through what it uses
_INDIRECTLY = 0.5  # how much farther a change is that is met only through what a statement uses


class Theta:
    """The causes of one failure, and the changes on the way."""

    def __init__(self, tree: Tree, meeting: Meeting) -> None:
        self.tree = tree
        self._meeting = meeting
        self._level = [0]
        self.met: dict[ChangeId, float] = {}  # how far from the failure, in levels
        self._meet_all([0])

    @property
    def depth(self) -> int:
        """The level that was computed last."""
        return max((self.tree.cause(number).level for number in self._level), default=0)

    def grow(self) -> bool:
        """Compute the next level; False if there is none."""
        below: list[int] = []
        started = time.monotonic()
        for number in self._level[:_MOST_CAUSES]:
            below += self.tree.children(number)
            if time.monotonic() - started > _LONGEST_LEVEL:
                break
        self._meet_all(self._level)  # what is missing there is known by now
        self._level = below
        self._meet_all(below)
        return bool(below)

    def _meet_all(self, numbers: list[int]) -> None:
        for place, number in enumerate(numbers):  # the nearest to the failure come first
            cause = self.tree.cause(number)
            level = cause.level + _INDIRECTLY * place / len(numbers)
            for change in self.changes_of(cause):
                self._meet(change, level)
            for change in through(cause, self._meeting):
                self._meet(change, level + _INDIRECTLY)

    def _meet(self, change: ChangeId, level: float) -> None:
        self.met[change] = min(level, self.met.get(change, level))

    def changes_of(self, cause: Cause) -> frozenset[ChangeId]:
        """The changes that hold a statement of a cause, or one that it lacks."""
        return changes_of(cause, self._meeting, has_passing=self.tree.comparison is not None)

    def suspects(self) -> tuple[ChangeId, ...]:
        """What was met so far, the nearest to the failure first."""
        return tuple(sorted(self.met, key=lambda change: (self.met[change], change)))


def changes_of(cause: Cause, meeting: Meeting, *, has_passing: bool) -> frozenset[ChangeId]:
    """The changes that hold a statement of a cause, or one that it lacks."""
    found: set[ChangeId] = set()
    for file, line in places(cause):
        found |= meeting.at(file, line)
        if not has_passing:
            found |= meeting.near(file, line)
    for missing in cause.missing:
        found |= meeting.removed_at(missing.statement.file, missing.statement.line)
    return frozenset(found)


def through(cause: Cause, meeting: Meeting) -> frozenset[ChangeId]:
    """The changes that the statements of a cause, or those it lacks, meet through what they use.

    Where a statement uses what is changed all over, such as a generated table, that says nothing.
    """
    found = [meeting.through(file, line) for file, line in places(cause)]
    lacks = (missing.statement for missing in cause.missing)
    found += [meeting.removed_through(statement.file, statement.line) for statement in lacks]
    return frozenset().union(*(one for one in found if len(one) <= _MOST_THROUGH))


def places(cause: Cause) -> Iterator[tuple[str, int]]:
    """The lines of a cause."""
    yield from ((statement.file, statement.line) for statement in cause.statements)
    if cause.predicate.file:
        yield cause.predicate.file, cause.predicate.line
