"""How does a number depend on the text that spells it?

The number itself is the unknown, and not its digits: a solution may have more digits than the
text had.  Only where other code looks at the digits, too, number and digits are tied together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import z3

from whence.inputs import InputByte
from whence.paths.c.calls import LibraryCall, bits, unknowns_of
from whence.paths.c.values import Value
from whence.paths.conditions import ConditionKind
from whence.paths.terms import BasedText, Fact, Matched, NumberText, Term, What
from whence.program.rows import WRITE

_SPACE = frozenset(b" \t\n\v\f\r")
_MAX_DIGITS = {10: 18, 16: 15, 8: 20}  # of a number that surely fits into 64 bits, by base
_MAX_SPACES = 3  # before a number, that are followed; guessed
_WIDTH = 64


class Spelled(NamedTuple):
    """A number in a text: spaces, a sign, digits."""

    start: int  # of the sign or the first digit
    stop: int
    value: int
    base: int = 10
    prefix: bytes = b""


def spelled(
    text: bytes, start: int = 0, longest: int | None = None, base: int = 10, *,
    is_long: bool = False,
) -> Spelled | None:  # fmt: skip
    """Return the number at a place of a text; None if there is none, or it is too long.

    `is_long`: of any length.

    Base 0 takes what the text begins with: 0x, 0, or anything else for ten.
    """
    first = past_space(text, start)
    limit = len(text) if longest is None else min(len(text), first + longest)
    at = first + (text[first : first + 1] in (b"+", b"-") and first < limit)
    prefix = b""
    if base in (0, 16) and text[at : at + 2] in (b"0x", b"0X"):
        base, prefix = 16, text[at : at + 2]
    elif base in (0, 8) and text[at : at + 1] == b"0" and text[at + 1 : at + 2].isdigit():
        base, prefix = 8, b"0"
    base = base or 10
    digits = at = at + len(prefix)
    while at < limit and _digit(text[at]) < base:
        at += 1
    if at == digits or (at - digits > _MAX_DIGITS[base] and not is_long):
        return None
    value = int(text[digits:at], base)
    return Spelled(first, at, -value if text[first : first + 1] == b"-" else value, base, prefix)


def past_space(text: bytes, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _digit(byte: int) -> int:
    """Return the value of a digit; one that no base has if the byte is none."""
    return int(chr(byte), 36) if chr(byte).isalnum() and byte < 128 else 99


def number_term(
    call: LibraryCall, origins: Sequence[InputByte], text: bytes, number: Spelled,
    limits: tuple[int, int],
) -> Term:  # fmt: skip
    """Return the term of a number that these bytes of one source spell.

    `origins` are its bytes and then, if there is one, the byte that ended it.
    """
    unknowns = call.of.unknowns
    place = origins[0].source, origins[0].offset, origins[0].offset + len(text)
    is_plain = number.base == 10
    what = NumberText(*place) if is_plain else BasedText(*place, number.base, number.prefix)
    is_new = what not in unknowns
    term = unknowns.number(what, _WIDTH, number.value & (1 << _WIDTH) - 1)
    most = number.base ** _MAX_DIGITS[number.base] - 1  # longer ones are not told from overflows
    low, high = max(limits[0], -most), min(limits[1], most)
    unknowns.add_fact(what, Fact(z3.And(term.term >= low, term.term <= high), term.unknowns))
    if is_new:
        unknowns.of(what).spell = lambda: _spelling(call, term, text, origins, number)
        end_behind(call, what, origins[len(text) :], lambda byte: is_digit(byte, number.base))
    return term


def _spelling(
    call: LibraryCall, number: Term, text: bytes, origins: Sequence[InputByte], form: Spelled
) -> Fact:
    """Return what holds of a number and its digits, if the text keeps its length and its sign."""
    formulas: list[Any] = []
    members = number.unknowns
    total: Any = z3.BitVecVal(0, _WIDTH)
    sign = text[:1] in (b"+", b"-")
    digits = range(sign + len(form.prefix), len(text))
    for at, (origin, byte) in enumerate(zip(origins, text, strict=False)):
        value = call.of.byte(origin)
        if not isinstance(value, Term):
            continue
        members |= value.unknowns
        if at in digits and _digit(byte) < form.base:
            formulas.append(is_digit(value.term, form.base))
            total = total * form.base + z3.ZeroExt(_WIDTH - 8, _digit_value(value.term, form.base))
        else:
            formulas.append(value.term == byte)
    total = -total if text.startswith(b"-") else total
    if not any(_digit(byte) < form.base for byte in text):
        formulas += [number.term == 0]
    else:
        formulas.append(number.term == total)
    return Fact(z3.And(formulas), members)


def end_behind(
    call: LibraryCall, what: What, behind: Sequence[InputByte], goes_on: Callable[[Any], Any]
) -> None:
    """Note that the byte behind a number, if there is one, ends it."""
    end = call.of.byte(behind[0]) if behind else None
    if isinstance(end, Term):
        call.of.unknowns.add_end(what, Fact(z3.Not(goes_on(end.term)), end.unknowns))


def is_digit(byte: Any, base: int) -> Any:
    last = min(ord("9"), ord("0") + base - 1)
    found = z3.And(z3.UGE(byte, ord("0")), z3.ULE(byte, last))
    if base <= 10:
        return found
    lower = byte | 0x20
    return z3.Or(found, z3.And(z3.UGE(lower, ord("a")), z3.ULT(lower, ord("a") + base - 10)))


def _digit_value(byte: Any, base: int) -> Any:
    if base <= 10:
        return byte - ord("0")
    return z3.If(z3.ULE(byte, ord("9")), byte - ord("0"), (byte | 0x20) - ord("a") + 10)


def limits_of(width: int, *, is_signed: bool) -> tuple[int, int]:
    """Return the least and the greatest number that is read without an overflow."""
    if is_signed:
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << min(width, _WIDTH - 1)) - 1


# --- is there a number? --------------------------------------------------------------------------


def require_match(
    call: LibraryCall, origins: Sequence[InputByte], size: int, other: bytes,
    holds: Callable[[Sequence[Any]], Any], *, is_matched: bool, number: object = 0,
    spaces: Sequence[InputByte | None] = (),
) -> None:  # fmt: skip
    """Add the condition that a text is of the kind that the call found, or did not find, there.

    What was found stood behind `spaces`.  These are a part of the condition: with another byte
    there, nothing is found.

    `origins` are bytes of one source in a row, and `size` of them are replaced by `other` where
    the condition is broken.  `holds` tells by the terms of the bytes whether the text is of the
    kind.  `number` tells the conditions of one call apart.
    """
    unknowns = call.of.unknowns
    first = origins[0]
    what = Matched(first.source, first.offset, first.offset + size, other)
    is_new = what not in unknowns
    term = unknowns.whole(what, z3.BoolSort(), is_matched)
    if is_new:

        def spell() -> Fact:
            values = [call.of.byte(origin) for origin in origins]
            terms = [bits(value, 8) for value in values if value is not None]
            return Fact(term.term == holds(terms), term.unknowns | unknowns_of(values))

        unknowns.of(what).spell = spell
    values = [call.of.byte(origin) for origin in spaces if origin is not None]
    free = [value for value in values if isinstance(value, Term)]
    are_spaces = [z3.Or([one.term == space for space in sorted(_SPACE)]) for one in free]
    formula = z3.And(term.term, *are_spaces) if is_matched else z3.Not(term.term)
    fact = Fact(formula, term.unknowns | unknowns_of(free))
    shape = (number, is_matched, len(spaces)) if spaces else (number, is_matched)
    call.of.add(call.step, ConditionKind.SHAPE, fact, shape)


def require_range(
    call: LibraryCall, origins: Sequence[InputByte], text: bytes, other: bytes, *, is_in_range: bool
) -> None:
    """Add the condition that a number fits into its type; the library sets errno if it does not.

    Other code that looks at its digits fixes a number that does not fit.
    """
    if is_in_range and not call.of.sees_errno:
        return

    def holds(terms: Sequence[Any]) -> Any:
        same = [term == byte for term, byte in zip(terms, text, strict=False)]
        return z3.BoolVal(True) if is_in_range else z3.Not(z3.And(same))

    own = origins[: len(text)]
    require_match(call, own, len(text), other, holds, is_matched=is_in_range, number=IN_RANGE)


IN_RANGE = "range"  # the condition that a number fits into its type
_TOO_LONG = {10: b"9" * 20, 16: b"7" + b"f" * 16, 8: b"7" * 24}  # by base


def begins_number(base: int = 10, *, spaces: int = _MAX_SPACES) -> Callable[[Sequence[Any]], Any]:
    """Return what tells whether bytes begin with at most so many spaces, a sign and a digit."""

    def begins(terms: Sequence[Any], depth: int = _MAX_SPACES - spaces) -> Any:
        if not terms or depth > _MAX_SPACES:
            return z3.BoolVal(False)
        first, *rest = terms
        is_sign = z3.Or(first == ord("+"), first == ord("-"))
        signed = z3.And(is_sign, is_digit(rest[0], base)) if rest else z3.BoolVal(False)
        is_space = z3.Or([first == space for space in sorted(_SPACE)])
        later = z3.And(is_space, begins(rest, depth + 1))
        return z3.Or(is_digit(first, base), signed, later)

    return begins


# --- functions -----------------------------------------------------------------------------------


def parsed(call: LibraryCall) -> bool:
    """atoi, strtol and the like."""
    address = call.recorded(0)
    has_end = call.name.startswith("strto")
    base = call.recorded(2) if has_end else 10
    found = text_at(call, address)
    if found is None or base not in (0, 8, 10, 16):
        return False
    text, origins = found
    number = spelled(text, base=base, is_long=True)
    if number is None:
        begins = begins_number(base or 10)
        return no_number(call, text, origins, begins, has_end=has_end)
    end, is_in_range = number.stop, spelled(text, base=base) is not None
    if not all(isinstance(origin, InputByte) for origin in origins[number.start : end]):
        return not any(is_free(call, origin) for origin in origins[number.start : end])
    used = [origin for origin in origins[number.start : end + 1] if isinstance(origin, InputByte)]
    if not is_free(call, used[0]):
        return True
    # A negative number becomes a large one in strtoul.
    width, limits = call.width, limits_of(_WIDTH, is_signed=True)
    least, greatest = limits_of(width, is_signed=True)
    if not has_end and least <= number.value <= greatest:
        # What atoi makes of a longer number, it makes of a number that fits into an int as well.
        limits = least, greatest
    if has_end:
        begins = begins_number(number.base, spaces=0)
        spaces = origins[: number.start]
        require_match(call, used, end - number.start, b"x", begins, is_matched=True, spaces=spaces)
        if call.recorded(1):
            set_end(call, address + end)
    own = text[number.start : end]
    other = _TOO_LONG[number.base] if is_in_range else b"1"
    require_range(call, used, own, other, is_in_range=is_in_range)
    if not is_in_range:
        return True
    term = number_term(call, used, own, number, limits)
    cut = term.term if width == _WIDTH else z3.Extract(width - 1, 0, term.term)
    return call.returns(Term(cut, term.unknowns))


def set_end(call: LibraryCall, address: int) -> None:
    """The pointer behind the number is as recorded, wherever the text ends then."""
    for number in call.flow.queries.effects_of(call.step):
        row = call.flow.thread.stream.effects[number]
        if row["kind"] == WRITE and int(row["len"]) == 8:
            for k, byte in enumerate(address.to_bytes(8, "little")):
                call.of.written[call.step, int(row["addr"]) + k] = byte


def no_number(
    call: LibraryCall, text: bytes, origins: Sequence[InputByte | None],
    begins: Callable[[Sequence[Any]], Any], *, has_end: bool,
) -> bool:  # fmt: skip
    """A text that spells no number counts as 0."""
    used = [origin for origin in origins[: len(text)] if isinstance(origin, InputByte)]
    is_whole = len(used) == len(text) and text and all(is_free(call, one) for one in used)
    if not has_end and call.name != "atof" and is_whole and call.result == 0:
        # All of it may become a number.
        limits = limits_of(call.width, is_signed=True)
        term = number_term(call, used, text, Spelled(0, len(text), 0), limits)
        cut = term.term if call.width == _WIDTH else z3.Extract(call.width - 1, 0, term.term)
        return call.returns(Term(cut, term.unknowns))
    own = [origin for origin in origins if isinstance(origin, InputByte)]
    if len(own) < len(origins) or not own or not all(is_free(call, one) for one in own):
        return not any(is_free(call, one) for one in origins)
    size = len(re.split(rb"[\s,;:=]", text)[0])
    require_match(call, own, size, b"1", begins, is_matched=False)
    if has_end and call.recorded(1):
        set_end(call, call.recorded(0))
    return True


def is_free(call: LibraryCall, origin: InputByte | None) -> bool:
    return origin is not None and origin.source in call.of.free


def text_at(call: LibraryCall, address: int) -> tuple[bytes, list[InputByte | None]] | None:
    """Return the recorded text at an address, and where each byte (and the end) came from."""
    values = call.string(address)
    if values is None:
        return None
    text, origins = bytearray(), []
    for value in values:
        byte, origin = recorded_byte(call, value)
        text.append(byte)
        origins.append(origin)
    return bytes(text[:-1]), origins


def recorded_byte(call: LibraryCall, value: Value) -> tuple[int, InputByte | None]:
    """Return the recorded value of a byte of memory, and the input byte that it is."""
    if not isinstance(value, Term):
        return value or 0, None
    members = list(call.of.unknowns.members(value.unknowns))
    if len(members) == 1 and members[0].term.eq(value.term):
        what = members[0].what
        return members[0].recorded, what if isinstance(what, InputByte) else None
    pairs = [(one.term, z3.BitVecVal(one.recorded, one.term.size())) for one in members]
    found = z3.simplify(z3.substitute(value.term, *pairs))
    return (found.as_long() if z3.is_bv_value(found) else 0), None
