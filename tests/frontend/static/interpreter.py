"""Runs small modules and checks at each step that the analyses predicted it.

Memory is a set of instances of objects.  Each byte remembers which byte of which value it is, and
which branch edges were in effect when it was written.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

from whence.frontend.c.aliases import Aliases, Cell
from whence.frontend.c.flow import block_successors, postdominators
from whence.frontend.c.ir import (
    Elements,
    Expression,
    Function,
    Global,
    Instruction,
    Int,
    IntType,
    Label,
    Local,
    Module,
    Type,
    Typed,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.maydefine import BranchEdge, MayDefine

MASK = (1 << 64) - 1
ARITHMETIC = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_,
    "or": operator.or_, "xor": operator.xor,
}  # fmt: skip
COMPARISON = {
    "eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le,
    "sgt": operator.gt, "sge": operator.ge,
}  # fmt: skip


class Stop(Exception):
    """The program is over: it ran long enough, or did something that C does not allow."""


@dataclass(eq=False, repr=False)
class Instance:
    """A piece of memory; `labels` are (kind, module, function, name or line) of possible objects.

    Heap memory has a label for each call in progress.
    """

    labels: frozenset[tuple[str, int, str, Any]]
    size: int
    activation: int = 0
    bytes: dict[int, tuple[Any, int, int, int, frozenset[BranchEdge]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Pointer:
    instance: Instance
    offset: int


@dataclass(frozen=True)
class Code:
    m: int
    name: str


@dataclass(frozen=True)
class ByteOf:
    """One byte of a value that is not a number."""

    value: Any
    index: int
    size: int


@dataclass
class Frame:
    m: int
    function: Function
    number: int
    registers: dict[str, Any] = field(default_factory=dict)
    edges: dict[BranchEdge, int | None] = field(default_factory=dict)  # in effect up to a block
    line: int = 0


class Machine:
    def __init__(self, modules: list[Module], aliases: Aliases, may_define: MayDefine) -> None:
        self.modules = modules
        self.aliases = aliases
        self.may_define = may_define
        self.layouts = [Layout(module) for module in modules]
        self.frames: list[Frame] = []
        self.steps = self.writes = self.reads = self.links = self.activations = 0
        self.globals: dict[str, Pointer] = {}
        self.meets: dict[int, Any] = {}
        self.answers: dict[tuple[int, str, int], frozenset[BranchEdge]] = {}
        for m, module in enumerate(modules):
            for name, v in module.variables.items():
                if v.initial is not None:
                    label = ("global", m, "", name)
                    instance = Instance(frozenset({label}), self.layouts[m].size(v.type))
                    self.globals[name] = Pointer(instance, 0)
        for m, module in enumerate(modules):
            for name, v in module.variables.items():
                if v.initial is not None:
                    self.fill(m, self.globals[name], Typed(v.type, v.initial))

    def fill(self, m: int, at: Pointer, what: Typed) -> None:
        layout = self.layouts[m]
        if isinstance(what.value, Elements):
            offset = 0
            for element in what.value.elements:
                align = layout.alignment(element.type)
                offset = -(-offset // align) * align
                self.fill(m, Pointer(at.instance, at.offset + offset), element)
                offset += layout.size(element.type)
        elif isinstance(what.value, Int | Global | Expression):
            value = self.value(m, {}, what)
            self.put(at, value, layout.size(what.type), frozenset())

    # --- memory

    def put(self, at: Pointer, value: Any, size: int, edges: frozenset[BranchEdge]) -> None:
        number = self.frames[-1].number if self.frames else 0
        for i in range(size):
            one = (value, i, size) if not isinstance(value, ByteOf) else (
                value.value, value.index, value.size)  # fmt: skip
            at.instance.bytes[at.offset + i] = (*one, number, edges)

    def take(self, at: Pointer, size: int) -> Any:
        parts = [at.instance.bytes.get(at.offset + i, (0, i, size, 0, None)) for i in range(size)]
        value, index, width = parts[0][:3]
        if size == 1 and width > 1 and not isinstance(value, int):
            return ByteOf(value, index, width)
        if (
            index == 0
            and width == size
            and all(part[0] is value and part[1] == i for i, part in enumerate(parts))
        ):
            return value
        total = 0
        for i, (v, k, _, _, _) in enumerate(parts):
            if not isinstance(v, int):
                raise Stop
            total |= (v >> (8 * k) & 255) << (8 * i)
        return total - (1 << 8 * size) if total >> (8 * size - 1) else total

    def in_force(self) -> frozenset[BranchEdge]:
        return frozenset(edge for frame in self.frames for edge in frame.edges)

    def wrote(self, op: Instruction, at: Any, value: Any, size: int) -> None:
        self.check(op, at, size, self.aliases.may_write)
        self.writes += 1
        self.put(at, value, size, self.in_force())

    def check(self, op: Instruction, at: Any, size: int, question: Any) -> None:
        if not isinstance(at, Pointer):
            raise Stop
        if at.offset < 0 or at.offset + size > at.instance.size:
            raise Stop
        frame = self.frames[-1]
        cells = question(frame.m, frame.function.name, op)
        assert any(self.covers(cell, at, size) for cell in cells), (
            f"{frame.function.name}: line {op.line + 1} of the IR: {sorted(at.instance.labels)}"
            f" + {at.offset}, {size} bytes, not in "
            f"{[(self.aliases.objects[cell.object], cell) for cell in cells]}"
        )

    def covers(self, cell: Cell, at: Pointer, size: int) -> bool:
        thing = self.aliases.objects[cell.object]
        which = thing.line if thing.kind == "heap" else thing.name
        if (thing.kind, thing.module, thing.function, which) not in at.instance.labels:
            return False
        return cell.offset is None or (
            cell.offset <= at.offset and at.offset + size <= cell.offset + cell.size
        )

    def was_read(self, op: Instruction, at: Any, size: int) -> None:
        self.check(op, at, size, self.aliases.may_read)
        self.reads += 1
        frame = self.frames[-1]
        place = (frame.m, frame.function.name, op.line)
        if place not in self.answers:
            self.answers[place] = frozenset(self.may_define.edges_defining(*place[:2], op))
        private = self.may_define.is_private(*place[:2], op)
        for offset in range(at.offset, at.offset + size):
            known = at.instance.bytes.get(offset)
            if known is None:
                continue
            edges = known[4]
            if private:
                assert known[3] == frame.number
                edges = frozenset(e for e in edges if e[:2] == place[:2])
            assert edges <= self.answers[place], (op, edges - self.answers[place])
            self.links += len(edges)

    # --- values

    def value(self, m: int, registers: dict[str, Any], typed: Typed) -> Any:
        value = typed.value
        if isinstance(value, Local):
            return registers[value.name]
        if isinstance(value, Int):
            return value.value
        if isinstance(value, Global):
            if value.name in self.globals:
                return self.globals[value.name]
            for i in (m, *range(len(self.modules))):
                if value.name in self.modules[i].functions:
                    return Code(i, value.name)
            return Code(-1, value.name)
        if isinstance(value, Expression) and value.opcode == "getelementptr":
            assert value.element is not None
            base = self.value(m, registers, value.operands[0])
            return self.gep(m, registers, base, value.element, value.operands[1:])
        return 0

    def gep(
        self, m: int, registers: dict[str, Any], base: Any, element: Type, indices: Any
    ) -> Pointer:
        constant, variable = self.layouts[m].gep(element, indices)
        if not isinstance(base, Pointer):
            raise Stop
        for index, scale in variable:
            constant += self.value(m, registers, index) * scale
        return Pointer(base.instance, base.offset + constant)

    # --- running

    def run(self, m: int, function: Function, arguments: list[Any]) -> Any:
        self.activations += 1
        frame = Frame(m, function, self.activations)
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            if parameter.byval is not None:
                label = ("parameter", m, function.name, parameter.name)
                size = self.layouts[m].size(parameter.byval)
                copy = Instance(frozenset({label}), size, frame.number)
                for i in range(size):
                    known = argument.instance.bytes.get(argument.offset + i)
                    if known:  # now defined by the call, whichever branches led to it
                        copy.bytes[i] = (*known[:3], frame.number, frozenset())
                argument = Pointer(copy, 0)
            frame.registers[parameter.name] = argument
        self.frames.append(frame)
        try:
            return self.blocks(frame)
        finally:
            self.frames.pop()

    def blocks(self, frame: Frame) -> Any:
        function = frame.function
        if id(function) not in self.meets:
            number = {block.label: i for i, block in enumerate(function.blocks)}
            self.meets[id(function)] = (
                postdominators(function),
                block_successors(function),
                number,
            )
        meets, following, number = self.meets[id(function)]
        at = 0
        while True:
            frame.edges = {edge: end for edge, end in frame.edges.items() if end != at}
            for op in function.blocks[at].instructions:
                self.steps += 1
                if self.steps > 20_000:
                    raise Stop
                frame.line = op.line
                if op.opcode == "ret":
                    return self.operand(frame, op, 0) if op.operands else None
                if op.opcode in ("br", "switch"):
                    to = number[self.branch(frame, op)]
                    break
                if op.opcode == "unreachable":
                    raise Stop
                result = self.execute(frame, op)
                if op.result is not None:
                    frame.registers[op.result] = result
            if len(following[at]) > 1 and meets[at] != to:
                edge = (frame.m, function.name, at, following[at].index(to))
                frame.edges[edge] = meets[at]
            at = to

    def operand(self, frame: Frame, op: Instruction, i: int) -> Any:
        return self.value(frame.m, frame.registers, op.operands[i])

    def branch(self, frame: Frame, op: Instruction) -> str:
        labels = [o.value.name for o in op.operands if isinstance(o.value, Label)]
        if op.opcode == "br":
            return labels[0] if len(labels) == 1 or self.operand(frame, op, 0) else labels[1]
        raise NotImplementedError(op.opcode)

    def execute(self, frame: Frame, op: Instruction) -> Any:
        layout = self.layouts[frame.m]
        if op.opcode == "alloca":
            assert op.element is not None
            label = ("local", frame.m, frame.function.name, op.result)
            return Pointer(Instance(frozenset({label}), layout.size(op.element), frame.number), 0)
        if op.opcode == "load":
            at = self.operand(frame, op, 0)
            self.was_read(op, at, layout.store_size(op.type))
            return self.take(at, layout.store_size(op.type))
        if op.opcode == "store":
            size = layout.store_size(op.operands[0].type)
            self.wrote(op, self.operand(frame, op, 1), self.operand(frame, op, 0), size)
            return None
        if op.opcode == "getelementptr":
            assert op.element is not None
            base = self.operand(frame, op, 0)
            return self.gep(frame.m, frame.registers, base, op.element, op.operands[1:])
        if op.opcode == "call":
            return self.call(frame, op)
        if op.opcode in COMPARISON or op.opcode == "icmp":
            one, other = self.operand(frame, op, 0), self.operand(frame, op, 1)
            if op.predicate not in ("eq", "ne") and not isinstance(one, int):
                raise Stop
            return int(COMPARISON[op.predicate](one, other))
        if op.opcode in ARITHMETIC:
            return self.arithmetic(frame, op)
        if op.opcode in ("ptrtoint", "inttoptr", "bitcast", "sext", "freeze"):
            return self.operand(frame, op, 0)
        if op.opcode in ("zext", "trunc"):
            kinds = (op.type, op.operands[0].type)
            value = self.operand(frame, op, 0)
            bits = min(kind.bits for kind in kinds if isinstance(kind, IntType))
            return value & ((1 << bits) - 1) if isinstance(value, int) else value
        raise NotImplementedError(op.opcode)

    def arithmetic(self, frame: Frame, op: Instruction) -> Any:
        one, other = self.operand(frame, op, 0), self.operand(frame, op, 1)
        if isinstance(one, Pointer) and isinstance(other, int):
            if op.opcode == "add":
                return Pointer(one.instance, one.offset + other)
            if op.opcode == "and":
                return one
        if not (isinstance(one, int) and isinstance(other, int)):
            raise Stop
        value = ARITHMETIC[op.opcode](one, other)
        assert isinstance(op.type, IntType)
        value &= (1 << op.type.bits) - 1
        return value - (1 << op.type.bits) if value >> (op.type.bits - 1) else value

    def call(self, frame: Frame, op: Instruction) -> Any:
        assert op.callee is not None
        callee = self.value(frame.m, frame.registers, Typed(op.type, op.callee))
        if not isinstance(callee, Code):
            raise Stop
        arguments = [self.operand(frame, op, i) for i in range(len(op.operands))]
        if callee.m >= 0:
            found = self.aliases.called(frame.m, frame.function.name, op)
            assert (callee.m, callee.name) in found
            if len(self.frames) > 20:
                raise Stop
            function = self.modules[callee.m].functions[callee.name]
            return self.run(callee.m, function, arguments)
        return self.library(op, callee.name, arguments)

    def library(self, op: Instruction, name: str, arguments: list[Any]) -> Any:
        if name == "malloc":
            labels = {("heap", f.m, f.function.name, f.line) for f in self.frames}
            return Pointer(Instance(frozenset(labels), arguments[0]), 0)
        if name.startswith(("memcpy", "llvm.memcpy", "llvm.memmove", "memmove")):
            to, source, size = arguments[:3]
            self.was_read(op, source, size)
            self.check(op, to, size, self.aliases.may_write)
            self.writes += 1
            old = {i: source.instance.bytes.get(source.offset + i) for i in range(size)}
            now = (self.frames[-1].number, self.in_force())
            for i, known in old.items():
                one = known[:3] if known else (0, 0, 1)
                to.instance.bytes[to.offset + i] = (*one, *now)
            return to
        if name.startswith(("memset", "llvm.memset")):
            for i in range(arguments[2]):
                self.wrote(op, Pointer(arguments[0].instance, arguments[0].offset + i), 0, 1)
            return arguments[0]
        if name in ("abort", "exit"):
            raise Stop
        return 0
