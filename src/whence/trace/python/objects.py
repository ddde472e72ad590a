"""Which steps wrote what an object holds?

Objects are identified by address.  Python reuses the address of a freed object, so the history of
an address starts anew whenever a step makes an object there.  Code that is not recorded can also
write to objects.  Such a write shows when a step reads a value that no recorded step has written.
The value is then attributed to the last step that handed the object to unrecorded code, or to the
step that made the object.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from whence.frontend.python.logged import Token
from whence.frontend.python.values import CONTAINERS
from whence.program.ids import Step
from whence.trace.python.events import PythonType
from whence.trace.python.kernel import Arrays, Kernel, ints

# Methods that change the container or stream on which they are called.
MUTATING_METHODS = frozenset({
    "append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove",
    "discard", "clear", "sort", "reverse", "appendleft", "popleft", "extendleft", "rotate",
    "intersection_update", "difference_update", "symmetric_difference_update", "move_to_end",
    "__setitem__", "__delitem__", "write", "writelines", "writerow",
})  # fmt: skip
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


class ObjectState:
    """The steps that made and wrote one object."""

    def __init__(self, kernel: Kernel, row: tuple[int, ...]) -> None:
        self._kernel = kernel
        _, begun, rewritten, _, _, _, self._writers, _, self._setters, self._shifts = row[:10]
        self._touches = row[10]
        # The step that made the object, or the first that had it:
        self.made: Step | None = Step(begun) if begun else None
        # The last step that set all elements:
        self.rewritten: Step | None = Step(rewritten) if rewritten else None

    @cached_property
    def writers(self) -> list[Step]:
        """The steps that changed its elements, in order."""
        return [*map(Step, self._kernel.links(self._writers))]

    @cached_property
    def attribute_writers(self) -> list[Step]:
        """The steps that set its attributes, in order."""
        return [*map(Step, self._kernel.links(self._setters))]

    @cached_property
    def touches(self) -> list[Step]:
        """The steps that handed it to unrecorded code, in order."""
        return [*map(Step, self._kernel.links(self._touches))]

    def touched(self, before: int) -> Step | None:
        """Return the last step before a step that handed the object to unrecorded code."""
        at = bisect_left(self.touches, before)
        return self.touches[at - 1] if at else None

    def changed(self, before: int) -> Step | None:
        """Return the last step before a step that may have changed what the object holds."""
        at = bisect_left(self.writers, before)
        written = self.writers[at - 1] if at else None
        return max(filter(None, (self.touched(before), written)), default=None)

    @cached_property
    def shifts(self) -> list[Step]:
        """The steps that removed or moved elements, in order."""
        return [*map(Step, self._kernel.links(self._shifts))]


class ObjectHistory:
    """The states of all objects of one thread's run."""

    def __init__(self, types: Mapping[int, PythonType], kernel: Kernel, columns: Arrays) -> None:
        self._types, self._kernel, self._columns = types, kernel, columns
        self._known: dict[int, ObjectState] = {}  # by number
        # The states by address, and those of one address in the order in which they began.
        states = columns["states"]
        order = np.argsort(states["address"], kind="stable")
        self._order, self._addresses = ints(order), ints(states["address"][order])
        self._begun = ints(states["begun"][order])

    # --- values --------------------------------------------------------------------------------

    def kind(self, token: Token) -> str:
        """Return the kind of an object's type, or "" for a plain value."""
        if type(token) is tuple and type(token[0]) is int:
            found = self._types.get(token[1])
            return found.kind if found else "object"
        return ""

    def is_container(self, token: Token) -> bool:
        return self.kind(token) in CONTAINERS

    # --- objects -------------------------------------------------------------------------------

    def at(self, token: Token, step: int) -> ObjectState | None:
        """Return the object that was at an address when `step` ran."""
        address = identity(token)
        if not address:
            return None
        low = bisect_left(self._addresses, address)
        high = bisect_right(self._addresses, address, low)
        at = bisect_right(self._begun, step, low, high) - 1
        return self._state(self._order[at]) if at >= low else None

    def _state(self, number: int) -> ObjectState:
        if number not in self._known:
            row = self._columns["states"][number].tolist()
            self._known[number] = ObjectState(self._kernel, row)
        return self._known[number]

    def may_have_changed_arguments(self, call: int) -> bool:
        """May a call of unrecorded code have changed its object or its arguments?"""
        return call in self._changers

    @cached_property
    def _changers(self) -> frozenset[int]:
        return frozenset(self._columns["changers"].tolist())

    def is_program_function(self, token: Token) -> bool:
        """Is the value a function that the program defines?"""
        return identity(token) in self._functions

    @cached_property
    def _functions(self) -> frozenset[int]:
        return frozenset(self._columns["functions"].tolist())

    def is_program_instance(self, token: Token) -> bool:
        """Is the value an instance of a class that the program defines?"""
        found = self._types.get(token[1]) if identity(token) is not None else None
        return found is not None and found.identity in self._classes

    def classes_of(self, token: Token) -> tuple[int, ...]:
        """Return the addresses of an object's class and of its base classes, in order.

        If the object is a class, it counts as its own class.
        """
        found = self._types.get(token[1]) if identity(token) is not None else None
        if found is None:
            return ()
        if found.kind == "class":
            own = next((each for each in self._types.values() if each.identity == token[0]), None)
            return own.ancestors if own is not None else (token[0],)
        return found.ancestors

    def is_program_class(self, address: int) -> bool:
        """Does the program define the class at an address?"""
        return address in self._classes

    @cached_property
    def _classes(self) -> frozenset[int]:
        return frozenset(self._columns["classes"].tolist())

    # --- all of an object ------------------------------------------------------------------------

    def content_writers(self, token: Token, step: int, *, with_attributes: bool) -> list[Step]:
        """Return the steps before `step` that wrote what an object holds, nested objects too."""
        found: dict[Step, None] = {}
        self._collect(token, step, with_attributes, _MAX_DEPTH, found)
        return list(found)

    def shifts_between(self, token: Token, since: int, before: int) -> tuple[Step, ...]:
        """Return the steps between two steps that removed or moved elements of an object."""
        state = self.at(token, before)
        if state is None:
            return ()
        low, high = bisect_right(state.shifts, since), bisect_left(state.shifts, before)
        return tuple(state.shifts[low:high][-_MAX_SHIFTS:])

    def element_writers(self, token: Token, step: int) -> list[Step]:
        """Return the steps before `step` that made the elements of a comprehension's result."""
        state = self.at(token, step)
        return [] if state is None else [writer for writer in state.writers if writer < step]

    def _collect(
        self, token: Token, step: int, with_attributes: bool, depth: int, found: dict[Step, None]
    ) -> None:
        state = self.at(token, step)
        if state is None or len(found) > _MAX_WRITERS:
            return
        writers = state.writers[: bisect_left(state.writers, step)]
        if state.rewritten and state.rewritten < step:
            writers = writers[bisect_left(writers, state.rewritten) :]
        found.update(dict.fromkeys(writers[-_MAX_WRITERS:]))
        touched = state.touched(step)
        if touched is not None:
            found[touched] = None
        if depth < _MAX_DEPTH and state.made and state.made < step:
            found[state.made] = None
        if with_attributes and self.kind(token) not in ("class", "module", "function"):
            setters = state.attribute_writers[-_MAX_WRITERS:]
            found.update(dict.fromkeys(setter for setter in setters if setter < step))
        if depth:
            shape = token[2]
            if self.kind(token) in CONTAINERS and shape and shape[1]:
                for inner in shape[1]:
                    if identity(inner) is not None:
                        self._collect(inner, step, with_attributes, depth - 1, found)
