"""AFTER's dynamic analysis: Algorithm 2, with Algorithm 4 for what does not build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from whence.model import Outcome
from whence.search.asking import Atom, Atoms, Search, Space, parts_of


@dataclass(frozen=True, slots=True)
class Split:
    """Reverting root and auxiliary together makes the test pass."""

    root: Atoms
    auxiliary: Atoms = frozenset()


@dataclass
class _After:
    space: Space
    auxiliary: dict[Atoms, Atoms] = field(default_factory=dict)

    def passes(self, atoms: Sequence[Atom]) -> Search[bool]:
        """Does the test pass with these reverted, and what must be for it to build?"""
        chosen = frozenset(atoms)
        run = yield from self.space.ask(chosen)
        if run.outcome is not Outcome.BROKEN:
            self.auxiliary[chosen] = frozenset()
            return run.outcome is Outcome.PASS
        extra = yield from self._find(chosen)
        self.auxiliary[chosen] = extra
        return (yield from self.space.passes(chosen | extra))

    def _find(self, chosen: Atoms) -> Search[Atoms]:
        # What made a superset build makes this one build as well, often with less to try.
        known = [(other, extra) for other, extra in self.auxiliary.items() if chosen < other]
        start = frozenset(self.space.all) - chosen
        if known:
            other, extra = min(known, key=lambda pair: (len(pair[0] | pair[1]), sorted(pair[1])))
            candidate = (other | extra) - chosen
            if (yield from builds(self.space, chosen | candidate)):
                start = candidate
        return (yield from find_auxiliary(self.space, chosen, sorted(start)))

    def reduce(self, atoms: Sequence[Atom]) -> Search[Sequence[Atom]]:
        """Algorithm 2: return a smaller set with which the test passes, `atoms` if there is none.

        `atoms` itself must pass.
        """
        n = 2
        while n <= len(atoms):
            for part in parts_of(atoms, n):
                rest = [atom for atom in atoms if atom not in part]
                if (yield from self.passes(part)):
                    atoms, n = part, 2
                    break
                if n > 2 and (yield from self.passes(rest)):
                    atoms, n = rest, 2
                    break
            else:
                if n == len(atoms):
                    break
                n = min(2 * n, len(atoms))
        return atoms


def after(space: Space, candidates: Sequence[Atom] | None = None) -> Search[Split]:
    """Return a small set whose reverting makes the test pass: asymmetric, from the bad side."""
    search = _After(space)
    root = yield from search.reduce(candidates or space.all)
    chosen = frozenset(root)
    return Split(chosen, search.auxiliary.get(chosen, frozenset()))


def builds(space: Space, atoms: Atoms) -> Search[bool]:
    run = yield from space.ask(atoms)
    return run.outcome is not Outcome.BROKEN


def find_auxiliary(space: Space, chosen: Atoms, extra: Sequence[Atom]) -> Search[Atoms]:
    """Algorithm 4: return a small part of `extra` with which `chosen` builds.

    `chosen` with all of `extra` must build.  Nothing can be left out of the result one by one.
    """
    n = 2
    while extra:
        if (yield from builds(space, chosen)):
            return frozenset()
        n = min(n, len(extra))
        for part in parts_of(extra, n):
            rest = [atom for atom in extra if atom not in part]
            if len(part) < len(extra) and (yield from builds(space, chosen | frozenset(part))):
                extra, n = part, 2
                break
            if rest and n > 2 and (yield from builds(space, chosen | frozenset(rest))):
                extra, n = rest, 2
                break
        else:
            if n == len(extra):
                break
            n = min(2 * n, len(extra))
    return frozenset(extra)
