"""Which op does each instruction become?

An instruction becomes OPAQUE if a replay cannot compute its result or need not: then the run logs
the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whence.frontend.c.call_ops import CallOps
from whence.frontend.c.constants import ModuleTables
from whence.frontend.c.ir import (
    ArrayType,
    FloatType,
    Function,
    Instruction,
    IntType,
    Local,
    NamedType,
    StructType,
    Type,
    VectorType,
)
from whence.frontend.c.op_builder import LINK, LOGGED, LoweredOp, fits_word, float_width, word_width
from whence.frontend.c.tables import CONSTANT, NONE, OpCode, OpKind

BINARY = {
    "add": OpCode.ADD, "sub": OpCode.SUB, "mul": OpCode.MUL, "udiv": OpCode.UDIV,
    "sdiv": OpCode.SDIV, "urem": OpCode.UREM, "srem": OpCode.SREM, "shl": OpCode.SHL,
    "lshr": OpCode.LSHR, "ashr": OpCode.ASHR, "and": OpCode.AND, "or": OpCode.OR, "xor": OpCode.XOR,
}  # fmt: skip
FLOATING = {
    "fadd": OpCode.FADD, "fsub": OpCode.FSUB, "fmul": OpCode.FMUL, "fdiv": OpCode.FDIV,
    "frem": OpCode.FREM,
}  # fmt: skip
# Predicates, in the order of their numbers in ops.
ICMP = ("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle")
FCMP = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true",
)  # fmt: skip
# Ops that may end the run with a signal.
FAULTING = frozenset({
    OpCode.LOAD, OpCode.STORE, OpCode.COPY, OpCode.FILL, OpCode.LCOPYOUT, OpCode.RMW, OpCode.CALL,
    OpCode.UDIV, OpCode.SDIV, OpCode.UREM, OpCode.SREM, OpCode.VASTART, OpCode.OPAQUE,
})  # fmt: skip


class Operations(CallOps):
    """Turns the instructions of one function into ops."""

    def __init__(self, tables: ModuleTables, function: Function) -> None:
        super().__init__(tables, function)
        self.handlers: dict[str, Callable[[Instruction], LoweredOp]] = {
            "icmp": self._icmp, "fcmp": self._fcmp, "fneg": self._fneg,
            "trunc": self._trunc, "zext": self._move, "sext": self._sext,
            "bitcast": self._move, "ptrtoint": self._trunc, "inttoptr": self._move,
            "ptrtoaddr": self._trunc, "addrspacecast": self._move, "freeze": self._move,
            "fptrunc": self._fptrunc, "fpext": self._fpext,
            "fptoui": self._to_int, "fptosi": self._to_int,
            "uitofp": self._to_float, "sitofp": self._to_float,
            "select": self._select, "getelementptr": self._gep, "load": self._load,
            "store": self._store, "alloca": self._alloca, "call": self.call_op,
            "invoke": self.call_op, "phi": self._phi, "ret": self._ret, "br": self._br,
            "switch": self._switch, "indirectbr": self._indirectbr,
            "unreachable": lambda _: LoweredOp(OpCode.UNREACHABLE),
            "fence": lambda _: LoweredOp(OpCode.NOP),
            "atomicrmw": self._rmw, "cmpxchg": self._rmw, "insertvalue": self._insert,
            "extractvalue": self._extract, "landingpad": self._landingpad,
            "resume": lambda i: LoweredOp(OpCode.RESUME, a=self.operand(i.operands[0]),
                                    uses=self.uses(i.operands)),
        }  # fmt: skip

    def op_of(self, instruction: Instruction) -> LoweredOp:
        opcode = instruction.opcode
        if opcode in BINARY:
            op = self._binary(instruction, BINARY[opcode])
        elif opcode in FLOATING:
            op = self._floating(instruction, FLOATING[opcode])
        else:
            handler = self.handlers.get(opcode)
            op = handler(instruction) if handler else self.opaque(instruction)
        return op

    def _binary(self, i: Instruction, code: OpCode) -> LoweredOp:
        return self.plain(i, code, word_width(i.type)) if fits_word(i.type) else self.opaque(i)

    def _floating(self, i: Instruction, code: OpCode) -> LoweredOp:
        bits = float_width(i.type)
        return self.plain(i, code, bits) if bits else self.opaque(i)

    def _icmp(self, i: Instruction) -> LoweredOp:
        of = i.operands[0].type
        if not fits_word(of):
            return self.opaque(i)
        return self.plain(i, OpCode.ICMP, word_width(of), c=ICMP.index(i.predicate))

    def _fcmp(self, i: Instruction) -> LoweredOp:
        bits = float_width(i.operands[0].type)
        return (
            self.plain(i, OpCode.FCMP, bits, c=FCMP.index(i.predicate)) if bits else self.opaque(i)
        )

    def _fneg(self, i: Instruction) -> LoweredOp:
        return self._floating(i, OpCode.FNEG)

    def _trunc(self, i: Instruction) -> LoweredOp:
        if fits_word(i.type) and fits_word(i.operands[0].type):
            return self.plain(i, OpCode.TRUNC, word_width(i.type))
        return self.opaque(i)

    def _move(self, i: Instruction) -> LoweredOp:
        if i.opcode == "freeze" and not isinstance(i.operands[0].value, Local):
            return self.opaque(i)  # whatever an undefined value happens to be
        before, after = i.operands[0].type, i.type
        same = self.m.slots(before) == self.m.slots(after)
        if same and not (self.m.slots(after) > 1 and i.opcode not in ("bitcast", "freeze")):
            return self.plain(i, OpCode.MOVE, self.scalar_bits(after), x=self.m.slots(after))
        return self.opaque(i)

    def _sext(self, i: Instruction) -> LoweredOp:
        source = i.operands[0].type
        if fits_word(i.type) and fits_word(source):
            return self.plain(i, OpCode.SEXT, word_width(i.type), c=word_width(source))
        return self.opaque(i)

    def _fptrunc(self, i: Instruction) -> LoweredOp:
        return self._float_cast(i, OpCode.FPTRUNC, "double", "float")

    def _fpext(self, i: Instruction) -> LoweredOp:
        return self._float_cast(i, OpCode.FPEXT, "float", "double")

    def _float_cast(self, i: Instruction, code: OpCode, source: str, target: str) -> LoweredOp:
        if i.operands[0].type == FloatType(source) and i.type == FloatType(target):
            return self.plain(i, code, float_width(i.type))
        return self.opaque(i)

    def _to_int(self, i: Instruction) -> LoweredOp:
        bits = float_width(i.operands[0].type)
        if not bits or not fits_word(i.type):
            return self.opaque(i)
        code = OpCode.FPTOUI if i.opcode == "fptoui" else OpCode.FPTOSI
        return self.plain(i, code, word_width(i.type), c=bits)

    def _to_float(self, i: Instruction) -> LoweredOp:
        bits = float_width(i.type)
        if not bits or not fits_word(i.operands[0].type):
            return self.opaque(i)
        code = OpCode.UITOFP if i.opcode == "uitofp" else OpCode.SITOFP
        return self.plain(i, code, bits, c=word_width(i.operands[0].type))

    def _select(self, i: Instruction) -> LoweredOp:
        if not isinstance(i.operands[0].type, IntType):
            return self.opaque(i)
        return self.plain(i, OpCode.SELECT, self.scalar_bits(i.type), x=self.m.slots(i.type))

    def _gep(self, i: Instruction) -> LoweredOp:
        if i.result in self.private.places:
            return LoweredOp(OpCode.NOP)
        if isinstance(i.type, VectorType) or i.element is None:
            return self.opaque(i)
        offset, indices = self.m.layout.gep(i.element, i.operands[1:])
        op = LoweredOp(
            OpCode.GEP if indices else OpCode.GEPC, bits=64, dst=self.dst(i),
            a=self.operand(i.operands[0]), c=self.m.constant([offset]) & ~CONSTANT,
            uses=self.uses(i.operands),
        )  # fmt: skip
        if indices:
            numbers = [len(indices)]
            for index, scale in indices:
                wrapped = scale & 0xFFFFFFFFFFFFFFFF
                bits = word_width(index.type)
                numbers += [self.operand(index), bits, wrapped & NONE, wrapped >> 32]
            op.x = self.extras(numbers)
        return op

    def _load(self, i: Instruction) -> LoweredOp:
        pointer, size = i.operands[0], self.m.layout.store_size(i.type)
        place = self.place(pointer.value)
        if place is not None:
            return LoweredOp(
                OpCode.LLOAD, LINK, dst=self.dst(i), b=place, c=self.layout_of(i.type),
                x=size,
            )  # fmt: skip
        return LoweredOp(
            OpCode.LOAD, LINK | LOGGED, dst=self.dst(i),
            a=self.operand(pointer), c=self.layout_of(i.type), x=size, uses=self.uses(i.operands),
        )  # fmt: skip

    def _store(self, i: Instruction) -> LoweredOp:
        value, pointer = i.operands
        size = self.m.layout.store_size(value.type)
        place = self.place(pointer.value)
        op = LoweredOp(
            OpCode.STORE, a=self.operand(value), c=self.layout_of(value.type), x=size,
            uses=self.uses(i.operands),
        )  # fmt: skip
        if place is not None:
            op.code, op.b = OpCode.LSTORE, place
        else:
            op.b = self.operand(pointer)
        return op

    def _alloca(self, i: Instruction) -> LoweredOp:
        if i.element is None or i.result is None:
            raise ValueError("an alloca without a type")
        size = self.m.layout.size(i.element)
        if i.result in self.private.allocas:
            return LoweredOp(OpCode.LALLOCA, b=self.private.places[i.result].offset, x=size)
        return LoweredOp(
            OpCode.ALLOCA, LOGGED, bits=64, dst=self.dst(i),
            a=self.operand(i.operands[0]), c=self.m.constant([size]) & ~CONSTANT, x=8,
            uses=self.uses(i.operands),
        )  # fmt: skip

    def _rmw(self, i: Instruction) -> LoweredOp:
        pointer, *values = i.operands
        pairs = [(self.operand(o), self.m.slots(o.type)) for o in values]
        numbers = [len(pairs), *(number for pair in pairs for number in pair)]
        return LoweredOp(
            OpCode.RMW, LINK | LOGGED, bits=self.m.logged_size(i.type),
            dst=self.dst(i), a=self.operand(pointer),
            c=self.extras(numbers), x=self.m.layout.store_size(values[-1].type),
            uses=self.uses(i.operands),
        )  # fmt: skip

    def _insert(self, i: Instruction) -> LoweredOp:
        offset, of = self._slot_path(i.operands[0].type, i.indices)
        return self.plain(
            i, OpCode.INSERT, self.m.slots(of), c=offset, x=self.m.slots(i.type)
        )  # fmt: skip

    def _extract(self, i: Instruction) -> LoweredOp:
        offset, of = self._slot_path(i.operands[0].type, i.indices)
        return self.plain(i, OpCode.EXTRACT, self.scalar_bits(of), c=offset, x=self.m.slots(of))

    def _slot_path(self, of: Type, path: Sequence[int]) -> tuple[int, Type]:
        offset = 0
        for index in path:
            of = self.m.module.types[of.name] if isinstance(of, NamedType) else of
            if isinstance(of, StructType):
                offset += sum(self.m.slots(member) for member in of.fields[:index])
                of = of.fields[index]
            elif isinstance(of, ArrayType):
                offset += index * self.m.slots(of.element)
                of = of.element
        return offset, of

    def _landingpad(self, i: Instruction) -> LoweredOp:
        return LoweredOp(
            OpCode.LANDINGPAD, LOGGED, bits=self.m.logged_size(i.type),
            dst=self.dst(i), c=self.m.slots(i.type),
        )  # fmt: skip

    # --- control -----------------------------------------------------------------------------

    def _phi(self, i: Instruction) -> LoweredOp:
        numbers = [len(i.operands) // 2, self.m.slots(i.type)]
        op = LoweredOp(OpCode.PHI, bits=self.scalar_bits(i.type), dst=self.dst(i), kind=OpKind.PHI)
        for value, label in zip(i.operands[::2], i.operands[1::2], strict=True):
            block = self.block_of(label.value)
            numbers += [block, self.operand(value)]
            op.uses.append(self.use_of(value.value))
            op.use_blocks.append(block)
        op.x = self.extras(numbers)
        return op

    def _ret(self, i: Instruction) -> LoweredOp:
        op = LoweredOp(OpCode.RET, uses=self.uses(i.operands), kind=OpKind.RETURN)
        if i.operands:
            op.a, op.x = self.operand(i.operands[0]), self.m.slots(i.operands[0].type)
        return op

    def _br(self, i: Instruction) -> LoweredOp:
        if len(i.operands) == 1:
            return LoweredOp(OpCode.BR, a=self.block_of(i.operands[0].value))
        condition, yes, no = i.operands
        a, b = self.block_of(yes.value), self.block_of(no.value)
        return LoweredOp(
            OpCode.CBR, a=self.operand(condition), b=a, c=b, uses=self.uses([condition]),
            kind=OpKind.BRANCH if a != b else OpKind.PLAIN,
        )  # fmt: skip

    def _switch(self, i: Instruction) -> LoweredOp:
        value, default, *cases = i.operands
        numbers = [self.block_of(default.value), len(cases) // 2]
        for case, label in zip(cases[::2], cases[1::2], strict=True):
            slot = self.m.constant_slots(case)[0]
            number = slot if isinstance(slot, int) else 0
            numbers += [number & NONE, number >> 32, self.block_of(label.value)]
        return LoweredOp(
            OpCode.SWITCH, bits=word_width(value.type) if fits_word(value.type) else 0,
            a=self.operand(value), x=self.extras(numbers), uses=self.uses([value]),
            kind=OpKind.BRANCH,
        )  # fmt: skip

    def _indirectbr(self, i: Instruction) -> LoweredOp:
        address, *labels = i.operands
        numbers = [len(labels), *(self.block_of(label.value) for label in labels)]
        return LoweredOp(
            OpCode.INDIRECTBR, a=self.operand(address), x=self.extras(numbers),
            uses=self.uses([address]), kind=OpKind.BRANCH,
        )  # fmt: skip
