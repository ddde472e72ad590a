"""Which steps does a point of a Python run depend on, directly or indirectly?

A slice is the closure of the operands of each step and of its controlling step.  The kernel that
slices runs of C programs assumes that activations nest.  Those of generators do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from whence.program.ids import Activation, Step, Stretch
from whence.trace.columns import NONE, U32
from whence.trace.python.flow import PythonFlow
from whence.trace.relevance import Relevance
from whence.trace.slicer import ByteRange, Potential

Numbers = npt.NDArray[np.int64]
_SHIFT = 32  # bits of the step in a number for (activation, step)


def slice_python(
    flow: PythonFlow,
    criteria: Sequence[Step | ByteRange],
    *,
    relevance: Relevance | None = None,
    trusted: npt.NDArray[np.bool_] | None = None,
    either_side: bool = False,
) -> U32:
    """Return the steps that `criteria` depend on, themselves included, in order.

    With `relevance` the slice contains the branches that could have redefined what it loads.
    `trusted` (for each function): steps of trusted functions and their callees are left out.  The
    call of the outermost trusted function stands for them; what flows through it is kept.
    `either_side`: a branch counts, too, if it took the side that may define what is loaded, but
    that side wrote something else.  Then two runs agree on it, whichever side they took.
    """
    walk = _Walk(flow, trusted)
    for criterion in criteria:
        assert isinstance(criterion, int)  # Python's outputs are steps
        walk.add(criterion)
    walk.go()
    if relevance is not None:
        branches = _Branches(flow, relevance.potential, either_side=either_side)
        while walk.loads or walk.new:
            loads, walk.loads = walk.loads, []
            for branch in (*branches.between(loads), *walk.withheld()):
                walk.add(branch)
            walk.go()
    return np.array(sorted(walk.members()), np.uint32)


class _Walk:
    """Collects the steps of a slice."""

    def __init__(self, flow: PythonFlow, trusted: npt.NDArray[np.bool_] | None) -> None:
        self._flow, self._trusted = flow, trusted
        self._whole: set[Step] = set()  # steps whose value matters
        self._entered: set[Step] = set()  # steps that matter only because they ran code
        self._todo: list[tuple[Step, bool]] = []
        # Activation -> the call of the outermost trusted function around it.
        self._outer: dict[int, Step | None] = {0: None}
        self.new: list[Step] = []  # steps of `_whole` that `withheld` has not looked at
        self.loads: list[tuple[Step, int]] = []  # new loads, each with its earliest operand

    def members(self) -> Iterator[Step]:
        """Yield the steps of the slice, in no order."""
        return (step for step in self._whole | self._entered if not self._hidden(step))

    def add(self, step: Step | None, *, is_whole: bool = True) -> None:
        """Add a step to the slice; `is_whole` if its value matters."""
        known = self._whole if is_whole else self._entered
        if step is not None and step not in known:
            known.add(step)
            self._todo.append((step, is_whole))

    def go(self) -> None:
        """Add what the steps depend on that were added since the last time."""
        while self._todo:
            step, is_whole = self._todo.pop()
            if self._trusted is not None and (call := self._hidden(step)):
                self.add(call, is_whole=False)
                for operand in self._flow.given_to(call):
                    self.add(operand)
            self._add_controlling_step(step)
            if is_whole:
                self._add_operands(step)
            else:
                callee = self._flow.called_on(step)
                if callee is not None:
                    self.add(callee)

    def _add_controlling_step(self, step: Step) -> None:
        """Add the controlling step: with its value if it is a branch of the same activation.

        Otherwise it is a call, which matters only because it ran code.
        """
        controlling = self._flow.controlling_step(step)
        if controlling is not None:
            own = self._flow.activation_of(controlling) == self._flow.activation_of(step)
            self.add(controlling, is_whole=own)

    def withheld(self) -> list[Step]:
        """Return the branches that could have put more into what new steps read."""
        new, self.new = self.new, []
        return [branch for step in new for branch in self._flow.withheld(step)]

    def _add_operands(self, step: Step) -> None:
        self.new.append(step)
        node = self._flow.node(step)
        operands = (*node.operands, *node.pointers)
        steps = [operand for operand in operands if isinstance(operand, int)]
        for operand in steps:
            self.add(operand)
        for call in node.through:
            self.add(call, is_whole=self._flow.opcode(step) != "param")
        if self._flow.is_load(step):
            self.loads.append((step, min(steps, default=0)))

    def _hidden(self, step: Step) -> Step | None:
        """Return the call of the outermost trusted function around a step."""
        return None if self._trusted is None else self._around(self._flow.activation_of(step))

    def _around(self, activation: Activation) -> Step | None:
        assert self._trusted is not None
        if activation not in self._outer:
            row = self._flow.thread.stream.activations[activation]
            outer = self._around(Activation(int(row["parent"])))
            own = Step(int(row["call"])) if self._trusted[row["function"]] else None
            self._outer[activation] = outer or own or None
        return self._outer[activation]


class _Branches:
    """Finds branches whose other side could have redefined a loaded value."""

    def __init__(self, flow: PythonFlow, potential: Potential, *, either_side: bool) -> None:
        self._flow, self._potential, self._either_side = flow, potential, either_side

    def between(self, loads: Sequence[tuple[Step, int]]) -> Iterator[Step]:
        """Yield the branches between a definition and its load that could have redefined it.

        `loads` are pairs of a load and the step of the definition.
        """
        classes: dict[tuple[int, bool], list[tuple[int, int]]] = {}
        for step, since in loads:
            op = self._flow.op_of(step)
            number = int(self._potential.class_of_op[op])
            if number != NONE:
                is_private = bool(self._potential.is_private[op])
                own = self._flow.activation_of(step) << _SHIFT if is_private else 0
                classes.setdefault((number, is_private), []).append((own | since, own | step))
        for (number, is_private), ranges in classes.items():
            low, high = _merged(ranges)
            start, end = self._potential.class_start[number : number + 2]
            for edge in self._potential.class_edge[int(start) : int(end)].tolist():
                yield from self._executions(edge, is_private, low, high)

    def _executions(
        self, edge: int, is_private: bool, low: Numbers, high: Numbers
    ) -> Iterator[Step]:
        """Yield the executions of a branch in the ranges that did not take an edge, or all."""
        stream = self._flow.thread.stream
        stretch, block = (
            int(column[edge])
            for column in (self._potential.edge_stretch, self._potential.edge_block)
        )
        instances = self._flow.queries.instances_of(Stretch(stretch))[:].astype(np.int64)
        if not self._either_side:
            after = self._flow.run.order.following(instances)
            went = stream.code.stretch_block[stream.stretch[after]]
            instances = instances[(after == 0) | (went != block)]
        ends = stream.first[instances].astype(np.int64) + stream.code.stretch_ops[stretch] - 1
        own = stream.activation[instances].astype(np.int64) << _SHIFT if is_private else 0
        keys = own | ends
        at = np.searchsorted(low, keys) - 1
        yield from ends[(at >= 0) & (keys < high[at])].tolist()


def _merged(ranges: Sequence[tuple[int, int]]) -> tuple[Numbers, Numbers]:
    """Return the starts and ends of the ranges in order, with overlapping ranges joined."""
    found: list[list[int]] = []
    for low, high in sorted(ranges):
        if found and low < found[-1][1]:
            found[-1][1] = max(found[-1][1], high)
        else:
            found.append([low, high])
    columns = np.array(found, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]
