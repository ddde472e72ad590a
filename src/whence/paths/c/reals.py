"""How does a floating-point number depend on the text that spells it?"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Sequence
from typing import Any

import z3

from whence.inputs import InputByte
from whence.paths.c.calls import LibraryCall
from whence.paths.c.numbers import (
    end_behind,
    is_digit,
    is_free,
    no_number,
    past_space,
    require_match,
    require_range,
    set_end,
    text_at,
)
from whence.paths.terms import Fact, RealText, Term

REAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WIDEST = {64: (sys.float_info.min, sys.float_info.max), 32: (2.0**-126, 2.0**128 - 2.0**104)}
_REAL_WIDTHS = {"strtod": 64, "atof": 64, "strtof": 32}


def parsed_real(call: LibraryCall) -> bool:
    """atof, strtod and strtof, where the text is a decimal number."""
    address = call.recorded(0)
    found = text_at(call, address)
    if found is None:
        return False
    text, origins = found
    start = past_space(text, 0)
    number = REAL.match(text, start)
    if number is None or text[start : start + 3].lower() in (b"inf", b"nan", b"0x"):
        return no_number(call, text, origins, begins_real, has_end=call.name != "atof")
    end = number.end()
    used = origins[start : end + 1]
    own = [origin for origin in used if isinstance(origin, InputByte)]
    if len(own) < end - start or not is_free(call, own[0]):
        return not any(is_free(call, origin) for origin in origins[start:end])
    if call.name != "atof":
        spaces = origins[:start]
        require_match(call, own, end - start, b"x", begins_real, is_matched=True, spaces=spaces)
        if call.recorded(1):
            set_end(call, address + end)
    width = _REAL_WIDTHS[call.name]
    is_in_range = is_moderate(text[start:end], width)
    other = b"1e999" if is_in_range else b"1"
    require_range(call, own, text[start:end], other, is_in_range=is_in_range)
    return call.returns(real_term(call, own, text[start:end], width)) if is_in_range else True


def is_moderate(text: bytes, width: int) -> bool:
    """Is a number neither too large nor too small for a float of this width?"""
    low, high = _WIDEST[width]
    return low <= abs(float(text)) <= high or not re.search(rb"[1-9]", re.split(rb"[eE]", text)[0])


def begins_real(terms: Sequence[Any]) -> Any:
    """Return whether bytes begin with a decimal number, as far as its first three bytes tell."""
    if not terms:
        return z3.BoolVal(False)
    first, *rest = terms
    point = z3.And(first == ord("."), is_digit(rest[0], 10)) if rest else z3.BoolVal(False)
    is_sign = z3.Or(first == ord("+"), first == ord("-"))
    signed = z3.And(is_sign, begins_real(rest)) if rest else z3.BoolVal(False)
    return z3.Or(is_digit(first, 10), point, signed)


def real_term(call: LibraryCall, origins: Sequence[InputByte], text: bytes, width: int) -> Term:
    """Return the term of the floating-point number that these bytes of one source spell.

    Other code that looks at its digits fixes it.
    """
    unknowns = call.of.unknowns
    what = RealText(origins[0].source, origins[0].offset, origins[0].offset + len(text))
    is_new = what not in unknowns
    letter, whole = ("<d", "<Q") if width == 64 else ("<f", "<I")
    value = struct.unpack(whole, struct.pack(letter, float(text)))[0]
    term = unknowns.number(what, width, value)
    if is_new:
        ones = (1 << 11) - 1 if width == 64 else (1 << 8) - 1
        low = 52 if width == 64 else 23
        exponent, rest = z3.Extract(width - 2, low, term.term), z3.Extract(low - 1, 0, term.term)
        is_normal = z3.And(exponent != ones, z3.Or(exponent != 0, rest == 0))
        unknowns.add_fact(what, Fact(is_normal, term.unknowns))
        unknowns.of(what).spell = lambda: _real_spelling(call, term, text, origins, value)
        end_behind(call, what, origins[len(text) :], _continues_real)
    return term


def _real_spelling(
    call: LibraryCall, number: Term, text: bytes, origins: Sequence[InputByte], value: int
) -> Fact:
    """Return that a number is as recorded, and its text is."""
    same: list[Any] = [number.term == value]
    members = number.unknowns
    for origin, byte in zip(origins, text, strict=False):
        found = call.of.byte(origin)
        if isinstance(found, Term):
            members |= found.unknowns
            same.append(found.term == byte)
    return Fact(z3.And(same), members)


def _continues_real(byte: Any) -> Any:
    """Could a byte behind a decimal number belong to it?"""
    return z3.Or([byte == other for other in b"0123456789.eE"])
