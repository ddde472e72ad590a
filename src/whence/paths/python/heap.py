"""What do the containers of a run hold that inputs decide?

Only containers with something that inputs decide are kept here.  Code that is not recorded can
change them; then they no longer agree with what the recorder logged, and are taken as recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whence.frontend.python.logged import Token
from whence.frontend.python.values import UNKNOWN, Obj
from whence.paths.python.values import AnyValue, Held, recorded_value, taken
from whence.program.ids import Step
from whence.trace.python.objects import identity
from whence.trace.python.recording import PythonThread

Pin = Callable[[Step, str, AnyValue], int]  # return the unknown of what is taken as recorded


class Heap:
    """The containers of one run, as they are at the step that the pass has reached."""

    def __init__(self, thread: PythonThread, pin: Pin) -> None:
        self._thread, self._objects, self._pin = thread, thread.run.objects, pin
        self._held: dict[int, Held] = {}  # by identity of the object's state
        self._addresses: set[int] = set()

    def put(self, step: Step, held: Held) -> None:
        """Note what the container holds that is the value of a step."""
        token = self._thread.run.values[step]
        state = self._objects.at(token, step) if self._objects.is_container(token) else None
        if state is not None:
            self._held[id(state)] = held
            self._addresses.add(identity(token) or 0)

    def get(self, step: Step) -> Held | None:
        """Return what the container holds that is the value of a step; None if it is not kept."""
        token = self._thread.run.values[step]
        if identity(token) not in self._addresses:
            return None
        state = self._objects.at(token, step)
        held = None if state is None else self._held.get(id(state))
        if state is None or held is None or self._agrees(held, token):
            return held
        found = self._lost(step, held, token)
        self._held[id(state)] = found
        return found

    def of_step(self, step: Step) -> Held | None:
        """Return the container that is the value of a step; it is made from what was recorded."""
        found = self.get(step)
        if found is None:
            value = self._thread.value(step)
            found = recorded_held(value)
            if found is not None:
                self.put(step, found)
        return found

    def _agrees(self, held: Held, token: Token) -> bool:
        """Does a container hold what the recorder logged?"""
        shape = token[2]
        if shape is None:
            return True
        size, items = shape
        if size * (2 if held.kind == "dict" else 1) != len(held.items):
            return False
        if held.kind == "set":
            return True
        known = [self._thread.decoded(item) for item in items or ()]
        return all(_may_be(one, other) for one, other in zip(known, held.items, strict=False))

    def _lost(self, step: Step, held: Held, token: Token) -> Held:
        found = recorded_held(self._thread.decoded(token)) or Held(held.kind)
        unknown = self._pin(step, "code that is not recorded", held)
        return Held(held.kind, [taken(recorded_value(one), unknown) for one in found.items])


def _may_be(logged: Any, value: AnyValue) -> bool:
    """May a logged item be this value?"""
    known = recorded_value(value)
    if isinstance(logged, Obj) or isinstance(known, Obj) or known is UNKNOWN or logged is UNKNOWN:
        return isinstance(logged, Obj) == isinstance(known, Obj) or UNKNOWN in (logged, known)
    return type(logged) is type(known) and bool(logged == known or logged != logged)


def recorded_held(value: Any) -> Held | None:
    """Return what a recorded container holds; items that were not recorded are unknown."""
    if not isinstance(value, Obj) or value.kind not in ("list", "tuple", "dict", "set"):
        return None
    size, items = value.shape
    count = size * (2 if value.kind == "dict" else 1)
    known = list(items or ())
    return Held(value.kind, [*known, *[UNKNOWN] * (count - len(known))])
