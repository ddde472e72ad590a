"""What is a Python value to the solver?

The types are those of the run: a value that was an int is an unbounded Int, a bool is a Bool, a
short str is a String, a tuple is its items, and an exception is its type and its identity.  Every
other value is a number that stands for it: two such values can only be equal or not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import z3

from whence.frontend.python.values import UNKNOWN, Obj, Value, items, key, likeness

MAX_TEXT = 256  # limit on characters of a str that the solver sees; guessed
_MAX_CHARACTER = 0x2FFFF  # highest code point of the solver's strings
_NUMBERS = ("int", "bool")


@dataclass(frozen=True, slots=True, eq=False)
class PythonTerm:
    """A value to the solver: an expression of one sort, or a tuple of parts."""

    sort: str  # "int", "bool", "str", "tuple", "exception" or "other"
    value: Value  # the value in the run, or UNKNOWN
    z3: Any = None
    parts: tuple[
        PythonTerm, ...
    ] = ()  # the items of a tuple; the type and the identity of an exception


def variable_term(name: str, value: Value) -> PythonTerm:
    """Return a variable of the type of `value`."""
    sort = sort_of(value)
    if sort in ("tuple", "exception"):
        parts = (variable_term(f"{name}.{at}", part) for at, part in enumerate(_parts(value)))
        return PythonTerm(sort, value, None, tuple(parts))
    return PythonTerm(sort, value, z3.Const(name, _Z3_SORTS[sort]()))


def python_literal(value: Value) -> PythonTerm:
    """Return the term of a known value."""
    sort = sort_of(value)
    if sort in ("tuple", "exception"):
        return PythonTerm(sort, value, None, tuple(map(python_literal, _parts(value))))
    return PythonTerm(sort, value, _LITERALS[sort](value))


def sort_of(value: Value) -> str:
    """Return the sort of the term for a value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, str):
        is_seen = len(value) <= MAX_TEXT and all(
            ord(character) <= _MAX_CHARACTER for character in value
        )
        return "str" if is_seen else "other"
    if isinstance(value, Obj) and value.kind == "exception":
        return "exception"
    is_tuple = isinstance(value, Obj) and value.type == "tuple" and items(value) is not None
    return "tuple" if is_tuple else "other"


def equal(a: PythonTerm, b: PythonTerm) -> Any:
    """Return the constraint that two terms are the same value."""
    if a.sort != b.sort or len(a.parts) != len(b.parts):
        return z3.BoolVal(False)
    if a.z3 is None:
        return z3.And([equal(one, other) for one, other in zip(a.parts, b.parts, strict=True)])
    return a.z3 == b.z3


def differs(term: PythonTerm, value: Value) -> Any:
    """Return the constraint that a term is not `value`.

    An exception differs from another if its type does.
    """
    other = python_literal(value)
    if term.sort == other.sort == "exception":
        return z3.Not(equal(term.parts[0], other.parts[0]))
    return z3.Not(equal(term, other))


def is_true(term: PythonTerm) -> Any:
    """Return the constraint that a term is true, or None if unknown."""
    if term.sort == "bool":
        return term.z3
    if term.sort == "int":
        return term.z3 != 0
    return term.z3 != z3.StringVal("") if term.sort == "str" else None


def _parts(value: Value) -> tuple[Value, ...]:
    """Return the items of a tuple, or the type and the identity of an exception."""
    assert isinstance(value, Obj)
    if value.kind != "exception":
        return items(value) or ()
    return Obj(0, "class", "type", value.type), Obj(
        value.identity, "object", value.type, value.shape
    )


def _code(value: object) -> Any:
    digest = blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return z3.BitVecVal(int.from_bytes(digest, "little"), 64)


def type_code(name: str) -> Any:
    """Return the number that stands for the class of this name."""
    return object_code(Obj(0, "class", "type", name))


def object_code(value: Value) -> Any:
    """Return the number that stands for a value.

    An object keeps its number when its contents change.
    """
    if isinstance(value, Obj):
        return _code((value.type, value.identity) if value.identity else likeness(value))
    return _code(key(value))


def text_literal(value: str) -> Any:
    return z3.StringVal(value.replace("\\", r"\u{5c}"))  # a plain backslash would begin an escape


_Z3_SORTS: dict[str, Callable[[], Any]] = {
    "int": z3.IntSort,
    "bool": z3.BoolSort,
    "str": z3.StringSort,
    "other": lambda: z3.BitVecSort(64),
}
_LITERALS: dict[str, Callable[[Any], Any]] = {
    "int": z3.IntVal,
    "bool": z3.BoolVal,
    "str": text_literal,
    "other": object_code,
}


def int_term(found: Any) -> PythonTerm:
    return PythonTerm("int", UNKNOWN, found)


def bool_term(found: Any) -> PythonTerm | None:
    return None if found is None else PythonTerm("bool", UNKNOWN, found)


def str_term(found: Any) -> PythonTerm:
    return PythonTerm("str", UNKNOWN, found)


def number_of(term: PythonTerm) -> Any:
    """Return an int or a bool as an expression of sort Int."""
    return z3.If(term.z3, z3.IntVal(1), z3.IntVal(0)) if term.sort == "bool" else term.z3


def are_numbers(*terms: PythonTerm) -> bool:
    return all(term.sort in _NUMBERS for term in terms)


def are_texts(*terms: PythonTerm) -> bool:
    return all(term.sort == "str" for term in terms)


def constant_of(term: PythonTerm) -> int | None:
    """Return the value of an int literal, or None for other terms."""
    found = z3.simplify(number_of(term)) if are_numbers(term) else None
    return found.as_long() if found is not None and z3.is_int_value(found) else None


def is_none_literal(term: PythonTerm) -> bool:
    return term.value is None and z3.is_bv_value(term.z3)
