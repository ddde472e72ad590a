"""What did each step of a run of a C program compute, and from what?"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whence.frontend.c import ir
from whence.frontend.c.layout import Layout
from whence.frontend.c.meaning import Meanings
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.tables import BlockFlag, OpCode, OpKind
from whence.inputs import InputByte, InputRange, InputSource
from whence.program.ids import Activation, Column, Instance, Op, Step
from whence.program.operations import COp, Operation
from whence.program.rows import COPY, INPUT, MIXED, OUTPUT, READ
from whence.trace.c.inputs import (
    UNKNOWN_SOURCE,
    byte_operands,
    given_strings,
    initial_memory,
    sources,
)
from whence.trace.c.memory import Memory
from whence.trace.c.moved_pointers import MovedPointers
from whence.trace.c.read_back import ReadBack
from whence.trace.c.replayed import ReplayedLog
from whence.trace.c.statements import CStepDescriber
from whence.trace.columns import DIRECT, U32, Stream, whole
from whence.trace.flow import (
    Constant,
    Flow,
    FlowNode,
    Initial,
    Left,
    Operand,
    Parameter,
    StoredBits,
    Value,
    view,
)
from whence.trace.memory_writes import MemoryRange
from whence.trace.queries import OUTSIDE, Dependence, Part, Queries

CHUNK = 1 << 17  # steps whose values are replayed together; guessed
_MAX_CHUNKS = 64  # chunks whose values stay in memory; guessed
_MAX_HOPS = 64  # copies of copies that are followed; guessed
_MAX_CLEANING = 4096  # limit on instances of code that cleans up after an exception; guessed
_STREAMS = ("stdin", "stdout", "stderr")  # variables of the C library that no program sets


@dataclass(frozen=True, slots=True)
class _Template:
    """What is known about an operation without running it."""

    operation: Operation
    operands: tuple[Constant | int, ...]  # an operation, or -1 - n for parameter n
    pointer: Constant | int | None
    code: int
    is_fixed: bool = False  # a load that always gives the same value


class CFlow(Flow):
    """The nodes of one thread's run; every value is a bit vector, as a number."""

    thread: ReplayedLog

    def __init__(self, thread: ReplayedLog) -> None:
        super().__init__(thread)
        stream, code = thread.stream, thread.image.code
        self._links: Column[int, Step] = view(stream.links)  # 0: no step; from MIXED on: several
        self._link_rank: Column[int, int] = view(code.link_rank)
        self._links_before: Column[int, int] = _LinksBefore(thread.queries)
        self._copied: Container[Step] = _Copied(thread.queries)
        if stream.sections is None:
            self._links_before = view(_links_before(stream))
            self._copied = set(whole(stream.copied)["step"].tolist())
        self._codes: Column[int, int] = view(thread.image.program.ops["code"])
        self._templates: dict[int, _Template] = thread.image.templates
        self._chunks: dict[int, tuple[memoryview[int], memoryview[int]]] = {}
        self._known: dict[ModuleSource, Meanings] = {}
        self._strings, self._sources = given_strings(thread), sources(thread)
        self._memory = Memory(thread)
        self._read_back = ReadBack(self)
        self._moved_pointers = MovedPointers(self, self.memory)
        self._addresses: dict[ModuleSource, dict[str, int]] = {}  # of static variables, by name

    def describer(self) -> CStepDescriber:
        return CStepDescriber(self.thread)

    def left_at(self, activation: Activation) -> Step | None:
        activations, queries = self.thread.stream.activations, self.thread.queries
        if int(activations["ret"][activation]):
            return None
        while True:
            instance = Instance(int(activations["last_instance"][activation]))
            last = queries.last_step(instance)
            if int(self._codes[self.op_of(last)]) == OpCode.RESUME:
                last = self._unwound_at(instance) or last
                instance = self.instance_of(last)
            if instance + 1 >= self.instances:
                return last
            inner = self.activation(Instance(instance + 1))
            if self._call[inner] != last or int(activations["ret"][inner]):
                return last
            activation = inner

    def _unwound_at(self, instance: Instance) -> Step | None:
        """Return the call that an exception left, for an instance of the code that cleans up."""
        flags = self.thread.image.program.blocks["flags"]
        at: Instance | None = instance
        for _ in range(_MAX_CLEANING):
            if at is None:
                break
            before = self.previous_instance(at)
            if int(flags[self.block(at)]) & BlockFlag.LANDING:
                return None if before is None else self.thread.queries.last_step(before)
            at = before
        return None

    # --- values --------------------------------------------------------------------------------

    def value(self, step: Step) -> int:
        """Return what a step computed, stored, returned or branched on: its lowest 64 bits."""
        if self.kind(step) == OpKind.CALL:
            returned = self.returned(step)
            if returned:
                return self.value(returned)
        return self._window(step)[0][(step - 1) % CHUNK]

    def address(self, step: Step) -> int:
        """Return the address that a step read or wrote; for frame-local memory, the offset."""
        return self._window(step)[1][(step - 1) % CHUNK]

    def comparable_part(self, step: Step) -> Value:
        """Return the function there, or the text of a string literal; else whether it is null."""
        address = self.value(step)
        found = (
            (self._memory.function_at(address) or self._memory.text_at(address))
            if address
            else None
        )
        return address == 0 if found is None else found

    def _window(self, step: Step) -> tuple[memoryview[int], memoryview[int]]:
        number = (step - 1) // CHUNK
        found = self._chunks.get(number)
        if found is None:
            if len(self._chunks) >= _MAX_CHUNKS:
                del self._chunks[next(iter(self._chunks))]
            first = number * CHUNK + 1
            window = self.thread.replay.window(first, first + CHUNK)
            found = view(window.value), view(window.address)
            self._chunks[number] = found
        return found

    def stored_by(self, step: Step) -> Step | None:
        return self._moved_pointers.stored_by(step)

    def position(self, step: Step) -> Operand | None:
        return self._read_back.position(step)

    def is_load(self, step: Step) -> bool:
        return self._codes[self.op_of(step)] in (OpCode.LOAD, OpCode.LLOAD)

    def defines(self, step: Step) -> bool:
        return self._codes[self.op_of(step)] in (OpCode.STORE, OpCode.LSTORE)

    # --- nodes ---------------------------------------------------------------------------------

    def _node(self, step: Step) -> FlowNode:
        instance = self.instance_of(step)
        op = self.op_of(step)
        template = self._template(op)
        through: list[Step] = []
        pointer = None
        if template.pointer is not None:
            pointer = self._resolved(template.pointer, instance, op, [])
        if template.code in (OpCode.LOAD, OpCode.LLOAD) and not template.is_fixed:
            return self._load(step, instance, op, template, pointer)
        if self._kinds[op] == OpKind.PHI:
            return self._phi(step, template)
        if self._kinds[op] == OpKind.CALL and template.operation.op is COp.OPAQUE:
            return self._called(step, template)
        if template.is_fixed:
            return FlowNode(template.operation, ())
        if template.operation.op is COp.OPAQUE:
            return self._opaque(step, template.operation.width, pointer)
        operands = tuple(
            self._resolved(operand, instance, op, through) for operand in template.operands
        )
        return FlowNode(template.operation, operands, tuple(through), pointer)

    def _load(
        self, step: Step, instance: Instance, op: Op, template: _Template, pointer: Operand | None
    ) -> FlowNode:
        through: list[Step] = []
        size = template.operation.width // 8 or 1
        address = self.address(step)
        parts: list[tuple[int, Operand]] = []
        link = self._links[self._links_before[instance] + self._link_rank[op]]
        if link < MIXED and step not in self._copied:
            # One step wrote all of it, and no copy did: the usual case, made fast.
            found = Dependence(link or None, "memory" if link else "initial")
            parts += self._written(found, step, address, 0, size, through, 0)
        else:
            for found in self.queries.loaded(instance, op):
                start, length = found.offset, found.length or size
                parts += self._written(
                    found, step, address + start, start, length, through, _MAX_HOPS
                )
            parts.sort(key=lambda part: part[0])
        operands = tuple(part for _, part in parts)
        width = template.operation.width
        if not operands:
            operands = (Initial(Step(step), address, width),)
        if len(operands) == 1:
            operation = _copy(width, self.width_of(operands[0]))
        else:
            operation = Operation(COp.CONCAT, width, tuple(map(self.width_of, operands)))
        return FlowNode(operation, operands, tuple(through), pointer)

    def _written(
        self,
        found: Dependence,
        reader: int,
        address: int,
        offset: int,
        length: int,
        through: list[Step],
        hops: int,
    ) -> Iterator[tuple[int, Operand]]:
        """Yield the operands of `length` bytes at `address`, each with its offset in the load.

        `found` names the writer; `reader` is the load, or the copy that read these bytes.  Calls
        that copied them are added to `through`; `hops` limits the copies that are followed.
        """
        writer = found.step
        if found.kind in OUTSIDE or not writer:
            for at, operand in self._strings.operands(Step(reader), address, length):
                yield offset + at - address, operand
            return
        op = self.op_of(writer)
        if self._codes[op] in (OpCode.STORE, OpCode.LSTORE):
            low = 8 * (address - self.address(writer))
            width = self._template(op).operation.width
            if low == 0 and width == 8 * length:
                yield offset, writer
            elif low >= 0 and low + 8 * length <= max(width, 8):
                yield offset, StoredBits(writer, low, 8 * length)
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

    def _phi(self, step: Step, template: _Template) -> FlowNode:
        width = template.operation.width
        chosen_by = self.queries.incoming_branch(step)
        # A side of `a ? b : c` with code of its own ends with a jump that decides nothing.
        if chosen_by is not None and self._codes[self.op_of(chosen_by)] == OpCode.BR:
            chosen_by = self.controlling_branch(chosen_by)
        if chosen_by is not None and self.kind(chosen_by) != OpKind.BRANCH:
            chosen_by = None
        steps = [found.step for found in self.queries.definitions(step) if found.step]
        operands: tuple[Operand, ...] = tuple(steps[:1]) or (Constant(self.value(step), width),)
        return FlowNode(
            Operation(COp.COPY, width, (width,)), operands, tuple(steps[1:]), None, chosen_by
        )

    def _called(self, step: Step, template: _Template) -> FlowNode:
        returned = self.returned(step)
        width = template.operation.width
        if returned and width:
            return FlowNode(_copy(width, width), (returned,))
        return self._opaque(step, width, None)

    def _opaque(self, step: Step, width: int, pointer: Operand | None) -> FlowNode:
        found = self.queries.definitions(step)
        operands = tuple(self._dependences(found, step))
        widths = tuple(64 for _ in operands)
        through = tuple(one.step for one in found if one.kind == "call" and one.step)
        return FlowNode(Operation(COp.OPAQUE, width, widths), operands, through, pointer)

    def left(self, left: Left) -> tuple[Operand, ...]:
        """Return what the bytes that a step left in memory were made of."""
        place = MemoryRange(left.address, left.width // 8)
        found = self.queries.definitions(left.step, Part.ARGUMENTS, place)
        return tuple(self._dependences(found, left.step, place))

    def _dependences(
        self, found: Sequence[Dependence], step: Step, place: MemoryRange | None = None
    ) -> Iterator[Operand]:
        """Yield the operands that dependences name, without repeating one.

        `place`: only the bytes that the step put there matter.
        """
        seen: set[Operand] = set()
        for one in found:
            operand: Operand
            if one.step is None or one.kind in OUTSIDE:
                continue
            if one.kind == "call":
                # A parameter: another dependence names its value, if the call shows it.  The
                # value of the call step is what it returned, so the call is no operand.
                if one.part is Part.ARGUMENTS:
                    arguments = (
                        self.argument(one.step, k) for k in range(self.arguments(one.step))
                    )
                    yield from (argument for argument in arguments if argument is not None)
                continue
            elif self._codes[self.op_of(one.step)] == OpCode.VASTART:
                yield from self._unnamed_arguments(one.step)
                continue
            elif one.kind == "memory" and self.is_call_or_copy(one.step):
                at = one.address if one.address is not None else 0
                operand = Left(one.step, at, 8 * one.length)
            else:
                operand = one.step
            if operand != step and operand not in seen:
                seen.add(operand)
                yield operand
        if any(one.step is None or one.kind in OUTSIDE for one in found):
            yield from dict.fromkeys(self._external(Step(step), place))

    def _unnamed_arguments(self, step: Step) -> Iterator[Operand]:
        """Yield the arguments that `...` in the head of the function of a step stands for."""
        call = self.call_of(step)
        if call is None:
            return
        function = self.thread.image.function_of(self.op_of(step))
        named = int(self.thread.image.program.functions["n_params"][function])
        for number in range(named, self.arguments(call)):
            argument = self.argument(call, number)
            if argument is not None:
                yield argument

    def _external(self, step: Step, place: MemoryRange | None) -> Iterator[Operand]:
        """Yield what a step read that no recorded step had made: input and initial memory."""
        op = self.op_of(step)
        if self._codes[op] != OpCode.CALL and not self.queries.is_copy(step):
            yield Initial(step, self.address(step), 8 * int(self.thread.image.program.ops["x"][op]))
        for number in self.queries.effects_of(step):
            row = self.thread.stream.effects[number]
            start, stop = 0, int(row["len"])
            if place is not None and place.address and row["addr"] and row["kind"] in (COPY, INPUT):
                start = max(place.address - int(row["addr"]), 0)
                stop = min(place.address + place.size - int(row["addr"]), stop)
            if row["kind"] == INPUT and start < stop:
                source = self._sources.get(int(row["source"]), UNKNOWN_SOURCE)
                offset = int(row["offset"])
                for first, last, written in self._read_back.parts(number, start, stop):
                    inputs = byte_operands(InputRange(source, offset + first, offset + last))
                    yield from written or inputs
            elif row["kind"] in (READ, COPY, OUTPUT):
                for address, length in initial_memory(self.thread.stream.runs, row, start, stop):
                    for _, operand in self._strings.operands(step, address, length):
                        yield operand

    def memory(self, address: int, size: int, before: Step) -> list[tuple[int, Operand]]:
        """Return the operands of the bytes at an address just before a step, each with its offset.

        Initial contents are operands of the step.
        """
        found: list[tuple[int, Operand]] = []
        for run in self.queries.last_write(address, size, before):
            start = address + run.offset
            is_copy = run.step is not None and self.queries.is_copy(run.step)
            writer = Dependence(
                run.step, "memory" if run.step else "initial", length=run.length,
                address=start if is_copy else None,
            )  # fmt: skip
            found += self._written(writer, before, start, run.offset, run.length, [], _MAX_HOPS)
        return sorted(found, key=lambda part: part[0])

    def callee(self, call: Step) -> Operand | None:
        """Return the operand that says which function a call enters; None if the code names it."""
        op = self.op_of(call)
        source, local = self.thread.image.locate(op)
        callee = source.instruction(local).callee
        if not isinstance(callee, ir.Local):
            return None
        number = source.register(local, callee.name)
        if number is None:
            names = [parameter.name for parameter in source.function(local).parameters]
            number = -1 - names.index(callee.name)
        else:
            number += op - local
        return self._resolved(number, self.instance_of(call), op, [])

    def source_of(self, number: int) -> InputSource:
        """Return the source that effects name by a number."""
        return self._sources.get(number, UNKNOWN_SOURCE)

    def given(self, call: Step, number: int) -> int:
        """Return the address that a call passed, if it is that of a static variable."""
        op = self.op_of(call)
        source, local = self.thread.image.locate(op)
        found = source.instruction(local).operands[number].value
        addresses = self._static_addresses(source)
        return addresses.get(found.name, 0) if isinstance(found, ir.Global) else 0

    def _static_addresses(self, source: ModuleSource) -> dict[str, int]:
        if source not in self._addresses:
            image = self.thread.image
            place = next(n for n, module in enumerate(image.modules) if module is source)
            names = source.description.names
            rows = source.description.arrays["symbols"]["name"].tolist()
            addresses = image.process.modules[place].addresses
            self._addresses[source] = {
                names[row]: address for row, address in zip(rows, addresses, strict=True)
            }
        return self._addresses[source]

    def input_byte(self, left: Left, offset: int) -> InputByte | None:
        """Return the input byte that a call left as byte `offset` of memory; None if none."""
        address = left.address + offset
        for number in self.queries.effects_of(left.step):
            row = self.thread.stream.effects[number]
            start = int(row["addr"])
            if row["kind"] == INPUT and start and start <= address < start + int(row["len"]):
                source = self._sources.get(int(row["source"]), UNKNOWN_SOURCE)
                return InputByte(source, int(row["offset"]) + address - start)
        return None

    def operands_of(self, op: Op, instance: Instance) -> tuple[Operand, ...]:
        """Return the operands of an operation that is about to run, its pointer first."""
        template = self._template(op)
        wanted = [template.pointer] if template.pointer is not None else []
        return tuple(self._resolved(one, instance, op, []) for one in [*wanted, *template.operands])

    def argument(self, call: Step, number: int) -> Operand | None:
        """Return what a call passed as its argument of this number; None if it has fewer."""
        op = self.op_of(call)
        arguments = self._arguments(op)
        if number >= len(arguments):
            return None
        return self._resolved(arguments[number], self.instance_of(call), op, [])

    def arguments(self, call: Step) -> int:
        """Return the number of arguments of a call."""
        return len(self._arguments(self.op_of(call)))

    # --- operands ------------------------------------------------------------------------------

    def _resolved(
        self, template: Constant | int, instance: Instance, op: Op, through: list[Step]
    ) -> Operand:
        """Return an operand of `op` in `instance`; a parameter is followed to its argument.

        The calls that passed it are added to `through`.
        """
        while not isinstance(template, Constant):
            if template >= 0:
                return self._register(template, instance, op)  # type: ignore[arg-type] # an Op
            activation = self._activation[instance]
            call = self._call[activation]
            if not call or not self._flags[activation] & DIRECT:
                return Parameter(call or None, -1 - template, 64)
            through.append(call)
            instance = self.instance_of(call)
            op = self.op_of(call)
            arguments = self._arguments(op)
            if -1 - template >= len(arguments):
                return Parameter(call or None, -1 - template, 64)
            template = arguments[-1 - template]
        return template

    # --- templates -----------------------------------------------------------------------------

    def _template(self, op: Op) -> _Template:
        found = self._templates.get(op)
        if found is None:
            found = self._templates[op] = self._new_template(op)
        return found

    def _new_template(self, op: Op) -> _Template:
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        code = int(self._codes[op])
        pointer: Constant | int | None = None
        if instruction.opcode in ("load", "store") and code in (OpCode.LOAD, OpCode.STORE):
            pointer = self._operand(op, instruction.operands[instruction.opcode == "store"])
        meaning = self._meanings(op).of(instruction)
        if meaning is None:
            operation = Operation(COp.OPAQUE, self._width(op, instruction.type), ())
            return _Template(operation, (), pointer, code, _is_stream(instruction))
        operands = tuple(self._operand(op, operand) for operand in meaning.operands)
        return _Template(meaning.operation, operands, pointer, code)

    def _arguments(self, op: Op) -> Sequence[Constant | int]:
        source, local = self.thread.image.locate(op)
        return [self._operand(op, operand) for operand in source.instruction(local).operands]

    def _operand(self, op: Op, operand: ir.Typed) -> Constant | int:
        source, local = self.thread.image.locate(op)
        if isinstance(operand.value, ir.Local):
            number = source.register(local, operand.value.name)
            if number is not None:
                return op - local + number
            names = [parameter.name for parameter in source.function(local).parameters]
            return -1 - names.index(operand.value.name)
        return Constant(self._meanings(op).constant(operand), self._width(op, operand.type))

    def _meanings(self, op: Op) -> Meanings:
        source, _ = self.thread.image.locate(op)
        if source not in self._known:
            self._known[source] = Meanings(source.module)
        return self._known[source]

    def layout_of(self, op: Op) -> Layout:
        """Return how the types of an operation's module lie in memory."""
        return self._meanings(op).layout

    def _width(self, op: Op, kind: ir.Type) -> int:
        return self._meanings(op).layout.width(kind)


def _links_before(stream: Stream) -> npt.NDArray[np.int64]:
    """Return for each instance the number of links before it."""
    stretch: U32 = whole(stream.stretch)
    counts = stream.code.stretch_links[stretch].astype(np.int64)
    return np.cumsum(counts) - counts


class _LinksBefore:
    """The same for a long run, without an array."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    def __getitem__(self, key: int) -> int:
        return self._queries.links_before(Instance(key))

    def __len__(self) -> int:
        return len(self._queries.stream.first)


class _Copied:
    """The steps of a long run that loaded bytes which a copy wrote."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    def __contains__(self, step: object) -> bool:
        return isinstance(step, int) and self._queries.is_copied(Step(step))


def _is_stream(instruction: ir.Instruction) -> bool:
    if instruction.opcode != "load":
        return False
    name = instruction.operands[0].value
    return isinstance(name, ir.Global) and name.name in _STREAMS


def _copy(width: int, of: int) -> Operation:
    return Operation(COp.COPY, width, (of,))
