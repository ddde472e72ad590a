"""Which causes have been found so far, and which changes do they meet?

In AFTER's Algorithm 1 these are the cause set Θ, computed level by level from the failure
upstream, and the changes of Δ that these causes meet, which line 9 may revert.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from whence.causes.tree import CauseSearch
from whence.explain.beginnings import changes_where_runs_part
from whence.explain.meeting import Meeting
from whence.explain.variant_lines import VariantLines
from whence.model import Cause, ChangeId, Missing

_MAX_LEVEL_SECONDS = 60.0  # limit on the CPU time of one level; guessed
_MAX_CAUSES = 400  # limit on causes expanded per level; guessed
_MAX_USED = 12  # limit on changes that one statement may meet by the names it uses; guessed
_INDIRECT_DISTANCE = 0.5  # levels added for a change met only by a name that is used; guessed


class CandidateChanges:
    """The causes of one failure, and the changes that they meet."""

    def __init__(
        self, tree: CauseSearch, meeting: Meeting, variant: VariantLines | None = None
    ) -> None:
        """`variant` is the version of the passing run; None if that is the good version."""
        self.tree = tree
        self._meeting, self._variant = meeting, variant
        self._level = [0]  # the causes of the level that was computed last
        self.met: dict[ChangeId, float] = {}  # distance from the failure, in levels
        self._meet_all([0])

    @property
    def depth(self) -> int:
        """The number of the level that was computed last."""
        return max((self.tree.cause(number).level for number in self._level), default=0)

    def where_runs_part(self) -> tuple[ChangeId, ...]:
        """Return the changes of functions that got the same and gave something else."""
        comparison = self.tree.comparison
        return () if comparison is None else changes_where_runs_part(comparison, self._meeting)

    def grow(self, seconds: float = _MAX_LEVEL_SECONDS) -> bool:
        """Compute the next level (Algorithm 1, lines 6-8 and 12-13); False if there is none.

        Causes that are not reached within the time are left out.
        """
        below: list[int] = []
        started = time.process_time()
        for number in self._level[:_MAX_CAUSES]:
            below += self.tree.children(number)
            if time.process_time() - started > seconds:
                break
        # Computing the children of a cause also finds the statements that it misses.
        self._meet_all(self._level)
        self._level = below
        self._meet_all(below)
        return bool(below)

    def cause(self, number: int) -> Cause:
        """Return a cause with the changes that it meets."""
        cause = self.tree.cause(number)
        missing = tuple(self._located(each) for each in cause.missing)
        cause = replace(cause, missing=missing)
        met = self._holding(cause) | self._used(cause)
        return replace(cause, changes=tuple(sorted(met)))

    def _meet_all(self, numbers: list[int]) -> None:
        # Within a level, `numbers` starts with the causes nearest to the failure.
        for place, number in enumerate(numbers):
            cause = self.cause(number)
            level = cause.level + _INDIRECT_DISTANCE * place / len(numbers)
            for change in self._holding(cause):
                self._meet(change, level)
            for change in self._used(cause):
                self._meet(change, level + _INDIRECT_DISTANCE)

    def _meet(self, change: ChangeId, level: float) -> None:
        self.met[change] = min(level, self.met.get(change, level))

    def _located(self, missing: Missing) -> Missing:
        """Add to a missing statement its place in the good version and the changes to it."""
        statement = missing.statement
        place: tuple[str, int] | None = (statement.file, statement.line)
        if self._variant is not None:
            place = self._variant.in_good(statement.file, statement.line)
        if place is None:
            return missing
        removed = self._meeting.removed_at(*place) or self._limited(
            self._meeting.removed_through(*place)
        )
        removed |= self._meeting.removed_around(*place)
        if missing.jump is not None:
            removed |= self._meeting.at(missing.jump.file, missing.jump.line)
        statement = replace(statement, file=place[0], line=place[1])
        return replace(missing, statement=statement, changes=tuple(sorted(removed)))

    def _holding(self, cause: Cause) -> frozenset[ChangeId]:
        """Return the changes that hold a statement of a cause, or one that the cause misses."""
        found = {change for missing in cause.missing for change in missing.changes}
        for file, line in places(cause):
            found |= self._meeting.at(file, line)
            if self.tree.comparison is None:
                found |= self._meeting.near(file, line)
        return frozenset(found)

    def _used(self, cause: Cause) -> frozenset[ChangeId]:
        """Return the changes to names that the statements of a cause use."""
        found = (self._limited(self._meeting.through(file, line)) for file, line in places(cause))
        through = (self._limited(self._meeting.of_static(r.name)) for r in cause.static_reads)
        return frozenset().union(*found, *through)

    def _limited(self, changes: frozenset[ChangeId]) -> frozenset[ChangeId]:
        """Return the changes, or none if they are too many to be evidence.

        A statement that uses a name with many changes, such as a generated table, proves nothing.
        """
        return changes if len(changes) <= _MAX_USED else frozenset()

    def suspects(self) -> tuple[ChangeId, ...]:
        """Return the changes met so far, the nearest to the failure first."""
        return tuple(sorted(self.met, key=lambda change: (self.met[change], change)))


def places(cause: Cause) -> Iterator[tuple[str, int]]:
    """Yield file and line of each statement of a cause, and of its predicate."""
    yield from ((statement.file, statement.line) for statement in cause.statements)
    if cause.predicate.file:
        yield cause.predicate.file, cause.predicate.line
