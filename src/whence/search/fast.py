"""How does the default search find the root with few runs?

A set is consistent if the variant with it reverted builds and either passes or shows THE failure.
The search prefers sets that are likely to be consistent.

1. `narrow` assumes a single root change, the usual case.  It reverts the most suspicious changes
   that together have half of the weight.  If the test passes, the root is among them.  If THE
   failure stays, it is not.  If the set is inconsistent, nothing is known, and fewer changes are
   tried at a time.
2. `find` needs no such assumption.  It sorts the changes, the most suspicious first, and finds the
   shortest prefix that passes when reverted: the last change of that prefix is needed.  It keeps
   that change and repeats, until the needed changes pass alone.  A set that does not pass counts
   as too small.
3. `least` drops every change that is not needed.

Every set is closed under the known dependencies before it is tried.  If the variant is still
inconsistent, the search learns from the messages of compiler or interpreter and tries again.
Outcomes need not be monotone: `least` and the final checks make the result correct, whatever the
guesses before them were.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from whence.model import Outcome, Reverted, Run
from whence.search.dependencies import Knowledge
from whence.search.space import Atom, Search, Space, parts_of, union, without

# Guessed; the strategy as a whole was measured on 26 Python regressions (notes/search.md).
_MAX_REPAIRS = 2  # limit on enlarging a set that builds but is inconsistent
_MAX_BUILD_REPAIRS = (
    8  # limit on enlarging a set that does not build: compilers say what is missing
)
_MAX_FEWER_REPAIRS = 1  # limit on reducing a large set that is inconsistent
_GIVE_UP = 0.3  # share of the weight left at which `narrow` stops assuming a single root
_GIVE_UP_LATE = 0.1  # the same once a set was inconsistent: `find` is expensive then
_ACQUITTED = 0.02  # weight factor of changes that were reverted while THE failure stayed
_UNJUDGED = 0.05  # weight factor of an atom that cannot be reverted alone
_MIN_WORTH = 0.5  # share of a set's weight below which a part of it is not worth a run
_FEW = 3  # up to this many atoms, drop one by one without trying halves
_MANY = 8  # up to this many candidates, dropping one by one is cheaper than `find`
_TROUBLE = 0.7  # priority factor of the atoms of an inconsistent set


@dataclass(frozen=True, slots=True)
class FoundSet:
    """A set whose reverting makes the test pass: `needed`, and what `needed` requires."""

    needed: list[Atom]
    passing: Reverted


class Fast:
    """Searches a space.  `parts` cuts an atom into smaller atoms, or returns only the atom."""

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
        """Return a minimal set of atoms, or parts of atoms, whose reverting passes."""
        candidates = yield from self.narrow()
        if len(candidates) > _MANY:
            found = yield from self.find(candidates)
        else:
            found = FoundSet([], union(candidates))
        return (yield from self.least(found))

    def narrow(self) -> Search[list[Atom]]:
        """Return atoms whose reverting passes, the most suspicious first; few for a single root."""
        pool = {atom: self._weight(atom) for atom in self._space.atoms}
        whole = sum(pool.values())
        limit = len(pool)
        trouble: dict[Atom, float] = {}
        give_up = _GIVE_UP
        while len(pool) > 1 and sum(pool.values()) > give_up * whole:
            chosen = self._likely(pool, limit, trouble)
            if len(chosen) > 1:
                tried, run = yield from self._fewer_together(chosen)
            else:
                tried, run = yield from self.revert_consistently(chosen[0])
            if run.outcome is Outcome.PASS and not union(pool) <= tried:
                pool = {atom & tried: weight for atom, weight in pool.items() if atom & tried}
                whole = sum(pool.values())
                limit = len(pool)
            elif run.outcome is Outcome.FAIL:
                pool = {a: w * (_ACQUITTED if a <= tried else 1.0) for a, w in pool.items()}
                limit = len(chosen) + (len(chosen) + 1) // 2
            elif len(chosen) > 1:
                limit = len(chosen) // 2
                give_up = _GIVE_UP_LATE
                trouble |= {atom: trouble.get(atom, 1.0) * _TROUBLE for atom in chosen}
            else:
                limit = max(1, self._cut(pool, chosen[0]) // 2)
        return sorted(pool, key=lambda atom: (-pool[atom], -self._weight(atom), min(atom)))

    def _likely(
        self, pool: Mapping[Atom, float], limit: int, trouble: Mapping[Atom, float]
    ) -> list[Atom]:
        """Return the likeliest atoms: at most `limit`, at most half of the weight, at least one.

        Of two equally suspicious atoms, the one that requires fewer other changes comes first.
        """

        def likely(atom: Atom) -> float:
            alone = len(atom) / len(self._closed(atom))
            return pool[atom] * alone * trouble.get(atom, 1.0)

        order = sorted(pool, key=lambda atom: (-likely(atom), min(atom)))
        half = sum(pool.values()) / 2
        masses = accumulate(pool[atom] for atom in order)
        enough = next((i for i, mass in enumerate(masses, 1) if mass >= half), len(order))
        return order[: max(1, min(enough, limit, len(order) - 1))]

    def _cut(self, pool: dict[Atom, float], atom: Atom) -> int:
        """Replace an atom by its parts, or make it less likely; return the number of parts."""
        weight = pool.pop(atom)
        parts = self._parts(atom)
        if len(parts) == 1:
            pool[atom] = weight * _UNJUDGED
        else:
            whole = sum(map(self._weight, parts)) or 1.0
            pool.update({part: weight * self._weight(part) / whole for part in parts})
        return len(parts)

    def find(self, candidates: Sequence[Atom]) -> Search[FoundSet]:
        """Find a passing set.  All candidates together must pass."""
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
        """Return the closed set if reverting it passes, else None."""
        tried, run = yield from self.revert_consistently(changes)
        return tried if run.outcome is Outcome.PASS else None

    def revert_consistently(self, changes: Reverted) -> Search[tuple[Reverted, Run]]:
        """Revert the closed set; enlarge it while it is inconsistent and we learn why."""
        tried = self._closed(changes)
        run = yield from self._space.ask(tried)
        for repair in range(_MAX_BUILD_REPAIRS):
            if run.outcome in (Outcome.PASS, Outcome.FAIL):
                break
            if run.outcome is Outcome.OTHER and repair >= _MAX_REPAIRS:
                break
            self._knowledge.learn(self._space.always | tried, run)
            larger = self._closed(changes)
            if larger == tried:
                break
            tried = larger
            run = yield from self._space.ask(tried)
        return tried, run

    def _fewer_together(self, atoms: Sequence[Atom]) -> Search[tuple[Reverted, Run]]:
        """Revert the atoms that require nothing else; drop some if the set is inconsistent."""
        tried = self._self_contained(atoms) or self._closed(union(atoms))
        run = yield from self._space.ask(tried)
        for _ in range(_MAX_FEWER_REPAIRS):
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
        """Return the changes of the atoms that require nothing but each other.

        Return nothing if these have only a small share of the weight.
        """
        chosen = list(atoms)
        while True:
            inside = union(chosen)
            kept = [atom for atom in chosen if self._closed(atom) <= inside]
            if len(kept) == len(chosen):
                break
            chosen = kept
        worth = sum(map(self._weight, chosen)) >= _MIN_WORTH * sum(map(self._weight, atoms))
        return inside if worth else frozenset()

    def _closed(self, changes: Reverted) -> Reverted:
        """Return the changes with everything that they are known to require, within the space."""
        return self._knowledge.closure(changes) & self._everything

    def least(self, found: FoundSet) -> Search[list[Atom]]:
        """Return a minimal passing subset: dropping any one atom does not pass."""
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
        """Return a part of `extra` with which `needed` passes; all of `extra` if none is found."""
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
        """Drop one half or the other as long as the rest passes."""
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
        """Try to drop groups of atoms that depend on each other: single drops cannot find those."""
        if len(passing) < 3:
            return passing
        for group in self._groups(passing):
            for part in (group, without(passing, group)):
                if part and (yield from self._space.passes(union(part))):
                    return (yield from self.least(FoundSet(part, union(part))))
        return passing

    def _groups(self, atoms: list[Atom]) -> list[list[Atom]]:
        """Return the single atoms and the groups that dependencies tie, the smallest first."""
        groups = {frozenset({atom}) for atom in atoms}
        for atom in atoms:
            closed = self._closed(atom)
            groups.add(frozenset(other for other in atoms if not other.isdisjoint(closed)))
        proper = [sorted(group, key=min) for group in groups if len(group) < len(atoms)]
        return sorted(proper, key=lambda group: (len(group), [min(atom) for atom in group]))


def _middle(mass: Sequence[float], low: int, high: int) -> int:
    """Return an index strictly between low and high that halves the weight between them."""
    before = mass[low - 1] if low else 0.0
    half = (before + mass[high - 1]) / 2
    return min(max(bisect_left(mass, half, low, high) + 1, low + 1), high - 1)
