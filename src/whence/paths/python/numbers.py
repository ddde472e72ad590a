"""What does the arithmetic of Python give on numbers that inputs decide?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from whence.paths.python.formulas import every
from whence.paths.python.site import NO_RULE, Rule, Site
from whence.paths.python.values import (
    AnyValue,
    Number,
    Real,
    Text,
    Truth,
    as_number,
    as_real,
    recorded_value,
    text_of,
)
from whence.program.operations import PyOp

_BITS = 64  # numbers of bit operations must fit into so many bits; else they are pinned
_MAX_POWER = 8  # exponents up to this become products; guessed
_MAX_REPEATED = 4096  # characters of a repeated text; guessed


def number(term: Any, *parts: Number, value: int) -> Number:
    """Return a number that is made from others."""
    unknowns = 0
    for part in parts:
        unknowns |= part.unknowns
    return Number(term, unknowns, value)


def quotient(a: Any, b: Any) -> Any:
    """Return Python's floor division of terms; the solver's rounds otherwise for a negative b."""
    if z3.is_int_value(b):
        return a / b if b.as_long() > 0 else (-a) / (-b)
    return z3.If(b > 0, a / b, (-a) / (-b))


def _plain(compute: Callable[[Any, Any], Any]) -> Rule:
    def rule(_: Site, a: AnyValue, b: AnyValue) -> AnyValue:
        one, other = as_number(a), as_number(b)
        if one is None or other is None:
            return NO_RULE
        value = compute(one.value, other.value)
        return number(compute(one.term, other.term), one, other, value=value)

    return rule


def _real(compute: Callable[[Any, Any], Any]) -> Rule:
    def rule(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
        one, other = as_real(a), as_real(b)
        if one is None or other is None or not isinstance(site.result, float):
            return NO_RULE
        term = compute(one.term, other.term)
        return Real(term, one.unknowns | other.unknowns, site.result)

    return rule


def _first(*rules: Rule) -> Rule:
    """Return a rule that tries some rules, one after the other."""

    def rule(site: Site, *operands: AnyValue) -> AnyValue:
        for one in rules:
            found = one(site, *operands)
            if found is not NO_RULE:
                return found
        return NO_RULE

    return rule


def _divided(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    one, other = as_number(a), as_number(b)
    if one is None or other is None:
        return NO_RULE
    if not site.defined(other.term != 0, other.unknowns, "ZeroDivisionError"):
        return None
    value = one.value // other.value
    return number(quotient(one.term, other.term), one, other, value=value)


def _remainder(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    one, other = as_number(a), as_number(b)
    if one is None or other is None:
        return NO_RULE
    if not site.defined(other.term != 0, other.unknowns, "ZeroDivisionError"):
        return None
    if z3.is_int_value(other.term) and other.value > 0:
        return number(one.term % other.term, one, other, value=one.value % other.value)
    term = one.term - other.term * quotient(one.term, other.term)
    return number(term, one, other, value=one.value % other.value)


def _true_divided(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    one, other = as_real(a), as_real(b)
    if one is None or other is None:
        return NO_RULE
    if not site.defined(other.term != 0, other.unknowns, "ZeroDivisionError"):
        return None
    return Real(one.term / other.term, one.unknowns | other.unknowns, site.result)


def _power(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    one, exponent = as_number(a), recorded_value(b)
    if one is None or not isinstance(exponent, int) or not 0 <= exponent <= _MAX_POWER:
        return NO_RULE
    site.fixed(b)
    term: Any = z3.IntVal(1)
    for _ in range(exponent):
        term = term * one.term
    return number(term, one, value=one.value**exponent)


def _shifted(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    one, count = as_number(a), recorded_value(b)
    if one is None or not isinstance(count, int) or not 0 <= count <= _BITS:
        return NO_RULE
    site.fixed(b)
    return number(one.term * 2**count, one, value=one.value << count)


def _shifted_back(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    one, count = as_number(a), recorded_value(b)
    if one is None or not isinstance(count, int) or not 0 <= count <= _BITS:
        return NO_RULE
    site.fixed(b)
    return number(one.term / z3.IntVal(2**count), one, value=one.value >> count)


def _truths(combine: Callable[..., Any], one: Number, other: Number, value: bool) -> Truth:
    return Truth(combine(one.term != 0, other.term != 0), one.unknowns | other.unknowns, value)


def _bits(compute: Callable[[Any, Any], Any], combine: Callable[..., Any]) -> Rule:
    def rule(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
        one, other = as_number(a), as_number(b)
        if one is None or other is None:
            return NO_RULE
        if isinstance(site.result, bool):
            return _truths(combine, one, other, site.result)
        value = compute(one.value, other.value)
        if max(abs(one.value), abs(other.value)) >= 2 ** (_BITS - 1):
            return NO_RULE
        limit = 2 ** (_BITS - 1)
        parts = [z3.And(part.term >= -limit, part.term < limit) for part in (one, other)]
        site.shape(every(parts), one.unknowns | other.unknowns, "64 bits")
        bits = compute(z3.Int2BV(one.term, _BITS), z3.Int2BV(other.term, _BITS))
        return number(z3.BV2Int(bits, is_signed=True), one, other, value=value)

    return rule


def _masked(_: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    """`x & 7` is a remainder."""
    for one, mask in ((a, b), (b, a)):
        known = as_number(one)
        if known is not None and type(mask) is int and mask >= 0 and mask & (mask + 1) == 0:
            return number(known.term % (mask + 1), known, value=known.value & mask)
    return NO_RULE


def _joined(_: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    one, other = text_of(a), text_of(b)
    if one is None or other is None or type(one.value) is not type(other.value):
        return NO_RULE
    unknowns = one.unknowns | other.unknowns
    return Text(one.chars + other.chars, unknowns, one.value + other.value)


def _repeated(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    for whole, count in ((a, b), (b, a)):
        text, times = text_of(whole), recorded_value(count)
        if text is None or not isinstance(times, int) or times * len(text.chars) > _MAX_REPEATED:
            continue
        site.fixed(count)
        return Text(text.chars * times, text.unknowns, text.value * times)
    return NO_RULE


def _negative(_: Site, a: AnyValue) -> AnyValue:
    if isinstance(a, Real):
        return Real(-a.term, a.unknowns, -a.value)
    one = as_number(a)
    return NO_RULE if one is None else number(-one.term, one, value=-one.value)


def _positive(_: Site, a: AnyValue) -> AnyValue:
    return as_number(a) or NO_RULE


def _inverted(_: Site, a: AnyValue) -> AnyValue:
    one = as_number(a)
    return NO_RULE if one is None else number(-one.term - 1, one, value=~one.value)


NUMBER_RULES: dict[PyOp, Rule] = {
    PyOp.ADD: _first(_plain(lambda a, b: a + b), _real(lambda a, b: a + b), _joined),
    PyOp.SUB: _first(_plain(lambda a, b: a - b), _real(lambda a, b: a - b)),
    PyOp.MUL: _first(_plain(lambda a, b: a * b), _real(lambda a, b: a * b), _repeated),
    PyOp.FLOORDIV: _divided,
    PyOp.MOD: _remainder,
    PyOp.TRUEDIV: _true_divided,
    PyOp.POW: _power,
    PyOp.SHL: _shifted,
    PyOp.SHR: _shifted_back,
    PyOp.BITAND: _first(_masked, _bits(lambda a, b: a & b, z3.And)),
    PyOp.BITOR: _bits(lambda a, b: a | b, z3.Or),
    PyOp.BITXOR: _bits(lambda a, b: a ^ b, z3.Xor),
    PyOp.NEG: _negative,
    PyOp.POS: _positive,
    PyOp.INVERT: _inverted,
}
