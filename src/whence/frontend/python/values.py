"""What was a value of a recorded Python run?

None, bool, int, float, str and bytes stand for themselves.  Every other value is an `Obj`, which
describes the object at the moment of the event.  Python's `==` is too lax for values
(1 == True == 1.0) and too strict (NaN).  Use `same` to compare values of two runs, and `key` to
compare values of one run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

Shape = Any  # a tuple, str, int, float, bytes or None: see Obj
Token = Any  # a value in the form of the log: plain data that `marshal` can read
TypeRow = tuple[str, str, int, tuple[int, ...], str]  # module, qualified name, id, mro, kind

STOP = "\0stop"  # the value of a loop step whose iterable was exhausted
MAX_ITEMS = 12  # limit on the recorded items of a container, as in the recorder; guessed
CONTAINERS = frozenset({"list", "tuple", "set", "dict"})
PLAIN = frozenset({"str", "int", "float", "bytes"})  # kinds of instances of subclasses of these
_NAMED = frozenset({"function", "builtin", "class", "module"})
_ADDRESS = re.compile("0x[0-9a-fA-F]{8,16}")  # of an object, in a text
_ADDRESSES = range(0x7FF0_0000_0000, 0x8000_0000_0000)  # of objects, where recorded runs have them
_UNITS = {"str": "characters", "bytes": "bytes", "int": "bits"}


class Unknown(Enum):
    """A value that was not recorded."""

    UNKNOWN = "?"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True, slots=True)
class Long:
    """A str, bytes or int that is too long to be recorded whole."""

    kind: str  # "str", "bytes" or "int"
    length: int  # characters, bytes or bits
    start: str | bytes | int | None  # the first characters or bytes, or the lowest bits
    digest: Any  # a hash of the whole value


@dataclass(frozen=True, slots=True, eq=False)
class Obj:
    """An object as it was at one moment.

    `shape` depends on `kind`, the kind of the object's type:
    - "list", "tuple", "set", "dict": the length and the first items, for a dict k, v, k, v, ...;
      the items are None if the object was nested in another container.
    - "str", "int", "float", "bytes" (instances of subclasses of these): the plain value.
    - "enum": the name of the member.
    - "function", "builtin", "class", "module": its name.
    - "method": its name and the identity of its object.
    - "exception": the arguments.
    - "known" (a date, a Decimal, a path, a pattern and the like): the arguments that would make
      an equal value, as text.
    - "object": None.
    """

    identity: int  # unique among the objects alive at that moment; 0: computed by whence
    kind: str
    type: str  # qualified name, with its module unless that is builtins
    shape: Shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Obj) and key(self) == key(other)

    def __hash__(self) -> int:
        return hash(key(self))


Value = bool | int | float | str | bytes | Obj | Long | Unknown | None


def decode(token: Token, types: Mapping[int, TypeRow]) -> Value:
    """Return the value that a token of the log stands for."""
    if not isinstance(token, tuple):
        return token  # type: ignore[no-any-return]  # a plain value
    if token[0] == "long":
        return Long(*token[1:])
    identity, number, shape = token
    row = types.get(number)
    if row is None:
        return UNKNOWN
    module, name, _, _, kind = row
    full = name if module == "builtins" else f"{module}.{name}"
    if kind == "known" and shape is None:
        kind = "object"
    if kind in CONTAINERS and shape is None:
        return UNKNOWN  # the container had changed since the log described it
    return Obj(identity, kind, full, _shape(kind, shape, types))


def _shape(kind: str, shape: Any, types: Mapping[int, TypeRow]) -> Shape:
    if kind in CONTAINERS:
        length, elements = shape
        if elements is None and length:
            return length, None
        return length, tuple(decode(element, types) for element in elements or ())
    if kind == "exception":
        return tuple(decode(argument, types) for argument in shape[1] or ())
    if kind in PLAIN and isinstance(shape, tuple):
        return decode(shape, types)  # a `Long`
    return shape


# --- comparison ------------------------------------------------------------------------------


def key(value: Value) -> object:
    """Return a hashable key that is equal for two values of one run if they are the same value."""
    if isinstance(value, Obj):
        return value.identity, *_likeness(value, key)
    return _plain_key(value)


def likeness(value: Value) -> object:
    """Return a key that does not depend on the identities of objects."""
    if isinstance(value, str) and "0x" in value:
        return str, _ADDRESS.sub("0x", value)  # the default `repr` of an object has its address
    if type(value) is int and value in _ADDRESSES:
        return int, "address"
    return _likeness(value, likeness) if isinstance(value, Obj) else _plain_key(value)


def _plain_key(value: Any) -> object:
    if isinstance(value, float):
        return float, repr(value)  # distinguishes 0.0 from -0.0, and makes all NaNs equal
    return type(value), value


def _likeness(value: Obj, of: Any) -> tuple[object, ...]:
    """Return the key of an object without its identity; `of` returns the keys of its parts."""
    shape: object = value.shape
    if isinstance(value.shape, tuple):
        if value.kind == "method":
            shape = value.shape if of is key else value.shape[0]
        elif value.kind in CONTAINERS:
            length, elements = value.shape
            keys = None if elements is None else tuple(map(of, elements))
            shape = length, frozenset(keys) if keys and value.kind == "set" else keys
        else:
            shape = tuple(map(of, value.shape))
    elif not isinstance(value.shape, str):
        shape = _plain_key(value.shape)
    return value.kind, value.type, shape


def same(a: Value, b: Value) -> bool:
    """Are two values of one or two runs equal in type and shape?  Unknown values never are."""
    if type(a) is not type(b) or a is UNKNOWN:
        return False
    if isinstance(a, Obj | float):
        return likeness(a) == likeness(b) and not has_unknown(a)
    return a == b


def has_unknown(value: Value) -> bool:
    """Is the value unknown, or a recorded part of it?"""
    if isinstance(value, Obj):
        return any(map(has_unknown, inner(value)))
    return value is UNKNOWN


def inner(value: Obj) -> tuple[Value, ...]:
    """Return the recorded items of a container (k, v, k, v, ... for a dict) or the recorded
    arguments of an exception."""
    if value.kind in CONTAINERS and isinstance(value.shape, tuple):
        return value.shape[1] or ()
    return value.shape if value.kind == "exception" and isinstance(value.shape, tuple) else ()


def items(value: Value) -> tuple[Value, ...] | None:
    """Return all items of a container (k, v, k, v, ... for a dict); None if some are unknown."""
    if not isinstance(value, Obj) or value.kind not in CONTAINERS:
        return None
    found = inner(value)
    return found if len(found) == size(value) * (2 if value.kind == "dict" else 1) else None


def size(value: Obj) -> int:
    """Return the number of items of a container."""
    assert isinstance(value.shape, tuple)
    return int(value.shape[0])


def truth(value: Value) -> bool | None:
    """Is a value true?  None: unknown, or its class may define the truth of its instances."""
    if value is UNKNOWN:
        return None
    if isinstance(value, Long):
        return True
    if not isinstance(value, Obj):
        return bool(value)
    if value.kind in CONTAINERS:
        return bool(size(value)) if is_builtin(value) else None
    if value.kind in ("function", "builtin", "method", "module"):
        return True
    is_plain_class = value.kind == "class" and value.type == "type"
    is_plain_exception = value.kind == "exception" and is_builtin(value)
    return True if is_plain_class or is_plain_exception else None


def is_builtin(value: Obj) -> bool:
    """Is the type of an object a builtin type, whose behaviour is known?"""
    return "." not in value.type


# --- text ------------------------------------------------------------------------------------


def python_text(value: Value, most: int = 60) -> str:
    """Return a value in Python notation, cut to about `most` characters."""
    if isinstance(value, Unknown):
        return value.value
    if isinstance(value, Long):
        return _long(value, most)
    if not isinstance(value, Obj):
        return _cut(repr(value), most)
    name = _last(value.type)
    if value.kind == "exception":
        return f"{name}({_listed([*map(python_text, inner(value))], most - len(name), 0)})"
    if value.kind in CONTAINERS:
        return _container(value, name, most)
    if value.kind in PLAIN:
        return f"{name}({python_text(value.shape, most - len(name))})"
    if value.kind == "enum":
        return f"{name}.{value.shape}"
    if value.kind == "known" and isinstance(value.shape, str):
        maker = "re.compile" if value.type == "re.Pattern" else name
        return f"{maker}({_cut(value.shape, most - len(maker))})"
    if value.kind == "method" and isinstance(value.shape, tuple):
        return _cut(_unqualified(str(value.shape[0])), most)
    return _cut(_unqualified(str(value.shape)), most) if value.kind in _NAMED else f"<{name}>"


def _container(value: Obj, name: str, most: int) -> str:
    brackets = {"list": "[]", "tuple": "()"}.get(value.kind, "{}")
    number, parts = size(value), [python_text(item, most) for item in inner(value)]
    if value.kind == "dict":
        parts = [f"{k}: {v}" for k, v in zip(parts[::2], parts[1::2], strict=True)]
    text = _listed(parts, most, number - len(parts))
    if value.kind == "tuple" and number == len(parts) == 1:
        text += ","
    text = f"{brackets[0]}{text}{brackets[1]}"
    if name != value.kind or (value.kind == "set" and not number):
        text = f"{name}({text if number else ''})"
    is_cut = number > len(parts) or ", ".join(parts) not in text
    return f"{text} ({number} items)" if is_cut and parts and number > 1 else text


def _listed(parts: Sequence[str], most: int, more: int) -> str:
    """Return the parts that fit, at least the first; "…" stands for the rest and `more`."""
    found = ""
    for at, part in enumerate(parts):
        if at and len(found) + len(part) > most:
            return f"{found}, …"
        found += f", {part}" if at else _cut(part, most)
    return f"{found}, …" if more and found else found or "…" * bool(more)


def _long(value: Long, most: int) -> str:
    length = f"({value.length} {_UNITS.get(value.kind, 'long')})"
    if isinstance(value.start, str | bytes):
        return f"{_cut(repr(value.start), most - 1, always=True)} {length}"
    return f"<{value.kind}> {length}"


def _cut(text: str, most: int, *, always: bool = False) -> str:
    """Return the text; if it is too long, "…" replaces its end but not a closing quote."""
    if len(text) <= most and not always:
        return text
    quote = text[-1] if text[-1] in "'\"" else ""
    return text[: min(max(most - 2, 1), len(text) - 1)] + "…" + quote


def _last(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def _unqualified(name: str) -> str:
    """Return a qualified name without the functions around it."""
    return name.rpartition("<locals>.")[2]
