"""What does the log say of a value?

Plain data that tells values apart as well as it can without disturbing the program.  So no code
of the program runs for it (no `__repr__`, `__len__`, `__eq__`, `__hash__`, nor those of a
metaclass: types are known by their id), and nothing is kept alive.
"""

from __future__ import annotations

import sys
from _weakref import ref
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    Token: TypeAlias = Any
    Shape: TypeAlias = Callable[[Any], object]
    Entry: TypeAlias = tuple[int, Shape | None, Shape | None, ref[type]]

TYPE = 2**31 + 2
MOST = 12  # elements of a container that are looked at
LONG = 4096  # characters, bytes or bits
SHOWN = 256
HUGE = 1 << LONG
FIRST = slice(0, MOST)

_mro = type.__dict__["__mro__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_module = type.__dict__["__module__"].__get__
_args = BaseException.__dict__["args"].__get__
_attributes = object.__getattribute__


class _Sample:
    def method(self) -> None: ...


FUNCTION, METHOD, MODULE = type(_Sample.method), type(_Sample().method), type(sys)
BUILTINS = (
    type(len), type(str.join), type(object.__init__), type(object().__str__),
    type(dict.__dict__["fromkeys"]),
)  # fmt: skip
KINDS: dict[int, str] = {
    id(list): "list", id(tuple): "tuple", id(set): "set", id(frozenset): "set", id(dict): "dict",
    id(str): "str", id(int): "int", id(float): "float", id(bytes): "bytes",
    id(FUNCTION): "function", id(METHOD): "method", id(type): "class", id(MODULE): "module",
    id(BaseException): "exception", **{id(builtin): "builtin" for builtin in BUILTINS},
}  # fmt: skip


class Tokens:
    """`token(x)` is the token of x; `note(TYPE, ...)` is called before the first of a new type."""

    def __init__(self, note: Callable[[int, object], None]) -> None:
        self.table: dict[int, Entry] = {}
        self._note = note
        self._count = 0
        self._shapes = _shapes(self.elements)

    def token(self, x: Any) -> Token:
        t = type(x)
        if t is str or t is bytes:
            return x if len(x) <= LONG else shortened(x)
        if t is int:
            return x if -HUGE < x < HUGE else shortened(x)
        if x is None or t is bool or t is float:
            return x
        entry = self.table.get(id(t)) or self.enter(t)
        shape = entry[1]
        return (id(x), entry[0], None if shape is None else shape(x))

    def element(self, x: Any) -> Token:
        """As `token`, but without the elements of a container."""
        t = type(x)
        if t is str or t is bytes:
            return x if len(x) <= LONG else shortened(x)
        if t is int:
            return x if -HUGE < x < HUGE else shortened(x)
        if x is None or t is bool or t is float:
            return x
        entry = self.table.get(id(t)) or self.enter(t)
        shape = entry[2]
        return (id(x), entry[0], None if shape is None else shape(x))

    def elements(self, values: Iterable[Any]) -> tuple[Token, ...]:
        element = self.element
        return tuple([x if x is None or type(x) is bool else element(x) for x in values])

    def enter(self, t: type) -> Entry:
        """Note a type that is new."""
        key = id(t)
        kind = kind_of(t)
        shape, flat = self._shapes.get(kind, (None, None))

        def forget(_: object) -> None:
            self.table.pop(key, None)

        entry = self.table[key] = (self._count, shape, flat, ref(t, forget))
        self._count += 1
        bases = tuple(map(id, _mro(t)))
        self._note(TYPE, (entry[0], _text(_module(t)), _text(_qualname(t)), key, bases, kind))
        return entry


def kind_of(t: type) -> str:
    enum = sys.modules.get("enum")
    meta = getattr(enum, "EnumMeta", None)
    if meta is not None and any(base is meta for base in _mro(type(t))):
        return "enum"
    return next((KINDS[id(base)] for base in _mro(t) if id(base) in KINDS), "object")


def shortened(x: Any) -> Token:
    if type(x) is int:
        return ("long", "int", x.bit_length(), x & (1 << SHOWN) - 1, hash(x))
    return ("long", type(x).__name__, len(x), x[:SHOWN], hash(x))


def _text(x: object) -> str | None:
    return x if type(x) is str else None


def _shapes(elements: Callable[[Iterable[Any]], tuple[Token, ...]]) -> dict[str, tuple[Any, Any]]:
    """How a value of each kind is told, and how as an element of another."""

    def of_list(x: Any) -> object:
        return (list.__len__(x), elements(list.__getitem__(x, FIRST)))

    def of_tuple(x: Any) -> object:
        return (tuple.__len__(x), elements(tuple.__getitem__(x, FIRST)))

    def of_set(x: Any) -> object:
        base = _set_base(x)
        values = list(islice(base.__iter__(x), MOST))
        if all(type(value) is str or type(value) is int for value in values):
            values.sort(key=repr)
        return (base.__len__(x), elements(values))

    def of_dict(x: Any) -> object:
        length = dict.__len__(x)
        try:
            pairs = list(islice(dict.items(x), MOST))
        except RuntimeError:  # another thread changed it
            return (length, None)
        return (length, elements([part for pair in pairs for part in pair]))

    def length_of(base: Any) -> Shape:
        return lambda x: (base.__len__(x), None)

    def of_exception(x: Any) -> object:
        return (_qualname(type(x)), elements(_args(x)[FIRST]))

    plain = {
        "str": lambda x: _short(str.__str__(x)),
        "bytes": lambda x: _short(bytes.__getitem__(x, slice(None))),
        "int": lambda x: _short(int.__int__(x)),
        "float": float.__float__,
        "function": lambda x: x.__qualname__,
        "method": _method,
        "builtin": _builtin,
        "class": _qualname,
        "module": lambda x: _text(_attributes(x, "__dict__").get("__name__")),
        "enum": _member,
    }
    shapes: dict[str, tuple[Any, Any]] = {kind: (shape, shape) for kind, shape in plain.items()}
    return shapes | {
        "list": (of_list, length_of(list)),
        "tuple": (of_tuple, length_of(tuple)),
        "dict": (of_dict, length_of(dict)),
        "set": (of_set, lambda x: (_set_base(x).__len__(x), None)),
        "exception": (of_exception, lambda x: (_qualname(type(x)), None)),
    }


def _set_base(x: Any) -> Any:
    return set if any(base is set for base in _mro(type(x))) else frozenset


def _short(x: Any) -> Token:
    if type(x) is int:
        return x if -HUGE < x < HUGE else shortened(x)
    return x if len(x) <= LONG else shortened(x)


def _method(x: Any) -> object:
    function = x.__func__
    return (function.__qualname__ if type(function) is FUNCTION else None, id(x.__self__))


def _builtin(x: Any) -> object:
    owner = x.__self__ if type(x) in (BUILTINS[0], BUILTINS[3]) else None
    if owner is None or type(owner) is MODULE:
        return x.__name__
    return (x.__name__, id(owner))


def _member(x: Any) -> object:
    return _text(_attributes(x, "__dict__").get("_name_"))
