"""Which step of the passing run corresponds to a step of the failing run, and vice versa?

Two steps correspond if their execution indexes do: they executed paired operations (`pairing`),
with the same rank, controlled by branches and calls that correspond.  A branch that only one
version has is no level of an index: the region of what it controls is the region of the branch.
"""

from __future__ import annotations

from collections.abc import Callable

from whence.program.ids import Op, Step
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.flow import Flow
from whence.trace.pairing import Pairing, Version

PairedOp = Callable[[Op], Op | None]  # the matching operation of the other version


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
    """Add the counterpart of `step`, and those of the steps that control it, to `known`."""
    chain = []
    at: Step | None = step
    while at is not None and at not in known:
        chain.append(at)
        at = own.region(at)
    for at in reversed(chain):  # the outermost first
        op, region = paired(flow.op_of(at)), own.region(at)
        above = None if region is None else known[region]
        if op is None or (above is None and region is not None):
            known[at] = None
        else:
            known[at] = other.at(op, above, own.rank(at, region))
