"""What do two programs demand of the input of the failing test, and where does the failure show?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whence.model import VersionName
from whence.paths.conditions import Condition
from whence.paths.program import ChosenConditions, InputProgram, PathRun
from whence.subject.command import Ended

_ENDS = ("crash", "assert")  # ways to fail that are a point of the run


@dataclass(frozen=True)
class Side:
    """One of the two programs, with its run of the failing test."""

    version: VersionName
    program: InputProgram
    chosen: ChosenConditions
    points: tuple[str, ...]  # whose relevant slices count; empty: the whole path counts

    @property
    def run(self) -> PathRun:
        return self.chosen.run


def failure_points(of: PathRun, other: Ended) -> tuple[str, ...]:
    """Return the points of a run where it differs from how the other program ended."""
    ends = tuple(how for how in _ENDS if of.path.thread.ending(how) is not None)
    if ends:
        return ends
    found = () if of.ended.stdout == other.stdout else ("output",)
    return (*found, "exit") if of.ended.status != other.status else found or ("output",)


def chosen_conditions(run: PathRun, points: Sequence[str]) -> ChosenConditions:
    """Return a run with its conditions in the relevant slices of some points; none: with all."""
    if len(points) <= 1:
        return ChosenConditions.of(run, points[0] if points else None)
    found: dict[tuple[object, ...], Condition] = {}
    for at in points:
        for one in run.slice_conditions(at):
            found.setdefault((one.step, one.kind, one.fact.formula.get_id()), one)
    conditions = list(found.values())
    return ChosenConditions(run, conditions, [run.way(one) for one in conditions])
