"""Where in its run does a step lie, and what lies around it?

Each answer is computed on request from the columns of a stream.  An index that answers need is
built once and, if the stream has a directory, kept there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from whence.program.ids import Activation, Block, Instance, Op, Step, Stretch
from whence.program.kept import is_kept, keep
from whence.program.mapped_files import map_file
from whence.trace.columns import DIRECT, PHI, U32, Stream, whole
from whence.trace.sections import SectionedColumn, SectionedInstances

NEAR = (
    64  # limit on instances walked back one by one before the index of stretches is used; guessed
)


class Positions:
    """The steps, instances and activations of one stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.code = stream.code

    # --- steps --------------------------------------------------------------------------------

    def instance_of(self, step: Step) -> Instance:
        """Return the instance that `step` lies in."""
        stream = self.stream
        if not 0 < step <= stream.steps:
            raise ValueError(f"step {step} is not in 1..{stream.steps}")
        at = step >> 6
        low = int(stream.instmap[at])
        high = int(stream.instmap[at + 1]) if at + 1 < len(stream.instmap) else len(stream.first)
        near = stream.first[low : high + 1]
        return Instance(low + int(np.searchsorted(near, np.uint32(step), "right")) - 1)

    def instances_at(self, steps: U32) -> npt.NDArray[np.int64]:
        """Return the instance of each of `steps`."""
        # searchsorted converts all of `first` at each call unless both have the same type.
        steps = steps.astype(np.uint32, copy=False)
        sections, first = self.stream.sections, self.stream.first
        if sections is None:
            return whole(first).searchsorted(steps, "right") - 1
        found = np.zeros(len(steps), np.int64)
        numbers = np.searchsorted(sections.steps, steps.astype(np.int64), "left") - 1
        for number in np.unique(numbers).tolist():
            start, stop = (int(sections.instances[number + k]) for k in (0, 1))
            own = numbers == number
            found[own] = start - 1 + first[start:stop].searchsorted(steps[own], "right")
        return found

    def op_of(self, step: Step) -> Op:
        """Return the operation that `step` executed."""
        return self._op(self.instance_of(step), step)

    def step_of(self, instance: Instance, op: Op) -> Step | None:
        """Return the step that executed `op` in `instance`; None if `instance` did not."""
        offset = op - int(self.code.stretch_first_op[self.stream.stretch[instance]])
        inside = 0 <= offset < self.executed(instance)
        return Step(int(self.stream.first[instance]) + offset) if inside else None

    def executions(self, op: Op) -> Executions:
        """Return the steps that executed `op`, in order."""
        stretch = Stretch(int(self.code.op_stretch[op]))
        return Executions(self, stretch, op - int(self.code.stretch_first_op[stretch]))

    def activation_of(self, step: Step) -> Activation:
        """Return the activation that `step` ran in."""
        return Activation(int(self.stream.activation[self.instance_of(step)]))

    def side_of(self, step: Step) -> Block | None:
        """Return the block that ran next after the instance of `step`.

        For a call this is the first block of the callee.  None: the run ended.
        """
        after = Instance(self.instance_of(step) + 1)
        return self.block_of(after) if after < len(self.stream.first) else None

    def controlling_step(self, step: Step) -> Step | None:
        """Return the branch or call that decided that `step` ran; None at the outermost level."""
        return Step(int(self.stream.control[self.instance_of(step)])) or None

    def controlling_steps(self, steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the controlling step of each of `steps`; 0 at the outermost level."""
        order = np.argsort(steps)  # neighbours lie in one section
        found = np.zeros(len(steps), np.int64)
        found[order] = self.stream.control[self.instances_at(steps[order].astype(np.uint32))]
        return found

    def incoming_branch(self, step: Step) -> Step | None:
        """Return the branch by which control came to a phi; None if `step` is no phi.

        This branch chose the value of the phi.  The controlling step did not: a phi runs whenever
        its block does.  For `a || b`, a branch on `a` chooses between true and b.
        """
        instance = self.instance_of(step)
        if self.code.kind[self._op(instance, step)] != PHI:
            return None
        before = self.previous_instance(instance)
        return None if before is None else self.last_step(before)

    def _op(self, instance: Instance, step: Step) -> Op:
        offset = step - int(self.stream.first[instance])
        return Op(int(self.code.stretch_first_op[self.stream.stretch[instance]]) + offset)

    # --- instances ----------------------------------------------------------------------------

    def executed(self, instance: Instance) -> int:
        """Return the number of operations that ran in `instance`."""
        first = self.stream.first
        end = first[instance + 1] if instance + 1 < len(first) else self.stream.steps + 1
        return int(end) - int(first[instance])

    def last_step(self, instance: Instance) -> Step:
        """Return the last step of `instance`: a branch, call or return unless the run was cut."""
        return Step(int(self.stream.first[instance]) + self.executed(instance) - 1)

    def block_of(self, instance: Instance) -> Block:
        """Return the block of `instance`."""
        return Block(int(self.code.stretch_block[self.stream.stretch[instance]]))

    def previous_instance(self, instance: Instance) -> Instance | None:
        """Return the instance before `instance` in its activation."""
        stream = self.stream
        activation = Activation(int(stream.activation[instance]))
        if instance <= self._activation(activation, "first_instance"):
            return None
        inner = Activation(int(stream.activation[instance - 1]))
        if inner == activation:
            return Instance(instance - 1)
        while inner and self._activation(inner, "parent") != activation:
            inner = Activation(self._activation(inner, "parent"))
        return self.instance_of(Step(self._activation(inner, "call"))) if inner else None

    def last_before(
        self, stretch: Stretch, instance: Instance, within: int | None = None
    ) -> Instance | None:
        """Return the last instance of `stretch` before `instance` in its activation.

        With `within`, the search stops after that many instances of the activation.
        """
        at = self.previous_instance(instance)
        for _ in range(NEAR if within is None else within):
            if at is None or self.stream.stretch[at] == stretch:
                return at
            at = self.previous_instance(at)
        return self.last_before_indexed(stretch, instance) if within is None else None

    def last_before_indexed(self, stretch: Stretch, instance: Instance) -> Instance | None:
        """Return the same as `last_before`, by the index of stretches alone."""
        activation = Activation(int(self.stream.activation[instance]))
        start = np.uint32(self._activation(activation, "first_instance"))
        found = self.instances_of(stretch)
        high = int(found.searchsorted(np.uint32(instance)))
        low = int(found.searchsorted(start))
        for part in step_chunks(high, low):
            hits = np.flatnonzero(self.stream.activation[found[part]] == activation)
            if len(hits):
                return Instance(int(found[part][hits[-1]]))
        return None

    def instances_of(self, stretch: Stretch) -> U32 | SectionedInstances:
        """Return all instances of `stretch`, in order."""
        sections, column = self.stream.sections, self.stream.stretch
        if sections is not None:
            assert isinstance(column, SectionedColumn)
            if stretch not in self._instances:
                self._instances[stretch] = SectionedInstances(column, sections, stretch)
            return self._instances[stretch]
        order, start = self._by_stretch
        return order[int(start[stretch]) : int(start[stretch + 1])]

    @cached_property
    def _instances(self) -> dict[Stretch, SectionedInstances]:
        return {}

    @cached_property
    def _by_stretch(self) -> tuple[U32, U32]:
        """The instances ordered by stretch, and where those of each stretch start."""
        order = self.index("by-stretch.u32", lambda: argsort(whole(self.stream.stretch)))
        counts = self.stream.instance_counts()
        start = np.zeros(len(counts) + 1, np.uint32)
        np.cumsum(counts, out=start[1:])
        return order, start

    # --- activations --------------------------------------------------------------------------

    def callers(self, step: Step) -> list[Activation]:
        """Return the activations around `step`, the innermost first."""
        chain = []
        activation = self.activation_of(step)
        while activation:
            chain.append(activation)
            activation = Activation(self._activation(activation, "parent"))
        return chain

    def outermost(self) -> Iterator[Activation]:
        """Yield the activations that are in no other, in order."""
        instance = 0
        while instance < len(self.stream.first):
            activation = Activation(int(self.stream.activation[instance]))
            yield activation
            instance = self._activation(activation, "last_instance") + 1

    def entered(self, call: Step) -> Activation | None:
        """Return the activation that a call entered; None if it called code not recorded."""
        after = self.instance_of(call) + 1
        if after >= len(self.stream.first):
            return None
        activation = Activation(int(self.stream.activation[after]))
        row = self.stream.activations[activation]
        return activation if row["flags"] & DIRECT and row["call"] == call else None

    def _activation(self, activation: Activation, field: str) -> int:
        return int(self.stream.activations[field][activation])

    # --- indexes ------------------------------------------------------------------------------

    def index(self, name: str, build: Callable[[], U32]) -> U32:
        """Return the array that `build` makes, from the stream's directory if it is there."""
        directory = self.stream.directory
        if directory is None:
            return build()
        path = directory / name
        if not is_kept(path):
            partial = path.with_suffix(".partial")
            build().tofile(partial)
            partial.replace(path)  # in one move: a killed build leaves no partial index
            keep(path)
        return map_file(path, np.uint32)


class Executions:
    """The steps that executed one operation, in order, looked up when they are read."""

    def __init__(self, positions: Positions, stretch: Stretch, offset: int) -> None:
        """`offset` is the place of the operation in its stretch."""
        self._positions, self._offset = positions, offset
        self.is_long = positions.stream.sections is not None
        self._instances = positions.instances_of(stretch)
        first, steps = positions.stream.first, positions.stream.steps
        self._count = len(self._instances)
        # Only the last instance of the run can end before the operation.
        if self._count and int(first[int(self._instances[-1])]) + offset > steps:
            self._count -= 1

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, key: slice) -> npt.NDArray[np.int64]:
        start, stop, _ = key.indices(self._count)
        instances = self._instances[start:stop]
        first = self._positions.stream.first
        return np.asarray(first[instances], np.int64) + self._offset

    def before(self, step: int) -> int:
        """Return how many of the steps come before `step`."""
        positions = self._positions
        if step <= 1:
            return 0
        if step > positions.stream.steps:
            return self._count
        instance = positions.instance_of(Step(step))
        rank = int(self._instances.searchsorted(np.uint32(instance)))
        is_own = rank < len(self._instances) and int(self._instances[rank]) == instance
        is_earlier = is_own and int(positions.stream.first[instance]) + self._offset < step
        return min(rank + is_earlier, self._count)


def argsort(column: U32) -> U32:
    """Return the numbers of the rows of a column, ordered by value and then by number."""
    return np.argsort(column, kind="stable").astype(np.uint32)


def step_chunks(start: int, stop: int) -> Iterator[slice]:
    """Yield slices that cover start..stop, or start back to stop, each twice as long."""
    size = 1024
    while start != stop:
        if start < stop:
            end = min(start + size, stop)
            yield slice(start, end)
        else:
            end = max(start - size, stop)
            yield slice(end, start)
        start, size = end, 2 * size
