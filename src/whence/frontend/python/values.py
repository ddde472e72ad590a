"""What was a value of a recorded Python run?

None, bool, int, float, str and bytes are themselves; of everything else there is a picture, as it
was at that moment.  Python's own `==` is too lax for values (1 == True == 1.0) and too strict
(NaN): compare with `same`, across runs, or by `key`, within one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

Shape = Any  # a tuple, str, int, float, bytes or None: see Obj
Token = Any  # plain data as `marshal` reads it
TypeRow = tuple[str, str, int, tuple[int, ...], str]  # module, qualified name, id, mro, kind

STOP = "\0stop"  # what a loop got from an iterable that was exhausted
MAX_ITEMS = 12  # of a container that are recorded
CONTAINERS = frozenset({"list", "tuple", "set", "dict"})
PLAIN = frozenset({"str", "int", "float", "bytes"})  # instances of subclasses, that is
_NAMED = frozenset({"function", "builtin", "class", "module"})
_UNITS = {"str": "characters", "bytes": "bytes", "int": "bits"}


class Unknown(Enum):
    """A value that was not recorded."""

    UNKNOWN = "?"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True, slots=True)
class Long:
    """A str, bytes or int that is too long to be recorded whole."""

    kind: str  # "str", "bytes" or "int"
    length: int  # of an int in bits
    start: str | bytes | int | None
    digest: Any


@dataclass(frozen=True, slots=True, eq=False)
class Obj:
    """A picture of an object.

    `kind` is that of its type: "list", "tuple", "set" or "dict" (`shape`: its length, and its first
    items, of a dict k, v, k, v, ...; None instead of items if it lay in another container);
    "str", "int", "float" or "bytes" for subclasses of these (the plain value); "enum" (the
    member's name); "function", "builtin", "class" or "module" (its name); "method" (its name and
    the identity of its object); "exception" (the arguments); "object" (None).
    """

    identity: int  # no other object that was alive then has it; 0: none, we computed it
    kind: str
    type: str  # with its module, unless that is builtins
    shape: Shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Obj) and key(self) == key(other)

    def __hash__(self) -> int:
        return hash(key(self))


Value = bool | int | float | str | bytes | Obj | Long | Unknown | None


def decode(token: Token, types: Mapping[int, TypeRow]) -> Value:
    """The value that a token of the log stands for."""
    if not isinstance(token, tuple):
        return token  # type: ignore[no-any-return]  # one of the plain ones
    if token[0] == "long":
        return Long(*token[1:])
    identity, number, shape = token
    row = types.get(number)
    if row is None:
        return UNKNOWN
    module, name, _, _, kind = row
    full = name if module == "builtins" else f"{module}.{name}"
    return Obj(identity, kind, full, _shape(kind, shape, types))


def _shape(kind: str, shape: Any, types: Mapping[int, TypeRow]) -> Shape:
    if kind in CONTAINERS:
        length, inside = shape
        if inside is None and length:
            return length, None
        return length, tuple(decode(one, types) for one in inside or ())
    if kind == "exception":
        return tuple(decode(one, types) for one in shape[1] or ())
    if kind in PLAIN and isinstance(shape, tuple):
        return decode(shape, types)  # a long one
    return shape


# --- what is the same ------------------------------------------------------------------------


def key(value: Value) -> object:
    """Something hashable that two values of one run have in common if they are the same value."""
    if isinstance(value, Obj):
        return value.identity, *_likeness(value, key)
    return _plain_key(value)


def likeness(value: Value) -> object:
    """Like `key`, whatever the identities are."""
    return _likeness(value, likeness) if isinstance(value, Obj) else _plain_key(value)


def _plain_key(value: Any) -> object:
    if isinstance(value, float):
        return float, repr(value)  # tells 0.0 from -0.0, and all NaNs are one
    return type(value), value


def _likeness(value: Obj, of: Any) -> tuple[object, ...]:
    shape: object = value.shape
    if isinstance(value.shape, tuple):
        if value.kind == "method":
            shape = value.shape if of is key else value.shape[0]
        elif value.kind in CONTAINERS:
            length, inside = value.shape
            kept = None if inside is None else tuple(map(of, inside))
            shape = length, frozenset(kept) if kept and value.kind == "set" else kept
        else:
            shape = tuple(map(of, value.shape))
    elif not isinstance(value.shape, str):
        shape = _plain_key(value.shape)
    return value.kind, value.type, shape


def same(a: Value, b: Value) -> bool:
    """Are two values, of one run or two, equal in type and shape?  What is unknown never is."""
    if type(a) is not type(b) or a is UNKNOWN:
        return False
    if isinstance(a, Obj | float):
        return likeness(a) == likeness(b) and not has_unknown(a)
    return a == b


def has_unknown(value: Value) -> bool:
    """Is the value, or something that it shows of itself, unknown?"""
    if isinstance(value, Obj):
        return any(map(has_unknown, inner(value)))
    return value is UNKNOWN


def inner(value: Obj) -> tuple[Value, ...]:
    """What is recorded of a container's items (of a dict k, v, k, v, ...) or an exception's
    arguments."""
    if value.kind in CONTAINERS and isinstance(value.shape, tuple):
        return value.shape[1] or ()
    return value.shape if value.kind == "exception" and isinstance(value.shape, tuple) else ()


def items(value: Value) -> tuple[Value, ...] | None:
    """All items of a container (of a dict k, v, k, v, ...); None if not all were recorded."""
    if not isinstance(value, Obj) or value.kind not in CONTAINERS:
        return None
    found = inner(value)
    return found if len(found) == size(value) * (2 if value.kind == "dict" else 1) else None


def size(value: Obj) -> int:
    """How many items a container has."""
    assert isinstance(value.shape, tuple)
    return int(value.shape[0])


def truth(value: Value) -> bool | None:
    """Is it true?  None: not known, as its class may say otherwise."""
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
    """Is it of a type of the language itself, which does what we know?"""
    return "." not in value.type


# --- how it looks ----------------------------------------------------------------------------


def python_text(value: Value, most: int = 60) -> str:
    """The value as one would like to see it in Python, in about `most` characters."""
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
    if value.kind == "method" and isinstance(value.shape, tuple):
        return _cut(_here(str(value.shape[0])), most)
    return _cut(_here(str(value.shape)), most) if value.kind in _NAMED else f"<{name}>"


def _container(value: Obj, name: str, most: int) -> str:
    brackets = {"list": "[]", "tuple": "()"}.get(value.kind, "{}")
    number, parts = size(value), [python_text(one, most) for one in inner(value)]
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
    """The parts that fit, the first one always; "…" for the others and for `more` of them."""
    found = ""
    for at, part in enumerate(parts):
        if at and len(found) + len(part) > most:
            return f"{found}, …"
        found += f", {part}" if at else _cut(part, most)
    return f"{found}, …" if more and found else found or "…" * bool(more)


def _long(value: Long, most: int) -> str:
    about = f"({value.length} {_UNITS.get(value.kind, 'long')})"
    if isinstance(value.start, str | bytes):
        return f"{_cut(repr(value.start), most - 1, always=True)} {about}"
    return f"<{value.kind}> {about}"


def _cut(text: str, most: int, *, always: bool = False) -> str:
    """The text, its end left out if it is too long; a closing quote stays."""
    if len(text) <= most and not always:
        return text
    quote = text[-1] if text[-1] in "'\"" else ""
    return text[: min(max(most - 2, 1), len(text) - 1)] + "…" + quote


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _here(name: str) -> str:
    """A qualified name without the functions around it."""
    return name.rpartition("<locals>.")[2]
