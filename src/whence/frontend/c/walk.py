"""What do the instructions of a function do with pointers?"""

from __future__ import annotations

from collections.abc import Iterable

from whence.frontend.c.flow import CALLS
from whence.frontend.c.ir import (
    ArrayType,
    Expression,
    Function,
    Global,
    Instruction,
    Int,
    IntType,
    Local,
    NamedType,
    PointerType,
    StructType,
    Type,
    Typed,
    VectorType,
)
from whence.frontend.c.pointer_objects import ANYWHERE, Held, Place, PointedObject
from whence.frontend.c.pointers import PointerCall, Pointers
from whence.frontend.c.unify import FieldStep, Target

_PASSING = frozenset({"bitcast", "addrspacecast", "inttoptr", "ptrtoint", "freeze"})
_MIXING = frozenset({
    "phi", "select", "insertvalue", "extractvalue", "insertelement", "extractelement",
    "shufflevector",
})  # fmt: skip


class PointerWalk:
    """Walks once over the instructions of a function."""

    def __init__(self, program: Pointers, m: int, function: Function) -> None:
        self.program = program
        self.m = m
        self.function = function
        self.layout = program.layouts[m]
        self.held: dict[str, Held] = {}
        # registers loaded as single bytes -> address they came from
        self.bytes: dict[str, Held] = {}
        self.differences: set[str] = set()  # registers that hold a pointer as a number

    def run(self) -> None:
        fid = (self.m, self.function.name)
        for i, parameter in enumerate(self.function.parameters):
            number = self.program.by_value.get((fid, i))
            value = self.program.parameters[fid][i]
            self.held[parameter.name] = value if number is None else Target(number, 0)
        for block in self.function.blocks:
            for op in block.instructions:
                self._visit(op)

    def _visit(self, op: Instruction) -> None:
        opcode = op.opcode
        if opcode == "load":
            self._load(op)
        elif opcode == "store":
            self._store(op)
        elif opcode == "getelementptr":
            assert op.element is not None
            step = self.program.gep(self.m, op.element, op.operands[1:])
            self._set(op, self.program.stepped(self._get(op.operands[0]), step))
        elif opcode in CALLS:
            self._call(op)
        elif opcode == "alloca":
            self._alloca(op)
        elif opcode in _PASSING:
            self._set(op, self._get(op.operands[0]))
            if opcode == "ptrtoint" and op.result is not None:
                self.differences.add(op.result)
        elif opcode in _MIXING:
            if self._carries(op.type):
                self._set(op, self.program.mixed([self._get(operand) for operand in op.operands]))
        elif opcode in ("add", "sub", "and", "or", "xor"):
            self._arithmetic(op)
        elif opcode == "ret":
            if op.operands:
                returned = self.program.returns[self.m, self.function.name]
                self.program.join(returned, self._get(op.operands[0]))
        elif opcode in ("atomicrmw", "cmpxchg"):
            self._exchange(op)
        elif opcode in ("landingpad", "va_arg"):
            self._set(op, self.program.outside)

    def _place(self, op: Instruction) -> Place:
        return self.m, self.function.name, op.line

    def _get(self, operand: Typed) -> Held:
        value = operand.value
        if isinstance(value, Local):
            if value.name not in self.held and self._carries(operand.type):
                self.held[value.name] = self.program.unifier.value()  # defined further down
            return self.held.get(value.name)
        return self.program.constant(self.m, operand)

    def _set(self, op: Instruction, held: Held) -> None:
        assert op.result is not None
        known = self.held.get(op.result)
        if isinstance(known, int):
            self.program.join(known, held)
        elif held is not None:
            self.held[op.result] = held

    def _carries(self, kind: Type) -> bool:
        """Can a value of this type contain a pointer?"""
        if isinstance(kind, PointerType):
            return True
        if isinstance(kind, IntType):
            return kind.bits >= 64
        if isinstance(kind, StructType | ArrayType | VectorType | NamedType):
            return any(self._carries(leaf) for leaf, _ in self._leaves(kind))
        return False

    def _leaves(self, kind: Type) -> Iterable[tuple[Type, int]]:
        if isinstance(kind, VectorType):
            return [(kind.element, 0)]
        return self.layout.leaves(kind)

    def _alloca(self, op: Instruction) -> None:
        assert op.element is not None
        count = op.operands[0].value if op.operands else Int(1)
        size = self.layout.size(op.element) * count.value if isinstance(count, Int) else None
        thing = PointedObject("local", self.m, self.function.name, op.result or "", op.line, size)
        self._set(op, Target(self.program.add(thing), 0))

    def _load(self, op: Instruction) -> None:
        pointer = self._get(op.operands[0])
        if pointer is None:
            return
        kind = op.type
        size = self.layout.store_size(kind)
        self.program.note(self.program.reads, self._place(op), pointer, size)
        assert op.result is not None
        if isinstance(kind, IntType) and kind.bits == 8:
            self.bytes[op.result] = pointer
        elif self._carries(kind):
            self._set(op, self._stored(pointer, kind))

    def _store(self, op: Instruction) -> None:
        what, where = op.operands
        pointer = self._get(where)
        if pointer is None:
            return
        size = self.layout.store_size(what.type)
        self.program.note(self.program.writes, self._place(op), pointer, size)
        if isinstance(what.value, Local) and what.value.name in self.bytes:
            source = self.bytes[what.value.name]
            assert source is not None
            self.program.copies.append((pointer, source, 1))
        elif self._carries(what.type):
            held = self._get(what)
            if held is not None:
                self.program.join(self._stored(pointer, what.type), held)

    def _stored(self, pointer: Target | int, kind: Type) -> int:
        """Return the value of type `kind` at a place in memory."""
        if isinstance(kind, PointerType | IntType):
            return self.program.star(pointer)
        whole = self.program.unifier.value()
        for leaf, offset in self._leaves(kind):
            if self._carries(leaf):
                place = self.program.stepped(pointer, FieldStep(offset))
                assert place is not None
                self.program.join(whole, self.program.star(place))
        return whole

    def _arithmetic(self, op: Instruction) -> None:
        """Handle numbers made from pointers: they may become pointers again, to anywhere."""
        if not self._carries(op.type):
            return
        names = [o.value.name for o in op.operands if isinstance(o.value, Local)]
        if op.opcode == "sub" and len(names) == 2 and self.differences.issuperset(names):
            return
        operands = op.operands[:1] if op.opcode == "sub" else op.operands
        held = self.program.mixed([self._get(operand) for operand in operands])
        self._set(op, self.program.stepped(held, ANYWHERE))

    def _exchange(self, op: Instruction) -> None:
        pointer = self._get(op.operands[0])
        if pointer is None:
            return
        size = self.layout.store_size(op.operands[1].type)
        self.program.note(self.program.reads, self._place(op), pointer, size)
        self.program.note(self.program.writes, self._place(op), pointer, size)
        if self._carries(op.operands[1].type):
            stored = self.program.star(pointer)
            for operand in op.operands[1:]:
                self.program.join(stored, self._get(operand))
            self._set(op, stored)

    def _call(self, op: Instruction) -> None:
        assert op.function is not None
        arguments = tuple(self._get(o) if self._carries(o.type) else None for o in op.operands)
        result = self.program.unifier.value() if self._carries(op.type) else None
        known = self.held.get(op.result) if op.result is not None else None
        if result is not None and isinstance(known, int):
            result = known
        call = PointerCall(
            self._place(op), -1, op.function, arguments, result, _length(op), op.byval
        )
        if result is not None and op.result is not None:
            self.held[op.result] = result
        callee = op.callee
        if isinstance(callee, Global):
            self._call_symbol(call, callee.name)
        elif isinstance(callee, Local | Expression):
            held = self._get(Typed(PointerType(), callee))
            if held is not None:
                self.program.indirect.append(call._replace(callee=self.program.pointer(held)))
        else:
            self.program.call_unknown(call)

    def _call_symbol(self, call: PointerCall, name: str) -> None:
        program = self.program
        bodies = program.named(self.m, name)
        if not bodies:
            program.call_library(call, name)
        for fid in bodies:
            returned = program.allocators.get(fid)
            if returned is None or call.result is None:
                program.call_function(call, fid)
                continue
            program.call_function(call._replace(result=None), fid)
            program.allocate(call)
            for i in returned:
                program.join(call.result, call.arguments[i])


def _length(op: Instruction) -> int | None:
    """Return the constant length of a memcpy, memmove or memset, or None."""
    name = op.callee.name if isinstance(op.callee, Global) else ""
    if name.startswith(("llvm.mem", "memcpy", "memmove", "memset")) and len(op.operands) > 2:
        length = op.operands[2].value
        return length.value if isinstance(length, Int) else None
    return None
