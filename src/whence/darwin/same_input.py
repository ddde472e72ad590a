"""Where does a program look at the input that a branch of another program tests?

Two implementations have no lines in common, but they read the same input.  If a test of the
reference has no counterpart, the place for it in the failing program is the branch that tests the
same byte for the same values as the reference does on that line.  If no branch does, it is the last
one that tests the byte for as many values: a program that lacks `c == '+'` may have `c == '-'`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whence.darwin.describing import BranchPlace, RunDescriber
from whence.paths.byte_domains import ByteDomains, Column
from whence.paths.conditions import Condition
from whence.paths.program import PathRun


def looked_at(condition: Condition, run: PathRun, other: PathRun) -> BranchPlace | None:
    """Return the branch of another run that tests a byte as the line of a condition does."""
    place = RunDescriber(run).place(condition.step)
    wanted = [test for _, test in _tests(run, condition, run, place)]
    sizes = {_size(test) for test in wanted}
    found = alike = None
    for own, test in _tests(run, condition, other, None):
        if any(np.array_equal(test, each) or np.array_equal(test, ~each) for each in wanted):
            found = own
        elif _size(test) in sizes:
            alike = own
    found = found or alike
    return None if found is None else RunDescriber(other).place(found.step)


def _size(test: Column) -> int:
    """Return for how many values of a byte a test holds, or does not hold if these are fewer."""
    return int(min(test.sum(), (~test).sum()))


def _tests(
    run: PathRun, condition: Condition, other: PathRun, place: BranchPlace | None
) -> Iterator[tuple[Condition, Column]]:
    """Yield the conditions of a run about one byte, and for which values of the byte each holds.

    It is the byte of a condition of `run`.  If there is a place, the others are at that place.
    """
    whats = [one.what for one in run.unknowns.members(condition.fact.unknowns)]
    domains, describer = ByteDomains(other.unknowns), RunDescriber(other)
    for each in other.path.conditions:
        members = [one.what for one in other.unknowns.members(each.fact.unknowns)]
        if members != whats or not domains.is_byte(each.fact.unknowns) or not other.is_own(each):
            continue
        allowed = domains.allowed(each.fact)
        if allowed is not None and (place is None or describer.place(each.step) == place):
            yield each, allowed
