"""The default search: few runs, because it asks about sets that can hold together.

Most regressions have one cause, and reverting little disturbs little.  So at first (`narrow`)
it reverts the most suspicious changes that together have half of the weight.  If the test
passes, the cause is among them; if THE failure stays, it is not; if the program falls apart,
nothing is known and fewer are tried at a time.

When no single cause is left to hope for (`find`), it looks for the shortest prefix of the
changes, most suspicious first, that passes when reverted: the last change of that prefix is
needed.  With it kept, the next shortest prefix gives the next one, until what was found passes
alone.  A set that does not pass counts as too small.

Every set is closed under what is known of dependencies before it is tried.  When a variant
falls apart all the same, what the compiler or interpreter complained of is learnt, and the set
is tried again.  Outcomes need not be monotone: `least` and the final checks make the result
right whatever the guesses on the way were.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from whence.model import ChangeId, Outcome, Run
from whence.search.asking import Atom, Atoms, Search, Space
from whence.search.dependencies import Knowledge

_REPAIRS = 3  # so often is a variant that falls apart mended before we call it too small
_SINGLE = 0.75  # how often we suppose that there is one cause, before the first run
_ACQUITTED = 0.02  # what is left of the weight of changes that were reverted in vain
_UNJUDGED = 0.2  # and of one that cannot be reverted alone without breaking the program
_FEW = 3  # up to so many extra atoms are tried one by one


@dataclass(frozen=True, slots=True)
class Found:
    """A set that passes when reverted.  `needed` was asked for; the rest came along with it."""

    needed: Atoms
    passing: Atoms


class Fast:
    def __init__(
        self, space: Space, knowledge: Knowledge, weight: Mapping[ChangeId, float]
    ) -> None:
        self._space = space
        self._knowledge = knowledge
        self._atom_of = {c: Atom(i) for i, atom in enumerate(space.atoms) for c in atom}
        self._weight = [sum(weight.get(c, 1.0) for c in atom) for atom in space.atoms]

    def suspicious_first(self, atoms: Iterable[Atom]) -> list[Atom]:
        return sorted(atoms, key=lambda atom: (-self._weight[atom], atom))

    def closed(self, atoms: Iterable[Atom]) -> Atoms:
        """Return the atoms with all that they are known to require, within the space."""
        chosen = frozenset(atoms)
        while True:
            changes = self._knowledge.closure(self._space.reverted(chosen))
            more = frozenset(self._atom_of[c] for c in changes if c in self._atom_of)
            if more <= chosen:
                return chosen
            chosen |= more

    def narrow(self) -> Search[list[Atom]]:
        """Return atoms that pass when reverted, most suspicious first, few if one is the cause."""
        passing = frozenset(self._space.all)
        weight = dict(enumerate(self._weight))
        single = sum(weight.values())
        several = single * (1 - _SINGLE) / _SINGLE
        most = len(passing)
        while len(passing) > 1 and single > several:
            chosen = self._likely(passing, weight, single / 2, most)
            closed, run = yield from self._hold_together(frozenset(chosen))
            if run.outcome is Outcome.PASS and not passing <= closed:
                passing = closed & passing
                single = sum(weight[atom] for atom in passing)
                several = single * (1 - _SINGLE) / _SINGLE
                most = len(passing)
            else:
                judged = run.outcome is Outcome.FAIL
                for atom in closed & passing if judged else chosen if len(chosen) == 1 else ():
                    weight[atom] *= _ACQUITTED if judged else _UNJUDGED
                most = min(2 * len(chosen), len(passing)) if judged else max(1, len(chosen) // 2)
                single = sum(weight[atom] for atom in passing)
        order = sorted(passing, key=lambda atom: (-weight[atom], -self._weight[atom], atom))
        return order

    def _likely(
        self, passing: Atoms, weight: Mapping[int, float], mass: float, most: int
    ) -> list[Atom]:
        """Return the heaviest atoms, up to a mass and a number; at least one."""
        order = sorted(passing, key=lambda atom: (-weight[atom], atom))
        masses = accumulate(weight[atom] for atom in order)
        enough = next((i for i, m in enumerate(masses, 1) if m >= mass), len(order))
        return order[: max(1, min(enough, most, len(order) - 1))]

    def find(self, candidates: Sequence[Atom], base: Atoms = frozenset()) -> Search[Found]:
        """Find a set that passes; all candidates together with `base` must."""
        needed: list[Atom] = []
        passing = base | frozenset(candidates)
        while candidates:
            chosen = yield from self._passing(base.union(needed))
            if chosen is not None:
                return Found(base.union(needed), chosen)
            low, high = 0, len(candidates)
            mass = list(accumulate(self._weight[atom] for atom in candidates))
            while high - low > 1:
                middle = _middle(mass, low, high)
                chosen = yield from self._passing(base.union(needed, candidates[:middle]))
                if chosen is None:
                    low = middle
                else:
                    high, passing = middle, chosen
            needed.append(candidates[high - 1])
            candidates = candidates[: high - 1]
        return Found(passing, passing)

    def _passing(self, atoms: Atoms) -> Search[Atoms | None]:
        """Return the closed set if it passes when reverted."""
        closed, run = yield from self._hold_together(atoms)
        return closed if run.outcome is Outcome.PASS else None

    def _hold_together(self, atoms: Atoms) -> Search[tuple[Atoms, Run]]:
        """Revert the closed set; while it falls apart and we can learn why, a larger one."""
        closed = self.closed(atoms)
        run = yield from self._space.ask(closed)
        for _ in range(_REPAIRS):
            if run.outcome in (Outcome.PASS, Outcome.FAIL):
                break
            self._knowledge.learn(self._space.reverted(closed), run.complaints)
            larger = self.closed(atoms)
            if larger == closed:
                break
            closed = larger
            run = yield from self._space.ask(closed)
        return closed, run

    def least(self, found: Found) -> Search[Atoms]:
        """Return a part of the set that passes and needs each of its atoms."""
        extra = found.passing - found.needed
        if extra and found.needed and (yield from self._space.passes(found.needed)):
            extra = frozenset()
        elif len(extra) > _FEW:
            extra = yield from self._needed_extra(found.needed, extra)
        passing = found.needed | extra
        order = [*self.suspicious_first(extra)[::-1], *self.suspicious_first(found.needed)[::-1]]
        i = lap = 0
        # As in STYLE's example: stop after a whole lap without progress, for passing is not
        # monotone, and dropping a late atom can make an early one droppable.
        while len(order) > 1 and lap < len(order):
            without = passing - {order[i]}
            if (yield from self._space.passes(without)):
                passing, lap = without, 0
                del order[i]
            else:
                i, lap = i + 1, lap + 1
            i %= len(order)
        return (yield from self._smaller_group(passing))

    def _needed_extra(self, needed: Atoms, extra: Atoms) -> Search[Atoms]:
        """Return the part of `extra` without which `needed` does not pass."""
        kept: list[Atom] = []
        rest = self.suspicious_first(extra)
        while not (yield from self._space.passes(needed.union(kept))):
            low, high = 0, len(rest)
            while high - low > 1:
                middle = (low + high) // 2
                if (yield from self._space.passes(needed.union(kept, rest[:middle]))):
                    high = middle
                else:
                    low = middle
            if not rest:
                return extra
            kept.append(rest[high - 1])
            rest = rest[: high - 1]
        return frozenset(kept)

    def _smaller_group(self, passing: Atoms) -> Search[Atoms]:
        """Try what leaving out one atom at a time cannot find: parts that hold each other."""
        if len(passing) < 3:
            return passing
        for group in self._groups(passing):
            for part in (group, passing - group):
                if part and part < passing and (yield from self._space.passes(part)):
                    return (yield from self.least(Found(part, part)))
        return passing

    def _groups(self, atoms: Atoms) -> list[Atoms]:
        """Return the single atoms and those that dependencies tie together, smallest first."""
        groups = {frozenset({atom}) for atom in atoms}
        for atom in atoms:
            groups.add(self.closed({atom}) & atoms)
        return sorted((g for g in groups if g != atoms), key=lambda g: (len(g), sorted(g)))


def _middle(mass: Sequence[float], low: int, high: int) -> int:
    """Return a place strictly between low and high with half of their weight before it."""
    before = mass[low - 1] if low else 0.0
    half = (before + mass[high - 1]) / 2
    return min(max(bisect_left(mass, half, low, high) + 1, low + 1), high - 1)
