"""Which steps does a point of a Python run depend on, near and far?

The closure of what `flow` says of each step, and of what decided that it ran.  The kernel that
does this for C takes activations to nest, which those of generators do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from whence.trace.columns import NONE, U32
from whence.trace.python.flow import PythonFlow
from whence.trace.relevance import Relevance
from whence.trace.slicer import ByteRange, Potential

Numbers = npt.NDArray[np.int64]
_SHIFT = 32  # a step of an activation as one number: the activation above, the step below


def slice_python(
    flow: PythonFlow,
    criteria: Sequence[int | ByteRange],
    *,
    relevance: Relevance | None = None,
    trusted: npt.NDArray[np.bool_] | None = None,
) -> U32:
    """Return the steps that `criteria` depend on, themselves included, in order.

    `relevance`: with the branches that could have redefined what a load of the slice read.
    `trusted` (for each function): steps in and below such functions are left out and the call
    of the outermost one stands for them; what flows through is kept.
    """
    walk = _Walk(flow, trusted)
    for criterion in criteria:
        assert isinstance(criterion, int)  # Python's outputs are steps
        walk.want(criterion)
    walk.go()
    if relevance is not None:
        branches = _Branches(flow, relevance.potential)
        while walk.loads or walk.new:
            loads, walk.loads = walk.loads, []
            for branch in (*branches.between(loads), *walk.withheld()):
                walk.want(branch)
            walk.go()
    return np.array(sorted(walk.members()), np.uint32)


class _Walk:
    """The steps that are known to take part."""

    def __init__(self, flow: PythonFlow, trusted: npt.NDArray[np.bool_] | None) -> None:
        self._flow, self._trusted = flow, trusted
        self._whole: set[int] = set()  # what it came to matters
        self._entered: set[int] = set()  # that it ran other code matters, and which
        self._todo: list[tuple[int, bool]] = []
        self._outer: dict[int, int] = {0: 0}  # activation -> call of the outermost trusted one
        self.new: list[int] = []  # those of `whole` that were not asked what was kept from them
        self.loads: list[tuple[int, int]] = []  # new ones: the step, and who made what it read

    def members(self) -> Iterator[int]:
        return (step for step in self._whole | self._entered if not self._hidden(step))

    def want(self, step: int, *, is_whole: bool = True) -> None:
        known = self._whole if is_whole else self._entered
        if step and step not in known:
            known.add(step)
            self._todo.append((step, is_whole))

    def go(self) -> None:
        while self._todo:
            step, is_whole = self._todo.pop()
            if self._trusted is not None and (call := self._hidden(step)):
                self.want(call, is_whole=False)
                for made in self._flow.given_to(call):
                    self.want(made)
            self._decided(step)
            if is_whole:
                self._made(step)
            else:
                self.want(self._flow.called_on(step) or 0)

    def _decided(self, step: int) -> None:
        """A branch of its own function by how it came out; another's step in that it ran code."""
        decider = self._flow.controlling_step(step)
        if decider is not None:
            own = self._flow.activation_of(decider) == self._flow.activation_of(step)
            self.want(decider, is_whole=own)

    def withheld(self) -> list[int]:
        """The branches that could have put more into what new steps read."""
        new, self.new = self.new, []
        return [branch for step in new for branch in self._flow.withheld(step)]

    def _made(self, step: int) -> None:
        self.new.append(step)
        node = self._flow.node(step)
        steps = [one for one in (*node.operands, *node.pointers) if isinstance(one, int)]
        for made in steps:
            self.want(made)
        for made in node.through:
            self.want(made, is_whole=self._flow.opcode(step) != "param")
        if self._flow.is_load(step):
            self.loads.append((step, min(steps, default=0)))

    def _hidden(self, step: int) -> int:
        """The call of the outermost trusted function around a step; 0 if there is none."""
        return 0 if self._trusted is None else self._around(self._flow.activation_of(step))

    def _around(self, activation: int) -> int:
        assert self._trusted is not None
        if activation not in self._outer:
            row = self._flow.thread.stream.activations[activation]
            outer = self._around(int(row["parent"]))
            own = int(row["call"]) if self._trusted[row["function"]] else 0
            self._outer[activation] = outer or own
        return self._outer[activation]


class _Branches:
    """Branches that did not go where something might have been redefined."""

    def __init__(self, flow: PythonFlow, potential: Potential) -> None:
        self._flow, self._potential = flow, potential
        stream = flow.thread.stream
        self._activation = stream.activation.astype(np.int64)
        # The block to which control went after each instance in its own activation.
        previous = np.array(flow.run.previous, np.int64)
        after = np.flatnonzero(previous)
        self._went = np.full(len(previous), NONE, np.int64)
        self._went[previous[after] - 1] = stream.code.stretch_block[stream.stretch[after]]

    def between(self, loads: Sequence[tuple[int, int]]) -> Iterator[int]:
        """Those between each load and who made what it read that could have redefined it."""
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
                yield from self._on(edge, is_private, low, high)

    def _on(self, edge: int, is_private: bool, low: Numbers, high: Numbers) -> Iterator[int]:
        stream = self._flow.thread.stream
        stretch, block = (
            int(column[edge])
            for column in (self._potential.edge_stretch, self._potential.edge_block)
        )
        instances = self._flow.queries.instances_of(stretch).astype(np.int64)
        instances = instances[self._went[instances] != block]
        ends = stream.first[instances].astype(np.int64) + stream.code.stretch_ops[stretch] - 1
        keys = (self._activation[instances] << _SHIFT if is_private else 0) | ends
        at = np.searchsorted(low, keys) - 1
        yield from ends[(at >= 0) & (keys < high[at])].tolist()


def _merged(ranges: Sequence[tuple[int, int]]) -> tuple[Numbers, Numbers]:
    """The same ranges, those that overlap as one, in order: where each begins and ends."""
    found: list[list[int]] = []
    for low, high in sorted(ranges):
        if found and low < found[-1][1]:
            found[-1][1] = max(found[-1][1], high)
        else:
            found.append([low, high])
    columns = np.array(found, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]
