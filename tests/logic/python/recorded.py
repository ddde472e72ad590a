"""Values as the recorder would have logged them, and strategies for operations on them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from hypothesis import strategies as st

from whence.frontend.python.values import Obj, TypeRow, Value, decode
from whence.program.operations import PyOp

Strategy = st.SearchStrategy[Any]


class Word(str):
    """A str whose methods return something else."""

    __slots__ = ()

    def startswith(self, *_: Any) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int)

    __hash__ = str.__hash__


class Odd:
    """An object that overrides every operator with an unusual result."""

    def __eq__(self, other: object) -> bool:
        return not isinstance(other, str)

    def __hash__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        return False

    def __add__(self, _: object) -> int:
        return 1

    __radd__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __add__

    def __index__(self) -> int:
        return 1

    def __str__(self) -> str:
        return "odd"


class Color(Enum):
    RED = 1


_KINDS: dict[type, str] = {
    list: "list", tuple: "tuple", set: "set", frozenset: "set", dict: "dict", Word: "str",
    Color: "enum", type: "class", type(len): "builtin", range: "object", complex: "object",
}  # fmt: skip


def recorded(value: Any) -> Value:
    """Return the value that is read back from the token which the recorder writes."""
    types: dict[int, TypeRow] = {}
    return decode(_token(value, types, inside=False), types)


def _token(value: Any, types: dict[int, TypeRow], *, inside: bool) -> Any:
    kind = type(value)
    if kind in (bool, int, float, str, bytes, type(None)):
        if isinstance(value, str | bytes) and len(value) > 4096:
            return "long", kind.__name__, len(value), value[:256], hash(value)
        if isinstance(value, int) and value.bit_length() > 4096:
            return "long", "int", value.bit_length(), None, hash(value)
        return value
    named = "exception" if isinstance(value, BaseException) else _KINDS.get(kind, "object")
    types[id(kind)] = kind.__module__, kind.__qualname__, id(kind), (), named
    return id(value), id(kind), _shape(value, named, types, inside=inside)


def _shape(value: Any, kind: str, types: dict[int, TypeRow], *, inside: bool) -> Any:
    if kind == "exception":
        return type(value).__qualname__, tuple(
            _token(one, types, inside=True) for one in value.args
        )
    if kind in ("list", "tuple", "set", "dict"):
        if inside:
            return len(value), None
        if kind == "set" and all(type(one) in (str, int) for one in value):
            value = sorted(value, key=repr)
        first = list(value.items() if kind == "dict" else value)[:12]
        flat = [one for pair in first for one in pair] if kind == "dict" else first
        return len(value), tuple(_token(one, types, inside=True) for one in flat)
    if kind == "str":
        return str.__str__(value)
    return value.name if isinstance(value, Color) else getattr(value, "__qualname__", None)


def outcome(compute: Callable[[], Any]) -> Value:
    """Return what Python computes, or the exception that it raises."""
    try:
        return recorded(compute())
    except Exception as error:
        return recorded(error)


# --- values -------------------------------------------------------------------------------------

bools = st.booleans()
ints = st.integers(-4, 9) | st.integers() | st.sampled_from([2**63, -(2**64)])
floats = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, float("inf"), float("nan")]) | st.floats()
strs = st.text("ab 1é\\u{}%s", max_size=4) | st.text(max_size=3)
byte_strings = st.binary(max_size=3)
plain = st.one_of(st.none(), bools, ints, floats, strs, byte_strings)
hashable = plain | st.tuples(ints) | st.just(Color.RED) | st.builds(Odd)
anything_small = hashable | st.lists(ints, max_size=2) | st.builds(Word, strs)
tuples = st.lists(anything_small, max_size=4).map(tuple) | st.lists(ints, max_size=15).map(tuple)
lists = tuples.map(list)
sets = st.sets(ints | strs | floats, max_size=14) | st.frozensets(hashable, max_size=3)
dicts = st.dictionaries(hashable, anything_small, max_size=4) | st.dictionaries(
    ints, ints, max_size=15
)
anything = st.one_of(anything_small, tuples, lists, sets, dicts)

BINARY: dict[PyOp, Callable[[Any, Any], Any]] = {
    PyOp.ADD: lambda a, b: a + b,
    PyOp.SUB: lambda a, b: a - b,
    PyOp.MUL: lambda a, b: a * b,
    PyOp.TRUEDIV: lambda a, b: a / b,
    PyOp.FLOORDIV: lambda a, b: a // b,
    PyOp.MOD: lambda a, b: a % b,
    PyOp.POW: lambda a, b: a**b,
    PyOp.MATMUL: lambda a, b: a @ b,
    PyOp.SHL: lambda a, b: a << b,
    PyOp.SHR: lambda a, b: a >> b,
    PyOp.BITAND: lambda a, b: a & b,
    PyOp.BITOR: lambda a, b: a | b,
    PyOp.BITXOR: lambda a, b: a ^ b,
    PyOp.EQ: lambda a, b: a == b,
    PyOp.NE: lambda a, b: a != b,
    PyOp.LT: lambda a, b: a < b,
    PyOp.LE: lambda a, b: a <= b,
    PyOp.GT: lambda a, b: a > b,
    PyOp.GE: lambda a, b: a >= b,
    PyOp.IS: lambda a, b: a is b,
    PyOp.ISNOT: lambda a, b: a is not b,
    PyOp.IN: lambda a, b: a in b,
    PyOp.NOTIN: lambda a, b: a not in b,
    PyOp.ITEM: lambda a, b: a[b],
}
UNARY: dict[PyOp, Callable[[Any], Any]] = {
    PyOp.NEG: lambda a: -a,
    PyOp.POS: lambda a: +a,
    PyOp.INVERT: lambda a: ~a,
    PyOp.NOT: lambda a: not a,
    PyOp.TRUTH: lambda a: bool(a),
}


def is_exception(value: Value) -> bool:
    return isinstance(value, Obj) and value.kind == "exception"
