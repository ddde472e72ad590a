"""What does every op of a function consist of?

`OpBuilder` finds the operands, definers and slots of an instruction.  It builds the two kinds of op
that most instructions become: an op that a replay computes, and an OPAQUE op, whose result is
logged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from whence.frontend.c.constants import ModuleTables
from whence.frontend.c.ir import (
    FloatType,
    Function,
    Instruction,
    IntType,
    Label,
    Local,
    PointerType,
    Type,
    Typed,
    Value,
    VectorType,
)
from whence.frontend.c.plan import Private, private_memory
from whence.frontend.c.tables import NONE, CallFlag, OpCode, OpFlag, OpKind

# These are plain numbers: operations on Flag objects dominated the time per instruction.
LOGGED, LINK, CHECKED = int(OpFlag.LOGGED), int(OpFlag.LINK), int(OpFlag.CHECKED)
CORRECTED = int(OpFlag.CORRECTED)


@dataclass(slots=True)
class LoweredOp:
    """One row of the table `ops`, with the definers of its operands."""

    code: OpCode
    flags: int = 0
    bits: int = 0
    dst: int = NONE
    a: int = NONE
    b: int = NONE
    c: int = NONE
    x: int = 0
    uses: list[int] = field(default_factory=list)
    use_blocks: list[int] = field(default_factory=list)
    kind: OpKind = OpKind.PLAIN
    call: CallFlag | None = None
    site: int = NONE


class OpBuilder:
    """Builds the ops of one function."""

    def __init__(self, tables: ModuleTables, function: Function) -> None:
        self.m = tables
        self.function = function
        self.first_block = len(tables.rows["blocks"])
        self.number = {block.label: i for i, block in enumerate(function.blocks)}
        self.private: Private = private_memory(function, tables.layout)
        self.slot: dict[str, int] = {}
        self.use: dict[str, int] = {}  # register -> the op or parameter that defines it

    def operand(self, typed: Typed) -> int:
        if type(typed.value) is Local:
            return self.slot[typed.value.name]
        slots = self.m.constant_slots(typed)
        return self.m.constant(slots) if slots else NONE

    def uses(self, operands: Iterable[Typed]) -> list[int]:
        return [self.use_of(operand.value) for operand in operands]

    def use_of(self, value: Value) -> int:
        return self.use.get(value.name, NONE) if type(value) is Local else NONE

    def extras(self, numbers: Iterable[int]) -> int:
        table = self.m.rows["extras"]
        index = len(table)
        table.extend(numbers)
        return index

    def dst(self, instruction: Instruction) -> int:
        return NONE if instruction.result is None else self.slot[instruction.result]

    def place(self, value: Value) -> int | None:
        if type(value) is Local and value.name in self.private.places:
            return self.private.places[value.name].offset
        return None

    def block_of(self, value: object) -> int:
        if not isinstance(value, Label):
            raise ValueError(f"{value} is no label")
        return self.first_block + self.number[value.name]

    def opaque(self, instruction: Instruction) -> LoweredOp:
        """Return an op that a replay does not compute: the run logs its result."""
        pairs = [(self.operand(o), self.m.slots(o.type)) for o in instruction.operands]
        numbers = [len(pairs), *(number for pair in pairs for number in pair)]
        has_result = instruction.result is not None and self.m.slots(instruction.type) > 0
        return LoweredOp(
            OpCode.OPAQUE,
            flags=LOGGED if has_result else 0,
            bits=self.m.logged_size(instruction.type),
            dst=self.dst(instruction) if has_result else NONE,
            b=self.layout_of(instruction.type),
            c=self.m.slots(instruction.type),
            x=self.extras(numbers),
            uses=self.uses(instruction.operands),
        )

    def plain(self, instruction: Instruction, code: OpCode, bits: int, **fields: int) -> LoweredOp:
        operands = [self.operand(o) for o in instruction.operands[:3]] + [NONE] * 3
        return LoweredOp(
            code, bits=bits, dst=self.dst(instruction), a=operands[0], b=operands[1],
            c=fields.get("c", operands[2]), x=fields.get("x", 0),
            uses=self.uses(instruction.operands),
        )  # fmt: skip

    def scalar_bits(self, of: Type) -> int:
        """Return the width in bits of a value that fits one slot; 64 for all other values."""
        if isinstance(of, IntType):
            return min(of.bits, 64)
        if isinstance(of, (FloatType, VectorType)):
            return min(8 * self.m.layout.store_size(of), 64)
        return 64

    def layout_of(self, of: Type) -> int:
        """Describe the slots of an aggregate: n, then n pairs (offset in memory, size)."""
        if not self.m.is_aggregate(of):
            return 0
        leaves = self.m.layout.leaves(of)
        numbers = [len(leaves)]
        for leaf, offset in leaves:
            numbers += [offset, self.m.layout.store_size(leaf)]
        return self.extras(numbers)


def fits_word(of: Type) -> bool:
    return isinstance(of, PointerType) or (isinstance(of, IntType) and of.bits <= 64)


def word_width(of: Type) -> int:
    return of.bits if isinstance(of, IntType) else 64


def float_width(of: Type) -> int:
    """Return 32 or 64; 0 for a float type that a replay does not compute with."""
    return {"float": 32, "double": 64}.get(of.kind, 0) if isinstance(of, FloatType) else 0
