"""What did steps of a C thread compute, and what did registers and addresses hold then?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from whence.trace.c.memory import Addresses
from whence.trace.c.replayed import ReplayedLog
from whence.trace.statements import MAX_BACK

CHUNK = 1 << 17  # steps whose values are replayed together


class Values:
    """The values of one thread."""

    def __init__(self, thread: ReplayedLog) -> None:
        self.thread = thread
        self.addresses = Addresses(thread)
        self._first = -1
        self._values: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)

    def value(self, step: int) -> int:
        """What a step computed, stored, returned or decided on."""
        first = (step - 1) // CHUNK * CHUNK + 1
        if first != self._first:
            self._values = self.thread.replay.window(first, first + CHUNK).value
            self._first = first
        return int(self._values[step - first])

    def registers(self, step: int, op: int) -> Callable[[str], int | None]:
        """What the registers of the function hold at a step."""
        source, local = self.thread.image.locate(op)

        def value(name: str) -> int | None:
            number = source.register(local, name)
            if number is None:
                return None
            found = self.thread.last_execution(op - local + number, step, MAX_BACK)
            return None if found is None else self.value(found)

        return value

    def pointed(self, step: int) -> Callable[[int, bool], str | None]:
        def pointed(address: int, is_text: bool) -> str | None:
            return self.addresses.shown(address, step + 1, is_text=is_text)

        return pointed
