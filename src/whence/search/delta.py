"""Delta debugging as published, for comparison: the methods `dd`, `ddmin` and `add`.

These methods apply changes to the good version.  A set of applied changes is the variant with all
other changes reverted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from whence.model import Outcome
from whence.search.space import Atom, Search, Space, parts_of, union, without


def _applied(space: Space, applied: Collection[Atom]) -> Search[Outcome]:
    run = yield from space.ask(union(without(space.atoms, applied)))
    return run.outcome


def dd(space: Space) -> Search[list[Atom]]:
    """Return a small difference between a passing and a failing variant.

    This is Zeller's symmetric algorithm.  Applied to the passing variant, the difference makes the
    test fail.  Reverting it in the bad version need not make the test pass (AFTER, Fig. 9).
    """
    return (yield from _dd(space, set(), set(space.atoms), space.atoms))


def _dd(
    space: Space, passing: set[Atom], failing: set[Atom], order: Sequence[Atom]
) -> Search[list[Atom]]:
    n = 2
    while len(difference := [atom for atom in order if atom in failing - passing]) > 1:
        n = min(n, len(difference))
        for part in map(set, reversed(parts_of(difference, n))):
            with_part = yield from _applied(space, passing | part)
            if with_part is Outcome.FAIL:
                failing, n = passing | part, 2
                break
            without_part = yield from _applied(space, failing - part)
            if without_part is Outcome.PASS:
                passing, n = failing - part, 2
                break
            if with_part is Outcome.PASS:
                passing, n = passing | part, max(n - 1, 2)
                break
            if without_part is Outcome.FAIL:
                failing, n = failing - part, max(n - 1, 2)
                break
        else:
            if n == len(difference):
                break
            n = min(2 * n, len(difference))
    return difference


def ddmin(space: Space) -> Search[list[Atom]]:
    """Return a set that fails when applied to the good version, and needs each of its atoms."""
    failing = list(space.atoms)
    n = 2
    while len(failing) > 1:
        n = min(n, len(failing))
        for part in parts_of(failing, n):
            if (yield from _applied(space, part)) is Outcome.FAIL:
                failing, n = part, 2
                break
            rest = without(failing, part)
            if n > 2 and (yield from _applied(space, rest)) is Outcome.FAIL:
                failing, n = rest, max(n - 1, 2)
                break
        else:
            if n == len(failing):
                break
            n = min(2 * n, len(failing))
    return failing


def augmented_dd(space: Space, executed: Collection[Atom]) -> Search[list[Atom]]:
    """Delta debugging augmented with execution coverage (ADD).

    Only atoms that the two reference runs executed are searched.  The other atoms are applied in
    all variants; if the test does not pass with them applied, they are reverted in all variants.
    If nothing is known about execution, or neither way works, this is `dd`.
    """
    rest = without(space.atoms, executed)
    if executed and rest:
        order = [atom for atom in space.atoms if atom in executed]
        if (yield from _applied(space, rest)) is Outcome.PASS:
            return (yield from _dd(space, set(rest), set(space.atoms), order))
        if (yield from _applied(space, order)) is Outcome.FAIL:
            return (yield from _dd(space, set(), set(order), order))
    return (yield from dd(space))
