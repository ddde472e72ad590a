"""Delta debugging as published, to compare with: `dd`, `ddmin` and `add`.

They speak of changes applied to the good version; a set of applied changes is the variant
with all others reverted.
"""

from __future__ import annotations

from collections.abc import Sequence

from whence.model import Outcome
from whence.search.asking import Atom, Search, Space, parts_of


def _applied(space: Space, applied: set[Atom]) -> Search[Outcome]:
    run = yield from space.ask(set(space.all) - applied)
    return run.outcome


def dd(space: Space, order: Sequence[Atom] | None = None) -> Search[frozenset[Atom]]:
    """Return the difference between a passing and a failing variant, as small as dd makes it.

    Zeller's symmetric algorithm: applied to the larger passing set, the difference makes the
    test fail.  It need not be what has to be reverted in the bad version (AFTER, Fig. 9).
    """
    return (yield from _dd(space, set(), set(space.all), order or space.all))


def _dd(
    space: Space, passing: set[Atom], failing: set[Atom], order: Sequence[Atom]
) -> Search[frozenset[Atom]]:
    n = 2
    while len(difference := [atom for atom in order if atom in failing - passing]) > 1:
        n = min(n, len(difference))
        for part in reversed(parts_of(difference, n)):
            with_part = yield from _applied(space, passing | set(part))
            if with_part is Outcome.FAIL:
                failing, n = passing | set(part), 2
                break
            without_part = yield from _applied(space, failing - set(part))
            if without_part is Outcome.PASS:
                passing, n = failing - set(part), 2
                break
            if with_part is Outcome.PASS:
                passing, n = passing | set(part), max(n - 1, 2)
                break
            if without_part is Outcome.FAIL:
                failing, n = failing - set(part), max(n - 1, 2)
                break
        else:
            if n == len(difference):
                break
            n = min(2 * n, len(difference))
    return frozenset(difference)


def ddmin(space: Space) -> Search[frozenset[Atom]]:
    """Return a set that fails when applied to the good version, and needs each of its atoms."""
    failing = list(space.all)
    n = 2
    while len(failing) > 1:
        n = min(n, len(failing))
        parts = parts_of(failing, n)
        for part in parts:
            if (yield from _applied(space, set(part))) is Outcome.FAIL:
                failing, n = part, 2
                break
            rest = [atom for atom in failing if atom not in part]
            if n > 2 and (yield from _applied(space, set(rest))) is Outcome.FAIL:
                failing, n = rest, max(n - 1, 2)
                break
        else:
            if n == len(failing):
                break
            n = min(2 * n, len(failing))
    return frozenset(failing)


def add(space: Space, executed: frozenset[Atom]) -> Search[frozenset[Atom]]:
    """Delta debugging augmented with execution coverage.

    Only what the two reference runs executed is searched; the rest is applied throughout, or
    reverted throughout if the test does not pass with it.  With nothing known of what was
    executed, or if neither works, this is `dd`.
    """
    everything = set(space.all)
    if executed and executed != everything:
        order = sorted(executed)
        rest = everything - executed
        if (yield from _applied(space, rest)) is Outcome.PASS:
            return (yield from _dd(space, rest, everything, order))
        if (yield from _applied(space, set(executed))) is Outcome.FAIL:
            return (yield from _dd(space, set(), set(executed), order))
    return (yield from dd(space))
