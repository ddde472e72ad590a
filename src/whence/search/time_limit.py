"""How does the work end when the time that the user allows is over?

A timer interrupts the work like Ctrl-C does, so the work ends in the same way: it reports the best
answer so far.  The timer interrupts only while something is there to report.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeIsUp(KeyboardInterrupt):
    """The time that the user allows is over."""


class TimeLimit:
    """A limit on the seconds from its start on; None: no limit."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.is_up = False
        self._interruptible = 0  # blocks under way that may be interrupted

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure the time of the block."""
        # Only the main thread gets signals.  Other threads are used by tests and by callers that
        # stop the work themselves.
        if self.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._on_alarm)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let the end of the time interrupt the block with TimeIsUp."""
        self._interruptible += 1
        try:
            if self.is_up:
                raise TimeIsUp
            yield
        finally:
            self._interruptible -= 1

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        self.is_up = True
        if self._interruptible:
            raise TimeIsUp
