"""What does Python find in a container, or cut out of a text?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from whence.frontend.python.values import UNKNOWN, Obj, items
from whence.logic.python.cases import Cases, Rules
from whence.logic.python.comparisons import compare_terms, equals
from whence.logic.python.terms import (
    PythonTerm,
    are_numbers,
    constant_of,
    is_none_literal,
    number_of,
    object_code,
    python_literal,
    str_term,
)
from whence.program.operations import Operation, PyOp


def _family(term: PythonTerm) -> str | None:
    """Return a name such that values with different names are never equal, or None."""
    if isinstance(term.value, int | float):
        return "number"
    is_plain = term.value is None or isinstance(term.value, str | bytes)
    return type(term.value).__name__ if is_plain else None


def _matches(a: PythonTerm, b: PythonTerm) -> Any:
    """Return the constraint that a key or an item matches, or None if unknown."""
    families = _family(a), _family(b)
    if None not in families and families[0] != families[1]:
        return z3.BoolVal(False)
    return equals(a, b)


def _is_hashable(term: PythonTerm) -> bool:
    return _family(term) is not None or (
        term.sort == "tuple" and all(map(_is_hashable, term.parts))
    )


def contents_of(term: PythonTerm) -> tuple[Any, list[PythonTerm]] | None:
    """Return the contents of a container and the condition under which they are these.

    The contents of a dict are key, value, key, value, ...
    """
    if term.sort == "tuple":
        return None, list(term.parts)
    known = items(term.value)
    is_known = isinstance(term.value, Obj) and term.value.type in _KNOWN
    if known is None or not is_known:
        return None
    return term.z3 == object_code(term.value), list(map(python_literal, known))


_KNOWN = ("list", "set", "frozenset", "dict")


def _member(operation: Operation, a: PythonTerm, whole: PythonTerm) -> Cases | PythonTerm | None:
    if whole.sort == "str":
        return compare_terms(operation, a, whole)
    opened = contents_of(whole)
    if opened is None:
        return None
    given, inside = opened
    kind = whole.value.kind if isinstance(whole.value, Obj) else "tuple"
    matches = [_matches(a, item) for item in (inside[::2] if kind == "dict" else inside)]
    if any(match is None for match in matches) or (kind in ("dict", "set") and not _is_hashable(a)):
        return None
    found = z3.Or(matches) if operation.op is PyOp.IN else z3.Not(z3.Or(matches))
    return Cases([(None, PythonTerm("bool", UNKNOWN, found))], given=given)


def _item(_: Operation, whole: PythonTerm, at: PythonTerm) -> Cases | None:
    opened = contents_of(whole)
    if whole.sort == "str" and are_numbers(at):
        return _character(whole, number_of(at))
    if opened is None or not isinstance(whole.value, Obj):
        return None
    given, inside = opened
    kind = whole.value.kind
    if kind == "dict":
        return looked_up(at, inside, given)
    if kind == "set" or not are_numbers(at):
        return None
    n, x = len(inside), number_of(at)
    cases = [(z3.Or(x == k, x == k - n), item) for k, item in enumerate(inside)]
    return Cases(cases, z3.Or(x >= n, x < -n), "IndexError", given)


def _character(whole: PythonTerm, x: Any) -> Cases:
    n = z3.Length(whole.z3)
    found = z3.SubString(whole.z3, z3.If(x < 0, x + n, x), 1)
    return Cases([(None, str_term(found))], z3.Or(x >= n, x < -n), "IndexError")


def looked_up(
    at: PythonTerm, inside: Sequence[PythonTerm], given: Any, default: PythonTerm | None = None
) -> Cases | None:
    """Return the entry whose key is `at`; without one, the default or a KeyError."""
    matches = [_matches(at, item) for item in inside[::2]]
    if any(match is None for match in matches) or not _is_hashable(at):
        return None
    cases = list(zip(matches, inside[1::2], strict=True))
    missing = z3.Not(z3.Or(matches))
    if default is None:
        return Cases(cases, missing, "KeyError", given)
    return Cases([*cases, (missing, default)], given=given)


def _slice(
    _: Operation, whole: PythonTerm, lower: PythonTerm, upper: PythonTerm, step: PythonTerm
) -> PythonTerm | None:
    if whole.sort != "str" or not (is_none_literal(step) or constant_of(step) == 1):
        return None
    n = z3.Length(whole.z3)
    first = z3.IntVal(0) if is_none_literal(lower) else _clamped(lower, n)
    after = n if is_none_literal(upper) else _clamped(upper, n)
    if first is None or after is None:
        return None
    return str_term(
        z3.If(first < after, z3.SubString(whole.z3, first, after - first), z3.StringVal(""))
    )


def _clamped(bound: PythonTerm, n: Any) -> Any:
    if not are_numbers(bound):
        return None
    x = number_of(bound)
    return z3.If(x < 0, z3.If(x + n < 0, z3.IntVal(0), x + n), z3.If(x > n, n, x))


def _tuple(_: Operation, *terms: PythonTerm) -> PythonTerm:
    return PythonTerm("tuple", UNKNOWN, None, terms)


CONTAINER_RULES: Rules = {
    PyOp.IN: _member,
    PyOp.NOTIN: _member,
    PyOp.ITEM: _item,
    PyOp.SLICE: _slice,
    PyOp.TUPLE: _tuple,
}
