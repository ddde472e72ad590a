"""When does a comparison or a truth test hold on values that inputs decide?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from whence.frontend.python.values import CONTAINERS, UNKNOWN, Long, Obj, items, truth
from whence.paths.python.formulas import Formula, choice, every, no, precedes, same_texts, some
from whence.paths.python.regex import is_found
from whence.paths.python.site import NO_RULE, Rule, Site
from whence.paths.python.values import (
    AnyValue,
    Counted,
    Found,
    Held,
    Number,
    Real,
    Record,
    Text,
    Truth,
    as_number,
    as_real,
    is_symbolic,
    recorded_value,
    text_of,
    unknowns_of,
)
from whence.program.operations import PyOp

_MAX_TEXTS = 32  # members that a text is compared with; guessed
_MAX_ITEMS = 256  # of a container that is compared item by item; guessed


def truth_of(value: AnyValue) -> Formula | None:
    """Return when a value is true; None if that is not known."""
    if isinstance(value, Truth):
        return value.term
    if isinstance(value, Number):
        return value.term != 0
    if isinstance(value, Real):
        return value.term != 0
    if isinstance(value, Text):
        return bool(value.chars)
    if isinstance(value, Held):
        return bool(value.items)
    if isinstance(value, Counted):
        return (
            value.start.term < value.stop.term
            if value.step > 0
            else value.stop.term < value.start.term
        )
    if isinstance(value, Found):
        return is_found(value)
    return truth(recorded_value(value))


def as_truth(formula: Formula, unknowns: int, value: bool) -> AnyValue:
    """Return a truth value; a plain one if inputs do not decide it."""
    if isinstance(formula, bool):
        # The operands may rest on what is taken as recorded.
        return Truth(z3.BoolVal(formula), unknowns, formula) if unknowns else formula
    return Truth(formula, unknowns, value)


def when_equal(a: AnyValue, b: AnyValue) -> Formula | None:
    """Return when two values are equal; None if that is not known."""
    one, other = text_of(a), text_of(b)
    if one is not None and other is not None:
        is_same_type = type(one.value) is type(other.value)
        return is_same_type and same_texts(one.chars, other.chars)
    one_number, other_number = as_number(a), as_number(b)
    if one_number is not None and other_number is not None:
        if not is_symbolic(a) and not is_symbolic(b):
            return one_number.value == other_number.value
        return one_number.term == other_number.term
    one_real, other_real = as_real(a), as_real(b)
    if one_real is not None and other_real is not None:
        return one_real.term == other_real.term
    held, others = as_held(a), as_held(b)
    if held is not None and others is not None:
        return _equal_containers(held, others)
    if isinstance(a, Record) and isinstance(b, Record):
        is_same = a.is_equal and a.type == b.type
        return _equal_containers(*_as_tuples(a, b)) if is_same else None
    return _equal_types(a, b)


def _as_tuples(a: Record, b: Record) -> tuple[Held, Held]:
    return Held("tuple", a.items), Held("tuple", b.items)


def _equal_types(a: AnyValue, b: AnyValue) -> Formula | None:
    """Return that values of types that are never equal are not equal."""
    kinds = [_kind(recorded_value(one)) for one in (a, b)]
    if None in kinds or kinds[0] == kinds[1]:
        if kinds == ["none", "none"]:
            return True
        return None
    return False


def _kind(value: Any) -> str | None:
    if value is None:
        return "none"
    for kind, types in (("number", (int, float)), ("str", str), ("bytes", bytes)):
        if isinstance(value, types):
            return kind
    if isinstance(value, Long):
        return "number" if value.kind == "int" else value.kind
    if isinstance(value, Obj) and value.kind in CONTAINERS and "." not in value.type:
        return value.kind
    return None


def as_held(value: AnyValue) -> Held | None:
    """Return what a container holds; None if it is none, or not all of it is known."""
    if isinstance(value, Held):
        return value
    plain = recorded_value(value)
    found = items(plain) if isinstance(plain, Obj) and "." not in plain.type else None
    return None if found is None else Held(plain.kind, list(found))


def _equal_containers(a: Held, b: Held) -> Formula | None:
    if a.kind != b.kind or len(a.items) != len(b.items):
        return False
    if a.kind not in ("list", "tuple") or len(a.items) > _MAX_ITEMS:
        return None
    parts = [when_equal(one, other) for one, other in zip(a.items, b.items, strict=True)]
    return None if None in parts else every(parts)


def _less(a: AnyValue, b: AnyValue, *, or_equal: bool) -> Formula | None:
    """Return when a value is less than another one; None if that is not known."""
    one, other = text_of(a), text_of(b)
    if one is not None and other is not None:
        return precedes(one.chars, other.chars, or_equal=or_equal)
    one_number, other_number = as_number(a), as_number(b)
    if one_number is not None and other_number is not None:
        if not is_symbolic(a) and not is_symbolic(b):
            values = one_number.value, other_number.value
            return values[0] <= values[1] if or_equal else values[0] < values[1]
        terms = one_number.term, other_number.term
        return terms[0] <= terms[1] if or_equal else terms[0] < terms[1]
    one_real, other_real = as_real(a), as_real(b)
    if one_real is not None and other_real is not None:
        terms = one_real.term, other_real.term
        return terms[0] <= terms[1] if or_equal else terms[0] < terms[1]
    held, others = as_held(a), as_held(b)
    if held is not None and others is not None and held.kind == others.kind != "dict":
        return _less_items(held.items, others.items, or_equal=or_equal)
    if isinstance(a, Record) and isinstance(b, Record) and a.is_ordered:
        is_same = a.type == b.type
        return _less_items(a.items, b.items, or_equal=or_equal) if is_same else None
    return None


def _less_items(a: Sequence[AnyValue], b: Sequence[AnyValue], *, or_equal: bool) -> Formula | None:
    found: Formula = len(a) < len(b) or (or_equal and len(a) == len(b))
    for one, other in reversed(list(zip(a, b, strict=False))):
        is_equal, is_less = when_equal(one, other), _less(one, other, or_equal=False)
        if is_equal is None or is_less is None:
            return None
        found = choice(is_equal, found, is_less)
    return found


def less(a: AnyValue, b: AnyValue) -> Formula | None:
    """Return when a value is less than another one; None if that is not known."""
    return _less(a, b, or_equal=False)


def note_texts(site: Site, a: AnyValue, b: AnyValue) -> None:
    """Note the constant texts that a text was compared with, itself or with members of a set."""
    for own, other in ((a, b), (b, a)):
        if not isinstance(own, Text) or not is_symbolic(own):
            continue
        held = as_held(other)
        keys = () if held is None else held.items[:: 2 if held.kind == "dict" else 1]
        for one in (other, *keys[:_MAX_TEXTS]):
            if isinstance(one, str | bytes):
                site.compares(own, one)


def is_contained(item: AnyValue, whole: AnyValue) -> Formula | None:
    """Return when an item is in a container or a text; None if that is not known."""
    text, part = text_of(whole), text_of(item)
    if text is not None:
        if part is None:
            return None
        size = len(part.chars)
        starts = range(len(text.chars) - size + 1)
        return some(same_texts(text.chars[k : k + size], part.chars) for k in starts)
    if isinstance(whole, Counted):
        return None
    held = as_held(whole)
    if held is None or len(held.items) > 2 * _MAX_ITEMS:
        return None
    members = held.items[::2] if held.kind == "dict" else held.items
    parts = [when_equal(item, member) for member in members]
    return None if None in parts else some(parts)


def _identical(a: AnyValue, b: AnyValue) -> Formula | None:
    """Return when two values are the same object: known for None and truth values alone."""
    kinds = [_kind(recorded_value(one)) for one in (a, b)]
    if "none" in kinds:
        if isinstance(a, Found) or isinstance(b, Found):
            found = a if isinstance(a, Found) else b
            is_there = is_found(found)
            return None if is_there is None else no(is_there)
        return kinds[0] == kinds[1]
    if isinstance(a, bool | Truth) and isinstance(b, bool | Truth):
        return when_equal(a, b)
    return None


def _not(compare: Callable[[AnyValue, AnyValue], Formula | None]) -> Any:
    def negated(a: AnyValue, b: AnyValue) -> Formula | None:
        found = compare(a, b)
        return None if found is None else no(found)

    return negated


COMPARISONS: dict[PyOp, Callable[[AnyValue, AnyValue], Formula | None]] = {
    PyOp.EQ: when_equal,
    PyOp.NE: _not(when_equal),
    PyOp.LT: less,
    PyOp.LE: lambda a, b: _less(a, b, or_equal=True),
    PyOp.GT: lambda a, b: less(b, a),
    PyOp.GE: lambda a, b: _less(b, a, or_equal=True),
    PyOp.IN: is_contained,
    PyOp.NOTIN: _not(is_contained),
    PyOp.IS: _identical,
    PyOp.ISNOT: _not(_identical),
}


def compared(site: Site, operators: Sequence[PyOp], operands: Sequence[AnyValue]) -> AnyValue:
    """Return the value of a chain of comparisons."""
    if site.raised or not isinstance(site.result, bool):
        return NO_RULE
    parts: list[Formula | None] = []
    for at, operator in enumerate(operators):
        note_texts(site, operands[at], operands[at + 1])
        # A chain ends with its first comparison that does not hold; later operands have no value.
        if operands[at + 1] is UNKNOWN and parts and site.result is False:
            return NO_RULE
        parts.append(COMPARISONS[operator](operands[at], operands[at + 1]))
    if None in parts:
        return NO_RULE
    return as_truth(every(parts), unknowns_of(operands), site.result)


def _negated(site: Site, a: AnyValue) -> AnyValue:
    found = truth_of(a)
    if found is None or not isinstance(site.result, bool):
        return NO_RULE
    return as_truth(no(found), unknowns_of([a]), site.result)


COMPARISON_RULES: dict[PyOp, Rule] = {PyOp.NOT: _negated}
