"""What did each step of a run compute, and from what?

A step that computed something is a node: an operation on operands.  An operand is another step, a
constant, a part of what a step wrote to memory, or something that no recorded step defined.  A
node has no controlling step; `Flow.controlling_step` returns that.  The operations depend on the
language of the program; the position of a step in its run does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from whence.inputs import InputByte, InputPointer, InputRange, InputSource
from whence.program.ids import Activation, Block, Column, Instance, Op, Step, Stretch
from whence.program.operations import Operation
from whence.trace.columns import BRANCH, CALL, DIRECT, Rows, Stream, whole
from whence.trace.positions import NEAR, Executions
from whence.trace.recording import Comparable, Thread
from whence.trace.sections import SectionedColumn
from whence.trace.statements import StepDescriber

Value = Any  # a value of the program, hashable and comparable; for C its bits, as a number


class Constant(NamedTuple):
    """A constant of the program."""

    value: Value | None  # None: unknown, such as an address that the linker chose
    width: int


class StoredBits(NamedTuple):
    """Bits low..low+width of the value that a step stored."""

    step: Step
    low: int
    width: int


class Left(NamedTuple):
    """Bytes that a call or an operation on memory wrote; a plain store is a Step or StoredBits."""

    step: Step
    address: int
    width: int


class Initial(NamedTuple):
    """Bytes that were in memory before the run, or that nothing wrote: the initial value of a
    static variable, an uninitialised local.  `step` read them."""

    step: Step
    address: int
    width: int


class Parameter(NamedTuple):
    """A parameter of a function that code that is not recorded entered.

    `call` is the recorded call that led there; None if there is none, as for `main`.
    """

    call: Step | None
    number: int
    width: int


class Unrecorded(NamedTuple):
    """A value that code that is not recorded made; operand `number` of `step`."""

    step: Step
    number: int
    width: int


# What no recorded step made.
External = InputByte | InputRange | InputPointer | Initial | Parameter | Unrecorded
Operand = Step | Constant | StoredBits | Left | External


class OfClass(NamedTuple):
    """An object of which only the class is known."""

    name: str


class Items(NamedTuple):
    """A container."""

    kind: str
    length: int
    items: tuple[Hashable, ...] | None  # None: not known


class Got(NamedTuple):
    """What a call got."""

    arguments: tuple[Hashable, ...]
    # What the call read of them: the way to it, such as self.rates, and the value.
    read: frozenset[tuple[str, Hashable]]

    @property
    def is_known(self) -> bool:
        """Is more than the class known of an argument?"""
        return any(not isinstance(argument, OfClass) for argument in self.arguments)

    def read_alike(self, other: Got, *, is_loose: bool) -> bool:
        """Did both calls read the same, as far as both read it?

        `is_loose`: containers may differ, if more than the class is known of an argument.
        """
        others = dict(other.read - self.read)
        differing = [value for way, value in self.read - other.read if way in others]
        if not is_loose:
            return not differing
        return self.is_known and all(isinstance(value, Items) for value in differing)


@dataclass(frozen=True, slots=True)
class FlowNode:
    """What one step computed.

    `through` are the calls that passed an operand on, or copied it.  `pointer` is the operand that
    a load or store took its address from; a loaded value depends on it too.  `base` is the operand
    for the object that was read or written, if it is not `pointer`.  `chosen_by` is the branch that
    chose the operand of a phi.
    """

    operation: Operation
    operands: tuple[Operand, ...]
    through: tuple[Step, ...] = ()
    pointer: Operand | None = None
    chosen_by: Step | None = None
    base: Operand | None = None

    @property
    def pointers(self) -> tuple[Operand, ...]:
        """The operands that determine which memory or object was accessed."""
        return tuple(operand for operand in (self.pointer, self.base) if operand is not None)


class Flow(ABC):
    """The nodes of one thread's run, built on request, and the positions of its steps."""

    # Longest run, in steps, for which a table of all steps is made; guessed.
    max_table: ClassVar[int] = 1 << 26

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.queries = thread.queries
        stream, code = thread.stream, thread.image.code
        # Indexing a memoryview gives a plain int and is several times faster than an array.
        self._first: Column[int, Step] = view(stream.first)
        self._stretch: Column[int, Stretch] = view(stream.stretch)
        self._activation: Column[int, Activation] = view(stream.activation)
        self._control: Column[int, Step] = view(stream.control)  # 0: none
        self._instmap: Column[int, Instance] = view(stream.instmap)
        self._stretch_first: Column[int, Op] = view(code.stretch_first_op)
        self._op_stretch: Column[int, Stretch] = view(code.op_stretch)
        self._blocks: Column[int, Block] = view(code.stretch_block)
        rows = stream.activations
        field: Any = _Field if stream.sections is not None else _field
        self._call: Column[int, Step] = field(rows, "call")
        self._flags: Column[int, int] = field(rows, "flags")
        self._parent: Column[int, Activation] = field(rows, "parent")
        self._ret: Column[int, Step] = field(rows, "ret")
        self._start: Column[int, Instance] = field(rows, "first_instance")
        self._kinds: Column[int, int] = view(code.kind)
        # The instance and the operation of each step, unless the run is very long.
        self._at: Column[int, Instance] | None = None
        self._ops: Column[int, Op] | None = None
        if stream.steps <= self.max_table and stream.sections is None:
            instances, ops = _steps_table(stream)
            self._at, self._ops = view(instances), view(ops)
        self._nodes: dict[Step, FlowNode] = {}

    @abstractmethod
    def describer(self) -> StepDescriber:
        """Return what turns the steps of this run into words."""

    # --- values --------------------------------------------------------------------------------

    @abstractmethod
    def value(self, step: Step) -> Value:
        """Return the value that a step computed, stored, returned or branched on."""

    @abstractmethod
    def address(self, step: Step) -> int:
        """Return the address at which a step read or wrote memory."""

    def compared_as(self, step: Step) -> Comparable:
        """Return how the value of a step is compared with its value in another run."""
        return self.thread.image.compared_as(self.op_of(step))

    def comparable_value(self, step: Step) -> Value:
        """Return the value of a step in a form that is equal in two runs if the values are."""
        return self.value(step)

    @abstractmethod
    def comparable_part(self, step: Step) -> Value:
        """Return the part of a pointer value that is comparable across runs."""

    def is_only_noise(self, step: Step, value: Value) -> bool:  # noqa: ARG002 - of texts
        """Is it noise by which a value of another run differs from the value of a step?"""
        return step in self.thread.noise

    def decision(self, branch: Step) -> Value:
        """Return a value that is equal for two executions of a branch that go the same way."""
        return self.value(branch)

    def value_of(self, operand: Operand) -> Value | None:
        """Return the value of an operand, or None if it is unknown."""
        if isinstance(operand, int):
            return self.value(operand)
        if isinstance(operand, Constant):
            return operand.value
        if isinstance(operand, StoredBits):
            return self.value(operand.step) >> operand.low & (1 << operand.width) - 1
        return None

    def width_of(self, operand: Operand) -> int:
        """Return the width of an operand in bits."""
        if isinstance(operand, int):
            return self.node(operand).operation.width
        return operand.width

    def returned(self, call: Step) -> Step | None:
        """Return the step with which the recorded function that `call` entered returned, if any."""
        after = self.instance_of(call) + 1
        if after >= len(self._first):
            return None
        entered = self._activation[after]
        is_own = self._flags[entered] & DIRECT and self._call[entered] == call
        return self._ret[entered] or None if is_own else None

    def raised_by(self, step: Step) -> Step | None:  # noqa: ARG002 - where steps raise
        """Return the step that raised the exception by which `step` ended; None if none did."""
        return None

    def caught_at(self, step: Step) -> Step | None:  # noqa: ARG002 - where steps raise
        """Return the first handler that looked at the exception which a step raised, if any."""
        return None

    def raised_again(self, step: Step) -> Step | None:  # noqa: ARG002 - where steps raise
        """Return the last step that raised again the exception which `step` raised, if any."""
        return None

    # --- places --------------------------------------------------------------------------------

    def instance_of(self, step: Step) -> Instance:
        if self._at is not None:
            return self._at[step]
        at = step >> 6
        low = self._instmap[at]
        high = self._instmap[at + 1] + 1 if at + 1 < len(self._instmap) else len(self._first)
        return Instance(bisect_right(self._first, step, low, high) - 1)

    def op_of(self, step: Step) -> Op:
        if self._ops is not None:
            return self._ops[step]
        instance = self.instance_of(step)
        return Op(self._stretch_first[self._stretch[instance]] + step - self._first[instance])

    def kind(self, step: Step) -> int:
        return self._kinds[self.op_of(step)]

    @property
    def instances(self) -> int:
        return len(self._first)

    def activation(self, instance: Instance) -> Activation:
        return self._activation[instance]

    def block(self, instance: Instance) -> Block:
        return self._blocks[self._stretch[instance]]

    def side_of(self, branch: Step) -> Block | None:
        """Return the block that a branch went to; None if the run ended with the branch."""
        after = self.instance_of(branch) + 1
        return self._blocks[self._stretch[after]] if after < len(self._first) else None

    def region_of(self, step: Step) -> tuple[Activation, Step | None]:
        """Return the activation and the controlling step of a step."""
        instance = self.instance_of(step)
        return self._activation[instance], self._control[instance] or None

    @abstractmethod
    def is_load(self, step: Step) -> bool:
        """Did the step read what another step wrote?"""

    @abstractmethod
    def defines(self, step: Step) -> bool:
        """Did the step give a variable, an attribute, an item or memory its value?"""

    def is_definition(self, step: Step) -> bool:  # noqa: ARG002 - where modules are executed
        """Is a step part of what defines a module or a class, rather than of a function's run?"""
        return False

    def withheld(self, step: Step) -> tuple[Step, ...]:  # noqa: ARG002 - where objects hold others
        """Return the branches that kept the run from adding to the object that a step read."""
        return ()

    def is_given(self, step: Step) -> bool:
        """Did unrecorded code return the value of the step, so that its origin is unknown?"""
        return self.is_call(step) and not self.returned(step)

    def reads(self, step: Step) -> bool:
        """Did the step read memory or objects, and not only its operands?"""
        return self.is_load(step) or self.is_call(step)

    def stored_by(self, step: Step) -> Step | None:  # noqa: ARG002 - where a sort moves pointers
        """Return what stored the pointer that a load read from a sorted array, if that is known."""
        return None

    def position(self, step: Step) -> Operand | None:  # noqa: ARG002 - where files have positions
        """Return what said where in a file a call reads; None if nothing in the program did."""
        return None

    def source_of(self, number: int) -> InputSource | None:  # noqa: ARG002 - where calls read
        """Return the source that effects name by a number; None if the language has no such."""
        return None

    def is_call(self, step: Step) -> bool:
        return self.kind(step) == CALL

    def holds_container(self, step: Step) -> bool:  # noqa: ARG002 - in C, each item has an address
        """Is the value of the step an object whose items are defined by other steps?"""
        return False

    def names_code(self, step: Step) -> bool:  # noqa: ARG002 - where functions are values
        """Is the value of the step a function, a class or a module?"""
        return False

    def is_branch(self, step: Step) -> bool:
        return self.kind(step) == BRANCH

    def is_call_or_copy(self, step: Step) -> bool:
        """May a step leave other bytes in memory than its own value?"""
        return self.is_call(step) or self.queries.is_copy(step)

    def activation_of(self, step: Step) -> Activation:
        return self._activation[self.instance_of(step)]

    def left_at(self, activation: Activation) -> Step | None:  # noqa: ARG002 - where it is known
        """Return the last step before a function was left without a return; None if it returned."""
        return None

    def controlling_step(self, step: Step) -> Step | None:
        """Return the branch or call that decided that `step` ran; None at the outermost level."""
        return self._control[self.instance_of(step)] or None

    def controlling_steps(self, steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the controlling step of each of `steps`; 0 at the outermost level."""
        return self.queries.controlling_steps(steps)

    def controlling_branch(self, step: Step) -> Step | None:
        """Return the branch that decided that `step` ran, or that its function was called."""
        found = self._control[self.instance_of(step)]
        while found and self.kind(found) != BRANCH:
            found = self._control[self.instance_of(found)]
        return found or None

    def executions(self, op: Op) -> Executions:
        """Return the steps that executed `op`, in order."""
        return self.queries.executions(op)

    def call_of(self, step: Step) -> Step | None:
        """Return the call that entered the function of a step; None if no recorded step did."""
        return self._call[self.activation_of(step)] or None

    def in_tree(self, step: Step) -> Step:
        """Return the step, or the call of library code that led to it from the program's tree."""
        return self.thread.in_tree(step)

    def previous_instance(self, instance: Instance) -> Instance | None:
        """Return the instance before `instance` in its activation."""
        activation = self._activation[instance]
        if instance <= self._start[activation]:
            return None
        inner = self._activation[instance - 1]
        if inner == activation:
            return instance - 1  # type: ignore[return-value] # Instance() triples the time
        while inner and self._parent[inner] != activation:
            inner = self._parent[inner]
        return self.instance_of(self._call[inner]) if inner else None

    def made_at(self, step: Step) -> Step | None:  # noqa: ARG002 - where steps make functions
        """Return the step that made the function of a step, if a value carried it to its call."""
        return None

    def defined_at(self, step: Step) -> Step | None:  # noqa: ARG002 - where steps define functions
        """Return the step that defined the function of a step, if unrecorded code called it."""
        return None

    def generated_from(self, step: Step) -> tuple[Step, ...]:  # noqa: ARG002 - where code is made
        """Return the steps from which code that a step ran may have been generated."""
        return ()

    # --- nodes ---------------------------------------------------------------------------------

    def node(self, step: Step) -> FlowNode:
        """Return what a step computed, and from what."""
        found = self._nodes.get(step)
        if found is None:
            found = self._nodes[step] = self._node(step)
        return found

    @abstractmethod
    def _node(self, step: Step) -> FlowNode: ...

    @abstractmethod
    def left(self, left: Left) -> tuple[Operand, ...]:
        """Return the operands that bytes which a step left in memory were made from."""

    @abstractmethod
    def operands_of(self, op: Op, instance: Instance) -> tuple[Operand, ...]:
        """Return the operands of an operation that would run next in `instance`, pointer first."""

    @abstractmethod
    def argument(self, call: Step, number: int) -> Operand | None:
        """Return the operand that a call passed as argument `number`; None if it has none."""

    @abstractmethod
    def arguments(self, call: Step) -> int:
        """Return the number of arguments that a call passed."""

    def got(self, activation: Activation) -> Got | None:
        """Return what a call got, as far as it is comparable across runs; None if too little is."""
        call = self._call[activation]
        if not call or not self._flags[activation] & DIRECT:
            return None
        arguments = [self.argument(call, number) for number in range(self.arguments(call))]
        if any(isinstance(each, int) and not self._is_plain(each) for each in arguments):
            return None
        values = (None if each is None else self.value_of(each) for each in arguments)
        return Got(tuple(values), frozenset())

    def gave(self, activation: Activation) -> Hashable | None:
        """Return what a call returned, as far as that is comparable; None if it did not return."""
        step = self._ret[activation]
        if not step:
            return None
        value: Hashable = (
            self.comparable_value(step) if self._is_plain(step) else self.comparable_part(step)
        )
        return value

    def _is_plain(self, step: Step) -> bool:
        return self.compared_as(step) is Comparable.PLAIN

    # --- operands ------------------------------------------------------------------------------

    def _register(self, wanted: Op, instance: Instance, op: Op) -> Operand:
        """Return the step that defined register `wanted` as `op` in `instance` sees it."""
        stretch = self._op_stretch[wanted]
        if self._stretch[instance] == stretch and wanted < op:
            return self._first[instance] + wanted - self._stretch_first[stretch]  # type: ignore[return-value] # Step() costs time here
        before = self._last_before(stretch, instance)
        if before is None:
            return Unrecorded(self._first[instance], wanted, 64)
        return self._first[before] + wanted - self._stretch_first[stretch]  # type: ignore[return-value] # Step() costs time here

    def _last_before(self, stretch: Stretch, instance: Instance) -> Instance | None:
        """Return the last instance of `stretch` before `instance` in its activation."""
        at = self.previous_instance(instance)
        for _ in range(NEAR):
            if at is None or self._stretch[at] == stretch:
                return at
            at = self.previous_instance(at)
        return self.queries.last_before_indexed(stretch, instance)


def _steps_table(stream: Stream) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Return the instance and the operation of each step; entry 0 is no step's."""
    first = whole(stream.first)
    counts = np.diff(first, append=np.uint32(stream.steps + 1))
    instances = np.zeros(stream.steps + 1, np.uint32)
    instances[1:] = np.repeat(np.arange(len(first), dtype=np.uint32), counts)
    # Numbers below 0 are large ones here: the sums are right all the same.
    starts = stream.code.stretch_first_op[whole(stream.stretch)] - first
    ops = np.arange(stream.steps + 1, dtype=np.uint32)
    ops[1:] += starts[instances[1:]]
    return instances, ops


class _Field:
    """One field of many rows, without a copy of it."""

    def __init__(self, rows: Rows, name: str) -> None:
        self._column = rows[name]

    def __getitem__(self, key: int) -> int:
        return int(self._column[key])

    def __len__(self) -> int:
        return len(self._column)


def _field(rows: Rows, name: str) -> Any:
    return view(rows[name])


def view(column: Any) -> Any:
    """Return a memoryview of a column; the caller declares what its numbers are."""
    if isinstance(column, SectionedColumn):
        return column
    contiguous: Any = np.ascontiguousarray(column)
    return memoryview(contiguous)
