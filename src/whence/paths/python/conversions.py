"""How do numbers become texts, and texts numbers, if inputs decide them?"""

from __future__ import annotations

import re
from typing import Any

import z3

from whence.paths.python import chars as classes
from whence.paths.python.formulas import every, in_ranges, no
from whence.paths.python.regex import is_found
from whence.paths.python.site import NO_RULE, Site
from whence.paths.python.values import (
    AnyValue,
    Found,
    Number,
    Real,
    Text,
    Truth,
    as_number,
    as_real,
    recorded_value,
    text_of,
)

_DIGITS = r"\d+(?:_\d+)*"
_PLAIN_INT = re.compile(r"[+-]?[0-9]+")
_INT = re.compile(rf"\s*[+-]?{_DIGITS}\s*")
_FLOAT = re.compile(
    rf"\s*[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?\s*"
    r"|\s*[+-]?(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])\s*"
)
_PLAIN_FLOAT = re.compile(r"[+-]?(\d*)(?:\.(\d*))?")
_MAX_DIGITS = 40  # of a number that is written as a text; guessed


def to_int(site: Site, value: AnyValue = 0, *more: AnyValue) -> AnyValue:
    """int()"""
    if more:
        return _in_base(site, value, *more)
    if isinstance(value, Real):
        cut = z3.If(value.term >= 0, z3.ToInt(value.term), -z3.ToInt(-value.term))
        return Number(cut, value.unknowns, int(value.value))
    known = as_number(value)
    if known is not None:
        return known
    text = text_of(value)
    return NO_RULE if text is None else _spelled_int(site, text)


def _spelled_int(site: Site, text: Text) -> AnyValue:
    if site.raised:
        return _no_number(site, text)
    if _PLAIN_INT.fullmatch(text.value.strip()) if isinstance(text.value, str) else None:
        whole = _whole_number(site, text)
        if whole is not None:
            return whole
    digits, sign = _shaped(site, text)
    term: Any = z3.IntVal(0)
    for char in digits:
        term = term * 10 + (char - 48)
    return Number(-term if sign == "-" else term, text.unknowns, site.result)


def _whole_number(site: Site, text: Text) -> Number | None:
    """Return a number of which any may stand in the input, with any number of digits."""
    size = len(text.value)
    start = size - len(text.value.lstrip())
    core = text.part(start, start + len(text.value.strip()))
    sign = core.value[:1] if core.value[:1] in "+-" else ""
    digits = core.part(len(sign), len(core.value))
    term: Any = z3.IntVal(0)
    for char in digits.chars:
        term = term * 10 + (char - 48)
    parts = [classes.is_digit(char) for char in digits.chars]
    if sign:
        parts.append(core.chars[0] == ord(sign))
    around = start, size - start - len(core.value)
    found = site.number(core, every(parts), -term if sign == "-" else term)
    is_number = is_found(Found(_PLAIN_INT, "fullmatch", core, None))
    if found is None or not site.matches(core, is_number, ("number", around), other=b"x"):
        return None
    spaces = every(map(classes.is_space, [*text.chars[:start], *text.chars[size - around[1] :]]))
    site.shape(spaces, text.unknowns, around, raises=True)
    return found


def _no_number(site: Site, text: Text) -> AnyValue:
    """Add the condition that a text does not spell a whole number."""
    accepted = is_found(Found(_INT, "fullmatch", text, None))
    if accepted is None or site.raised != "ValueError":
        return NO_RULE
    if not site.matches(text, accepted, "raised", other=b"0", is_matched=False):
        site.shape(no(accepted), text.unknowns, "raised", raises=True)
    return None


def _rejected(site: Site, pattern: re.Pattern[str], text: Text) -> AnyValue:
    """Add the condition that a text does not spell a number."""
    accepted = is_found(Found(pattern, "fullmatch", text, None))
    if accepted is None or site.raised != "ValueError":
        return NO_RULE
    site.shape(no(accepted), text.unknowns, "raised", raises=True)
    return None


def _shaped(site: Site, text: Text) -> tuple[list[Any], str]:
    """Add the condition that digits, signs and spaces stand where they do; return the digits."""
    digits, parts, shown, sign = [], [], "", ""
    value = text.value if isinstance(text.value, str) else text.value.decode("latin-1")
    for char, known in zip(text.chars, value, strict=True):
        if known.isdigit():
            digits.append(char if not isinstance(char, int) else 48 + int(known))
            parts.append(classes.is_digit(char))
        elif known.isspace():
            parts.append(classes.is_space(char))
        else:
            sign = known if known in "+-" else sign
            parts.append(in_ranges(char, (ord(known), ord(known))))
        shown += "0" if known.isdigit() else " " if known.isspace() else known
    site.shape(every(parts), text.unknowns, shown, raises=True)
    return digits, sign


def _in_base(site: Site, value: AnyValue, base: AnyValue, *more: AnyValue) -> AnyValue:
    text, radix = text_of(value), recorded_value(base)
    is_plain = isinstance(text, Text) and text.value.isalnum() and isinstance(text.value, str)
    if more or not isinstance(text, Text) or not isinstance(radix, int) or not 2 <= radix <= 36:
        return NO_RULE
    if site.raised or not is_plain:
        return NO_RULE
    site.fixed(base)
    term: Any = z3.IntVal(0)
    parts, shown = [], ""
    for char, known in zip(text.chars, text.value, strict=True):
        ranges = _digit_ranges(known, radix)
        if not ranges:
            return NO_RULE
        low, base_value = ranges[0][0], int(ranges[1])
        parts.append(in_ranges(char, ranges[0]))
        shown += chr(low)
        term = term * radix + (char - low + base_value)
    site.shape(every(parts), text.unknowns, shown, raises=True)
    return Number(term, text.unknowns, site.result)


def _digit_ranges(known: str, radix: int) -> tuple[tuple[int, int], int] | None:
    """Return the characters of the same kind that are digits, and the value of the first."""
    code = ord(known)
    for first, value in ((48, 0), (65, 10), (97, 10)):
        last = first + min(9 if first == 48 else 25, radix - 1 - value)
        if first <= code <= last:
            return (first, last), value
    return None


def to_float(site: Site, value: AnyValue = 0.0) -> AnyValue:
    """float()"""
    text = text_of(value)
    if text is None:
        known = as_real(value)
        return NO_RULE if known is None else Real(known.term, known.unknowns, site.result)
    if site.raised:
        return _rejected(site, _FLOAT, text)
    plain = _PLAIN_FLOAT.fullmatch(text.value.strip()) if isinstance(text.value, str) else None
    if plain is None or not any(plain.groups()):
        return NO_RULE
    digits, sign = _shaped(site, text)
    term: Any = z3.RealVal(0)
    for char in digits:
        term = term * 10 + z3.ToReal(char - 48 + z3.IntVal(0))
    term = term / z3.RealVal(10 ** len(plain[2] or ""))
    return Real(-term if sign == "-" else term, text.unknowns, site.result)


def digits_of(site: Site, known: Number) -> Text | None:
    """Return a number as a text in decimal, with as many digits as in the run."""
    shown = str(known.value)
    size = len(shown.lstrip("-"))
    if size > _MAX_DIGITS:
        return None
    is_negative = known.value < 0
    amount = -known.term if is_negative else known.term
    low = 0 if size == 1 and not is_negative else max(10 ** (size - 1), 1)
    site.written(z3.And(amount >= low, amount < 10**size), known.unknowns, (is_negative, size))
    found = [45] if is_negative else []
    for at in reversed(range(size)):
        higher = amount / z3.IntVal(10**at) if at else amount
        found.append(48 + higher % 10)
    return Text(tuple(found), known.unknowns, shown)


def to_str(site: Site, value: AnyValue = "") -> AnyValue:
    """str() of one value, as a format shows it."""
    if isinstance(value, Text) and isinstance(value.value, str):
        return value
    if isinstance(value, Truth):
        site.fixed(value)
        return str(value.value)
    if isinstance(value, Number):
        return digits_of(site, value) or NO_RULE
    return NO_RULE
