"""How does the failure follow from the root, level by level?  FIC's Algorithm 1.

The search goes back from the failure over the index tree of the failing run.  It holds a target:
the failure-inducing set of the last point.  Among the points of one region it searches by halves
for the last one whose set differs from the target: between two points with the same set, all sets
are the same (FIC, Property 2).  Where two neighbouring points differ, it looks into the branch or
call between them.  Then it goes on in the region around.

The set at a point has the faulty definitions before the point that the target comes from, through
faulty definitions after it.  Reruns find the smallest of these sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whence.chain.backward import BackwardSearch
from whence.chain.faulty import FaultyValue
from whence.chain.inducing import (
    FaultyStep,
    InducingSet,
    Test,
    failure_values,
)
from whence.chain.points import AlignedPoints
from whence.program.ids import Step

_MAX_BEHIND = 2000  # faulty definitions between a point and its target that are followed; guessed


@dataclass(frozen=True, slots=True)
class SetToInduce:
    """What the set of the next point must bring about: the failure, or definitions."""

    values: tuple[FaultyValue, ...]
    is_failure: bool = False

    def __bool__(self) -> bool:
        return self.is_failure or bool(self.values)

    def after(self, point: Step) -> tuple[FaultyValue, ...]:
        return tuple(value for value in self.values if value.step > point)

    def before(self, point: Step) -> frozenset[Step]:
        return frozenset(value.step for value in self.values if value.step <= point)


@dataclass
class HierarchicalSearch(BackwardSearch):
    """Goes back over the points of a region, and then of the region around it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._points = AlignedPoints(self.state.comparison, self.failure.question.about)
        self._behind: dict[Step, list[FaultyValue]] = {}

    def _run(self) -> None:
        last = self.failure.question.about
        target = SetToInduce((), is_failure=True)
        region = self._points.region(last)
        while True:
            target = self._in_region(region, Step(last + 1), target)
            if region is None or not target:
                break
            last, region = region, self._points.region(region)
            if self.state.comparison.counterpart(last) is not None:
                target = self._at(last, target)
        self._leave(target)

    # --- the tree --------------------------------------------------------------------------------

    def _in_region(self, region: Step | None, before: Step, target: SetToInduce) -> SetToInduce:
        """Go back over the points of a region before a step; return the set at its start."""
        points = [point for point in self._points.within(region) if point < before]
        while points and target:
            number = self._last_change(points, target)
            if number is None:
                return target
            inner = self._points.within(points[number])
            if inner and inner[0] < before:
                target = self._in_region(points[number], before, target)
            target = self._at(points[number], target)
            before, points = points[number], points[:number]
        return target

    def _last_change(self, points: Sequence[Step], target: SetToInduce) -> int | None:
        """Return the last point whose set is not the target; those after it have the target."""
        low, high = 0, len(points)  # all from `high` on have the target
        while low < high:
            middle = (low + high) // 2
            if self._has_set(points[middle], target):
                high = middle
            else:
                low = middle + 1
        return high - 1 if high else None

    @staticmethod
    def _has_set(point: Step, target: SetToInduce) -> bool:
        """Is the target the set of a point: were all of its definitions made by then?

        They stay what they are from there on, and no smaller set brings them about.
        """
        return not target.is_failure and not target.after(point)

    # --- one point -------------------------------------------------------------------------------

    def _at(self, point: Step, target: SetToInduce) -> SetToInduce:
        """Return the failure-inducing set of a point, and add what it explains to the chain."""
        if self._has_set(point, target):
            return target
        self.say(f"{len(self.found)} steps back, {self.tests.runs} reruns")
        later = target.after(point)
        needed = target.before(point)
        values = self._state(point, target)
        kept = [value for value in target.values if value.step <= point]
        found = self._sets.smallest([*kept, *values], self._test(target, later), needed, needed)
        self._add(found, later, target, point)
        members = {value.step: value for value in (*kept, *found.members)}
        return SetToInduce(tuple(members[step] for step in sorted(members)))

    def _state(self, point: Step, target: SetToInduce) -> list[FaultyValue]:
        """Return the faulty values at a point that the target's later definitions come from."""
        first = [
            value for later in target.after(point) for value in self._direct(later)
        ]  # fmt: skip
        if target.is_failure:
            first += failure_values(self.failure, self.state)
        return self._crossing(point, first)

    def _crossing(self, point: Step, first: Iterable[FaultyValue]) -> list[FaultyValue]:
        work, seen = list(first), set[FaultyValue]()
        found: dict[FaultyValue, None] = {}
        while work and len(seen) < _MAX_BEHIND:
            value = work.pop()
            if value in seen:
                continue
            seen.add(value)
            if value.step <= point:
                found[value] = None
            else:
                work += self._direct(value)
        return sorted(found, key=lambda each: each.step, reverse=True)

    def _direct(self, value: FaultyValue) -> list[FaultyValue]:
        """Return the faulty values that one faulty definition comes from."""
        if value.is_kept:
            return []
        known = self._behind.get(value.step)
        if known is None:
            known = self.state.before(value.step)
            self._behind[value.step] = known
        return known

    def _test(self, target: SetToInduce, later: Sequence[FaultyValue]) -> Test:
        """Return what says whether the target comes about."""
        if target.is_failure:
            return self.tests.of_failure()
        return self.tests.of_steps([each.step for each in later])

    # --- the chain -------------------------------------------------------------------------------

    def _add(
        self, found: InducingSet, later: Sequence[FaultyValue], target: SetToInduce, point: Step
    ) -> None:
        """Add the steps that the set of a point brings about."""
        if target.is_failure:
            self.found.append(FaultyStep.of(None, found))
            return
        for value in later:
            own = self._crossing(point, self._direct(value))
            if own and not found.runs:  # the target has them all: test that they are needed here
                tested = self._sets.smallest(own, self.tests.of_steps([value.step]))
                self.found.append(FaultyStep.of(value, tested))
                continue
            steps = {each.step for each in own}
            causes = tuple(each for each in found.members if each.step in steps)
            self.found.append(
                FaultyStep(value, causes, found.is_proved, True, found.unmapped, found.runs)
            )

    def _leave(self, target: SetToInduce) -> None:
        """Add what is still to be explained at the start of the run: its roots."""
        for value in target.values:
            self.found.append(FaultyStep(value, (), is_proved=True))
