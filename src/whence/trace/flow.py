"""What did each step of a run compute, and from what?

A step that computed something is a node: an operation whose operands are other steps, constants,
parts of what a step left in memory, or something that no recorded step made.  Control is not
in it: `Queries.deciding` tells what decided that a step ran.  What the operations are depends on
the language of the program; where a step lies in the run does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from whence.program.ids import Activation, Block, Column, Instance, Op, Step, Stretch
from whence.program.operations import Operation
from whence.trace.columns import BRANCH, CALL, DIRECT, Stream
from whence.trace.positions import NEAR
from whence.trace.recording import Comparable, Thread
from whence.trace.statements import StepDescriber

Value = Any  # of the program: can be hashed and compared; for C a row of bits, as a number
MOST_STEPS = 1 << 26  # for which a table of all steps is made


class Constant(NamedTuple):
    """A constant of the program."""

    value: Value | None  # None: it is not known, as an address that the linker chose
    width: int


class StoredBits(NamedTuple):
    """Bits low..low+width of what a step stored."""

    step: Step
    low: int
    width: int


class Left(NamedTuple):
    """Bytes that a step left in memory, not as a plain store: a call, or an operation on memory."""

    step: Step
    address: int
    width: int


class Outside(NamedTuple):
    """Something that no recorded step made: it came in at `step`, or was there before the run."""

    step: int
    address: int
    width: int


Operand = int | Constant | StoredBits | Left | Outside


@dataclass(frozen=True, slots=True)
class FlowNode:
    """What one step computed.

    `through` are the calls that passed an operand on, or copied it.  `pointer` is where a load
    or store went; what it loaded depends on it as well.  `base` is the object that it went to, if
    that is another operand.  `chosen_by` is the branch that chose which of its operands a phi took.
    """

    operation: Operation
    operands: tuple[Operand, ...]
    through: tuple[Step, ...] = ()
    pointer: Operand | None = None
    chosen_by: Step | None = None
    base: Operand | None = None

    @property
    def pointers(self) -> tuple[Operand, ...]:
        """All that says where it went."""
        return tuple(one for one in (self.pointer, self.base) if one is not None)


class Flow(ABC):
    """The nodes of one thread's run, made when they are asked for."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.queries = thread.queries
        stream, code = thread.stream, thread.image.code
        # A memoryview gives plain numbers, several times faster than an array does.
        self._first: Column[int, Step] = view(stream.first)
        self._stretch: Column[int, Stretch] = view(stream.stretch)
        self._activation: Column[int, Activation] = view(stream.activation)
        self._control: Column[int, Step] = view(stream.control)  # 0: none
        self._instmap: Column[int, Instance] = view(stream.instmap)
        self._stretch_first: Column[int, Op] = view(code.stretch_first_op)
        self._op_stretch: Column[int, Stretch] = view(code.op_stretch)
        self._blocks: Column[int, Block] = view(code.stretch_block)
        rows = stream.activations
        self._call: Column[int, Step] = view(rows["call"])
        self._flags: Column[int, int] = view(rows["flags"])
        self._parent: Column[int, Activation] = view(rows["parent"])
        self._ret: Column[int, Step] = view(rows["ret"])
        self._start: Column[int, Instance] = view(rows["first_instance"])
        self._kinds: Column[int, int] = view(code.kind)
        # For all but very long runs, the instance and the op of each step are laid out at once.
        self._at: Column[int, Instance] | None = None
        self._ops: Column[int, Op] | None = None
        if stream.steps <= MOST_STEPS:
            instances, ops = _laid_out(stream)
            self._at, self._ops = view(instances), view(ops)
        self._nodes: dict[int, FlowNode] = {}

    @abstractmethod
    def describer(self) -> StepDescriber:
        """Return what turns the steps of this run into words."""

    # --- values --------------------------------------------------------------------------------

    @abstractmethod
    def value(self, step: int) -> Value:
        """What a step computed, stored, returned or decided on."""

    @abstractmethod
    def address(self, step: int) -> int:
        """Where a step read or wrote memory."""

    def compared_as(self, step: int) -> Comparable:
        """How what a step came to is compared with what it came to in another run."""
        return self.thread.image.compared_as(self.op_of(step))

    def likeness(self, step: int) -> Value:
        """What a step came to, equal for two runs if that is the same."""
        return self.value(step)

    @abstractmethod
    def looks(self, step: int) -> Value:
        """What of a value that is compared as a pointer means the same in every run."""

    def decision(self, branch: int) -> Value:
        """What a branch decided on, so that it goes the same way if that is the same."""
        return self.value(branch)

    def value_of(self, operand: Operand) -> Value | None:
        """What an operand was, if that is known."""
        if isinstance(operand, int):
            return self.value(operand)
        if isinstance(operand, Constant):
            return operand.value
        if isinstance(operand, StoredBits):
            return self.value(operand.step) >> operand.low & (1 << operand.width) - 1
        return None

    def width_of(self, operand: Operand) -> int:
        if isinstance(operand, int):
            return self.node(operand).operation.width
        return operand.width

    def returned(self, call: int) -> Step | None:
        """The step that returned what a call that entered recorded code got, if there is one."""
        after = self.instance_of(call) + 1
        if after >= len(self._first):
            return None
        entered = self._activation[after]
        is_own = self._flags[entered] & DIRECT and self._call[entered] == call
        return self._ret[entered] or None if is_own else None

    # --- places --------------------------------------------------------------------------------

    def instance_of(self, step: int) -> Instance:
        if self._at is not None:
            return self._at[step]
        at = step >> 6
        low = self._instmap[at]
        high = self._instmap[at + 1] + 1 if at + 1 < len(self._instmap) else len(self._first)
        return Instance(bisect_right(self._first, step, low, high) - 1)

    def op_of(self, step: int) -> Op:
        if self._ops is not None:
            return self._ops[step]
        instance = self.instance_of(step)
        return Op(self._stretch_first[self._stretch[instance]] + step - self._first[instance])

    def kind(self, step: int) -> int:
        return self._kinds[self.op_of(step)]

    @property
    def instances(self) -> int:
        return len(self._first)

    def activation(self, instance: int) -> Activation:
        return self._activation[instance]

    def block(self, instance: int) -> Block:
        return self._blocks[self._stretch[instance]]

    def side_of(self, branch: int) -> Block | None:
        """The block that a branch went to."""
        after = self.instance_of(branch) + 1
        return self.block(after) if after < len(self._first) else None

    def region_of(self, step: int) -> tuple[Activation, Step | None]:
        """The activation of a step, and what decided that it ran."""
        instance = self.instance_of(step)
        return self._activation[instance], self._control[instance] or None

    @abstractmethod
    def is_load(self, step: int) -> bool:
        """Did the step read what another one had left?"""

    def withheld(self, step: int) -> tuple[Step, ...]:  # noqa: ARG002 - where objects hold others
        """The branches that, gone the other way, could have put more into what a step read."""
        return ()

    def is_given(self, step: int) -> bool:
        """Did code that is not recorded give it, so that nothing more is known of it?"""
        return self.is_call(step) and not self.returned(step)

    def reads(self, step: int) -> bool:
        """Did it read what other steps had left, not only its operands?"""
        return self.is_load(step) or self.is_call(step)

    def is_call(self, step: int) -> bool:
        return self.kind(step) == CALL

    def is_branch(self, step: int) -> bool:
        return self.kind(step) == BRANCH

    def activation_of(self, step: int) -> Activation:
        return self._activation[self.instance_of(step)]

    def controlling_step(self, step: int) -> Step | None:
        """Return the branch or call that decided that `step` ran; None at the outermost level."""
        return self._control[self.instance_of(step)] or None

    def controlling_branch(self, step: int) -> Step | None:
        """Return the branch that decided that `step` ran, or that its function was called."""
        found = self._control[self.instance_of(step)]
        while found and self.kind(found) != BRANCH:
            found = self._control[self.instance_of(found)]
        return found or None

    def executions(self, op: int) -> npt.NDArray[np.int64]:
        """Return the steps that executed `op`, in order."""
        return self.queries.executions(op)

    def call_of(self, step: int) -> Step | None:
        """The call that the function of a step was entered by."""
        return self._call[self.activation_of(step)] or None

    def previous_instance(self, instance: int) -> Instance | None:
        """The instance before `instance` in its activation."""
        activation = self._activation[instance]
        if instance <= self._start[activation]:
            return None
        inner = self._activation[instance - 1]
        if inner == activation:
            return instance - 1  # type: ignore[return-value] # Instance() triples the time
        while inner and self._parent[inner] != activation:
            inner = self._parent[inner]
        return self.instance_of(self._call[inner]) if inner else None

    def made_at(self, step: int) -> Step | None:  # noqa: ARG002 - where steps make functions
        """The step that made the function a step is of, if others handed it on."""
        return None

    # --- nodes ---------------------------------------------------------------------------------

    def node(self, step: int) -> FlowNode:
        found = self._nodes.get(step)
        if found is None:
            found = self._nodes[step] = self._node(step)
        return found

    @abstractmethod
    def _node(self, step: int) -> FlowNode: ...

    @abstractmethod
    def left(self, left: Left) -> tuple[Operand, ...]:
        """What bytes that a step left in memory were made of."""

    @abstractmethod
    def operands_of(self, op: int, instance: int) -> tuple[Operand, ...]:
        """The operands of an op that is about to run in an instance, its pointer first."""

    @abstractmethod
    def argument(self, call: int, number: int) -> Operand | None:
        """What a call passed as its argument of this number."""

    @abstractmethod
    def arguments(self, call: int) -> int:
        """How many arguments a call passed."""

    # --- operands ------------------------------------------------------------------------------

    def _register(self, wanted: int, instance: int, op: int) -> Operand:
        stretch = self._op_stretch[wanted]
        if self._stretch[instance] == stretch and wanted < op:
            return self._first[instance] + wanted - self._stretch_first[stretch]
        before = self._last_before(stretch, instance)
        if before is None:
            return Outside(self._first[instance], wanted, 64)
        return self._first[before] + wanted - self._stretch_first[stretch]

    def _last_before(self, stretch: int, instance: int) -> Instance | None:
        """The last instance of `stretch` before `instance` in its activation."""
        at = self.previous_instance(instance)
        for _ in range(NEAR):
            if at is None or self._stretch[at] == stretch:
                return at
            at = self.previous_instance(at)
        return self.queries.last_before_indexed(stretch, instance)


def _laid_out(stream: Stream) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The instance of each step, and its op; nothing is step 0."""
    first = stream.first.astype(np.int64)
    counts = np.diff(np.append(first, stream.steps + 1))
    instances = np.repeat(np.arange(len(first), dtype=np.uint32), counts)
    starts = stream.code.stretch_first_op[stream.stretch].astype(np.int64) - first
    ops = starts[instances] + np.arange(1, stream.steps + 1)
    before = np.zeros(1, np.uint32)
    return np.concatenate([before, instances]), np.concatenate([before, ops.astype(np.uint32)])


def view(column: Any) -> Any:
    """Return a memoryview of a column; the caller declares what its numbers are."""
    contiguous: Any = np.ascontiguousarray(column)
    return memoryview(contiguous)
