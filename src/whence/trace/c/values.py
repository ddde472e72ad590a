"""What did the steps of a C thread compute, and what did registers and memory hold?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from whence.frontend.c.ir import FloatType
from whence.frontend.c.term_writer import FLOAT_BYTES
from whence.program.ids import Op, Step
from whence.trace.c.memory import Addresses
from whence.trace.c.replayed import ReplayedLog
from whence.trace.statements import MAX_BACK

CHUNK = 1 << 17  # steps whose values are replayed together; guessed


class Values:
    """The values of one thread."""

    def __init__(self, thread: ReplayedLog) -> None:
        self.thread = thread
        self.addresses = Addresses(thread)
        self._first = -1
        self._values: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)

    def value(self, step: Step) -> int:
        """Return what a step computed, stored, returned or branched on."""
        first = (step - 1) // CHUNK * CHUNK + 1
        if first != self._first:
            self._values = self.thread.replay.window(first, first + CHUNK).value
            self._first = first
        return int(self._values[step - first])

    def whole_value(self, step: Step, op: Op) -> int:
        """Return the value of a step with all of its bits; `value` has the lowest 64."""
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        kind = instruction.type
        if instruction.opcode in ("store", "ret") and instruction.operands:
            kind = instruction.operands[0].type
        is_wide = isinstance(kind, FloatType) and kind.kind not in FLOAT_BYTES
        if not is_wide or instruction.opcode in ("call", "invoke"):
            return self.value(step)
        return int.from_bytes(self.thread.replay.wide(step), "little")

    def registers(self, step: Step, op: Op) -> Callable[[str], int | None]:
        """Return a function that gives the value of a register, by name, at a step."""
        source, local = self.thread.image.locate(op)

        def value(name: str) -> int | None:
            number = source.register(local, name)
            if number is None:
                return None
            found = self.thread.last_execution(Op(op - local + number), step, MAX_BACK)
            return None if found is None else self.value(found)

        return value

    def pointed(self, step: Step) -> Callable[[int, bool], str | None]:
        """Return a function that names what an address points to after a step."""

        def pointed(address: int, is_text: bool) -> str | None:
            return self.addresses.shown(address, Step(step + 1), is_text=is_text)

        return pointed
