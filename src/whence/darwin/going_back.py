"""Where does what the two programs do with the failing test begin to differ?

No other input tells.  Then the way back from the failure is left: from the wrong output to the
values that it was made from, and to the branches that decided that it was made, as far as they
differ in the reference (the cause tree of the failing run).  The way ends where a value is computed
otherwise from equal values, and at code that only one of the two programs has.

A fault may be in both programs, and a change only woke it.  So the branches of both are told too
that went another way because of what they read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from whence.causes.comparison import Comparison
from whence.causes.divergence_points import DivergencePoints
from whence.causes.tree import CauseSearch
from whence.darwin.values import ValueComparison, ValueOrigin, has_same_pointers
from whence.model import VersionName
from whence.program.ids import Step
from whence.trace.alignment import PairedOp
from whence.trace.flow import Flow

_MAX_CAUSES = 40  # that are looked at; guessed
_MAX_BRANCHES = 8  # around a step; guessed


@dataclass(frozen=True)
class OwnCode:
    """A step of code that only one of the two programs has, and that the failure goes back to."""

    version: VersionName  # the program that has it
    step: Step
    about: Step  # what ran, or did not run, because of this; `step` itself if it is no branch


@dataclass(frozen=True)
class SharedBranch:
    """A branch of both programs that went another way, because of the values that it read."""

    step: Step
    counterpart: Step


@dataclass(frozen=True)
class Beginning:
    """A place where the two runs begin to differ."""

    what: ValueOrigin | OwnCode | SharedBranch
    level: int  # of the cause: how many branches lie between it and the failure


def beginnings(tree: CauseSearch) -> Iterator[Beginning]:
    """Yield the places where the runs begin to differ, the nearest to the failure first."""
    comparison = tree.comparison
    assert comparison is not None, "the tree was made with a passing run"
    values, points = ValueComparison(comparison), DivergencePoints(comparison)
    work, looked = deque([0]), 0
    while work and looked < _MAX_CAUSES:
        number = work.popleft()
        looked += 1
        work.extend(tree.children(number))
        level = tree.cause(number).level
        for what in _of_cause(tree, number, values, points):
            yield Beginning(what, level)


def _of_cause(
    tree: CauseSearch, number: int, values: ValueComparison, points: DivergencePoints
) -> Iterator[ValueOrigin | OwnCode | SharedBranch]:
    comparison = values.comparison
    asked = tree.asked_of(number)
    for step in sorted({*map(Step, tree.steps(number).tolist()), *asked}):
        origin = values.origin(step)
        if origin is not None:
            yield origin
    for step in sorted(asked):
        for each in (step, *points.diverging_branches(step, set())[0]):
            if comparison.failing.is_branch(each):
                yield from _of_branch(each, values)
        if _is_added(step, comparison):
            yield OwnCode(VersionName.BAD, step, step)
    for lost in tree.lost(number):
        branch = _own_branch(lost.passing, comparison.passing, comparison.alignment.pairing.bad_op)
        if branch is not None:
            yield OwnCode(VersionName.GOOD, branch, lost.passing)
        elif not points.is_kept(lost.passing):
            yield OwnCode(VersionName.GOOD, lost.passing, lost.passing)
    for step in map(Step, tree.steps(number).tolist()):
        for store in _stored_elsewhere(step, comparison):
            yield OwnCode(VersionName.GOOD, store, store)


def _of_branch(branch: Step, values: ValueComparison) -> Iterator[ValueOrigin | SharedBranch]:
    """Yield what a branch that went another way tells."""
    other = values.comparison.counterpart(branch)
    if other is None or not values.comparison.side_differs(branch):
        return
    origin = values.of_branch(branch)
    if origin is not None:
        yield origin
    if not values.begins_at(branch):
        yield SharedBranch(branch, other)


def _stored_elsewhere(step: Step, comparison: Comparison) -> Iterator[Step]:
    """Yield stores of the reference that a step would have read.

    The failing program has such a store too, with equal pointers, but to another place.
    """
    if not comparison.failing.reads(step) or not has_same_pointers(step, comparison):
        return
    for store in comparison.read_instead(step):
        own = comparison.alignment.failing_counterpart(store)
        if own is None or comparison.failing.address(own) == comparison.failing.address(step):
            continue  # it is there, and something else is in its place by now
        if has_same_pointers(own, comparison):
            yield store


def _is_added(step: Step, comparison: Comparison) -> bool:
    """Is a step a branch that only the failing program has?"""
    flow = comparison.failing
    return flow.is_branch(step) and comparison.alignment.pairing.good_op(flow.op_of(step)) is None


def _own_branch(step: Step, flow: Flow, paired: PairedOp) -> Step | None:
    """Return the innermost branch around a step that the other program lacks; None: there is none.

    The branch is in the function of the step, or in one that calls it.
    """
    at = flow.controlling_step(step)
    for _ in range(_MAX_BRANCHES):
        if at is None or paired(flow.op_of(at)) is not None:
            return None
        if flow.is_branch(at):
            return at
        at = flow.controlling_step(at)
    return None
