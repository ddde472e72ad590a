"""Which causes have been found so far, and which changes do they meet?

AFTER's Θ, level by level from the failure upstream, and Δ∩Θ.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from whence.causes.tree import CauseSearch
from whence.explain.meeting import Meeting
from whence.explain.variant import VariantLines
from whence.model import Cause, ChangeId, Missing

_LONGEST_LEVEL = 60.0  # seconds that one level may take; then it is looked at no further
_MOST_CAUSES = 400  # of one level
_MOST_THROUGH = 12  # changes that one statement may meet through what it uses
_INDIRECTLY = 0.5  # how much farther a change is that is met only through what a statement uses


class CandidateChanges:
    """The causes of one failure, and the changes on the way."""

    def __init__(
        self, tree: CauseSearch, meeting: Meeting, variant: VariantLines | None = None
    ) -> None:
        """`variant`: what the passing run is of, if it is not the good version."""
        self.tree = tree
        self._meeting, self._variant = meeting, variant
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

    def cause(self, number: int) -> Cause:
        """A cause with the changes that it meets."""
        found = self.tree.cause(number)
        missing = tuple(self._located(one) for one in found.missing)
        found = replace(found, missing=missing)
        met = self._held(found) | self._used(found)
        return replace(found, changes=tuple(sorted(met)))

    def _meet_all(self, numbers: list[int]) -> None:
        for place, number in enumerate(numbers):  # the nearest to the failure come first
            cause = self.cause(number)
            level = cause.level + _INDIRECTLY * place / len(numbers)
            for change in self._held(cause):
                self._meet(change, level)
            for change in self._used(cause):
                self._meet(change, level + _INDIRECTLY)

    def _meet(self, change: ChangeId, level: float) -> None:
        self.met[change] = min(level, self.met.get(change, level))

    def _located(self, missing: Missing) -> Missing:
        """What is missing, with its place in the good version and what removed it."""
        statement = missing.statement
        place: tuple[str, int] | None = (statement.file, statement.line)
        if self._variant is not None:
            place = self._variant.in_good(statement.file, statement.line)
        if place is None:
            return missing
        removed = self._meeting.removed_at(*place) or self._few(
            self._meeting.removed_through(*place)
        )
        statement = replace(statement, file=place[0], line=place[1])
        return replace(missing, statement=statement, changes=tuple(sorted(removed)))

    def _held(self, cause: Cause) -> frozenset[ChangeId]:
        """The changes that hold a statement of a cause, or one that it lacks."""
        found = {change for missing in cause.missing for change in missing.changes}
        for file, line in places(cause):
            found |= self._meeting.at(file, line)
            if self.tree.comparison is None:
                found |= self._meeting.near(file, line)
        return frozenset(found)

    def _used(self, cause: Cause) -> frozenset[ChangeId]:
        """The changes that the statements of a cause meet through what they use."""
        found = (self._few(self._meeting.through(file, line)) for file, line in places(cause))
        return frozenset().union(*found)

    def _few(self, changes: frozenset[ChangeId]) -> frozenset[ChangeId]:
        """The changes, unless a statement uses what is changed all over, such as a generated
        table: that says nothing."""
        return changes if len(changes) <= _MOST_THROUGH else frozenset()

    def suspects(self) -> tuple[ChangeId, ...]:
        """What was met so far, the nearest to the failure first."""
        return tuple(sorted(self.met, key=lambda change: (self.met[change], change)))


def places(cause: Cause) -> Iterator[tuple[str, int]]:
    """The lines of a cause."""
    yield from ((statement.file, statement.line) for statement in cause.statements)
    if cause.predicate.file:
        yield cause.predicate.file, cause.predicate.line
