"""Which function is a value, and where did the program define it?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from operator import itemgetter

from whence.frontend.python.logged import Token
from whence.program.ids import Op, Step
from whence.trace.python.objects import identity
from whence.trace.python.replayed_run import ReplayedRun


class FunctionHeads:
    """The functions that one thread's run defined with `def`."""

    def __init__(self, run: ReplayedRun, executions: Callable[[Op], list[Step]]) -> None:
        self._run, self._program, self._executions = run, run.program, executions

    def parameters(self, function: Token, step: Step) -> tuple[str, ...] | None:
        """Return the parameters of the function that a step has as its value.

        None: no `def` of the thread made it.
        """
        made = self._by_address.get(identity(function) or 0, ())
        # Another function may have had the same address before.  And a `def` of another module
        # may have a later step: an import starts before what it executes.
        last = made[: bisect_right(made, step, key=itemgetter(0))] or made[:1]
        return self._program.functions[last[-1][1]].params if last else None

    def last_named(self, name: str, step: Step) -> Step | None:
        """Return the last step before `step` that defined a function of this qualified name."""
        made = (self._executions(op) for op in self._by_name.get(name, ()))
        last = [each[at - 1] for each in made if (at := bisect_left(each, step))]
        return Step(max(last)) if last else None

    def decorated(self, number: int, step: Step) -> Step | None:
        """Return the last step before `step` that defined a function: its outermost decorator."""
        op = self._by_number.get(number)
        if op is None:
            return None
        opcode, uses = self._program.opcode, self._program.uses
        while opcode[op + 1] == "call" and op in uses[op + 1]:
            op = Op(op + 1)
        made = self._executions(op)
        at = bisect_left(made, step)
        return Step(made[at - 1]) if at else None

    def _defs(self) -> Iterator[tuple[Op, int]]:
        """Yield each operation that defines a function, and the function's number."""
        for op, opcode in enumerate(self._program.opcode):
            if opcode == "def":
                yield Op(op), int(self._program.extra[op])

    @cached_property
    def _by_name(self) -> dict[str, list[Op]]:
        found: dict[str, list[Op]] = {}
        for op, number in self._defs():
            found.setdefault(self._program.functions[number].name, []).append(op)
        return found

    @cached_property
    def _by_number(self) -> dict[int, Op]:
        return {number: op for op, number in self._defs()}

    @cached_property
    def _by_address(self) -> dict[int, list[tuple[int, int]]]:
        """By its address: the steps that defined a function, each with the function's number."""
        found: dict[int, list[tuple[int, int]]] = {}
        for op, number in self._defs():
            for step in self._executions(op):
                if address := identity(self._run.values[step]):
                    found.setdefault(address, []).append((step, number))
        return {address: sorted(made) for address, made in found.items()}
