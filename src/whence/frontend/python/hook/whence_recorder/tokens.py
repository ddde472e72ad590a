"""What does the log contain for a value?

It contains a token: plain data that distinguishes values as well as possible without disturbing
the program.  Making a token runs no code of the program (no `__repr__`, `__len__`, `__eq__` or
`__hash__`, nor those of a metaclass: types are identified by their id), and keeps nothing alive.
"""

from __future__ import annotations

import sys
from _weakref import ref
from itertools import chain, islice

from .known_values import known_text
from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Token: TypeAlias = Any
    Shape: TypeAlias = Callable[[Any], object]
    # Number of a type, and the functions that return the shape of its values, alone and nested.
    Entry: TypeAlias = tuple[int, Any, Any, ref[type]]

TYPE = 2**31 + 2  # number of a log record, as in frontend/python/logged.py
MAX_ITEMS = 12  # limit on the elements of a container that are recorded; guessed
MAX_LENGTH = 4096  # limit on characters, bytes or bits of a value that is recorded whole; guessed
START = 256  # characters, bytes or bits that are recorded of a longer value
HUGE = 1 << MAX_LENGTH  # the smallest int that is not recorded whole
IDENTITY = 56  # bits of an identity
FIRST = slice(0, MAX_ITEMS)

_bases = type.__dict__["__mro__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_module = type.__dict__["__module__"].__get__
_args = BaseException.__dict__["args"].__get__
_of_type = type.__dict__["__dict__"].__get__
_of_module = vars(type(sys))["__dict__"].__get__


def _mro(t: type) -> tuple[type, ...]:
    return _bases(t) or (t,)  # the mro is None while a type is being made


class _Sample:
    def method(self) -> None: ...


FUNCTION, METHOD, MODULE = type(_Sample.method), type(_Sample().method), type(sys)
GETTER = type(_Sample.__dict__["__dict__"])
BUILTIN_TYPES = (
    type(len), type(str.join), type(object.__init__), type(object().__str__),
    type(dict.__dict__["fromkeys"]),
)  # fmt: skip
KINDS: dict[int, str] = {
    id(list): "list", id(tuple): "tuple", id(set): "set", id(frozenset): "set", id(dict): "dict",
    id(str): "str", id(int): "int", id(float): "float", id(bytes): "bytes",
    id(FUNCTION): "function", id(METHOD): "method", id(type): "class", id(MODULE): "module",
    id(BaseException): "exception", **{id(builtin): "builtin" for builtin in BUILTIN_TYPES},
}  # fmt: skip


class ValueTokens:
    """`token(x)` returns the token of x; `note(TYPE, ...)` is called for each new type.

    `entries` contains an entry for the id of each type.  `plain` contains the numbers of types
    whose values are recorded by identity only, shifted so that an identity fits below them.
    """

    def __init__(self, note: Callable[[int, object], None]) -> None:
        self.plain: dict[int, int] = {}
        self._note = note
        self._count = 0
        self.entries: dict[int, Entry] = {}
        self.token, elements = _tokens(self.entries, self._enter)
        self._shapes = _shapes(elements)

    def _enter(self, t: type) -> Entry:
        """Note a new type, and return its entry."""
        key = id(t)
        kind = value_kind(t)
        is_exact = t is list or t is tuple
        shape, flat = self._shapes[kind, is_exact]
        if kind == "object" and (text := known_text(t)) is not None:
            kind, shape, flat = "known", text, text

        def forget(_: object) -> None:
            self.entries.pop(key, None)
            self.plain.pop(key, None)

        number = self._count
        self._count += 1
        bases = tuple(map(id, _mro(t)))
        self._note(TYPE, (number, _text(_module(t)), _text(_qualname(t)), key, bases, kind))
        entry = self.entries[key] = (number, shape, flat, ref(t, forget))
        if shape is None:
            self.plain[key] = number << IDENTITY
        return entry


def _tokens(
    entries: dict[int, Entry], enter: Callable[[type], Entry]
) -> tuple[Callable[[Any], Token], Callable[[Any], tuple[Token, ...]]]:
    """Return functions for the token of a value, and for the tokens of a container's elements.

    The code for frequent values is repeated, because a call takes longer than all the rest.
    """
    find = entries.get
    id_ = id

    def token(x: Any) -> Token:
        t = type(x)
        if x is None or t is bool or t is float:
            return x
        if t is str or t is bytes:
            return x if len(x) <= 4096 else shortened(x)
        if t is int:
            return x if -0x3FFFFFFF < x < 0x3FFFFFFF or -HUGE < x < HUGE else shortened(x)
        entry = find(id_(t)) or enter(t)
        shape = entry[1]
        return (id_(x), entry[0], None if shape is None else shape(x))

    def element(x: Any) -> Token:
        t = type(x)
        if x is None or t is bool or t is float:
            return x
        if t is str or t is bytes:
            return x if len(x) <= 4096 else shortened(x)
        if t is int:
            return x if -HUGE < x < HUGE else shortened(x)
        entry = find(id_(t)) or enter(t)
        shape = entry[2]
        return (id_(x), entry[0], None if shape is None else shape(x))

    def elements(values: Any) -> tuple[Token, ...]:
        return tuple([
            x
            if ((t := type(x)) is str and len(x) <= 4096)
            or (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF)
            or x is None
            else element(x)
            for x in values
        ])  # fmt: skip

    return token, elements


def value_kind(t: type) -> str:
    """Return the kind of a type, as `frontend.python.values.Obj` lists them."""
    enum = sys.modules.get("enum")
    meta = getattr(enum, "EnumMeta", None)
    if meta is not None and any(base is meta for base in _mro(type(t))):
        return "enum"
    return next((KINDS[id(base)] for base in _mro(t) if id(base) in KINDS), "object")


def shortened(x: Any) -> Token:
    """Return the token of a value that is too long to be recorded whole."""
    if type(x) is int:
        return ("long", "int", x.bit_length(), x & (1 << START) - 1, hash(x))
    return ("long", type(x).__name__, len(x), x[:START], hash(x))


def _text(x: object) -> str | None:
    return x if type(x) is str else None


def _shapes(elements: Callable[[Any], tuple[Token, ...]]) -> dict[tuple[str, bool], Any]:
    """Return for each kind the functions for the shape of a value, alone and nested.

    (kind, True) is for values whose type is the builtin type itself, for which faster code works.
    """

    def of_list(x: Any) -> object:
        return (list.__len__(x), elements(list.__getitem__(x, FIRST)))

    def of_tuple(x: Any) -> object:
        return (tuple.__len__(x), elements(tuple.__getitem__(x, FIRST)))

    def of_sequence(x: Any) -> object:
        return (len(x), elements(x[:12]))

    def of_set(x: Any) -> object:
        base = _set_base(x)
        values = list(islice(base.__iter__(x), MAX_ITEMS))
        if all(type(value) is str or type(value) is int for value in values):
            values.sort(key=lambda value: (type(value) is str, value))
        return (base.__len__(x), elements(values))

    def of_dict(x: Any) -> object:
        length = dict.__len__(x)
        try:
            return (length, elements(flattened(islice(dict.items(x), MAX_ITEMS))))
        except RuntimeError:  # another thread changed it
            return (length, None)

    flattened = chain.from_iterable

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
        "module": lambda x: _text((_of_module(x) or {}).get("__name__")),
        "enum": _member,
        "object": None,
    }
    shapes: dict[tuple[str, bool], Any] = {
        (kind, False): (shape, shape) for kind, shape in plain.items()
    }
    return shapes | {
        ("list", False): (of_list, length_of(list)),
        ("list", True): (of_sequence, lambda x: (len(x), None)),
        ("tuple", False): (of_tuple, length_of(tuple)),
        ("tuple", True): (of_sequence, lambda x: (len(x), None)),
        ("dict", False): (of_dict, length_of(dict)),
        ("set", False): (of_set, lambda x: (_set_base(x).__len__(x), None)),
        ("exception", False): (of_exception, lambda x: (_qualname(type(x)), None)),
    }


def _set_base(x: Any) -> Any:
    return set if any(base is set for base in _mro(type(x))) else frozenset


def _short(x: Any) -> Token:
    if type(x) is int:
        return x if -HUGE < x < HUGE else shortened(x)
    return x if len(x) <= MAX_LENGTH else shortened(x)


def _method(x: Any) -> object:
    function = x.__func__
    return (function.__qualname__ if type(function) is FUNCTION else None, id(x.__self__))


def _builtin(x: Any) -> object:
    owner = x.__self__ if type(x) in (BUILTIN_TYPES[0], BUILTIN_TYPES[3]) else None
    if owner is None or type(owner) is MODULE:
        return x.__name__
    return (x.__name__, id(owner))


def _member(x: Any) -> object:
    """Return the name of an enum member without running code of its class."""
    t = type(x)
    try:
        return _text(_attributes[id(t)](x).get("_name_"))
    except (KeyError, TypeError):  # a new class, or one at the address of a former class
        pass
    for base in _mro(t):
        slot = _of_type(base).get("__dict__")
        if type(slot) is GETTER:
            _attributes[id(t)] = slot.__get__
            return _text(slot.__get__(x).get("_name_"))
    return None


# By id of an enum class: a function that returns the attributes of a member.
_attributes: dict[int, Callable[[Any], dict[str, Any]]] = {}
