"""Which bit-field does an instruction read or write?

clang loads and stores the whole unit that contains a bit-field, and shifts and masks the unit.
"""

from __future__ import annotations

from dataclasses import replace

from whence.frontend.c import ir, terms
from whence.frontend.c.term_writer import TermWriter
from whence.frontend.c.terms import CTerm, constant_term


class BitFields:
    """Finds the bit-fields that the instructions of one function read and write."""

    def __init__(self, writer: TermWriter) -> None:
        self.writer = writer

    def written(self, place: CTerm, value: ir.Typed) -> tuple[CTerm, CTerm]:
        """Return the bit-field that a store to the unit `place` changes, and its new value."""
        low, width, new = self.bits_written(place, value)
        field = self._field(place, low, width)
        if new is value:  # one field fills the whole unit
            return field, self.writer.value(value)
        return field, self._inserted(new, low) if new else constant_term(0)

    def bits_written(self, place: CTerm, value: ir.Typed) -> tuple[int, int, ir.Typed | None]:
        """Return the lowest bit and the width of the field, and the operand stored in it.

        unit = (unit & ~mask) | (value & width) << low
        """
        assert place.bits is not None
        kept, new = value, None
        found = self.writer.defined(value)
        if found and found.opcode == "or":
            kept, new = found.operands
        clearing = self.writer.defined(kept)
        mask = clearing.operands[1].value if clearing and clearing.opcode == "and" else None
        if not isinstance(mask, ir.Int):
            return 0, place.bits.width, value
        cleared = ~mask.value & (1 << place.bits.width) - 1
        low = (cleared & -cleared).bit_length() - 1 if cleared else 0
        return low, cleared.bit_length() - low, new

    def _inserted(self, operand: ir.Typed, low: int) -> CTerm:
        if isinstance(operand.value, ir.Int):
            return constant_term(operand.value.value >> low)
        for opcode in ("shl", "and"):
            found = self.writer.defined(operand)
            if found and found.opcode == opcode and isinstance(found.operands[1].value, ir.Int):
                operand = found.operands[0]
        return self.writer.value(operand)

    def _field(self, term: CTerm, start: int, width: int) -> CTerm:
        """Return the bit-field at these bits of a unit."""
        bits = term.bits
        assert bits is not None
        found = terms.member_at(bits.owner, bits.start + start, width)
        return terms.member_of(bits.owner, found) if found else replace(term, bits=None)

    def extracted(self, opcode: str, left: CTerm, number: int) -> CTerm | None:
        """Return the bits of a unit that a shift or mask selects, with the name of their field."""
        bits = left.bits
        assert bits is not None
        if opcode == "shl":
            return replace(left, bits=replace(bits, start=bits.start - number))
        if opcode in ("lshr", "ashr"):
            start, width = bits.start + number, bits.loaded - number
        elif opcode == "and":
            start, width = bits.start, (number & (1 << bits.loaded) - 1).bit_length()
        else:
            return None
        member = terms.member_at(bits.owner, start, width)
        named = terms.member_of(bits.owner, member) if member else left
        is_exact = member is not None and member.bits == width
        rest = None if is_exact else replace(bits, start=start, width=width)
        return CTerm(named.text, named.rank, named.type, bits=rest)


def selected_bits(instruction: ir.Instruction, value: int) -> int | None:
    """Return the result of an instruction that shifts or masks a unit; None for another one."""
    width = instruction.type.bits if isinstance(instruction.type, ir.IntType) else 0
    by = instruction.operands[1].value if len(instruction.operands) == 2 else None
    if not width or not isinstance(by, ir.Int):
        return None
    full = (1 << width) - 1
    if instruction.opcode == "and":
        return value & by.value & full
    if instruction.opcode == "shl":
        return value << by.value & full
    if instruction.opcode == "lshr":
        return value >> by.value
    if instruction.opcode == "ashr":
        signed = value - (1 << width) if value >> (width - 1) & 1 else value
        return signed >> by.value & full
    return None
