"""What did each step of a run compute, and from what?

A step that computed something is a node: an operation whose operands are other steps, constants,
parts of what a step left in memory, or something that no recorded step made.  Control is not
in it: `Queries.deciding` tells what decided that a step ran.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from whence.frontend.c import ir
from whence.frontend.c.meaning import Meanings
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.tables import Code, Kind
from whence.frontend.columns import COPY, MIXED
from whence.frontend.meaning import Op, Operation
from whence.trace.columns import DIRECT, Stream
from whence.trace.queries import NEAR, OUTSIDE, Dependence, Part, Place
from whence.trace.recording import Thread

CHUNK = 1 << 17  # steps whose values are replayed together
MOST_CHUNKS = 64  # that are kept
MOST_STEPS = 1 << 26  # for which a table of all steps is made
_MOST_HOPS = 64  # copies of copies that are followed
_STREAMS = ("stdin", "stdout", "stderr")  # of the C library, which nobody sets


class Constant(NamedTuple):
    """A constant of the program."""

    value: int | None  # None: an address that the linker chose
    width: int


class Piece(NamedTuple):
    """Bits low..low+width of what a step stored."""

    step: int
    low: int
    width: int


class Left(NamedTuple):
    """Bytes that a step left in memory, not as a plain store: a call, or an operation on memory."""

    step: int
    address: int
    width: int


class Outside(NamedTuple):
    """Something that no recorded step made: it came in at `step`, or was there before the run."""

    step: int
    address: int
    width: int


Operand = int | Constant | Piece | Left | Outside


@dataclass(frozen=True, slots=True)
class Node:
    """What one step computed.

    `through` are the calls that passed an operand on, or copied it.  `pointer` is where a load
    or store went; what it loaded depends on it as well.  `chosen_by` is the branch that chose
    which of its operands a phi took.
    """

    operation: Operation
    operands: tuple[Operand, ...]
    through: tuple[int, ...] = ()
    pointer: Operand | None = None
    chosen_by: int | None = None


@dataclass(frozen=True, slots=True)
class _Template:
    """What is known of an op without running it."""

    operation: Operation
    operands: tuple[Constant | int, ...]  # an op; below zero: parameter -1 - n
    pointer: Constant | int | None
    code: int
    is_fixed: bool = False  # it always loads the same


class Flow:
    """The nodes of one thread's run, made when they are asked for."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.queries = thread.queries
        stream, code = thread.stream, thread.image.code
        # A memoryview gives plain numbers, several times faster than an array does.
        self._first, self._stretch = _view(stream.first), _view(stream.stretch)
        self._activation, self.control = _view(stream.activation), _view(stream.control)
        self._instmap = _view(stream.instmap)
        self._stretch_first = _view(code.stretch_first_op)
        self._op_stretch = _view(code.op_stretch)
        self._blocks = _view(code.stretch_block)
        rows = stream.activations
        self._call, self._flags, self._parent, self._ret, self._start = (
            _view(np.ascontiguousarray(rows[name]))
            for name in ("call", "flags", "parent", "ret", "first_instance")
        )
        self._links, self._link_rank = _view(stream.links), _view(code.link_rank)
        self._links_before = _view(_links_before(stream))
        self._copied = set(stream.copied["step"].tolist())
        self._codes = _view(np.ascontiguousarray(thread.image.program.ops["code"]))
        self._kinds = _view(np.ascontiguousarray(code.kind))
        # For all but very long runs, the instance and the op of each step are laid out at once.
        self._at: memoryview[int] | None = None
        self._ops: memoryview[int] | None = None
        if stream.steps <= MOST_STEPS:
            instances, ops = _laid_out(stream)
            self._at, self._ops = _view(instances), _view(ops)
        self._templates: dict[int, _Template] = {}
        self._nodes: dict[int, Node] = {}
        self._chunks: dict[int, tuple[memoryview[int], memoryview[int]]] = {}
        self._known: dict[ModuleSource, Meanings] = {}

    # --- values --------------------------------------------------------------------------------

    def value(self, step: int) -> int:
        """What a step computed, stored, returned or decided on; of wide values the lowest bits."""
        if self.kind(step) == Kind.CALL:
            returned = self.returned(step)
            if returned:
                return self.value(returned)
        return self._window(step)[0][(step - 1) % CHUNK]

    def address(self, step: int) -> int:
        """Where a step read or wrote memory; of frame-local memory an offset in its frame."""
        return self._window(step)[1][(step - 1) % CHUNK]

    def value_of(self, operand: Operand) -> int | None:
        """What an operand was, if that is known."""
        if isinstance(operand, int):
            return self.value(operand)
        if isinstance(operand, Constant):
            return operand.value
        if isinstance(operand, Piece):
            return self.value(operand.step) >> operand.low & (1 << operand.width) - 1
        return None

    def width_of(self, operand: Operand) -> int:
        if isinstance(operand, int):
            return self.node(operand).operation.width
        return operand.width

    def _window(self, step: int) -> tuple[memoryview[int], memoryview[int]]:
        number = (step - 1) // CHUNK
        found = self._chunks.get(number)
        if found is None:
            if len(self._chunks) >= MOST_CHUNKS:
                del self._chunks[next(iter(self._chunks))]
            first = number * CHUNK + 1
            window = self.thread.replay.window(first, first + CHUNK)
            found = _view(window.value), _view(window.address)
            self._chunks[number] = found
        return found

    def returned(self, call: int) -> int:
        """The step that returned what a call that entered recorded code got; 0 if there is none."""
        after = self.instance_of(call) + 1
        if after >= len(self._first):
            return 0
        entered = self._activation[after]
        is_own = self._flags[entered] & DIRECT and self._call[entered] == call
        return self._ret[entered] if is_own else 0

    # --- places --------------------------------------------------------------------------------

    def instance_of(self, step: int) -> int:
        if self._at is not None:
            return self._at[step]
        at = step >> 6
        low = self._instmap[at]
        high = self._instmap[at + 1] + 1 if at + 1 < len(self._instmap) else len(self._first)
        return bisect_right(self._first, step, low, high) - 1

    def op_of(self, step: int) -> int:
        if self._ops is not None:
            return self._ops[step]
        instance = self.instance_of(step)
        return self._stretch_first[self._stretch[instance]] + step - self._first[instance]

    def kind(self, step: int) -> int:
        return self._kinds[self.op_of(step)]

    @property
    def instances(self) -> int:
        return len(self._first)

    def activation(self, instance: int) -> int:
        return self._activation[instance]

    def block(self, instance: int) -> int:
        return self._blocks[self._stretch[instance]]

    def side_of(self, branch: int) -> int | None:
        """The block that a branch went to."""
        after = self.instance_of(branch) + 1
        return self.block(after) if after < len(self._first) else None

    def region_of(self, step: int) -> tuple[int, int]:
        """The activation of a step, and what decided that it ran."""
        instance = self.instance_of(step)
        return self._activation[instance], self.control[instance]

    def is_load(self, step: int) -> bool:
        return self._codes[self.op_of(step)] in (Code.LOAD, Code.LLOAD)

    def is_call(self, step: int) -> bool:
        return self.kind(step) == Kind.CALL

    def is_branch(self, step: int) -> bool:
        return self.kind(step) == Kind.BRANCH

    def activation_of(self, step: int) -> int:
        return self._activation[self.instance_of(step)]

    def deciding(self, step: int) -> int | None:
        """The branch that decided that `step` ran, or that its function was called."""
        found = self.control[self.instance_of(step)]
        while found and self.kind(found) != Kind.BRANCH:
            found = self.control[self.instance_of(found)]
        return found or None

    def executions(self, op: int) -> npt.NDArray[np.int64]:
        """The steps that executed an op."""
        code, stream = self.thread.image.code, self.thread.stream
        stretch = int(code.op_stretch[op])
        instances = self.queries.instances_of(stretch)
        inside = op - int(code.stretch_first_op[stretch])
        steps = stream.first[instances].astype(np.int64) + inside
        return steps[steps <= stream.steps]

    def call_of(self, step: int) -> int | None:
        """The call that the function of a step was entered by."""
        return self._call[self.activation_of(step)] or None

    # --- nodes ---------------------------------------------------------------------------------

    def node(self, step: int) -> Node:
        found = self._nodes.get(step)
        if found is None:
            found = self._nodes[step] = self._node(step)
        return found

    def _node(self, step: int) -> Node:
        instance = self.instance_of(step)
        op = self._stretch_first[self._stretch[instance]] + step - self._first[instance]
        template = self._template(op)
        through: list[int] = []
        pointer = None
        if template.pointer is not None:
            pointer = self._resolved(template.pointer, instance, op, [])
        if template.code in (Code.LOAD, Code.LLOAD) and not template.is_fixed:
            return self._load(step, instance, op, template, pointer)
        if self._kinds[op] == Kind.PHI:
            return self._phi(step, template)
        if self._kinds[op] == Kind.CALL and template.operation.op is Op.OPAQUE:
            return self._called(step, template)
        if template.is_fixed:
            return Node(template.operation, ())
        if template.operation.op is Op.OPAQUE:
            return self._opaque(step, template.operation.width, pointer)
        operands = tuple(
            self._resolved(operand, instance, op, through) for operand in template.operands
        )
        return Node(template.operation, operands, tuple(through), pointer)

    def _load(
        self, step: int, instance: int, op: int, template: _Template, pointer: Operand | None
    ) -> Node:
        through: list[int] = []
        size = template.operation.width // 8 or 1
        address = self.address(step)
        parts: list[tuple[int, Operand]] = []
        link = self._links[self._links_before[instance] + self._link_rank[op]]
        if link < MIXED and step not in self._copied:
            # All of it was left by one step, and by no copy: so it is nearly always.
            found = Dependence(link, "memory" if link else "initial")
            parts += self._written(found, step, address, 0, size, through, 0)
        else:
            for found in self.queries.loaded(instance, op):
                start, length = found.offset, found.length or size
                parts += self._written(
                    found, step, address + start, start, length, through, _MOST_HOPS
                )
            parts.sort(key=lambda part: part[0])
        operands = tuple(part for _, part in parts)
        width = template.operation.width
        if not operands:
            operands = (Outside(step, address, width),)
        if len(operands) == 1:
            operation = _copy(width, self.width_of(operands[0]))
        else:
            operation = Operation(Op.CONCAT, width, tuple(map(self.width_of, operands)))
        return Node(operation, operands, tuple(through), pointer)

    def _written(
        self,
        found: Dependence,
        reader: int,
        address: int,
        offset: int,
        length: int,
        through: list[int],
        hops: int,
    ) -> Iterator[tuple[int, Operand]]:
        """What the `length` bytes at `address` are, with their place among those of the load."""
        writer = found.step
        if found.kind in OUTSIDE or not writer:
            yield offset, Outside(reader, address, 8 * length)
            return
        op = self.op_of(writer)
        if self._codes[op] in (Code.STORE, Code.LSTORE):
            low = 8 * (address - self.address(writer))
            width = self._template(op).operation.width
            if low == 0 and width == 8 * length:
                yield offset, writer
            elif low >= 0 and low + 8 * length <= max(width, 8):
                yield offset, Piece(writer, low, 8 * length)
            else:
                through += self.node(writer).through
                yield offset, Left(writer, address, 8 * length)
            return
        copied = False
        if hops and found.address is not None:
            for row in self.queries.effects_of(writer):
                effect = self.thread.stream.effects[row]
                start, size = int(effect["addr"]), int(effect["len"])
                low, high = max(found.address, start), min(found.address + length, start + size)
                if effect["kind"] != COPY or low >= high:
                    continue
                copied = True
                if writer not in through:
                    through.append(writer)
                source = int(effect["addr2"])
                for run in self.queries.made(row, low - start, high - start):
                    inner = offset + run.offset - (found.address - start)
                    at = source + run.offset
                    yield from self._written(run, writer, at, inner, run.length, through, hops - 1)
        if not copied:
            through += self.node(writer).through
            yield offset, Left(writer, address, 8 * length)

    def _phi(self, step: int, template: _Template) -> Node:
        width = template.operation.width
        chosen_by = self.queries.coming_from(step)
        if chosen_by is not None and self.kind(chosen_by) != Kind.BRANCH:
            chosen_by = None
        if chosen_by is not None and self._codes[self.op_of(chosen_by)] == Code.BR:
            chosen_by = self.deciding(chosen_by)
        steps = [found.step for found in self.queries.definitions(step) if found.step]
        operands: tuple[Operand, ...] = tuple(steps[:1]) or (Constant(self.value(step), width),)
        return Node(
            Operation(Op.COPY, width, (width,)), operands, tuple(steps[1:]), None, chosen_by
        )

    def _called(self, step: int, template: _Template) -> Node:
        returned = self.returned(step)
        width = template.operation.width
        if returned and width:
            return Node(_copy(width, width), (returned,))
        return self._opaque(step, width, None)

    def _opaque(self, step: int, width: int, pointer: Operand | None) -> Node:
        found = self.queries.definitions(step)
        operands = tuple(self._dependences(found, step))
        widths = tuple(64 for _ in operands)
        through = tuple(one.step for one in found if one.kind == "call")
        return Node(Operation(Op.OPAQUE, width, widths), operands, through, pointer)

    def left(self, left: Left) -> tuple[Operand, ...]:
        """What bytes that a step left in memory were made of."""
        place = Place(left.address, left.width // 8)
        found = self.queries.definitions(left.step, Part.ARGUMENTS, place)
        return tuple(self._dependences(found, left.step))

    def _dependences(self, found: Iterable[Dependence], step: int) -> Iterator[Operand]:
        seen: set[Operand] = set()
        for one in found:
            operand: Operand
            if one.kind == "call":
                # A parameter.  What it was is told beside it, if the call shows that: the value
                # of the call is what came back, which is another matter.
                if one.part is Part.ARGUMENTS:
                    arguments = (
                        self.argument(one.step, k) for k in range(self.arguments(one.step))
                    )
                    yield from (argument for argument in arguments if argument is not None)
                continue
            if one.kind in OUTSIDE:
                operand = Outside(step, one.offset, 8 * one.length)
            elif one.kind == "memory" and self.kind(one.step) == Kind.CALL:
                at = one.address if one.address is not None else 0
                operand = Left(one.step, at, 8 * one.length)
            else:
                operand = one.step
            if operand != step and operand not in seen:
                seen.add(operand)
                yield operand

    def operands_of(self, op: int, instance: int) -> tuple[Operand, ...]:
        """The operands of an op that is about to run in an instance, its pointer first."""
        template = self._template(op)
        wanted = [template.pointer] if template.pointer is not None else []
        return tuple(self._resolved(one, instance, op, []) for one in [*wanted, *template.operands])

    def argument(self, call: int, number: int) -> Operand | None:
        """What a call passed as its argument of this number."""
        op = self.op_of(call)
        arguments = self._arguments(op)
        if number >= len(arguments):
            return None
        return self._resolved(arguments[number], self.instance_of(call), op, [])

    def arguments(self, call: int) -> int:
        """How many arguments a call passed."""
        return len(self._arguments(self.op_of(call)))

    # --- operands ------------------------------------------------------------------------------

    def _resolved(
        self, template: Constant | int, instance: int, op: int, through: list[int]
    ) -> Operand:
        """What an operand of `op` in `instance` is."""
        while not isinstance(template, Constant):
            if template >= 0:
                return self._register(template, instance, op)
            activation = self._activation[instance]
            call = self._call[activation]
            if not call or not self._flags[activation] & DIRECT:
                return Outside(call, -1 - template, 64)
            through.append(call)
            instance = self.instance_of(call)
            op = self._stretch_first[self._stretch[instance]] + call - self._first[instance]
            arguments = self._arguments(op)
            if -1 - template >= len(arguments):
                return Outside(call, -1 - template, 64)
            template = arguments[-1 - template]
        return template

    def _register(self, wanted: int, instance: int, op: int) -> Operand:
        stretch = self._op_stretch[wanted]
        if self._stretch[instance] == stretch and wanted < op:
            return self._first[instance] + wanted - self._stretch_first[stretch]
        before = self._last_before(stretch, instance)
        if before is None:
            return Outside(self._first[instance], wanted, 64)
        return self._first[before] + wanted - self._stretch_first[stretch]

    def _last_before(self, stretch: int, instance: int) -> int | None:
        """The last instance of `stretch` before `instance` in its activation."""
        at = self.previous_instance(instance)
        for _ in range(NEAR):
            if at is None or self._stretch[at] == stretch:
                return at
            at = self.previous_instance(at)
        return self.queries.last_before_indexed(stretch, instance)

    def previous_instance(self, instance: int) -> int | None:
        """The instance before `instance` in its activation."""
        activation = self._activation[instance]
        if instance <= self._start[activation]:
            return None
        inner = self._activation[instance - 1]
        if inner == activation:
            return instance - 1
        while inner and self._parent[inner] != activation:
            inner = self._parent[inner]
        return self.instance_of(self._call[inner]) if inner else None

    # --- templates -----------------------------------------------------------------------------

    def _template(self, op: int) -> _Template:
        found = self._templates.get(op)
        if found is None:
            found = self._templates[op] = self._made(op)
        return found

    def _made(self, op: int) -> _Template:
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        code = int(self._codes[op])
        pointer: Constant | int | None = None
        if instruction.opcode in ("load", "store") and code in (Code.LOAD, Code.STORE):
            pointer = self._operand(op, instruction.operands[instruction.opcode == "store"])
        said = self._meanings(op).of(instruction)
        if said is None:
            operation = Operation(Op.OPAQUE, self._width(op, instruction.type), ())
            return _Template(operation, (), pointer, code, _is_stream(instruction))
        operands = tuple(self._operand(op, operand) for operand in said.operands)
        return _Template(said.operation, operands, pointer, code)

    def _arguments(self, op: int) -> Sequence[Constant | int]:
        source, local = self.thread.image.locate(op)
        return [self._operand(op, operand) for operand in source.instruction(local).operands]

    def _operand(self, op: int, operand: ir.Typed) -> Constant | int:
        source, local = self.thread.image.locate(op)
        if isinstance(operand.value, ir.Local):
            number = source.register(local, operand.value.name)
            if number is not None:
                return op - local + number
            names = [parameter.name for parameter in source.function(local).parameters]
            return -1 - names.index(operand.value.name)
        return Constant(self._meanings(op).constant(operand), self._width(op, operand.type))

    def _meanings(self, op: int) -> Meanings:
        source, _ = self.thread.image.locate(op)
        if source not in self._known:
            self._known[source] = Meanings(source.module)
        return self._known[source]

    def _width(self, op: int, kind: ir.Type) -> int:
        return self._meanings(op).layout.width(kind)


def _links_before(stream: Stream) -> npt.NDArray[np.int64]:
    """For each instance, how many links come before it."""
    counts = stream.code.stretch_links[stream.stretch].astype(np.int64)
    return np.cumsum(counts) - counts


def _laid_out(stream: Stream) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The instance of each step, and its op; nothing is step 0."""
    first = stream.first.astype(np.int64)
    counts = np.diff(np.append(first, stream.steps + 1))
    instances = np.repeat(np.arange(len(first), dtype=np.uint32), counts)
    starts = stream.code.stretch_first_op[stream.stretch].astype(np.int64) - first
    ops = starts[instances] + np.arange(1, stream.steps + 1)
    before = np.zeros(1, np.uint32)
    return np.concatenate([before, instances]), np.concatenate([before, ops.astype(np.uint32)])


def _is_stream(instruction: ir.Instruction) -> bool:
    if instruction.opcode != "load":
        return False
    name = instruction.operands[0].value
    return isinstance(name, ir.Global) and name.name in _STREAMS


def _view(array: Any) -> memoryview[int]:
    return memoryview(array)


def _copy(width: int, of: int) -> Operation:
    return Operation(Op.COPY, width, (of,))
