"""Which steps took a name out of the namespace from which a class was made?

A metaclass gets the namespace of a class body as a dict and may take names out of it.  Then an
instance of the class does not have them, or has those of a base class.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property

from whence.frontend.python.logged import Token
from whence.program.ids import Op, Step
from whence.trace.python.objects import identity
from whence.trace.python.replayed_run import ReplayedRun

_MAKERS = frozenset({"__new__", "type"})  # names of the functions that make a class


class Namespaces:
    """The namespaces from which the program's own calls made classes."""

    def __init__(
        self,
        run: ReplayedRun,
        op_of: Callable[[Step], Op],
        executions: Callable[[Op], list[Step]],
    ) -> None:
        self._run, self._program = run, run.program
        self._op_of, self._executions = op_of, executions

    @property
    def is_untouched(self) -> bool:
        """Was no name taken out of any namespace?"""
        return not self._by_class

    def removed(self, holder: Token, name: str) -> tuple[Step, ...]:
        """Return the steps that took `name` out of the namespaces of an object's classes."""
        found = (self._by_class.get(one, {}) for one in self._run.objects.classes_of(holder))
        return tuple(step for names in found for step in names.get(name, ()))

    @cached_property
    def _by_class(self) -> dict[int, dict[str, list[Step]]]:
        """By address of a class and name: the steps that took the name out of its namespace."""
        found: dict[int, dict[str, list[Step]]] = {}
        for call in self._makers():
            made = identity(self._run.values[call])
            for name, step in self._taken_out(call):
                if made is not None:
                    found.setdefault(made, {}).setdefault(name, []).append(step)
        return found

    def _makers(self) -> Iterator[Step]:
        """Yield the calls that returned a class which they made."""
        program, objects = self._program, self._run.objects
        for op, opcode in enumerate(program.opcode):
            callee = program.uses[op][0] if opcode == "call" and program.uses[op] else None
            if callee is None or callee < 0 or program.name[callee] not in _MAKERS:
                continue
            for step in self._executions(Op(op)):
                if objects.kind(self._run.values[step]) == "class":
                    yield step

    def _taken_out(self, call: Step) -> Iterator[tuple[str, Step]]:
        """Yield each name that was taken out of a dict which a call got, and the step."""
        run = self._run
        for argument in run.operands_of(call)[1:]:
            token = run.values[argument]
            state = run.objects.at(token, call) if run.objects.kind(token) == "dict" else None
            if state is not None:
                for step in state.shifts[: bisect_left(state.shifts, call)]:
                    name = self._key(step)
                    if isinstance(name, str):
                        yield name, step

    def _key(self, step: Step) -> Token:
        """Return the key that a step removed: that of a `del`, or the first argument of a call."""
        op = self._op_of(step)
        uses = self._program.uses[op]
        if len(uses) < 2 or uses[1] is None:
            return None
        if uses[1] < 0:
            return self._program.constant(op, uses[1])
        return self._run.values[self._run.operands_of(step)[1]]
