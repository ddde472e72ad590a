"""What is a value of the passing run in the failing run, if it is an address?

A replaced state keeps the failing run's own addresses.  An address of the passing run is followed
back to the object that it points into: a static variable, or memory that some step allocated.  The
counterpart of that object in the failing run says what the address is there.  A library call such
as strchr returns an address in the object that it was given.  A function has its name in both runs.
"""

from __future__ import annotations

from functools import cached_property

from whence.frontend.c.summaries import library_summary
from whence.program.ids import Step
from whence.program.operations import COp
from whence.trace.alignment import Alignment
from whence.trace.c.endings import callee
from whence.trace.c.flow import CFlow
from whence.trace.c.memory import module_symbols, modules_of
from whence.trace.c.recording import CThread
from whence.trace.flow import Operand
from whence.trace.recording import Comparable

_MAX_HOPS = 200  # operations between an address and its object that are followed; guessed
_IN_FIRST = frozenset({"=0", "~0"})  # the result is the first argument, or lies in its object
_MOVES = (COp.COPY, COp.ADD, COp.SUB)  # operations that keep an address in its object


class MappedValues:
    """Maps values of a passing run into a failing run."""

    def __init__(self, alignment: Alignment) -> None:
        failing, passing = alignment.failing, alignment.passing
        assert isinstance(failing, CFlow)
        assert isinstance(passing, CFlow)
        self.alignment, self._failing, self.passing = alignment, failing, passing

    def mapped(self, step: Step) -> int | None:
        """Return the value of a step of the passing run, as it is in the failing run.

        None: it is an address in an object that has no counterpart.
        """
        value = self.passing.value(step)
        if self.passing.compared_as(step) is not Comparable.POINTER or value == 0:
            return value
        if value in self._functions:
            return self._functions[value]
        origin = self._origin(step)
        if origin is None:
            return None
        own = self.alignment.failing_counterpart(origin)
        if own is None:
            return None
        return self._failing.value(own) + value - self.passing.value(origin)

    @cached_property
    def _functions(self) -> dict[int, int]:
        """The functions of the passing run by address: the addresses in the failing run."""
        own = _functions(self._failing)
        return {
            theirs: own[name] for name, theirs in _functions(self.passing).items() if name in own
        }

    def _origin(self, step: Step) -> Step | None:
        """Return the step that made the object which an address points into."""
        at = step
        for _ in range(_MAX_HOPS):
            node = self.passing.node(at)
            behind = [each for each in node.operands if self._is_address(each)]
            part = self._searched(at)
            if part is not None:
                at = part
                continue
            if not behind:
                return at
            if node.operation.op not in _MOVES and len(node.operands) != 1:
                return at
            operand = behind[0]
            assert isinstance(operand, int)
            at = operand
        return None

    def _searched(self, call: Step) -> Step | None:
        """Return the address that a library call was given, if its result lies in that object."""
        thread = self.passing.thread
        if not self.passing.is_call(call) or not self.passing.is_given(call):
            return None
        assert isinstance(thread, CThread)
        name = callee(thread, call)
        if name is None or not _IN_FIRST & {*(library_summary(name) or ())}:
            return None
        given = self.passing.argument(call, 0)
        return given if isinstance(given, int) else None

    def _is_address(self, operand: Operand) -> bool:
        return isinstance(operand, int) and self.passing.compared_as(operand) is Comparable.POINTER


def _functions(flow: CFlow) -> dict[str, int]:
    """Return the addresses of the functions whose names are in one module only."""
    found: dict[str, set[int]] = {}
    assert isinstance(flow.thread, CThread)
    for module, loaded in modules_of(flow.thread):
        for name, address in module_symbols(module, loaded):
            if address and name in module.module.functions:
                found.setdefault(name, set()).add(address)
    return {name: addresses.pop() for name, addresses in found.items() if len(addresses) == 1}
