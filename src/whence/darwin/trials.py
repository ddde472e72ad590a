"""Does an input that the solver found do in both programs what it was made for?

One program must go the same way as with the failing test, at all branches that count.  The other
one must go the same way up to a branch, and another way there: execution indexes say which step
of the new run is that evaluation of the branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from whence.darwin.describing import RunDescriber, same_evaluation
from whence.darwin.sides import Side
from whence.paths.conditions import Condition, ConditionKind
from whence.paths.program import Contents, PathRun
from whence.program.ids import Step
from whence.subject.command import Ended


@dataclass(frozen=True)
class InputTrial:
    """Both programs, run with one input that leaves the path of one of them."""

    contents: Contents
    kept: Ended  # how the program ended that keeps its path
    left: Ended  # how the program ended that leaves it
    agrees: bool  # do both programs do the same with this input?


def agree(one: Ended, other: Ended, *, compares_output: bool) -> bool:
    """Do two runs end in the same way?"""
    is_same = one.status == other.status and one.timed_out == other.timed_out
    return is_same and (not compares_output or one.stdout == other.stdout)


def try_input(
    contents: Contents, leaving: Side, keeping: Side, *, compares_output: bool
) -> InputTrial:
    """Run both programs with an input; nothing is recorded."""
    kept, left = keeping.program.run_plain(contents), leaving.program.run_plain(contents)
    return InputTrial(contents, kept, left, agree(kept, left, compares_output=compares_output))


def keeps_path(side: Side, run: PathRun) -> bool:
    """Does a run of a program go the same way as with the failing test?"""
    now = all_ways(run)
    if not side.points:
        before = all_ways(side.run)
        return now[: len(before)] == before if side.is_cut else now == before
    return _at_least_as_often(_ways_of(side, len(side.chosen.conditions)), now)


# What a path is: where a longer number moved the bytes behind it, the program goes the same way.
_CONTROL = (ConditionKind.BRANCH, ConditionKind.CASE, ConditionKind.CALLEE)


def all_ways(run: PathRun) -> list[object]:
    """Return the ways that control took, also where two conditions have one formula.

    A slice may have the second one without the first one.
    """
    conditions = (one for one in run.path.conditions if one.kind in _CONTROL)
    return [run.way(one) for one in conditions if not run.only_writes(one)]


def _ways_of(side: Side, number: int) -> list[object]:
    """Return the ways that control took at the first conditions that count."""
    chosen = zip(side.chosen.conditions, side.chosen.ways, strict=True)
    return [way for one, way in islice(chosen, number) if one.kind in _CONTROL]


def _at_least_as_often(some: Sequence[object], new: Sequence[object]) -> bool:
    """Are some ways of a run taken as often in another one?  What is not in the slice is free."""
    now = Counter(new)
    return all(now[way] >= times for way, times in Counter(some).items())


def leaves_path(side: Side, number: int, run: PathRun) -> bool:
    """Does a run go the same way up to condition `number`, and another way there?"""
    if not _at_least_as_often(_ways_of(side, number), all_ways(run)):
        return False
    condition = side.chosen.conditions[number]
    step = same_evaluation(RunDescriber(side.run), RunDescriber(run), condition.step)
    if step is None:
        return False
    return any(way != side.chosen.ways[number] for way in _ways_at(run, step, condition))


def _ways_at(run: PathRun, step: Step, like: Condition) -> list[object]:
    """Return which way a run went at a step; one value that is no way if inputs do not decide."""
    like_it = (one for one in run.path.conditions if one.step == step and one.kind is like.kind)
    found = [run.way(one) for one in like_it]
    return found or [None]
