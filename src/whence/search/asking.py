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
from typing import NewType, TypeVar

from whence.model import ChangeId, Outcome, Reverted, Run

T = TypeVar("T")
Search = Generator[Reverted, Run, T]

Atom = NewType("Atom", int)  # index into `Space.atoms`
Atoms = frozenset[Atom]


@dataclass(frozen=True)
class Space:
    """What a search may revert: sets of changes that go together, its atoms.

    `always` is reverted in every variant of this search.
    """

    atoms: tuple[frozenset[ChangeId], ...]
    always: Reverted = frozenset()

    @property
    def all(self) -> tuple[Atom, ...]:
        return tuple(Atom(i) for i in range(len(self.atoms)))

    def reverted(self, atoms: Iterable[Atom]) -> Reverted:
        return self.always.union(*(self.atoms[atom] for atom in atoms))

    def ask(self, atoms: Iterable[Atom]) -> Search[Run]:
        """Ask how the test ends with these atoms reverted."""
        return (yield self.reverted(atoms))

    def passes(self, atoms: Iterable[Atom]) -> Search[bool]:
        run = yield from self.ask(atoms)
        return run.outcome is Outcome.PASS


def parts_of(items: Sequence[T], count: int) -> list[list[T]]:
    """Cut into `count` runs of nearly equal length, none of them empty."""
    borders = [len(items) * i // count for i in range(count + 1)]
    return [list(items[a:b]) for a, b in pairwise(borders) if a < b]
