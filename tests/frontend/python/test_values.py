"""Are the values of a Python run decoded, compared and shown correctly?"""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whence.frontend.python.values import (
    UNKNOWN,
    Long,
    Obj,
    TypeRow,
    Value,
    decode,
    items,
    key,
    likeness,
    python_text,
    same,
    truth,
)

_NAMES = {
    "list": "builtins list list",
    "tuple": "builtins tuple tuple",
    "set": "builtins set set",
    "dict": "builtins dict dict",
    "ordered": "collections OrderedDict dict",
    "token": "sqlparse.sql Token object",
    "color": "app f.<locals>.Color enum",
    "error": "builtins KeyError exception",
    "function": "builtins function function",
    "method": "builtins method method",
    "name": "app Name str",
    "date": "datetime date known",
    "pattern": "re Pattern known",
}
TYPES: dict[int, TypeRow] = {}
for _number, _row in enumerate(_NAMES.values()):
    _module, _name, _kind = _row.split()
    TYPES[_number] = (_module, _name, 100 + _number, (), _kind)
_NUMBERS = {name: number for number, name in enumerate(_NAMES)}


def value(name: str, shape: Any, identity: int = 1) -> Value:
    """Return an object of one of the types in _NAMES."""
    return decode((identity, _NUMBERS[name], shape), TYPES)


plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=3)
)


@settings(deadline=None)
@given(one=plain)
def test_plain_values_are_themselves(one: Value) -> None:
    assert decode(one, {}) is one
    assert same(one, one)
    assert truth(one) is bool(one)
    assert python_text(one, 400) == repr(one)


@settings(deadline=None)
@given(a=plain, b=plain)
def test_plain_values_are_the_same_if_they_look_the_same(a: Value, b: Value) -> None:
    assert same(a, b) is (repr(a) == repr(b))
    assert same(a, b) is (key(a) == key(b))


def test_values_are_compared_more_strictly_than_by_python() -> None:
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same(0.0, -0.0)
    assert same(math.nan, float("nan"))
    assert value("list", (1, (1,))) != value("list", (1, (True,)))
    assert not same(value("list", (1, (1,))), value("list", (1, (1.0,))))


def test_identities_matter_within_a_run_only() -> None:
    a, b = value("list", (1, ("x",)), 1), value("list", (1, ("x",)), 2)
    assert same(a, b)
    assert key(a) != key(b)
    assert same(value("method", ("C.m", 3)), value("method", ("C.m", 4)))
    assert not same(value("method", ("C.m", 3)), value("method", ("C.n", 3)))
    assert not same(value("list", (1, ("x",))), value("tuple", (1, ("x",))))


def test_addresses_do_not_matter_between_runs() -> None:
    one, other = "<Item object at 0x7ffff01a> is late", "<Item object at 0x7ffff0B2> is late"
    assert likeness(one) == likeness(other) != likeness(one.replace("late", "early"))
    assert key(one) != key(other)
    assert likeness(0x7FFFF7000010) == likeness(0x7FFFF7000020) != likeness(0x20)
    assert likeness("0xff") != likeness("0xfe")  # a number, not an address


def test_sets_have_no_order() -> None:
    assert same(value("set", (2, (1.5, None))), value("set", (2, (None, 1.5))))


def test_an_unknown_value_equals_no_value() -> None:
    assert not same(UNKNOWN, UNKNOWN)
    inside = (1, 99, None)  # an object of a type that was not recorded
    assert not same(value("list", (1, (inside,))), value("list", (1, (inside,))))
    assert truth(UNKNOWN) is None


def test_items_are_all_or_none() -> None:
    assert items(value("list", (2, (1, 2)))) == (1, 2)
    assert items(value("dict", (1, ("a", 1)))) == ("a", 1)
    assert items(value("list", (3, (1, 2)))) is None
    assert items(value("list", (2, None))) is None
    assert items(value("list", (0, None))) == ()


def test_the_truth_of_instances_of_user_classes_is_unknown() -> None:
    assert truth(value("list", (0, ()))) is False
    assert truth(value("list", (3, None))) is True
    assert truth(value("error", ("KeyError", ()))) is True
    assert truth(value("ordered", (0, ()))) is None
    assert truth(value("token", None)) is None
    assert truth(value("color", "RED")) is None


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (value("date", "2024, 5, 6"), "date(2024, 5, 6)"),
        (value("date", None), "<date>"),
        (value("pattern", "'a+', flags=2"), "re.compile('a+', flags=2)"),
        (value("list", (3, (1, 2, "x"))), "[1, 2, 'x']"),
        (value("list", (14, tuple(range(12)))), f"{[*range(12)]!r}"[:-1] + ", …] (14 items)"),
        (value("list", (3, ("x" * 40, "y" * 40, 1))), f"['{'x' * 40}', …] (3 items)"),
        (value("list", (2, ("…", 1))), "['…', 1]"),
        (value("list", (5, None)), "[…]"),
        (value("tuple", (1, (1,))), "(1,)"),
        (value("set", (0, ())), "set()"),
        (value("dict", (1, ("a", (2, 0, (4, None))))), "{'a': […]}"),
        (value("ordered", (1, ("a", 1))), "OrderedDict({'a': 1})"),
        (value("ordered", (0, ())), "OrderedDict()"),
        (value("token", None), "<Token>"),
        (value("color", "RED"), "Color.RED"),
        (value("error", ("KeyError", ("x",))), "KeyError('x')"),
        (value("function", "outer.<locals>.f"), "f"),
        (value("method", ("Token.match", 7)), "Token.match"),
        (value("name", "x"), "Name('x')"),
        (decode(("long", "str", 5000, "ab" * 128, 7), {}), f"'{'ab' * 28}…' (5000 characters)"),
        (Long("int", 9000, None, 7), "<int> (9000 bits)"),
        (UNKNOWN, "?"),
    ],
)
def test_values_look_like_python(one: Value, text: str) -> None:
    assert python_text(one) == text


@settings(deadline=None)
@given(one=st.text(max_size=200), most=st.integers(10, 80))
def test_shown_text_is_short(one: str, most: int) -> None:
    assert len(python_text(one, most)) <= most + 1


@settings(deadline=None)
@given(identity=st.integers(1, 2**47))
def test_no_address_is_shown(identity: int) -> None:
    assert python_text(Obj(identity, "object", "m.C", None)) == "<C>"
