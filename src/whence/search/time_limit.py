"""How does the work end when the time that the user allows is over?

A timer interrupts the work like Ctrl-C does, so the work ends in the same way: it reports the best
answer so far.  The timer interrupts only while something is there to report.

A search that leaves time to explain what it found has only a part of the time.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SEARCH_PART = 0.7  # of the time, for a search whose result is explained afterwards; guessed


class TimeIsUp(KeyboardInterrupt):
    """The time that the user allows is over."""


class TimeLimit:
    """A limit on the seconds from its start on; None: no limit."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.is_up = False
        self.is_search_up = False  # is the time over that is for searches?
        self._interruptible = 0  # blocks under way that may be interrupted
        self._searching = 0  # blocks under way that may be interrupted when their part is over

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure the time of the block."""
        # Only the main thread gets signals.  Other threads are used by tests and by callers that
        # stop the work themselves.
        if self.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._on_alarm)
        signal.setitimer(signal.ITIMER_REAL, self.seconds * _SEARCH_PART)
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

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Let the end of the time for searches interrupt the block with TimeIsUp."""
        self._searching += 1
        try:
            if self.is_search_up:
                raise TimeIsUp
            yield
        finally:
            self._searching -= 1

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        if not self.is_search_up:
            assert self.seconds is not None
            self.is_search_up = True
            signal.setitimer(signal.ITIMER_REAL, self.seconds * (1 - _SEARCH_PART))
            if self._searching:
                raise TimeIsUp
            return
        self.is_up = True
        if self._interruptible:
            raise TimeIsUp
