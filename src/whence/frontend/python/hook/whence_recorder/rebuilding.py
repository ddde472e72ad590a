"""Which value has a recorded state?

A state leaves some things open: the order of a dict, and whether two equal lists are one.  A
`Rebuilding` decides these in one of two ways, and notes that it had to: what the
two ways have in common follows from the state.  What cannot be made is refused, with a reason.
Rebuilding runs no code of the program.
"""

from __future__ import annotations

import io
from _collections import OrderedDict, deque  # type: ignore[import-not-found]
from _thread import RLock, allocate_lock

from .known_values import known_text
from .named_code import Classes, RefusedError
from .names import bases_of, dict_of, qualname_of
from .private import BUILTINS
from .states import MAX_ITEMS, METHOD, SLOT, pickled_by

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .states import State

# Types that a class of the program may extend, with the functions that make and fill a value.
_IMMUTABLE: tuple[Any, ...] = (tuple, frozenset, str, bytes, int, float)
_FILLED: tuple[Any, ...] = (OrderedDict, dict, list, set, BaseException)
_CONSTANTS = {type(each).__qualname__: each for each in (..., NotImplemented)}
_BUILT_IN: Any = type(len)
_LOCKS: dict[str, Any] = {"RLock": RLock, "lock": allocate_lock}
_ARGUMENTS_OF_TEXT = {"timezone", "timedelta"}  # names that the text of a known value may use


class Rebuilding:
    """The rebuilding of the states of one call; `is_second` chooses the second way."""

    def __init__(self, nodes: dict[int, Any], classes: Classes, *, is_second: bool) -> None:
        self._nodes, self._classes, self._is_second = nodes, classes, is_second
        self._made: dict[State, Any] = {}  # in the second way, equal objects are one
        self._active: list[Any] = []
        self.is_open = False  # did a state leave something open?

    def value(self, state: State) -> Any:
        """Return a value that has a state."""
        if type(state) is not tuple:
            return state
        if not state:
            raise RefusedError("a part of the state was not recorded")
        if len(state) == 2:
            return self._around(state[1])
        if self._is_second and state in self._made:
            return self._made[state]
        node = self._nodes.get(state[0])
        if node is None:
            raise RefusedError("a part of the state was not recorded")
        kind, name, parts = node
        made = self._of_node(kind, name, parts, state)
        self._made[state] = made
        return made

    def _around(self, levels: int) -> Any:
        """Return the object that holds itself, some levels above."""
        found = self._active[-levels] if 0 < levels <= len(self._active) else None
        if found is None:
            raise RefusedError("an object that cannot be made in parts holds itself")
        return found

    def _mutable(self, made: Any, state: State, fill: Callable[[], None]) -> Any:
        if state in self._made:
            self.is_open = True  # another one that is equal was made before
        self._active.append(made)
        fill()
        self._active.pop()
        return made

    def _values(self, parts: Any) -> list[Any]:
        """Return the values of the parts of an object that cannot be made in parts."""
        self._active.append(None)
        found = [self.value(each) for each in parts]
        self._active.pop()
        return found

    def _of_node(self, kind: str, name: str, parts: Any, state: State) -> Any:
        if kind == "o":
            return self._object(name, parts, state)
        if kind == "l":
            made: Any = deque() if name == "deque" else []
            return self._mutable(made, state, lambda: made.extend(map(self.value, parts)))
        if kind == "d":
            return self._dict(name, parts, state)
        if kind == "t":
            return self._tuple(name, parts)
        if kind == "s":
            return self._set(name, parts, state)
        if kind == "f":
            is_class = self._classes.is_class(name)
            return self._class(name) if is_class else self._classes.function_or_module(name)
        if kind == "b":
            if type(parts[2]) in (str, bytes) and len(parts[2]) == parts[0]:
                return parts[2]
            raise RefusedError(f"only the start of a long {name} was recorded")
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in _LOCKS:
            return _LOCKS[name]()  # no call under way holds it
        raise RefusedError(f"the content of an object of type {name} is not recorded")

    def _dict(self, name: str, parts: Any, state: State) -> Any:
        made: Any = OrderedDict() if name == "OrderedDict" else {}
        if len(parts) > 1 and name == "dict":
            self.is_open = True
            parts = parts[::-1] if self._is_second else parts

        def fill() -> None:
            for pair in parts:
                if not pair:
                    raise RefusedError("only a part of a large dict was recorded")
                made[self.value(pair[0])] = self.value(pair[1])

        return self._mutable(made, state, fill)

    def _tuple(self, name: str, parts: Any) -> Any:
        values = self._values(parts)
        if name == "method":
            method: Any = METHOD
            return method(*values)
        if name == "bytearray":
            return bytearray(values[0])
        made: Any = tuple
        return made(values)

    def _set(self, name: str, parts: Any, state: State) -> Any:
        if () in parts:
            raise RefusedError("only a part of a large set was recorded")
        if name == "frozenset":
            return frozenset(self._values(parts))
        made: set[Any] = set()
        return self._mutable(made, state, lambda: made.update([*map(self.value, parts)]))

    # --- objects ---

    def _object(self, name: str, parts: Any, state: State) -> Any:
        if name in ("StringIO", "BytesIO"):
            return self._buffer(name, parts[0][1])
        t = self._class(name)
        if len(parts) >= MAX_ITEMS:
            raise RefusedError(f"an object of type {qualname_of(t)} has too many attributes")
        by_name = dict(parts)
        members = dict_of(t).get("_member_map_")
        if type(members) is dict and "_name_" in by_name:
            return members[by_name["_name_"]]  # an Enum
        if known_text(t) is not None:
            return self._of_text(t, by_name.get("()"))
        if "()" in by_name and not any(each in bases_of(t) for each in (*_IMMUTABLE, *_FILLED)):
            return self._of_standard_type(t, by_name["()"], state)
        made = self._new(t, by_name)

        def fill() -> None:
            if "()" in by_name:
                _fill(t, made, lambda: self.value(by_name["()"]))
            for attribute, part in parts:
                if attribute != "()":
                    _set_attribute(t, made, attribute, self.value(part))

        return self._mutable(made, state, fill)

    def _class(self, name: str) -> type:
        found, is_open = self._classes.class_named(name, is_second=self._is_second)
        self.is_open = self.is_open or is_open
        return found

    def _of_standard_type(self, t: type, content: State, state: State) -> Any:
        """Return an object of a type written in C: as a copy of it would be made."""
        if pickled_by(bases_of(t))[0] == "__getstate__":
            made = _new_of_standard_type(t)
            return self._mutable(made, state, lambda: made.__setstate__(self.value(content)))
        args, *own = self._values([content])[0]
        try:
            made = t(*args)
            if own and own[0] is not None:
                made.__setstate__(own[0])
        except Exception:
            raise RefusedError(f"an object of type {qualname_of(t)} cannot be made") from None
        return made

    def _buffer(self, name: str, content: State) -> Any:
        self.is_open = True  # its position was not recorded
        made = io.StringIO() if name == "StringIO" else io.BytesIO()
        made.write(self.value(content))
        if self._is_second:
            made.seek(0)
        return made

    def _new(self, t: type, by_name: dict[str, State]) -> Any:
        """Return an object without attributes; one of an immutable type has its value."""
        mro = bases_of(t)
        base: Any = next((each for each in (*_IMMUTABLE, *_FILLED) if each in mro), object)
        try:
            if base in _IMMUTABLE and "()" in by_name:
                return base.__new__(t, self._values([by_name["()"]])[0])
            return base.__new__(t)
        except TypeError:
            pass
        raise RefusedError(f"an object of type {qualname_of(t)} cannot be made")

    def _of_text(self, t: type, text: State) -> Any:
        """Return a date, a Decimal and the like."""
        import datetime
        import re

        if type(text) is not str:
            raise RefusedError(f"the content of an object of type {qualname_of(t)} is not recorded")
        names = {name: getattr(datetime, name) for name in _ARGUMENTS_OF_TEXT}
        is_pattern = t is re.Pattern
        if t is re.Match:
            raise RefusedError("a match of a regular expression cannot be made")
        try:
            make: Any = re.compile if is_pattern else t
            return eval(f"make({text})", {"make": make, "__builtins__": {}, **names})
        except Exception:
            pass
        raise RefusedError(f"an object of type {qualname_of(t)} cannot be made")


def _new_of_standard_type(t: type) -> Any:
    """Return an object without content, made as the standard type makes it."""
    for base in bases_of(t):
        make: Any = dict_of(base).get("__new__")
        if type(make) is _BUILT_IN:
            return make(t)
    raise RefusedError(f"an object of type {qualname_of(t)} cannot be made")


def _fill(t: type, made: Any, content: Callable[[], Any]) -> None:
    """Give an object what a built-in base class holds."""
    mro = bases_of(t)
    if any(each in mro for each in _IMMUTABLE):
        return  # it was made with it
    if OrderedDict in mro:
        OrderedDict.update(made, content())
    elif dict in mro:
        dict.update(made, content())
    elif list in mro:
        list.extend(made, content())
    elif set in mro:
        set.update(made, content())
    elif BaseException not in mro:
        raise RefusedError(f"the content of an object of type {qualname_of(t)} cannot be put in")
    else:
        BaseException.__dict__["args"].__set__(made, content())


def _dict_of_object(made: Any) -> Any:
    try:
        return object.__getattribute__(made, "__dict__")
    except AttributeError:
        return None


def _set_attribute(t: type, made: Any, name: str, value: Any) -> None:
    for base in bases_of(t):
        slot = dict_of(base).get(name)
        if type(slot) is SLOT:
            slot.__set__(made, value)
            return
    attributes = _dict_of_object(made)
    if attributes is not None:  # else this version has no such attribute
        attributes[name] = value
