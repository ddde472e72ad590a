"""What is the state of an object, as far as two versions of a program can be compared?

The state of a value is plain data: None, a bool, a number or a text stands for itself.  Everything
else is a reference `(digest,)` to a node that lists its parts, `()` where the limit on parts is
reached, or `(0, n)` for an object that contains itself n levels above.  A node is logged once.  It
has no identity, no address, and no order where Python has none.  Taking a state runs no code of the
program.
"""

from __future__ import annotations

import io
import marshal
import sys
from _blake2 import blake2b
from _collections import OrderedDict, deque  # type: ignore[import-not-found]
from itertools import islice

from .known_values import known_text
from .names import Names, bases_of, dict_of, module_of, qualname_of
from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    State: TypeAlias = Any
    Parts: TypeAlias = Callable[[Any, Callable[[Any], State]], tuple[Any, ...]]

NODE = 2**31 + 10  # number of a log record, as in trace/python/watched_calls.py
MAX_NODES = 160  # limit on the objects that one state describes; see bench/contract
MAX_TEXT = 400  # limit on characters or bytes that are a state of their own; guessed
MAX_LONG = 4000  # limit on characters or bytes that are logged; guessed
MAX_ITEMS = 60  # limit on the elements of a container that are described one by one; guessed
MAX_DEPTH = 40  # limit on nesting; guessed
FORMAT = 2  # the version of marshal's format that writes equal values as equal bytes

_args = BaseException.__dict__["args"].__get__


class _Sample:
    __slots__ = ("__dict__", "slot")

    def method(self) -> None: ...


FUNCTION, METHOD, MODULE = type(_Sample.method), type(_Sample().method), type(sys)
METHOD_IN_C = type(str.join)
GETTER, SLOT = type(_Sample.__dict__["__dict__"]), type(_Sample.__dict__["slot"])
NAMED = (
    type(len), type(str.join), type(object.__init__), type(object().__str__),
    type(dict.__dict__["fromkeys"]),
)  # fmt: skip


def _generator() -> Any:
    yield


async def _coroutine() -> None: ...


async def _async_generator() -> Any:
    yield


def _closed(coroutine: Any) -> Any:
    coroutine.close()  # or Python warns that it was never awaited
    return coroutine


# Objects that hold code under way: inside is the code of the version, and of the recorder.
SUSPENDED = (
    type(_generator()), type(_closed(_coroutine())), type(_async_generator()),
    type(_generator().gi_frame), type(_generator.__code__),
)  # fmt: skip


class States:
    """Takes states of values; `note(NODE, ...)` is called for each new node."""

    def __init__(self, note: Callable[[int, object], None]) -> None:
        self._note = note
        self._known: set[int] = set()
        self._names = Names(note)
        self._parts: dict[type, Parts] = dict(_BUILTIN_PARTS) | {
            FUNCTION: self._function, type: self._class,
        }  # fmt: skip

    def state(self, x: Any, limit: int = MAX_NODES) -> State:
        """Return the state of one value."""
        t = type(x)
        if x is None or t is bool or t is int or t is float or (t is str and len(x) <= MAX_TEXT):
            return x
        return _Taking(self, limit).state(x)

    def parts_of(self, t: type) -> Parts:
        """Return the function that lists the parts of the values of a type."""
        found = self._parts.get(t)
        if found is None:
            is_class = type in (bases_of(t) or (t,))
            found = self._class if is_class else _parts(t, self._names.of_class(t))
            self._parts[t] = found
        return found

    def _class(self, x: Any, _: Callable[[Any], State]) -> tuple[Any, ...]:
        return ("f", self._names.of_class(x), ())

    def _function(self, x: Any, _: Callable[[Any], State]) -> tuple[Any, ...]:
        return ("f", self._names.of_function(x), ())

    def node(self, content: tuple[Any, ...]) -> State:
        """Return a reference to a node, and log it if it is new."""
        digest = blake2b(marshal.dumps(content, FORMAT), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        if number not in self._known:
            self._known.add(number)
            self._note(NODE, (number, content))
        return (number,)


class _Taking:
    """The taking of one state: how much may still be described, and what is under way."""

    __slots__ = ("_active", "_done", "_left", "_states")

    def __init__(self, states: States, limit: int) -> None:
        self._states, self._left = states, limit
        self._active: dict[int, int] = {}
        # By identity: the object, which must stay alive while this is used, and its state.
        self._done: dict[int, tuple[Any, State]] = {}

    def state(self, x: Any) -> State:
        t = type(x)
        if x is None or t is bool or t is int or t is float:
            return x
        if (t is str or t is bytes) and len(x) <= MAX_TEXT:
            return x
        key = id(x)
        done = self._done.get(key)
        if done is not None:
            return done[1]
        depth = len(self._active)
        if key in self._active:
            return (0, depth - self._active[key])
        if self._left <= 0 or depth > MAX_DEPTH:
            return ()
        self._left -= 1
        self._active[key] = depth
        try:
            content = self._states.parts_of(t)(x, self.state)
        except (AttributeError, TypeError, ValueError, RuntimeError):  # changed meanwhile, unset
            content = ("x", qualname_of(t), ())
        del self._active[key]
        found = self._states.node(content)
        self._done[key] = (x, found)
        return found


def _sorted(states: list[Any]) -> tuple[Any, ...]:
    return tuple(sorted(states, key=repr))


def _long_text(x: Any, _: Callable[[Any], State]) -> tuple[Any, ...]:
    data = x.encode("utf-8", "surrogatepass") if type(x) is str else x
    digest = blake2b(data, digest_size=8).hexdigest()
    return ("b", type(x).__name__, (len(x), digest, x[:MAX_LONG]))


def _items(kind: str, name: str, x: Any, of: Callable[[Any], State], size: int) -> tuple[Any, ...]:
    """Return the parts of a sequence; those of a long one are a digest and its first elements."""
    if size <= MAX_ITEMS:
        return (kind, name, tuple([of(each) for each in x]))
    head = tuple([of(each) for each in islice(x, MAX_ITEMS)])
    try:
        digest = blake2b(marshal.dumps(tuple(x), FORMAT), digest_size=8).hexdigest()
    except ValueError:  # it has elements that marshal does not know
        return (kind, name, (*head, ()))
    return ("b", name, (size, digest, *head))


def _list(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    return _items("l", "list", x, of, len(x))


def _tuple(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    return _items("t", "tuple", x, of, len(x))


def _deque(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    return _items("l", "deque", x, of, len(x))


def _set(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    name = type(x).__name__
    if len(x) > MAX_ITEMS:  # which elements come first is not the same in every run
        return ("s", name, (*_simple(x), ()))
    return ("s", name, _sorted([of(each) for each in x]))


def _simple(x: Any) -> tuple[Any, ...]:
    """Return the length of a large set, and its elements if they can be sorted."""
    plain = [each for each in x if type(each) in (str, int)]
    return (len(x), *_sorted(plain)[:MAX_ITEMS])


def _dict(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    return _pairs("dict", dict.items(x), of, len(x))


def _pairs(name: str, pairs: Any, of: Callable[[Any], State], size: int) -> tuple[Any, ...]:
    found = [(of(key), of(value)) for key, value in islice(pairs, MAX_ITEMS)]
    if size > MAX_ITEMS:
        return ("d", name, (*_sorted(found), ()))
    return ("d", name, _sorted(found))


def _ordered(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    found = [(of(key), of(dict.__getitem__(x, key))) for key in islice(dict.__iter__(x), MAX_ITEMS)]
    return ("d", "OrderedDict", (*found, *([()] if len(x) > MAX_ITEMS else [])))


def _built_in(x: Any, _: Callable[[Any], State]) -> tuple[Any, ...]:
    return ("f", x.__qualname__, ())


def _module(x: Any, _: Callable[[Any], State]) -> tuple[Any, ...]:
    return ("f", str(vars(MODULE)["__dict__"].__get__(x).get("__name__")), ())


def _method(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    return ("t", "method", (of(x.__func__), of(x.__self__)))


def _suspended(x: Any, _: Callable[[Any], State]) -> tuple[Any, ...]:
    """Describe a generator and the like by its type alone."""
    return ("x", type(x).__name__, ())


def _buffer(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
    return ("o", type(x).__name__, (("()", of(x.getvalue())),))


_BUILTIN_PARTS: dict[type, Parts] = {
    str: _long_text, bytes: _long_text, list: _list, tuple: _tuple, deque: _deque, set: _set,
    frozenset: _set, dict: _dict, OrderedDict: _ordered, METHOD: _method,
    MODULE: _module, io.StringIO: _buffer, io.BytesIO: _buffer,
    bytearray: lambda x, of: ("t", "bytearray", (of(bytes(x)),)),
    **dict.fromkeys(NAMED, _built_in), **dict.fromkeys(SUSPENDED, _suspended),
}  # fmt: skip

# What a class of the program can have besides its attributes, as a value of a built-in type.
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (OrderedDict, lambda x: OrderedDict(dict.items(x))), (dict, lambda x: dict(dict.items(x))),
    (list, lambda x: list(list.__iter__(x))), (tuple, lambda x: tuple(tuple.__iter__(x))),
    (set, lambda x: set(set.__iter__(x))), (frozenset, lambda x: set(frozenset.__iter__(x))),
    (str, str.__str__), (bytes, lambda x: bytes.__getitem__(x, slice(None))),
    (int, int.__int__), (float, float.__float__), (BaseException, _args),
)  # fmt: skip


def _parts(t: type, name: str) -> Parts:
    """Return the function that lists the parts of the values of a type that is not built in."""
    mro: tuple[type, ...] = bases_of(t) or (t,)
    text = known_text(t)
    base = text or next((read for base, read in _BASES if base in mro), None) or own_state(mro)
    slots, attributes = _slots(mro), _attributes(mro)
    if base is None and attributes is None and not slots:
        return lambda *_: ("x", qualname_of(t), ())

    def parts(x: Any, of: Callable[[Any], State]) -> tuple[Any, ...]:
        found: list[tuple[str, State]] = [] if base is None else [("()", of(base(x)))]
        if text is None:
            for attribute, read in slots:
                try:
                    found.append((attribute, of(read(x))))
                except AttributeError:
                    continue  # it is not set
            own = {} if attributes is None else attributes(x)
            names = sorted([each for each in own if type(each) is str and each[:2] != "__"])
            found += [(attribute, of(own[attribute])) for attribute in names[:MAX_ITEMS]]
        return ("o", name, tuple(found))

    return parts


def own_state(mro: tuple[type, ...]) -> Callable[[Any], Any] | None:
    """Return the function that gives the state of a value of a standard type written in C.

    It is the function with which the type is copied and pickled.  Iterators have none.
    """
    name, method = pickled_by(mro)
    if not name:
        return None
    return _asked(method) if name == "__getstate__" else _reduced(method)


def pickled_by(mro: tuple[type, ...]) -> tuple[str, Any]:
    """Return the method with which a value of a standard type written in C is pickled.

    Its name is empty if there is none.
    """
    for base in mro[:-1]:
        own = dict_of(base)
        is_standard = str(module_of(base)).partition(".")[0] in sys.stdlib_module_names
        if "__next__" in own:
            break
        for name in ("__getstate__", "__reduce__"):
            if type(own.get(name)) is METHOD_IN_C and is_standard:
                return name, own[name]
    return "", None


def _asked(getstate: Any) -> Callable[[Any], Any]:
    return lambda x: getstate(x)


def _reduced(reduce: Any) -> Callable[[Any], Any]:
    """Return a function for the arguments and the state that `__reduce__` gives."""

    def read(x: Any) -> Any:
        found = reduce(x)
        if type(found) is not tuple or any(each is not None for each in found[3:]):
            raise TypeError
        return found[1:3]

    return read


def _slots(mro: tuple[type, ...]) -> list[tuple[str, Callable[[Any], Any]]]:
    """Return the names in `__slots__` of some classes, with functions that read them."""
    return [
        (attribute, slot.__get__)
        for base in mro
        for attribute, slot in dict_of(base).items()
        if type(slot) is SLOT and attribute[:2] != "__"
    ]


def _attributes(mro: tuple[type, ...]) -> Callable[[Any], dict[Any, Any]] | None:
    """Return the function that reads the `__dict__` of the values of a class, if they have one."""
    for base in mro:
        getter = dict_of(base).get("__dict__")
        if type(getter) is GETTER:
            read: Callable[[Any], dict[Any, Any]] = getter.__get__
            return read
    return None
