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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from whence.model import Outcome, Reverted, Run
from whence.search.asking import Atom, Search, Space, parts_of, union, without
from whence.search.dependencies import Knowledge

_REPAIRS = 2  # so often is a variant that falls apart mended with more changes,
_BUILD_REPAIRS = 8  # as long as it does not even build: compilers are quick and say what is missing
_FEWER_REPAIRS = 1  # where many changes are tried at a time, it is mended with fewer
_GIVE_UP = 0.3  # share of the weight at which we stop hoping for a single cause,
_GIVE_UP_LATE = 0.1  # and where sets fall apart: looking for several is hard then
_ACQUITTED = 0.02  # what is left of the weight of changes that were reverted in vain
_UNJUDGED = 0.05  # and of one that cannot be reverted alone without breaking the program
_WORTH = 0.5  # share of the weight of some atoms below which part of them is not worth a run
_FEW = 3  # up to so many atoms are left out one by one from the start
_MANY = 8  # up to so many candidates it is cheapest to leave out one after the other
_TROUBLE = 0.7  # changes of a set that fell apart are put together with others later


@dataclass(frozen=True, slots=True)
class FoundSet:
    """A set that passes when reverted.  `needed` was asked for; the rest came along with it."""

    needed: list[Atom]
    passing: Reverted


class Fast:
    """Searches a space.  `parts` cuts an atom into smaller ones, or returns it alone."""

    def __init__(
        self,
        space: Space,
        knowledge: Knowledge,
        weigh: Callable[[Atom], float],
        parts: Callable[[Atom], Sequence[Atom]],
    ) -> None:
        self._space = space
        self._knowledge = knowledge
        self._everything = union(space.atoms)
        self._weight = weigh
        self._parts = parts

    def run(self) -> Search[list[Atom]]:
        """Return atoms, or parts of them, that pass when reverted and are all needed."""
        candidates = yield from self.narrow()
        if len(candidates) > _MANY:
            found = yield from self.find(candidates)
        else:
            found = FoundSet([], union(candidates))
        return (yield from self.least(found))

    def narrow(self) -> Search[list[Atom]]:
        """Return atoms that pass when reverted, most suspicious first; few if one is the cause."""
        pool = {atom: self._weight(atom) for atom in self._space.atoms}
        whole = sum(pool.values())
        most = len(pool)
        trouble: dict[Atom, float] = {}
        give_up = _GIVE_UP
        while len(pool) > 1 and sum(pool.values()) > give_up * whole:
            chosen = self._likely(pool, most, trouble)
            if len(chosen) > 1:
                tried, run = yield from self._fewer_together(chosen)
            else:
                tried, run = yield from self.hold_together(chosen[0])
            if run.outcome is Outcome.PASS and not union(pool) <= tried:
                pool = {atom & tried: weight for atom, weight in pool.items() if atom & tried}
                whole = sum(pool.values())
                most = len(pool)
            elif run.outcome is Outcome.FAIL:
                pool = {a: w * (_ACQUITTED if a <= tried else 1.0) for a, w in pool.items()}
                most = len(chosen) + (len(chosen) + 1) // 2
            elif len(chosen) > 1:
                most = len(chosen) // 2
                give_up = _GIVE_UP_LATE
                trouble |= {atom: trouble.get(atom, 1.0) * _TROUBLE for atom in chosen}
            else:
                most = max(1, self._cut(pool, chosen[0]) // 2)
        return sorted(pool, key=lambda atom: (-pool[atom], -self._weight(atom), min(atom)))

    def _likely(
        self, pool: Mapping[Atom, float], most: int, trouble: Mapping[Atom, float]
    ) -> list[Atom]:
        """Return the likeliest atoms, up to half of the weight and to a number; at least one.

        Of two equally suspicious atoms the one that can be reverted alone is the likelier.
        """

        def likely(atom: Atom) -> float:
            alone = len(atom) / len(self._closed(atom))
            return pool[atom] * alone * trouble.get(atom, 1.0)

        order = sorted(pool, key=lambda atom: (-likely(atom), min(atom)))
        half = sum(pool.values()) / 2
        masses = accumulate(pool[atom] for atom in order)
        enough = next((i for i, mass in enumerate(masses, 1) if mass >= half), len(order))
        return order[: max(1, min(enough, most, len(order) - 1))]

    def _cut(self, pool: dict[Atom, float], atom: Atom) -> int:
        """Put an atom's parts in its place, as many as returned; else take it for less likely."""
        weight = pool.pop(atom)
        parts = self._parts(atom)
        if len(parts) == 1:
            pool[atom] = weight * _UNJUDGED
        else:
            whole = sum(map(self._weight, parts)) or 1.0
            pool.update({part: weight * self._weight(part) / whole for part in parts})
        return len(parts)

    def find(self, candidates: Sequence[Atom]) -> Search[FoundSet]:
        """Find a set that passes; all candidates together must."""
        needed: list[Atom] = []
        passing = union(candidates)
        while candidates:
            tried = yield from self._passing(union(needed))
            if tried is not None:
                return FoundSet(needed, tried)
            low, high = 0, len(candidates)
            mass = list(accumulate(map(self._weight, candidates)))
            while high - low > 1:
                middle = _middle(mass, low, high)
                tried = yield from self._passing(union((*needed, *candidates[:middle])))
                if tried is None:
                    low = middle
                else:
                    high, passing = middle, tried
            needed.append(candidates[high - 1])
            candidates = candidates[: high - 1]
        return FoundSet([], passing)

    def _passing(self, changes: Reverted) -> Search[Reverted | None]:
        """Return the closed set if it passes when reverted."""
        tried, run = yield from self.hold_together(changes)
        return tried if run.outcome is Outcome.PASS else None

    def hold_together(self, changes: Reverted) -> Search[tuple[Reverted, Run]]:
        """Revert the closed set; while it falls apart and we can learn why, a larger one."""
        tried = self._closed(changes)
        run = yield from self._space.ask(tried)
        for repair in range(_BUILD_REPAIRS):
            if run.outcome in (Outcome.PASS, Outcome.FAIL):
                break
            if run.outcome is Outcome.OTHER and repair >= _REPAIRS:
                break
            self._knowledge.learn(self._space.always | tried, run)
            larger = self._closed(changes)
            if larger == tried:
                break
            tried = larger
            run = yield from self._space.ask(tried)
        return tried, run

    def _fewer_together(self, atoms: Sequence[Atom]) -> Search[tuple[Reverted, Run]]:
        """Revert those of the atoms that require nothing else; while it falls apart, fewer."""
        tried = self._self_contained(atoms) or self._closed(union(atoms))
        run = yield from self._space.ask(tried)
        for _ in range(_FEWER_REPAIRS):
            if run.outcome in (Outcome.PASS, Outcome.FAIL):
                break
            self._knowledge.learn(self._space.always | tried, run)
            fewer = self._self_contained([atom for atom in atoms if atom <= tried])
            if not fewer or fewer == tried:
                break
            tried = fewer
            run = yield from self._space.ask(tried)
        return tried, run

    def _self_contained(self, atoms: Sequence[Atom]) -> Reverted:
        """Return the changes of those atoms that require nothing but each other.

        Nothing if they have only a small part of the weight: then they are not worth a run.
        """
        chosen = list(atoms)
        while True:
            inside = union(chosen)
            kept = [atom for atom in chosen if self._closed(atom) <= inside]
            if len(kept) == len(chosen):
                break
            chosen = kept
        worth = sum(map(self._weight, chosen)) >= _WORTH * sum(map(self._weight, atoms))
        return inside if worth else frozenset()

    def _closed(self, changes: Reverted) -> Reverted:
        """Return the changes with all that they are known to require, within the space."""
        return self._knowledge.closure(changes) & self._everything

    def least(self, found: FoundSet) -> Search[list[Atom]]:
        """Return a part of the set that passes and needs each of its atoms."""
        needed = union(found.needed)
        extra = [atom & found.passing - needed for atom in self._space.atoms]
        extra = sorted((atom for atom in extra if atom), key=self._order)
        if extra and needed and (yield from self._space.passes(needed)):
            extra = []
        if len(extra) > _MANY:
            extra = yield from self._needed_extra(needed, extra)
        passing = [*reversed(extra), *sorted(found.needed, key=self._order, reverse=True)]
        passing = yield from self._half(passing)
        i = lap = 0
        # Stop after a whole lap without progress, not at the end of the list: passing is not
        # monotone, and dropping a late atom can make an early one droppable.
        while len(passing) > 1 and lap < len(passing):
            rest = [*passing[:i], *passing[i + 1 :]]
            if (yield from self._space.passes(union(rest))):
                passing, lap = rest, 0  # the next atom has moved into place i
            else:
                i, lap = i + 1, lap + 1
            i %= len(passing)
        return (yield from self.smaller_group(passing))

    def _order(self, atom: Atom) -> tuple[float, int]:
        return -self._weight(atom), min(atom)

    def _needed_extra(self, needed: Reverted, extra: list[Atom]) -> Search[list[Atom]]:
        """Return the part of `extra` without which `needed` does not pass, or all of it."""
        kept: list[Atom] = []
        rest = extra
        while rest and not (yield from self._space.passes(needed | union(kept))):
            low, high = 0, len(rest)
            while high - low > 1:
                middle = (low + high) // 2
                if (yield from self._space.passes(needed | union((*kept, *rest[:middle])))):
                    high = middle
                else:
                    low = middle
            kept.append(rest[high - 1])
            rest = rest[: high - 1]
        return kept if rest else extra

    def _half(self, passing: list[Atom]) -> Search[list[Atom]]:
        """Leave out one half or the other as long as that passes."""
        while len(passing) > _FEW:
            for half in parts_of(passing, 2):
                rest = without(passing, half)
                if (yield from self._space.passes(union(rest))):
                    passing = rest
                    break
            else:
                break
        return passing

    def smaller_group(self, passing: list[Atom]) -> Search[list[Atom]]:
        """Try what leaving out one atom at a time cannot find: parts that hold each other."""
        if len(passing) < 3:
            return passing
        for group in self._groups(passing):
            for part in (group, without(passing, group)):
                if part and (yield from self._space.passes(union(part))):
                    return (yield from self.least(FoundSet(part, union(part))))
        return passing

    def _groups(self, atoms: list[Atom]) -> list[list[Atom]]:
        """Return the single atoms and those that dependencies tie together, smallest first."""
        groups = {frozenset({atom}) for atom in atoms}
        for atom in atoms:
            closed = self._closed(atom)
            groups.add(frozenset(other for other in atoms if not other.isdisjoint(closed)))
        proper = [sorted(group, key=min) for group in groups if len(group) < len(atoms)]
        return sorted(proper, key=lambda group: (len(group), [min(atom) for atom in group]))


def _middle(mass: Sequence[float], low: int, high: int) -> int:
    """Return a place strictly between low and high with half of their weight before it."""
    before = mass[low - 1] if low else 0.0
    half = (before + mass[high - 1]) / 2
    return min(max(bisect_left(mass, half, low, high) + 1, low + 1), high - 1)
