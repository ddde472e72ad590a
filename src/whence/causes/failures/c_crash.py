"""Which pointer or divisor made a C program crash, and what was wrong with it?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from whence.program.ids import Step
from whence.program.source import NamedValue
from whence.trace.c.flow import CFlow
from whence.trace.c.replayed import ReplayedLog
from whence.trace.flow import Operand, StoredBits

_MAX_FREES = 10_000  # limit on the calls of free that are compared; guessed
_MAX_WALK = 40  # limit on the operations between a pointer and its variable; guessed
_MAX_ORIGIN = 400  # limit on the steps between a pointer and its allocation; guessed
_FREEING = frozenset({"free", "realloc", "reallocarray", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"})
_ADDRESS = re.compile(r" \(address 0x[0-9a-f]+\)$")


class Freeing(NamedTuple):
    """The call that freed memory which was used later."""

    step: Step
    is_of_source: bool  # the wild pointer was read from that memory


class CrashDescriber:
    """Describes the wrong operand of the operation that crashed."""

    def __init__(self, flow: CFlow) -> None:
        self.flow = flow
        self._names = flow.describer().names

    def subject(self, operands: Sequence[Operand]) -> NamedValue | None:
        """Return the variable that held the wrong value, and that value."""
        for operand in operands:
            step = self._read(operand)
            named = self._names.loaded(step) if step is not None else None
            if named is not None:
                return named
        return None

    def words(self, words: str, found: NamedValue, freeing: Freeing | None) -> str:
        """Return the crash in words: which variable was wrong, and why it was."""
        start = f"{_ADDRESS.sub('', words)}: `{found.name}`"
        if freeing is None:
            return f"{start} is {found.value}"
        line = self._names.line(freeing.step)
        if freeing.is_of_source:
            return f"{start} is {found.value}, read from memory that {line} freed"
        return f"{start} points to memory that {line} freed before"

    def _read(self, operand: Operand | None) -> Step | None:
        """Return the load or call whose value an address or a divisor was computed from."""
        for _ in range(_MAX_WALK):
            if not isinstance(operand, int):
                return None
            if self.flow.is_load(operand) or self.flow.is_call(operand):
                return operand
            operand = next(iter(self.flow.node(operand).operands), None)
        return None

    def is_of_frame(self, operand: Operand) -> bool:
        """Is a pointer the address of a local variable, or of a part of one?"""
        found: Operand | None = operand
        for _ in range(_MAX_WALK):
            if not isinstance(found, int):
                return False
            if self.flow.thread.image.sort(self.flow.op_of(found)).opcode == "alloca":
                return True
            found = next(iter(self.flow.node(found).operands), None)
        return False

    # --- freed memory ---

    def freeing(self, operands: Sequence[Operand]) -> Freeing | None:
        """Return what freed the memory that a wild pointer points to or was read from."""
        for operand in operands:
            read = self._read(operand)
            if read is None:
                continue
            step = self._freeing(operand, read)
            if step is not None:
                return Freeing(step, is_of_source=False)
            pointer = self.flow.node(read).pointer if self.flow.is_load(read) else None
            step = None if pointer is None else self._freeing(pointer, read)
            if step is not None:
                return Freeing(step, is_of_source=True)
        return None

    def frees(self, call: Step) -> bool:
        """Is a call one that frees memory?"""
        return call in self._frees

    def _freeing(self, pointer: Operand, before: Step) -> Step | None:
        """Return the call that freed the memory of a pointer before a step used it."""
        allocation = self._origin(pointer)
        if allocation is None or not self.flow.value(allocation):
            return None
        start = self.flow.value(allocation)
        for step in self._frees:
            argument = self.flow.argument(step, 0) if allocation < step < before else None
            if argument is not None and self.flow.value_of(argument) == start:
                return step
        return None

    def _origin(self, operand: Operand | None) -> Step | None:
        """Return the call that a pointer came from, through variables and arithmetic."""
        for _ in range(_MAX_ORIGIN):
            if isinstance(operand, StoredBits):
                operand = operand.step
            if not isinstance(operand, int):
                return None
            if self.flow.is_call(operand) and not self.flow.queries.entered(operand):
                return operand
            operand = next(iter(self.flow.node(operand).operands), None)
        return None

    @cached_property
    def _frees(self) -> list[Step]:
        """The calls that freed memory, in order; none if the run is too long to be searched."""
        thread = self.flow.thread
        assert isinstance(thread, ReplayedLog)
        if thread.stream.sections is not None:
            return []
        found = map(thread.queries.executions, thread.calls_of(_FREEING))
        steps = [Step(step) for each in found for step in each[:].tolist()]
        return sorted(steps)[-_MAX_FREES:]
