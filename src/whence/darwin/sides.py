"""What do two programs demand of the input of the failing test, and where does the failure show?"""

from __future__ import annotations

import os
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
    def is_cut(self) -> bool:
        """Did the run end at its failure, so that another run may go on behind it?"""
        return any(self.run.path.thread.ending(how) is not None for how in _ENDS)

    @property
    def run(self) -> PathRun:
        return self.chosen.run


def failure_points(of: PathRun, other: Ended, *, is_narrow: bool = False) -> tuple[str, ...]:
    """Return the points of a run where it differs from how the other program ended.

    A narrow point is only the first byte of the output that differs.
    """
    ends = tuple(how for how in _ENDS if of.path.thread.ending(how) is not None)
    if ends:
        return ends
    printed = _first_difference(of, other) if is_narrow else "output"
    found = () if of.ended.stdout == other.stdout else (printed,)
    return (*found, "exit") if of.ended.status != other.status else found or ("output",)


def _first_difference(of: PathRun, other: Ended) -> str:
    """Return the point of a run where its output begins to differ; all of it if it only ends."""
    own = of.ended.stdout
    same = len(os.path.commonprefix([own, other.stdout]))
    return f"output:{same}" if same < len(own) else "output"


def chosen_conditions(run: PathRun, points: Sequence[str]) -> ChosenConditions:
    """Return a run with its conditions in the relevant slices of some points; none: with all.

    How a number is written when it is printed is no branch of the program.
    """
    found: dict[tuple[object, ...], Condition] = {}
    for at in points:
        for one in run.slice_conditions(at):
            found.setdefault((one.step, one.kind, one.fact.formula.get_id()), one)
    some = found.values() if points else run.conditions
    conditions = [one for one in some if not run.only_writes(one)]
    return ChosenConditions(run, conditions, [run.way(one) for one in conditions])
