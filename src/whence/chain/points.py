"""At which points of the failing run can its state be compared with that of the passing run?

A point is a definition, a read, a branch or a call of the program's own code that has a
counterpart.  The points form FIC's index tree: the region of a point is the branch or call that
decided that it ran.  The tree is order-preserving (FIC, Definition 8): of two points, the
counterpart of the first comes first.  Statements that changed places between two versions cross
each other; the smallest number of points is left out so that none do.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from whence.causes.comparison import Comparison
from whence.program.ids import Op, Step

MAX_POINTS = 200_000  # longest run, in steps, whose points are listed; guessed


class AlignedPoints:
    """The aligned points of a failing run up to a step, by region."""

    def __init__(self, comparison: Comparison, last: Step) -> None:
        self._comparison, self._flow = comparison, comparison.failing
        self._is_point: dict[Op, bool] = {}
        self._regions: dict[Step | None, list[Step]] = {}
        self._aligned: dict[Step | None, list[Step]] = {}
        for step in map(Step, range(1, last + 1)):
            if self._counts(step):
                region = comparison.alignment.failing_region(step)
                self._regions.setdefault(region, []).append(step)

    def within(self, region: Step | None) -> list[Step]:
        """Return the aligned points whose region this is, in order."""
        found = self._aligned.get(region)
        if found is None:
            pairs = [
                (step, self._comparison.counterpart(step)) for step in self._regions.get(region, ())
            ]
            found = rising_points([(step, other) for step, other in pairs if other is not None])
            self._aligned[region] = found
        return found

    def region(self, point: Step) -> Step | None:
        """Return the region of a point."""
        return self._comparison.alignment.failing_region(point)

    def _counts(self, step: Step) -> bool:
        op = self._flow.op_of(step)
        found = self._is_point.get(op)
        if found is None:
            image = self._flow.thread.image
            is_own = not image.is_library[image.function_of(op)]
            flow = self._flow
            is_kind = flow.is_branch(step) or flow.is_call(step) or flow.is_load(step)
            found = self._is_point[op] = is_own and (is_kind or flow.defines(step))
        return found


def rising_points(pairs: list[tuple[Step, Step]]) -> list[Step]:
    """Return as many first members as possible whose second members increase, as they do.

    This is the longest increasing subsequence.
    """
    ends: list[Step] = []  # the least last counterpart of an increasing run of each length
    lengths: list[int] = []
    for _, other in pairs:
        at = bisect_left(ends, other)
        ends[at : at + 1] = [other]
        lengths.append(at)
    found: list[Step] = []
    wanted = len(ends) - 1
    for number in np.arange(len(pairs))[::-1].tolist():
        if lengths[number] == wanted:
            found.append(pairs[number][0])
            wanted -= 1
    return found[::-1]
