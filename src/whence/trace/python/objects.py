"""Who left what an object holds?

Objects are known by their addresses, which Python gives to others when they are free again: an
object that is made begins anew.  What code that is not recorded wrote shows in that a value was
read which nobody recorded had written; then it comes from who last had the object, or made it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from whence.frontend.python.logged import Token
from whence.frontend.python.values import CONTAINERS, MOST_ITEMS
from whence.trace.python.events import PythonType
from whence.trace.python.program import Display

# Methods of containers that change them.
CHANGES = frozenset({
    "append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove",
    "discard", "clear", "sort", "reverse", "appendleft", "popleft", "extendleft", "rotate",
    "intersection_update", "difference_update", "symmetric_difference_update", "move_to_end",
    "__setitem__", "__delitem__", "write", "writelines", "writerow",
})  # fmt: skip
_ADD = frozenset({"append", "add", "setdefault", "extend", "update"})
_REWRITE = frozenset({"clear", "sort", "reverse"})
# Functions that change nothing that they are given.
_PURE = frozenset({
    "len", "isinstance", "issubclass", "str", "repr", "int", "float", "bool", "bytes", "tuple",
    "list", "set", "frozenset", "dict", "sorted", "reversed", "min", "max", "sum", "any", "all",
    "abs", "round", "range", "enumerate", "zip", "map", "filter", "iter", "type", "id", "hash",
    "print", "hasattr", "getattr", "callable", "ord", "chr", "divmod", "pow", "format", "vars",
    "super", "cast", "deepcopy", "copy",
})  # fmt: skip
# Functions and methods that give what they were given before.
_HAND_OUT = frozenset({
    "get", "setdefault", "pop", "popitem", "popleft", "next", "getattr", "max", "min", "cast",
    "vars", "globals", "__getitem__", "__next__",
})  # fmt: skip
_MOST_READ = 400  # steps that one step reads through an object
_MOST_SHIFTS = 16
_DEEPEST = 3  # objects inside objects


def identity(token: Token) -> int | None:
    """The address of an object; None for plain values."""
    if type(token) is tuple and type(token[0]) is int:
        return int(token[0])
    return None


def is_same_object(a: Token, b: Token) -> bool:
    """Are two values one object, or the same plain value?"""
    if type(a) is tuple and type(b) is tuple:
        return bool(a[0] == b[0] and a[1] == b[1]) if type(a[0]) is int else bool(a == b)
    return type(a) is type(b) and (a is b or a == b)


def _is_known(token: Token) -> bool:
    return token is None or isinstance(token, bool | int | float | str | bytes | tuple)


@dataclass
class _Object:
    """What is known of one object."""

    made: int  # by which step, 0 if that is not known
    attributes: dict[str, int] = field(default_factory=dict)
    items: dict[object, int] = field(default_factory=dict)
    writers: list[int] = field(default_factory=list)  # who changed what it holds, in order
    touched: int = 0  # the last step that handed it to code that is not recorded
    named: list[int] = field(default_factory=list)  # who set its attributes, in order
    shifts: list[int] = field(default_factory=list)  # who took away or moved what it holds
    rewritten: int = 0  # the last step that set all of it
    looks: Token = None  # as it was seen last; False: it has changed since, in a way unknown


@dataclass
class ObjectHistory:
    """All objects of a run."""

    types: Mapping[int, PythonType] = field(default_factory=dict)
    values: Sequence[Token] = ()
    functions: set[int] = field(default_factory=set)  # that the program defines
    classes: set[int] = field(default_factory=set)  # that the program defines
    changers: set[int] = field(default_factory=set)  # calls that may have changed what they got
    operands_of: Callable[[int], Sequence[int]] = lambda _: ()
    _now: dict[int, _Object] = field(default_factory=dict)  # by address
    _all: dict[int, tuple[list[int], list[_Object]]] = field(default_factory=dict)

    # --- values --------------------------------------------------------------------------------

    def kind(self, token: Token) -> str:
        if type(token) is tuple and type(token[0]) is int:
            found = self.types.get(token[1])
            return found.kind if found else "object"
        return ""

    def elements(self, token: Token) -> Sequence[Token] | None:
        """The elements of a container, if all of them are known."""
        if isinstance(token, Display):
            return token.items
        if self.kind(token) not in CONTAINERS or token[2] is None:
            return None
        length, elements = token[2]
        per = 2 if self.kind(token) == "dict" else 1
        return elements if elements is not None and len(elements) == per * length else None

    def truth(self, token: Token) -> bool | None:
        """Is a value true?  None: its class decides, or it is not known."""
        if token is None or isinstance(token, bool | int | float | str | bytes):
            return bool(token)
        if isinstance(token, Display):
            return bool(token.items)
        if type(token) is not tuple:
            return None
        if type(token[0]) is not int:
            return True
        kind = self.kind(token)
        if kind in CONTAINERS:
            return None if token[2] is None else bool(token[2][0])
        if kind in ("function", "method", "builtin", "class", "module"):
            return True
        return None

    def is_container(self, token: Token) -> bool:
        return self.kind(token) in CONTAINERS

    def now(self, token: Token) -> Token:
        """An object that was known before, as it is now; without a shape if that is not known."""
        if type(token) is not tuple or self.kind(token) not in ("list", "dict", "set"):
            return token
        known = self._now.get(token[0])
        if known is None or known.looks is None:
            return token
        return known.looks or (token[0], token[1], None)

    # --- objects -------------------------------------------------------------------------------

    def seen(self, token: Token, step: int) -> None:
        """A step came to an object; if nobody knows it, the step made it."""
        address = identity(token)
        if address is not None:
            known = self._now.get(address) or self._begin(address, step)
            known.looks = token

    def first_seen(self, token: Token) -> int:
        """The step that made an object, or that first had it; 0 if none did yet."""
        known = self._now.get(identity(token) or 0)
        return 0 if known is None else known.made

    def given(self, token: Token, step: int, name: str) -> None:
        """Code that is not recorded gave an object: if it is a new one, what lay there is gone."""
        known = self._now.get(identity(token) or 0)
        if known is None:
            return
        is_other = bool(known.looks) and known.looks[1:] != token[1:]
        is_unlike = not known.looks and name not in _HAND_OUT
        if self.is_container(token) and (is_other or is_unlike):
            self._begin(token[0], step)

    def made(self, token: Token, step: int) -> None:
        """A step made an object, whatever lay there before."""
        address = identity(token)
        if address is not None:
            self._begin(address, step)

    def made_by_call(self, token: Token, step: int) -> None:
        """A call of a class made an object, unless it is known already that it did."""
        address = identity(token)
        if address is None:
            return
        known = self._now.get(address)
        if known is None or known.made != step:
            self._begin(address, step)

    def _begin(self, address: int, step: int) -> _Object:
        new = _Object(step)
        self._now[address] = new
        steps, objects = self._all.setdefault(address, ([], []))
        steps.append(step)
        objects.append(new)
        return new

    def _get(self, token: Token) -> _Object | None:
        address = identity(token)
        if address is None:
            return None
        return self._now.get(address) or self._begin(address, 0)

    def at(self, token: Token, step: int) -> _Object | None:
        """The object that lay at an address when a step ran."""
        address = identity(token)
        steps, objects = self._all.get(address or 0, ([], []))
        at = bisect_right(steps, step) - 1
        return objects[at] if at >= 0 else None

    # --- writing -------------------------------------------------------------------------------

    def set_attribute(self, holder: Token, name: str, step: int) -> None:
        found = self._get(holder)
        if found is not None:
            found.attributes[name] = step
            found.named.append(step)

    def set_item(
        self, holder: Token, key: Token, step: int, *, is_gone: bool = False
    ) -> None:  # fmt: skip
        found = self._get(holder)
        if found is not None:
            if is_gone:
                found.shifts.append(step)
                found.items.clear()
            found.items[self._key(holder, key)] = step
            found.writers.append(step)
            found.looks = False

    def written(self, holder: Token, step: int, *, is_element: bool = False) -> None:
        """A step added to what an object holds, or changed it."""
        found = self._get(holder)
        if found is not None and step:
            if is_element:
                found.items[len(found.writers)] = step
            else:
                found.looks = False
            found.writers.append(step)

    def method(self, receiver: Token, name: str, arguments: Sequence[Token], step: int) -> None:
        """A method was called that may have changed its object."""
        found = self._get(receiver)
        if found is not None and name in CHANGES:
            self.changers.add(step)
            found.writers.append(step)
            found.looks = self._added(found.looks, arguments) if name == "append" else False
            if name in _REWRITE:
                found.rewritten = step
                found.items.clear()
            elif name not in _ADD:
                found.items.clear()
            if name not in _ADD:
                found.shifts.append(step)
        elif found is not None and self.kind(receiver) in ("object", "exception"):
            self.changers.add(step)
            found.touched = step
        for argument in arguments:
            self._touch(argument, step)

    def _added(self, looks: Token, arguments: Sequence[Token]) -> Token:
        """How a list looks after something was appended to it."""
        if not looks or self.kind(looks) != "list" or len(arguments) != 1:
            return False
        length, elements = looks[2]
        if elements is None or len(elements) < length:
            return (looks[0], looks[1], (length + 1, elements))
        return (looks[0], looks[1], (length + 1, (*elements, *arguments)[:MOST_ITEMS]))

    def called(self, name: str, arguments: Sequence[Token], step: int) -> None:
        """A function was called that may have changed what it was given."""
        if name not in _PURE:
            for argument in arguments:
                self._touch(argument, step)

    def _touch(self, token: Token, step: int) -> None:
        if self.kind(token) in ("list", "dict", "set", "object"):
            found = self._get(token)
            if found is not None:
                self.changers.add(step)
                found.touched = step
                found.looks = False

    # --- reading -------------------------------------------------------------------------------

    def attribute(self, holder: Token, name: str, value: Token) -> int:
        """Who set the attribute that was read as `value`; 0 if nobody recorded did."""
        own = self._get(holder)
        if own is None:
            return 0
        step = own.attributes.get(name, 0)
        if step and self._left(step, value):
            return step
        found = self.types.get(holder[1]) if type(holder) is tuple else None
        for ancestor in self._ancestors(holder, found):
            known = self._now.get(ancestor)
            step = known.attributes.get(name, 0) if known else 0
            if step and self._left(step, value):
                return step
        return 0

    def maker(self, token: Token) -> int:
        """Who had an object last that is not recorded inside, or made it."""
        own = self._get(token)
        return 0 if own is None else own.rewritten or own.touched or own.made

    def is_defined(self, token: Token) -> bool:
        """Is it a function that the program's own text defines?"""
        return identity(token) in self.functions

    def is_of_program(self, token: Token) -> bool:
        """Is it an object of a class that the program defines?"""
        found = self.types.get(token[1]) if identity(token) is not None else None
        return found is not None and found.identity in self.classes

    def _ancestors(self, holder: Token, found: PythonType | None) -> Sequence[int]:
        if found is None:
            return ()
        if found.kind == "class":  # of a class, its own bases
            for other in self.types.values():
                if other.identity == holder[0]:
                    return other.ancestors
        return found.ancestors

    def _left(self, step: int, value: Token) -> bool:
        """May a step have left a value?  Either may not be known."""
        left = self.values[step]
        return not (_is_known(left) and _is_known(value)) or is_same_object(left, value)

    def item(self, holder: Token, key: Token, value: Token) -> int:
        """Who put an item there that was read as `value`."""
        own = self._get(holder)
        if own is None:
            return 0
        step = own.items.get(self._key(holder, key), 0)
        if step and self._left(step, value):
            return step
        return self._put(own, value)

    def element(self, holder: Token, value: Token) -> int:
        """Who put an element there that came up in a loop."""
        own = self._get(holder)
        if own is None:
            return 0
        return self._put(own, value)

    def _put(self, own: _Object, value: Token) -> int:
        """The last step that added this very value."""
        for step in reversed(own.writers[-_MOST_READ:]):
            if self._gave(step, value):
                return step
        return 0

    def _gave(self, step: int, value: Token) -> bool:
        """Is what a step added this value?  Of `xs.append(x)` that is x."""
        steps = (step, *self.operands_of(step))
        return any(is_same_object(self.values[one], value) for one in steps)

    def _key(self, holder: Token, key: Token) -> object:
        if type(key) is int and self.kind(holder) == "list" and key < 0:
            key += holder[2][0] if holder[2] else 0
        address = identity(key)
        if address is not None and self.kind(key) not in ("tuple", "str", "int", "enum"):
            return ("at", address)
        return (type(key).__name__, repr(key) if type(key) is tuple else key)

    # --- all of an object ------------------------------------------------------------------------

    def contents(self, token: Token, step: int, *, with_attributes: bool) -> list[int]:
        """The steps before a step that made what an object holds then, and what that holds."""
        found: dict[int, None] = {}
        self._gather(token, step, with_attributes, _DEEPEST, found)
        return list(found)

    def shifted(self, token: Token, since: int, before: int) -> tuple[int, ...]:
        """The steps in between that took away or moved what an object holds."""
        known = self.at(token, before)
        if known is None:
            return ()
        low, high = bisect_right(known.shifts, since), bisect_left(known.shifts, before)
        return tuple(known.shifts[low:high][-_MOST_SHIFTS:])

    def elements_made(self, token: Token, step: int) -> list[int]:
        """The steps that made the elements of what a comprehension came to."""
        known = self.at(token, step)
        return [] if known is None else [one for one in known.writers if one < step]

    def _gather(
        self, token: Token, step: int, with_attributes: bool, depth: int, found: dict[int, None]
    ) -> None:
        known = self.at(token, step)
        if known is None or len(found) > _MOST_READ:
            return
        writers = known.writers[: bisect_left(known.writers, step)]
        if known.rewritten and known.rewritten < step:
            writers = writers[bisect_left(writers, known.rewritten) :]
        found.update(dict.fromkeys(writers[-_MOST_READ:]))
        if 0 < known.touched < step:
            found[known.touched] = None
        if depth < _DEEPEST and 0 < known.made < step:
            found[known.made] = None
        if with_attributes and self.kind(token) not in ("class", "module", "function"):
            found.update(dict.fromkeys(s for s in known.named[-_MOST_READ:] if s < step))
        if depth:
            shape = token[2]
            if self.kind(token) in CONTAINERS and shape and shape[1]:
                for inner in shape[1]:
                    if identity(inner) is not None:
                        self._gather(inner, step, with_attributes, depth - 1, found)
