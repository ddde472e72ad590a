"""How does a number depend on the text that spells it?

The number itself is the unknown, and not its digits: a solution may have more digits than the
text had.  Only where other code looks at the digits, too, number and digits are tied together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import z3

from whence.inputs import InputByte
from whence.paths.c.calls import LibraryCall
from whence.paths.c.values import Value
from whence.paths.terms import Fact, NumberText, Term
from whence.program.rows import WRITE

_SPACE = frozenset(b" \t\n\v\f\r")
_DIGITS = frozenset(b"0123456789")
_MAX_DIGITS = 18  # of a number that surely fits into 64 bits
_WIDTH = 64


class Spelled(NamedTuple):
    """A number in a text: spaces, a sign, digits."""

    start: int  # of the sign or the first digit
    stop: int
    value: int


def spelled(text: bytes, start: int = 0, longest: int | None = None) -> Spelled | None:
    """Return the decimal number at a place of a text; None if there is none, or it is too long."""
    at = start
    while at < len(text) and text[at] in _SPACE:
        at += 1
    first = at
    limit = len(text) if longest is None else min(len(text), first + longest)
    if at < limit and text[at] in b"+-":
        at += 1
    digits = at
    while at < limit and text[at] in _DIGITS:
        at += 1
    if at == digits or at - digits > _MAX_DIGITS:
        return None
    return Spelled(first, at, int(text[first:at]))


def number_term(
    call: LibraryCall,
    origins: Sequence[InputByte],
    text: bytes,
    value: int,
    limits: tuple[int, int],
) -> Term:
    """Return the term of a number that these bytes of one source spell.

    `origins` are its bytes and then, if there is one, the byte that ended it.
    """
    unknowns = call.of.unknowns
    what = NumberText(origins[0].source, origins[0].offset, origins[0].offset + len(text))
    is_new = what not in unknowns
    term = unknowns.number(what, _WIDTH, value & (1 << _WIDTH) - 1)
    low, high = (z3.BitVecVal(limit, _WIDTH) for limit in limits)
    unknowns.add_fact(what, Fact(z3.And(term.term >= low, term.term <= high), term.unknowns))
    if is_new:
        unknowns.of(what).spelling = _spelling(call, term, text, origins)
    return term


def _spelling(call: LibraryCall, number: Term, text: bytes, origins: Sequence[InputByte]) -> Fact:
    """Return what holds of a number and its digits, if the text keeps its length and its sign."""
    formulas: list[Any] = []
    members = number.unknowns
    total: Any = z3.BitVecVal(0, _WIDTH)
    for origin, byte in zip(origins, text, strict=False):
        value = call.of.byte(origin)
        if not isinstance(value, Term):
            continue
        members |= value.unknowns
        if byte in _DIGITS:
            formulas += [z3.UGE(value.term, ord("0")), z3.ULE(value.term, ord("9"))]
            total = total * 10 + z3.ZeroExt(_WIDTH - 8, value.term - ord("0"))
        else:
            formulas.append(value.term == byte)
    if len(origins) > len(text):
        end = call.of.byte(origins[len(text)])
        if isinstance(end, Term):
            members |= end.unknowns
            is_digit = z3.And(z3.UGE(end.term, ord("0")), z3.ULE(end.term, ord("9")))
            formulas.append(z3.Not(is_digit))
    total = -total if text.startswith(b"-") else total
    if not any(byte in _DIGITS for byte in text):
        formulas += [number.term == 0]
    else:
        formulas.append(number.term == total)
    return Fact(z3.And(formulas), members)


def limits_of(width: int, *, is_signed: bool) -> tuple[int, int]:
    """Return the least and the greatest number that is read without an overflow."""
    if is_signed:
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << min(width, _WIDTH - 1)) - 1


def parsed(call: LibraryCall) -> bool:
    """atoi, strtol and the like."""
    address = call.recorded(0)
    has_end = call.name.startswith("strto")
    if has_end and call.recorded(2) not in (0, 10):
        return False
    found = _text_at(call, address)
    if found is None:
        return False
    text, origins = found
    number = spelled(text)
    if number is None or (has_end and call.recorded(2) == 0 and _is_octal(text, number)):
        return not has_end and _no_number(call, text, origins)
    end = number.stop
    if not all(isinstance(origin, InputByte) for origin in origins[number.start : end]):
        return not any(_is_free(call, origin) for origin in origins[number.start : end])
    used = [origin for origin in origins[number.start : end + 1] if isinstance(origin, InputByte)]
    if not _is_free(call, used[0]):
        return True
    width = call.width
    limits = limits_of(width, is_signed="u" not in call.name.removeprefix("strto")[:1])
    term = number_term(call, used, text[number.start : end], number.value, limits)
    cut = term.term if width == _WIDTH else z3.Extract(width - 1, 0, term.term)
    if has_end and call.recorded(1):
        _set_end(call, address + end)
    return call.returns(Term(cut, term.unknowns))


def _is_octal(text: bytes, number: Spelled) -> bool:
    digits = text[number.start : number.stop].lstrip(b"+-")
    return digits.startswith(b"0") and (
        len(digits) > 1 or text[number.stop : number.stop + 1] in b"xX"
    )


def _set_end(call: LibraryCall, address: int) -> None:
    """The pointer behind the number is as recorded, wherever the text ends then."""
    for number in call.flow.queries.effects_of(call.step):
        row = call.flow.thread.stream.effects[number]
        if row["kind"] == WRITE and int(row["len"]) == 8:
            for k, byte in enumerate(address.to_bytes(8, "little")):
                call.of.written[call.step, int(row["addr"]) + k] = byte


def _no_number(call: LibraryCall, text: bytes, origins: Sequence[InputByte | None]) -> bool:
    """A text that spells no number counts as 0; all of it may become a number."""
    used = [origin for origin in origins[: len(text)] if isinstance(origin, InputByte)]
    is_whole = len(used) == len(text) and text and all(_is_free(call, one) for one in used)
    if not is_whole or call.result != 0:
        return False
    limits = limits_of(call.width, is_signed=True)
    term = number_term(call, used, text, 0, limits)
    cut = term.term if call.width == _WIDTH else z3.Extract(call.width - 1, 0, term.term)
    return call.returns(Term(cut, term.unknowns))


def _is_free(call: LibraryCall, origin: InputByte | None) -> bool:
    return origin is not None and origin.source in call.of.free


def _text_at(call: LibraryCall, address: int) -> tuple[bytes, list[InputByte | None]] | None:
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
