"""How does a search ask for runs?

A search is a generator: it yields variants and is sent how they ended.  It does nothing else
and knows nothing else, so it can be replayed from the outcomes that are known.  That makes
resuming, running ahead on idle workers and testing against made-up oracles the same thing,
and the answer cannot depend on the number of workers.
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
    """Where a search looks: its atoms are disjoint; `always` is reverted in every variant."""

    atoms: tuple[Atom, ...]
    always: Reverted = frozenset()

    def ask(self, reverted: Reverted) -> Search[Run]:
        """Ask how the test ends with these changes reverted."""
        return (yield self.always | reverted)

    def passes(self, reverted: Reverted) -> Search[bool]:
        run = yield from self.ask(reverted)
        return run.outcome is Outcome.PASS


def parts_of(items: Sequence[T], count: int) -> list[list[T]]:
    """Cut into `count` runs of nearly equal length, none of them empty."""
    borders = [len(items) * i // count for i in range(count + 1)]
    return [list(items[a:b]) for a, b in pairwise(borders) if a < b]


def without(items: Iterable[T], part: Iterable[T]) -> list[T]:
    left_out = set(part)
    return [item for item in items if item not in left_out]
