"""How does C write a value or an object of the source?

A CTerm is a text with what is needed to build on it: how tightly it binds, its type, and whether it
stands for a value or for an object whose address is meant.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace

from whence.frontend.c import ir
from whence.frontend.c.debug import DebugMember, DebugType

UNKNOWN = "…"  # stands for a part that has no name in the source
TEMPORARY = "temporary"  # an object that the compiler made
MAX_TEXT = 120  # limit on the length of a text inside another; guessed

# Binding strengths of operators, as in C.
PRIMARY, UNARY, PRODUCT, SUM, SHIFT, ORDER, EQUALITY = 16, 15, 13, 12, 11, 10, 9
AND, XOR, OR, BOTH, EITHER, CHOICE = 8, 7, 6, 5, 4, 3
TRUTHS = (ORDER, EQUALITY, BOTH, EITHER)  # their results are 0 or 1


@dataclass(frozen=True, slots=True)
class Bits:
    """Bits of a struct: bit 0 of the value is bit `start` of `owner`, `width` bits in all."""

    owner: CTerm
    start: int
    width: int
    loaded: int  # bits of the register that holds them


@dataclass(frozen=True, slots=True)
class CTerm:
    """A value; or, if `place`, the address of the object that `text` names.

    `type` is the type of the value or of the object; None if it is not known.
    """

    text: str
    rank: int = PRIMARY
    type: DebugType | None = None
    place: bool = False
    pointer: CTerm | None = None  # p if the text is `*p`
    indexed: tuple[CTerm, CTerm] | None = None  # (a, i) if the text is `a[i]`
    bits: Bits | None = None  # a unit of bit-fields, before one of them is selected
    number: int | None = None  # the value of a constant
    seen: ir.Type | None = None  # the IR type of an object whose source type is unknown
    negated: CTerm | None = None  # x if the text is `-x`
    opaque: bool = False  # not an object of the source: it may have any IR type
    others: tuple[CTerm, ...] = ()  # other union members that it may also be
    refers: CTerm | None = None  # the variable, if this holds a variable's address


NAMELESS = CTerm(UNKNOWN, opaque=True)


def is_named(term: CTerm) -> bool:
    """Does every part of the term have a name in the source?"""
    return UNKNOWN not in term.text and TEMPORARY not in term.text


def bare(kind: DebugType | None) -> DebugType | None:
    return kind.strip() if kind else None


def term_kind(term: CTerm) -> str:
    """Return the kind of the term's type under typedefs; "" if it is not known."""
    found = bare(term.type)
    return found.kind if found else ""


def wrap(term: CTerm, rank: int) -> str:
    """Return the text as an operand of an operator that binds as tightly as `rank`."""
    if len(term.text) > MAX_TEXT:
        return UNKNOWN
    return f"({term.text})" if term.rank < rank else term.text


# --- objects -----------------------------------------------------------------------------


def term_value(term: CTerm) -> CTerm:
    """Return a term as a value: the address of `a[0]` is `a`, that of `p[i]` is `p + i`."""
    if not term.place:
        return term
    if term_kind(term) in ("array", "function"):
        return CTerm(term.text, term.rank, term.type)
    if term.pointer:
        return term.pointer
    if term.indexed:
        base, index = term.indexed
        if index.number == 0:
            return term_value(base)
        if not base.place:
            return replace(add_terms(base, index), type=base.type)
    return CTerm("&" + wrap(term, UNARY), UNARY)


def pointee(term: CTerm) -> CTerm:
    """Return the object that a term points to."""
    if term.place:
        return term
    found = bare(term.type)
    if found and found.kind == "array":  # an array that decayed to a pointer
        return element(replace(term, place=True), constant_term(0))
    base = found.base if found and found.kind in ("pointer", "reference") else None
    text = "*" + wrap(term, UNARY)
    return CTerm(text, UNARY, base, place=True, pointer=term, opaque=term.opaque)


def cast(term: CTerm, name: str, kind: DebugType | None) -> CTerm:
    """Return the object at the term's address as an object of another type, `name`."""
    star = "*" if name.endswith("*") else " *"
    pointer = CTerm(f"({name}{star}){wrap(term_value(term), UNARY)}", UNARY)
    return CTerm("*" + pointer.text, UNARY, kind, place=True, pointer=pointer)


def member_of(place: CTerm, member: DebugMember) -> CTerm:
    """Return a member of an object; a nameless member adds nothing to the text."""
    if member.is_base or not member.name:
        return replace(place, type=member.type, indexed=None)
    if place.pointer:
        text = f"{wrap(place.pointer, PRIMARY)}->{member.name}"
    else:
        text = f"{wrap(place, PRIMARY)}.{member.name}"
    return CTerm(text, PRIMARY, member.type, place=True)


def element(array: CTerm, index: CTerm) -> CTerm:
    """Return an element of an array, or of the memory that a pointer (a value) points to."""
    found = bare(array.type)
    base = found.base if found and found.kind in ("array", "pointer") else None
    text = f"{wrap(array, PRIMARY)}[{index.text}]"
    return CTerm(text, PRIMARY, base, place=True, indexed=(array, index))


def advance(term: CTerm, index: CTerm) -> CTerm:
    """Return the object `index` objects after the one that the term points to."""
    if not term.place:
        return element(term, index)
    if index.number == 0:
        return term
    if term.indexed:
        base, first = term.indexed
        return element(base, add_terms(first, index))
    return element(replace(term_value(term), type=None), index)


def member_at(place: CTerm, bit: int, bits: int) -> DebugMember | None:
    """Return the member that begins at this bit, preferably one with `bits` bits."""
    found = bare(place.type)
    starting = [each for each in found.members if each.bit_offset == bit] if found else []
    exact = [each for each in starting if each.bits == bits]
    return next(iter(exact or starting), None)


def within(place: CTerm, offset: int, size: int) -> CTerm:
    """Return the smallest named part of an object that contains these bytes."""
    found = bare(place.type)
    if not found or (offset == 0 and size >= found.size > 0):
        return place
    if found.kind == "array" and found.base and found.base.size:
        index, rest = divmod(offset, found.base.size)
        if rest + size > found.base.size:
            return place
        return within(element(place, constant_term(index)), rest, size)
    for member in found.members:
        begins, length = member.offset, -(-member.bits // 8)
        flexible = length == 0 and begins <= offset
        if begins <= offset and (offset + size <= begins + length or flexible):
            return within(member_of(place, member), offset - begins, size)
    return place


def beginning_at(place: CTerm, offset: int) -> CTerm | None:
    """Return the largest part of an object that begins at this byte; None if it has no name."""
    found = bare(place.type)
    if offset == 0 or not found:
        return place if offset == 0 else None
    if found.kind == "array" and found.base and found.base.size:
        index, rest = divmod(offset, found.base.size)
        return beginning_at(element(place, constant_term(index)), rest)
    for member in found.members:
        if member.offset <= offset < member.offset + -(-member.bits // 8):
            return beginning_at(member_of(place, member), offset - member.offset)
    return None


# --- values ------------------------------------------------------------------------------


def constant_term(number: int) -> CTerm:
    return CTerm(str(number), UNARY if number < 0 else PRIMARY, number=number)


def negate(term: CTerm) -> CTerm:
    if term.number is not None:
        return constant_term(-term.number)
    return CTerm("-" + wrap(term, UNARY + term.text.startswith("-")), UNARY, negated=term)


def add_terms(left: CTerm, right: CTerm) -> CTerm:
    """Return a sum, written as a difference where that reads better."""
    if left.number is not None and right.number is not None:
        return constant_term(left.number + right.number)
    if left.number == 0:
        return right
    if right.number == 0:
        return left
    if right.number is not None and right.number < 0:
        return subtract_terms(left, constant_term(-right.number))
    if right.negated:
        return subtract_terms(left, right.negated)
    return binary(left, "+", SUM, right)


def subtract_terms(left: CTerm, right: CTerm) -> CTerm:
    if left.number == 0:
        return negate(right)
    if right.number is not None and right.number < 0:
        return add_terms(left, constant_term(-right.number))
    return binary(left, "-", SUM, right)


def binary(left: CTerm, operator: str, rank: int, right: CTerm) -> CTerm:
    return CTerm(f"{wrap(left, rank)} {operator} {wrap(right, rank + 1)}", rank)


def invert(term: CTerm) -> CTerm:
    """Return the negation of a condition."""
    if term.text.startswith("!") and term.rank == UNARY:
        return replace(term, text=term.text[1:])
    return CTerm("!" + wrap(term, UNARY), UNARY)


def choose(condition: CTerm, then: CTerm, otherwise: CTerm, is_truth: bool = False) -> CTerm:
    """Return `condition ? then : otherwise`, written with && or

    for truth values.
    """
    if then.text == otherwise.text:
        return then
    if is_truth and then.number is not None:
        if otherwise.number is not None:
            return condition if then.number else invert(condition)
        return (
            either(condition, otherwise)
            if then.number
            else both_terms(invert(condition), otherwise)
        )
    if is_truth and otherwise.number is not None:
        return either(invert(condition), then) if otherwise.number else both_terms(condition, then)
    tail = f" || {wrap(otherwise, EITHER)}"
    if is_truth and then.text.endswith(tail):  # a ? b || c : c
        head = CTerm(then.text.removesuffix(tail), BOTH)
        return either(both_terms(condition, head), otherwise)
    tail = f" && {wrap(then, BOTH)}"
    if is_truth and otherwise.text.endswith(tail):  # a ? c : b && c
        head = CTerm(otherwise.text.removesuffix(tail), EITHER)
        return both_terms(either(condition, head), then)
    text = f"{wrap(condition, EITHER)} ? {wrap(then, CHOICE)} : {wrap(otherwise, CHOICE)}"
    return CTerm(text, CHOICE, then.type or otherwise.type)


def both_terms(left: CTerm, right: CTerm) -> CTerm:
    return CTerm(f"{wrap(left, BOTH)} && {wrap(right, BOTH)}", BOTH)


def either(left: CTerm, right: CTerm) -> CTerm:
    return CTerm(f"{wrap(left, EITHER)} || {wrap(right, EITHER)}", EITHER)


# --- literals ----------------------------------------------------------------------------

_ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r",
            92: "\\\\"}  # fmt: skip
_CHARACTERS = ("char", "signed char", "unsigned char")


def c_string(data: bytes, quote: str = '"') -> str:
    """Return bytes as a C literal, at most 24 of them."""
    escaped = "".join(
        "\\" + quote if byte == ord(quote)
        else _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}")
        for byte in data[:24]
    )  # fmt: skip
    return f"{quote}{escaped}{'...' if len(data) > 24 else ''}{quote}"


def is_character(kind: DebugType | None) -> bool:
    """Is the type char itself?  A typedef of char, such as uint8_t, is mostly used for numbers."""
    while kind and kind.kind in ("const", "volatile"):
        kind = kind.base
    return kind is not None and kind.name in _CHARACTERS


def c_literal(term: CTerm, kind: DebugType | None) -> CTerm:
    """Return a constant as C writes it where type `kind` is expected; other terms unchanged."""
    if term.number is None:
        return term
    number, found = term.number, bare(kind)
    if found is None or kind is None:
        return term
    if found.kind in ("pointer", "reference", "function") and number == 0:
        return CTerm("NULL")
    if found.kind == "enum":
        number = as_signed(number, found.size, kind.is_unsigned)
        name = found.enumerators.get(number)
        return CTerm(name) if name else term
    if found.encoding == "boolean" and number in (0, 1, -1):
        return replace(term, text="true" if number else "false")
    if is_character(kind) and (number in _ESCAPES or 32 <= number < 127):
        return CTerm(c_string(bytes([number]), "'"), number=number)
    return constant_term(as_signed(number, found.size, True)) if kind.is_unsigned else term


def as_signed(raw: int, size: int, unsigned: bool = False) -> int:
    """Return the number that `size` bytes hold."""
    raw &= (1 << 8 * size) - 1
    return raw - (1 << 8 * size) if not unsigned and size and raw >> (8 * size - 1) else raw


def float_text(bits: int, size: int) -> str:
    """Return the shortest decimal that reads back as this float (2, 4, 8 or 10+ bytes)."""
    if size == 2:
        return repr(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])
    if size == 4:
        raw = struct.pack("<I", bits & 0xFFFFFFFF)
        value = struct.unpack("<f", raw)[0]
        for digits in range(1, 10):
            short = float(f"{value:.{digits}g}")
            if abs(short) < 3.4028236e38 and struct.pack("<f", short) == raw:
                return repr(short)
        return repr(value)
    if size == 8:
        return repr(struct.unpack("<d", struct.pack("<Q", bits & (1 << 64) - 1))[0])
    return _extended_text(bits)


def _extended_text(bits: int) -> str:
    """Write an x86_fp80 (explicit leading bit, 15 exponent bits) with the precision of a double."""
    mantissa, exponent, sign = bits & (1 << 64) - 1, bits >> 64 & 0x7FFF, bits >> 79 & 1
    if exponent == 0x7FFF:
        text = "nan" if mantissa << 1 & (1 << 64) - 1 else "inf"
    else:
        try:
            text = repr(math.ldexp(mantissa, exponent - 16383 - 63))
        except OverflowError:
            text = f"0x{mantissa:x}p{exponent - 16383 - 63}"
    return ("-" if sign else "") + text


def describe_term(kind: DebugType | None, raw: int, bits: int | None = None) -> str:
    """Return the text for the raw bits of a value of this type; `bits` is a bit-field's width."""
    found = bare(kind)
    if found is None or kind is None:
        return hex(raw)
    if found.kind in ("pointer", "reference", "function"):
        return hex(raw) if raw else "NULL"
    if found.kind == "basic" and found.encoding == "float":
        return float_text(raw, found.size)
    if found.kind not in ("basic", "enum", "member pointer"):
        return hex(raw)
    width = bits or 8 * found.size
    number = raw & (1 << width) - 1
    if not kind.is_unsigned and width and number >> (width - 1):
        number -= 1 << width
    if found.kind == "enum":
        name = found.enumerators.get(number)
        return name or str(number)
    if found.encoding == "boolean":
        return {0: "false", 1: "true"}.get(number, str(number))
    if found.encoding.endswith("_char"):
        character = c_string(bytes([number & 255]), "'")
        return f"{character} ({number})"
    return str(number)
