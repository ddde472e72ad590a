"""Which steps wrote what an object holds?

Objects are identified by address.  Python reuses the address of a freed object, so the history of
an address starts anew whenever a step makes an object there.  Code that is not recorded can also
write to objects.  Such a write shows when a step reads a value that no recorded step has written.
The value is then attributed to the last step that handed the object to unrecorded code, or to the
step that made the object.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from whence.frontend.python.logged import Token
from whence.frontend.python.values import CONTAINERS, MAX_ITEMS
from whence.program.ids import Step
from whence.trace.python.descriptions import Display
from whence.trace.python.events import PythonType
from whence.trace.python.objects import MUTATING_METHODS
from whence.trace.python.program_tables import (
    ADDING_METHODS,
    PURE_FUNCTIONS,
    RETURN_EXISTING,
    REWRITING_METHODS,
)

_MAX_WRITERS = 400  # limit on the steps that one step reads through an object; guessed
_MAX_SHIFTS = 16  # limit on the shifting steps that one read depends on; guessed
_MAX_DEPTH = 3  # limit on objects nested in objects whose writers are collected; guessed


def identity(token: Token) -> int | None:
    """Return the address of an object, or None for a plain value."""
    if type(token) is tuple and type(token[0]) is int:
        return int(token[0])
    return None


def is_same_object(a: Token, b: Token) -> bool:
    """Are two values the same object, or the same plain value?"""
    if type(a) is tuple and type(b) is tuple:
        return bool(a[0] == b[0] and a[1] == b[1]) if type(a[0]) is int else bool(a == b)
    return type(a) is type(b) and (a is b or a == b)


def _is_known(token: Token) -> bool:
    return token is None or isinstance(token, bool | int | float | str | bytes | tuple)


@dataclass
class ObjectState:
    """The steps that made and wrote one object."""

    made: Step | None  # the step that made the object, or the first that had it
    attributes: dict[str, Step] = field(default_factory=dict)  # name -> last step that set it
    items: dict[object, Step] = field(default_factory=dict)  # key -> last step that set it
    writers: list[Step] = field(default_factory=list)  # steps that changed its elements, in order
    touched: Step | None = None  # the last step that handed the object to unrecorded code
    touches: list[Step] = field(default_factory=list)  # all steps that did so
    attribute_writers: list[Step] = field(default_factory=list)  # in order
    shifts: list[Step] = field(default_factory=list)  # steps that removed or moved elements
    rewritten: Step | None = None  # the last step that set all elements
    last_seen: Token = None  # the value as last recorded; False: it has changed since


class ObjectHistory:
    """The states of all objects of one thread's run.

    `values` holds the value of every step so far; `operands_of` returns the operands of a step.
    """

    def __init__(
        self,
        types: Mapping[int, PythonType],
        values: Sequence[Token],
        operands_of: Callable[[int], Sequence[Step]],
    ) -> None:
        self._types, self._values, self._operands_of = types, values, operands_of
        self._functions: set[int] = set()  # addresses of functions that the program defines
        self._classes: set[int] = set()  # addresses of classes that the program defines
        self._changers: set[int] = set()  # calls that may have changed their arguments
        self._now: dict[int, ObjectState] = {}  # by address
        # For each address: the steps that made objects there (0: unknown), and the objects.
        self._all: dict[int, tuple[list[int], list[ObjectState]]] = {}

    # --- values --------------------------------------------------------------------------------

    def kind(self, token: Token) -> str:
        """Return the kind of an object's type, or "" for a plain value."""
        if type(token) is tuple and type(token[0]) is int:
            found = self._types.get(token[1])
            return found.kind if found else "object"
        return ""

    def elements(self, token: Token) -> Sequence[Token] | None:
        """Return the elements of a container, or None unless all of them are known."""
        if isinstance(token, Display):
            return token.items
        if self.kind(token) not in CONTAINERS or token[2] is None:
            return None
        length, elements = token[2]
        per_item = 2 if self.kind(token) == "dict" else 1
        return elements if elements is not None and len(elements) == per_item * length else None

    def truth(self, token: Token) -> bool | None:
        """Is a value true?  None: its class decides, or the value is unknown."""
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
        """Return an object as it is now, without a shape if that is unknown."""
        if type(token) is not tuple or self.kind(token) not in ("list", "dict", "set"):
            return token
        state = self._now.get(token[0])
        if state is None or state.last_seen is None:
            return token
        return state.last_seen or (token[0], token[1], None)

    # --- objects -------------------------------------------------------------------------------

    def note_seen(self, token: Token, step: Step) -> None:
        """Note that `step` has this value; if the object is new, `step` made it."""
        address = identity(token)
        if address is not None:
            state = self._now.get(address) or self._begin(address, step)
            state.last_seen = token

    def first_seen(self, token: Token) -> Step | None:
        """Return the step that made an object or first had it; None if the object is new."""
        state = self._now.get(identity(token) or 0)
        return None if state is None else state.made

    def note_result(self, token: Token, step: Step, name: str) -> None:
        """Note that unrecorded code, called as `name`, returned an object.

        If it must be a new object, the history of its address starts anew.
        """
        state = self._now.get(identity(token) or 0)
        if state is None:
            return
        has_changed = bool(state.last_seen) and state.last_seen[1:] != token[1:]
        is_unexpected = not state.last_seen and name not in RETURN_EXISTING
        if self.is_container(token) and (has_changed or is_unexpected):
            self._begin(token[0], step)

    def note_made(self, token: Token, step: Step) -> None:
        """Note that `step` made an object, whatever was at its address before."""
        address = identity(token)
        if address is not None:
            self._begin(address, step)

    def note_constructed(self, token: Token, call: Step) -> None:
        """Note that a call of a class made an object, unless that was noted before."""
        address = identity(token)
        if address is None:
            return
        state = self._now.get(address)
        if state is None or state.made != call:
            self._begin(address, call)

    def note_function(self, token: Token, step: Step) -> None:
        """Note that `step` defined a function of the program."""
        self.note_made(token, step)
        self._functions.add(token[0])

    def note_class(self, token: Token, step: Step) -> None:
        """Note that `step` defined a class of the program."""
        self.note_made(token, step)
        self._classes.add(token[0])

    def setters_since(self, token: Token, step: Step) -> list[Step]:
        """Return the steps after `step` that set attributes of what is at an address now."""
        state = self._now.get(identity(token) or 0)
        return [setter for setter in state.attribute_writers if setter > step] if state else []

    def _begin(self, address: int, step: Step | None) -> ObjectState:
        state = ObjectState(step)
        self._now[address] = state
        steps, states = self._all.setdefault(address, ([], []))
        steps.append(step or 0)
        states.append(state)
        return state

    def _get(self, token: Token) -> ObjectState | None:
        address = identity(token)
        if address is None:
            return None
        return self._now.get(address) or self._begin(address, None)

    def at(self, token: Token, step: int) -> ObjectState | None:
        """Return the object that was at an address when `step` ran."""
        address = identity(token)
        steps, states = self._all.get(address or 0, ([], []))
        at = bisect_right(steps, step) - 1
        return states[at] if at >= 0 else None

    # --- writing -------------------------------------------------------------------------------

    def set_attribute(self, holder: Token, name: str, step: Step) -> None:
        state = self._get(holder)
        if state is not None:
            state.attributes[name] = step
            state.attribute_writers.append(step)

    def set_item(self, holder: Token, key: Token, step: Step) -> None:
        """Note that `step` set the item at `key`."""
        state = self._get(holder)
        if state is not None:
            self._note_item(state, holder, key, step)

    def delete_item(self, holder: Token, key: Token, step: Step) -> None:
        """Note that `step` deleted the item at `key`; in a list later items move."""
        state = self._get(holder)
        if state is not None:
            state.shifts.append(step)
            state.items.clear()
            self._note_item(state, holder, key, step)

    def _note_item(self, state: ObjectState, holder: Token, key: Token, step: Step) -> None:
        state.items[self._key(holder, key)] = step
        state.writers.append(step)
        state.last_seen = False

    def note_changed(self, holder: Token, step: Step) -> None:
        """Note that `step` changed the elements of an object."""
        state = self._get(holder)
        if state is not None:
            state.last_seen = False
            state.writers.append(step)

    def add_element(self, holder: Token, step: Step) -> None:
        """Note that a comprehension added the value of `step` to an object."""
        state = self._get(holder)
        if state is not None:
            state.items[len(state.writers)] = step
            state.writers.append(step)

    def call_method(
        self, receiver: Token, name: str, arguments: Sequence[Token], step: Step
    ) -> None:  # fmt: skip
        """Note that unrecorded code ran a method, which may have changed its object."""
        state = self._get(receiver)
        if state is not None and name in MUTATING_METHODS:
            self._changers.add(step)
            state.writers.append(step)
            state.last_seen = (
                self._appended(state.last_seen, arguments) if name == "append" else False
            )
            if name in REWRITING_METHODS:
                state.rewritten = step
                state.items.clear()
            elif name not in ADDING_METHODS:
                state.items.clear()
            if name not in ADDING_METHODS:
                state.shifts.append(step)
        elif state is not None and self.kind(receiver) in ("object", "exception"):
            self._note_touched(state, step)
        for argument in arguments:
            self._touch(argument, step)

    def _appended(self, last_seen: Token, arguments: Sequence[Token]) -> Token:
        """Return a list as it is after an append; False if that is unknown."""
        if not last_seen or self.kind(last_seen) != "list" or len(arguments) != 1:
            return False
        length, elements = last_seen[2]
        if elements is None or len(elements) < length:
            return (last_seen[0], last_seen[1], (length + 1, elements))
        return (last_seen[0], last_seen[1], (length + 1, (*elements, *arguments)[:MAX_ITEMS]))

    def call_function(self, name: str, arguments: Sequence[Token], step: Step) -> None:
        """Note that unrecorded code ran a function, which may have changed its arguments."""
        if name not in PURE_FUNCTIONS:
            for argument in arguments:
                self._touch(argument, step)

    def _touch(self, token: Token, step: Step) -> None:
        if self.kind(token) in ("list", "dict", "set", "object"):
            state = self._get(token)
            if state is not None:
                self._note_touched(state, step)
                state.last_seen = False

    def _note_touched(self, state: ObjectState, step: Step) -> None:
        self._changers.add(step)
        if state.touched != step:
            state.touches.append(step)
        state.touched = step

    # --- reading -------------------------------------------------------------------------------

    def may_have_changed_arguments(self, call: int) -> bool:
        """May a call of unrecorded code have changed its object or its arguments?"""
        return call in self._changers

    def attribute(self, holder: Token, name: str, value: Token) -> Step | None:
        """Return the step that set the attribute that was read as `value`; None: unknown."""
        state = self._get(holder)
        if state is None:
            return None
        step = state.attributes.get(name)
        if step and self._may_have_value(step, value):
            return step
        found = self._types.get(holder[1]) if type(holder) is tuple else None
        for ancestor in self._ancestors(holder, found):
            inherited = self._now.get(ancestor)
            step = inherited.attributes.get(name) if inherited else None
            if step and self._may_have_value(step, value):
                return step
        return None

    def last_owner(self, token: Token) -> Step | None:
        """Return the last step that may have set all of an object.

        That is a step that rewrote the object, that handed it to unrecorded code, or that made it.
        """
        state = self._get(token)
        return None if state is None else state.rewritten or state.touched or state.made

    def is_program_function(self, token: Token) -> bool:
        """Is the value a function that the program defines?"""
        return identity(token) in self._functions

    def is_program_instance(self, token: Token) -> bool:
        """Is the value an instance of a class that the program defines?"""
        found = self._types.get(token[1]) if identity(token) is not None else None
        return found is not None and found.identity in self._classes

    def _ancestors(self, holder: Token, found: PythonType | None) -> Sequence[int]:
        """Return the addresses of the classes in which Python looks up an attribute."""
        if found is None:
            return ()
        if found.kind == "class":  # `holder` is itself a class: its own bases count
            for other in self._types.values():
                if other.identity == holder[0]:
                    return other.ancestors
        return found.ancestors

    def _may_have_value(self, step: Step, value: Token) -> bool:
        """May a step have this value?  True if either value is unknown."""
        own = self._values[step]
        return not (_is_known(own) and _is_known(value)) or is_same_object(own, value)

    def item(self, holder: Token, key: Token, value: Token) -> Step | None:
        """Return the step that set the item that was read as `value`; None: unknown."""
        state = self._get(holder)
        if state is None:
            return None
        step = state.items.get(self._key(holder, key))
        if step and self._may_have_value(step, value):
            return step
        return self._adder(state, value)

    def element(self, holder: Token, value: Token) -> Step | None:
        """Return the step that added the element that a loop got; None: unknown."""
        state = self._get(holder)
        return None if state is None else self._adder(state, value)

    def _adder(self, state: ObjectState, value: Token) -> Step | None:
        """Return the last step that added this value."""
        for step in reversed(state.writers[-_MAX_WRITERS:]):
            if self._adds(step, value):
                return step
        return None

    def _adds(self, step: Step, value: Token) -> bool:
        """Is `value` the value or an operand of a step?  `xs.append(x)` adds its operand x."""
        steps = (step, *self._operands_of(step))
        return any(is_same_object(self._values[added], value) for added in steps)

    def _key(self, holder: Token, key: Token) -> object:
        """Return a hashable form of an item's key."""
        if type(key) is int and self.kind(holder) == "list" and key < 0:
            key += holder[2][0] if holder[2] else 0
        address = identity(key)
        if address is not None and self.kind(key) not in ("tuple", "str", "int", "enum"):
            return ("at", address)
        return (type(key).__name__, repr(key) if type(key) is tuple else key)
