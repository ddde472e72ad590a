"""Which step stored a pointer that qsort moved to another place?

The number of an address means nothing in another run.  A pointer that the sort moved is the same
one if the same step stored it before.
"""

from __future__ import annotations

from collections.abc import Callable

from whence.program.ids import Step
from whence.program.rows import READ
from whence.trace.flow import Flow, Left, Operand

ReadMemory = Callable[[int, int, Step], list[tuple[int, Operand]]]

_SORTS = frozenset({"qsort", "qsort_r"})
_MAX_BYTES = 1 << 18  # limit on the size of a sorted array that is looked at; guessed


class MovedPointers:
    """Finds what was stored in arrays before they were sorted."""

    def __init__(self, flow: Flow, memory: ReadMemory) -> None:
        """`memory`: returns what the bytes at an address were made of, before a step."""
        self._flow, self._memory = flow, memory
        self._stored: dict[Step, dict[int, Step]] = {}  # by sort: which step stored which value

    def stored_by(self, step: Step) -> Step | None:
        """Return what stored the pointer that a load read from a sorted array.

        None if the step read something else, or if several steps stored this pointer.
        """
        flow = self._flow
        operands = flow.node(step).operands if flow.is_load(step) else ()
        if len(operands) != 1 or not isinstance(operands[0], Left):
            return None
        call = operands[0].step
        if not flow.is_call(call) or flow.thread.image.sort(flow.op_of(call)).callee not in _SORTS:
            return None
        if call not in self._stored:
            self._stored[call] = self._before(call)
        return self._stored[call].get(int(flow.value(step)))

    def _before(self, call: Step) -> dict[int, Step]:
        flow, found, several = self._flow, dict[int, Step](), set[int]()
        for number in flow.queries.effects_of(call):
            row = flow.thread.stream.effects[number]
            if row["kind"] != READ or int(row["len"]) > _MAX_BYTES:
                continue
            for _, operand in self._memory(int(row["addr"]), int(row["len"]), call):
                if isinstance(operand, int):
                    value = int(flow.value(operand))
                    several |= {value} if value in found else set()
                    found[value] = operand
        return {value: step for value, step in found.items() if value not in several}
