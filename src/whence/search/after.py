"""AFTER's dynamic analysis: Algorithm 2, with Algorithm 4 for variants that do not build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from whence.model import Outcome, Reverted
from whence.search.space import Atom, Search, Space, parts_of, union, without


@dataclass(frozen=True, slots=True)
class Split:
    """A result of the dynamic analysis: with root and auxiliary reverted, the test passes."""

    root: list[Atom]
    auxiliary: list[Atom]


@dataclass
class _After:
    space: Space
    auxiliary: dict[Reverted, list[Atom]] = field(default_factory=dict)  # by set that was tried

    def passes(self, atoms: Sequence[Atom]) -> Search[bool]:
        """Does the test pass with `atoms` and the auxiliary changes that the build needs reverted?

        The auxiliary changes are stored in `self.auxiliary`.
        """
        chosen = union(atoms)
        run = yield from self.space.ask(chosen)
        if run.outcome is not Outcome.BROKEN:
            self.auxiliary[chosen] = []
            return run.outcome is Outcome.PASS
        extra = yield from self._find(atoms)
        self.auxiliary[chosen] = extra
        return (yield from self.space.passes(chosen | union(extra)))

    def _find(self, atoms: Sequence[Atom]) -> Search[list[Atom]]:
        # The auxiliary changes of a superset often make this set build too, and are fewer to try.
        chosen = union(atoms)
        known = [other | union(extra) for other, extra in self.auxiliary.items() if chosen < other]
        rest = without(self.space.atoms, atoms)
        if known:
            less = [atom for atom in rest if atom <= min(known, key=len)]
            if (yield from builds(self.space, chosen | union(less))):
                rest = less
        return (yield from find_auxiliary(self.space, chosen, rest))

    def reduce(self, atoms: Sequence[Atom]) -> Search[Sequence[Atom]]:
        """Algorithm 2: return a smaller set with which the test passes, `atoms` if there is none.

        `atoms` itself must pass.
        """
        n = 2
        while n <= len(atoms):
            for part in parts_of(atoms, n):
                if (yield from self.passes(part)):
                    atoms, n = part, 2
                    break
                rest = without(atoms, part)
                if n > 2 and (yield from self.passes(rest)):
                    atoms, n = rest, 2
                    break
            else:
                if n == len(atoms):
                    break
                n = min(2 * n, len(atoms))
        return atoms


def after(space: Space) -> Search[Split]:
    """Return a small set whose reverting makes the test pass.

    The search is asymmetric, as in the paper: only passing runs shrink the set.
    """
    search = _After(space)
    root = yield from search.reduce(space.atoms)
    return Split(list(root), search.auxiliary.get(union(root), []))


def builds(space: Space, reverted: Reverted) -> Search[bool]:
    run = yield from space.ask(reverted)
    return run.outcome is not Outcome.BROKEN


def find_auxiliary(space: Space, chosen: Reverted, extra: Sequence[Atom]) -> Search[list[Atom]]:
    """Algorithm 4: return a small part of `extra` with which `chosen` builds.

    `chosen` with all of `extra` must build.  No single atom can be dropped from the result.
    """
    n = 2
    while extra:
        if (yield from builds(space, chosen)):
            return []
        n = min(n, len(extra))
        for part in parts_of(extra, n):
            rest = without(extra, part)
            if rest and (yield from builds(space, chosen | union(part))):
                extra, n = part, 2
                break
            if rest and n > 2 and (yield from builds(space, chosen | union(rest))):
                extra, n = rest, 2
                break
        else:
            if n == len(extra):
                break
            n = min(2 * n, len(extra))
    return list(extra)
