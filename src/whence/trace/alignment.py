"""Which step of the passing run corresponds to a step of the failing run, and vice versa?

Two steps correspond if their execution indexes do: they executed paired operations (`pairing`),
with the same rank, controlled by branches and calls that correspond.  A branch that only one
version has is no level of an index: the region of what it controls is the region of the branch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from whence.program.ids import Op, Step
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.flow import Flow
from whence.trace.pairing import Pairing, Version

PairedOp = Callable[[Op], Op | None]  # the matching operation of the other version


_FEW = 8  # so few iterations are followed one by one; guessed
_ONE_BY_ONE = 64  # steps that are followed one by one after few iterations were found; guessed
_KEPT = 1 << 12  # the counterpart of one in so many iterations is kept; guessed
_NEAR = 64  # iterations that are looked up at first; guessed


class Iterations(NamedTuple):
    """Steps of a loop's branch, each of which controls the next."""

    steps: list[Step]


class Alignment:
    """The pairs of corresponding steps of a failing and a passing run."""

    def __init__(self, failing: Flow, passing: Flow) -> None:
        self.failing, self.passing = failing, passing
        self.pairing = Pairing(
            Version(failing.thread.image, failing.thread.recording.lines),
            Version(passing.thread.image, passing.thread.recording.lines),
        )
        good_op, bad_op = self.pairing.good_op, self.pairing.bad_op
        self._failing = ExecutionIndexes(failing, lambda op: good_op(op) is not None)
        self._passing = ExecutionIndexes(passing, lambda op: bad_op(op) is not None)
        self._to_passing: dict[Step, Step | None] = {}
        self._to_failing: dict[Step, Step | None] = {}

    def passing_counterpart(self, step: Step) -> Step | None:
        """Return the step of the passing run that corresponds to a step of the failing run."""
        known = self._to_passing
        if step not in known:
            own, other = (self.failing, self._failing), self._passing
            _find_counterpart(step, *own, other, self.pairing.good_op, known)
        return known[step]

    def failing_counterpart(self, step: Step) -> Step | None:
        """Return the step of the failing run that corresponds to a step of the passing run."""
        known = self._to_failing
        if step not in known:
            own, other = (self.passing, self._passing), self._failing
            _find_counterpart(step, *own, other, self.pairing.bad_op, known)
        return known[step]

    def failing_region(self, step: Step) -> Step | None:
        """Return the branch or call of the failing run that controls a step of it.

        Branches and calls that only the bad version has do not count.  None: nothing controls
        the step.
        """
        return self._failing.region(step)

    def passing_region(self, step: Step) -> Step | None:
        """Return the same for a step of the passing run."""
        return self._passing.region(step)


def _find_counterpart(
    step: Step,
    flow: Flow,
    own: ExecutionIndexes,
    other: ExecutionIndexes,
    paired: PairedOp,
    known: dict[Step, Step | None],
) -> None:
    """Add the counterpart of `step`, and those of the steps that control it, to `known`.

    Of many iterations of a loop, `known` gets some: the others are found from these.
    """
    chain: list[Step | Iterations] = []
    at: Step | None = step
    one_by_one = 0  # steps that are followed before iterations are looked up again
    while at is not None and at not in known:
        steps = [] if one_by_one else _iterations_from_known(at, own, known)
        if len(steps) > _FEW:
            chain.append(Iterations(steps))
            if steps[0] in known:
                break
            chain.append(steps[0])
            at = own.region(steps[0])
        else:
            one_by_one = _ONE_BY_ONE if steps else max(one_by_one - 1, 0)
            chain.append(at)
            at = own.region(at)
    for item in reversed(chain):  # the outermost first
        if isinstance(item, Iterations):
            todo = _follow_iterations(item.steps, other, known)
        else:
            todo = [item]
        for at in todo:
            _find_one(at, flow, own, other, paired, known)


def _iterations_from_known(
    step: Step, own: ExecutionIndexes, known: dict[Step, Step | None]
) -> list[Step]:
    """Return iterations up to `step`, from the last one in `known` if there is one near.

    Steps that are asked for lie close together, so a few iterations are mostly enough: to look up
    all of a long loop for each of its turns takes as long as the square of their number.
    """
    count = _NEAR
    while True:
        steps: list[Step] = own.iterations_to(step, count).tolist()
        start = next((k for k in range(len(steps) - 1, -1, -1) if steps[k] in known), -1)
        if start >= 0:
            return steps[start:]
        if len(steps) < count or count > _KEPT:
            return steps
        count *= 8


def _follow_iterations(
    steps: list[Step], other: ExecutionIndexes, known: dict[Step, Step | None]
) -> list[Step]:
    """Add counterparts of iterations, of which the first is known; return those still to find."""
    first = known[steps[0]]
    found: list[Step | None] = [None] * len(steps)
    if first is not None:
        found = other.iterations_from(first, len(steps) - 1).tolist()
    last = len(found) - 1
    for k in (*range(0, last, _KEPT), last):
        known[steps[k]] = found[k]
    return steps[len(found) :]


def _find_one(
    at: Step,
    flow: Flow,
    own: ExecutionIndexes,
    other: ExecutionIndexes,
    paired: PairedOp,
    known: dict[Step, Step | None],
) -> None:
    """Add the counterpart of a step to `known`, which has that of its region."""
    op, region = paired(flow.op_of(at)), own.region(at)
    above = None if region is None else known[region]
    if op is None or (above is None and region is not None):
        known[at] = None
    else:
        known[at] = other.at(op, above, own.rank(at, region))
