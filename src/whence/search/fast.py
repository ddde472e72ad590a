"""How does the default search find the root with few runs?

A set is consistent if the variant with it reverted builds and either passes or shows THE failure.
The search prefers sets that are likely to be consistent.

1. `narrow` assumes a single root change, the usual case.  It reverts the most suspicious changes
   that together have half of the weight.  If the test passes, the root is among them.  If THE
   failure stays, it is not.  If the set is inconsistent, what the compiler complains about is
   dropped from it; if that does not help, nothing is known, and fewer changes are tried at a time.
2. `find` needs no such assumption.  It sorts the changes, the most suspicious first, and finds the
   shortest prefix that passes when reverted: the last change of that prefix is needed.  It keeps
   that change and repeats, until the needed changes pass alone.  A set that does not pass counts
   as too small.
3. `least` drops every change that is not needed, each with the changes that require it.

Every set is closed under the known dependencies before it is tried.  If the variant is still
inconsistent, the search learns from the messages of compiler or interpreter and tries again.
Outcomes need not be monotone: `least` and the final checks make the result correct, whatever the
guesses before them were.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from whence.model import ChangeId, Outcome, Reverted, Run
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
_MIN_GAIN = 0.2  # share of the chosen weight that a failing set must acquit to be worth more of it
_MAX_BROKEN = 12  # limit on variants in a row that do not build while atoms are dropped
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
                tried, run = yield from self.revert_fewer(chosen)
            else:
                tried, run = yield from self.revert_consistently(chosen[0])
            if run.outcome is Outcome.PASS and not union(pool) <= tried:
                pool = {atom & tried: weight for atom, weight in pool.items() if atom & tried}
                whole = sum(pool.values())
                limit = len(pool)
            elif run.outcome is Outcome.FAIL:
                chosen_weight = sum(pool[atom] for atom in chosen)
                before = sum(pool.values())
                pool = self._acquitted(pool, tried)
                if before - sum(pool.values()) >= _MIN_GAIN * chosen_weight:
                    limit = len(chosen) + (len(chosen) + 1) // 2
                else:  # most of the chosen atoms require others: try fewer, with these
                    limit = max(1, len(chosen) // 2)
            elif len(chosen) > 1:
                limit = len(chosen) // 2
                give_up = _GIVE_UP_LATE
                trouble |= {atom: trouble.get(atom, 1.0) * _TROUBLE for atom in chosen}
            else:
                limit = max(1, self._cut(pool, chosen[0]) // 2)
        return sorted(pool, key=lambda atom: (-pool[atom], -self._weight(atom), min(atom)))

    def _acquitted(self, pool: Mapping[Atom, float], tried: Reverted) -> dict[Atom, float]:
        """Return the pool after THE failure stayed with `tried` reverted.

        An atom that was reverted only in part is cut: what was not tried keeps its share.
        """
        found: dict[Atom, float] = {}
        for atom, weight in pool.items():
            inside, outside = atom & tried, atom - tried
            if inside and outside:
                share = self._weight(inside) / (self._weight(inside) + self._weight(outside))
                found[inside] = weight * share * _ACQUITTED
                found[outside] = weight * (1 - share)
            else:
                found[atom] = weight * (_ACQUITTED if inside else 1.0)
        return found

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

    def revert_fewer(self, atoms: Sequence[Atom]) -> Search[tuple[Reverted, Run]]:
        """Revert the atoms that require nothing else; drop some while the set is inconsistent."""
        tried = self._contained(atoms) or self._closed(union(atoms))
        run = yield from self._space.ask(tried)
        for repair in range(_MAX_BUILD_REPAIRS):
            if run.outcome in (Outcome.PASS, Outcome.FAIL):
                break
            if not run.rejected and repair >= _MAX_FEWER_REPAIRS:
                break
            self._knowledge.learn(self._space.always | tried, run)
            left = [atom & tried for atom in atoms if atom & tried]
            fewer = self._contained(left)
            if fewer == tried:
                blamed = self._knowledge.blamed(self._space.always | tried, run)
                fewer = self._contained([atom - blamed for atom in left if atom - blamed])
            if not fewer or fewer == tried:
                break
            tried = fewer
            run = yield from self._space.ask(tried)
        return tried, run

    def _contained(self, atoms: Sequence[Atom]) -> Reverted:
        """Return the changes that require nothing but each other: whole atoms, or parts of them.

        Return nothing if these have only a small share of the weight.
        """
        for parts in (atoms, [frozenset({change}) for atom in atoms for change in sorted(atom)]):
            kept = self._self_contained(parts)
            if self._is_worth(kept, parts):
                return union(kept)
        return frozenset()

    def _is_worth(self, part: Sequence[Atom], atoms: Sequence[Atom]) -> bool:
        """Do the atoms of a part have enough of the weight for a run?"""
        weight = sum(map(self._weight, atoms))
        return bool(part) and sum(map(self._weight, part)) >= _MIN_WORTH * weight

    def _self_contained(self, atoms: Sequence[Atom]) -> list[Atom]:
        """Return the atoms that require nothing but each other."""
        kept = list(atoms)
        while True:
            gone = self._knowledge.dependents(self._everything - union(kept))
            fewer = [atom for atom in kept if atom.isdisjoint(gone)]
            if len(fewer) == len(kept):
                return kept
            kept = fewer

    def _closed(self, changes: Iterable[ChangeId]) -> Reverted:
        """Return the changes with everything that they are known to require, within the space."""
        return self._knowledge.closure(changes) & self._everything

    def least(self, found: FoundSet) -> Search[list[Atom]]:
        """Return a small passing subset: no atom, with those that require it, can be dropped."""
        needed = union(found.needed)
        extra = [atom & found.passing - needed for atom in self._space.atoms]
        extra = sorted((atom for atom in extra if atom), key=self._order)
        if extra and needed and (yield from self._passes(needed)):
            extra = []
        passing = [*reversed(extra), *sorted(found.needed, key=self._order, reverse=True)]
        passing = yield from self._free(passing)
        passing = yield from self._half(passing)
        if len(passing) > _MANY and not found.needed:
            smaller = yield from self.find(sorted(passing, key=self._order))
            if smaller.passing < union(passing):
                return (yield from self.least(smaller))
        passing = yield from self._drop(passing)
        passing = yield from self._alone(passing)
        return (yield from self.smaller_group(passing))

    def _free(self, passing: list[Atom]) -> Search[list[Atom]]:
        """Keep only the changes that require no other, if these pass.

        In code that changed much, most changes require others, and the root is often none of them.
        """
        whole = union(passing)
        free = frozenset(c for c in whole if self._closed({c}) & whole == {c})
        if len(whole) > _FEW and free and free != whole and (yield from self._passes(free)):
            return [atom & free for atom in passing if atom & free]
        return passing

    def _drop(self, passing: list[Atom]) -> Search[list[Atom]]:
        """Drop each atom, with the atoms that require it, as long as the rest passes.

        Give up after many variants in a row that do not build: the atoms are tied together.
        """
        i = lap = broken = 0
        # Stop after a whole lap without progress, not at the end of the list: passing is not
        # monotone, and dropping a late atom can make an early one droppable.
        while len(passing) > 1 and lap < len(passing):
            rest = without(passing, self._with_dependents(passing[i], passing))
            outcome = (yield from self._outcome(union(rest))) if rest else None
            broken = broken + 1 if outcome is Outcome.BROKEN else broken if outcome is None else 0
            if outcome is Outcome.PASS:
                # The next atom has moved to the place of the first one that was dropped.
                passing, lap = rest, 0
                i = min(i, len(rest) - 1)
            else:
                i, lap = i + 1, lap + 1
            if broken > _MAX_BROKEN:
                break
            i %= len(passing)
        return passing

    def _with_dependents(self, atom: Atom, passing: list[Atom]) -> list[Atom]:
        """Return an atom with those that require it: without it, they are inconsistent."""
        gone = self._knowledge.dependents(atom)
        return [other for other in passing if not other.isdisjoint(gone)]

    def _alone(self, passing: list[Atom]) -> Search[list[Atom]]:
        """Return the first of the most suspicious atoms that passes alone, else all."""
        if len(passing) > _FEW:
            for atom in sorted(passing, key=self._order)[:_MANY]:
                if (yield from self._passes(atom)):
                    return [atom]
        return passing

    def _passes(self, changes: Reverted) -> Search[bool]:
        outcome = yield from self._outcome(changes)
        return outcome is Outcome.PASS

    def _outcome(self, changes: Reverted) -> Search[Outcome | None]:
        """Return the outcome with these changes reverted; None if it is known not to build.

        Learn if the variant is inconsistent.
        """
        reverted = self._space.always | changes
        if self._knowledge.is_known_to_break(reverted):
            return None
        run = yield from self._space.ask(changes)
        if run.outcome in (Outcome.BROKEN, Outcome.OTHER):
            self._knowledge.learn(reverted, run)
        return run.outcome

    def _order(self, atom: Atom) -> tuple[float, int]:
        return -self._weight(atom), min(atom)

    def _half(self, passing: list[Atom]) -> Search[list[Atom]]:
        """Drop one half or the other, with what requires it, as long as the rest passes."""
        while len(passing) > _FEW:
            for half in parts_of(passing, 2):
                gone = self._knowledge.dependents(union(half))
                rest = [atom for atom in passing if atom.isdisjoint(gone)]
                if rest and (yield from self._passes(union(rest))):
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
                is_closed = self._closed(union(part)) & union(passing) == union(part)
                if part and is_closed and (yield from self._passes(union(part))):
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
