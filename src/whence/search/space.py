"""How does a search ask for runs?

A search is a generator: it yields variants and receives their runs.  It has no other input, so it
can be replayed from known outcomes.  Resuming a search, running ahead on idle workers and testing
against an oracle all replay it.  The answer cannot depend on the number of workers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from whence.model import ChangeId, Outcome, Reverted, Run

T = TypeVar("T")
Search = Generator[Reverted, Run, T]

Atom = frozenset[ChangeId]
"""Changes that are reverted together or not at all."""


def union(atoms: Iterable[Atom]) -> Reverted:
    return frozenset().union(*atoms)


@dataclass(frozen=True)
class Space:
    """What a search may revert: disjoint atoms.  `always` is reverted in every variant."""

    atoms: tuple[Atom, ...]
    always: Reverted = frozenset()

    def ask(self, reverted: Reverted) -> Search[Run]:
        """Ask for the run with these changes reverted."""
        return (yield self.always | reverted)

    def passes(self, reverted: Reverted) -> Search[bool]:
        run = yield from self.ask(reverted)
        return run.outcome is Outcome.PASS


def parts_of(items: Sequence[T], count: int) -> list[list[T]]:
    """Cut into `count` parts of nearly equal length; omit empty parts."""
    borders = [len(items) * i // count for i in range(count + 1)]
    return [list(items[a:b]) for a, b in pairwise(borders) if a < b]


def without(items: Iterable[T], part: Iterable[T]) -> list[T]:
    left_out = set(part)
    return [item for item in items if item not in left_out]
