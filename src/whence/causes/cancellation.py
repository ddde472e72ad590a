"""How does one thread end a computation that is under way in another?

The computation calls `check` in its loops, which raises `Cancelled` once another thread has called
`request`.  A solver call cannot check by itself, so it is interrupted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """Another thread cancelled this computation."""


class Cancellation:
    """A request to end the computation that is under way, if there is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_computing = False
        self._is_requested = False
        self._interrupt: Callable[[], None] | None = None  # ends the call that is under way

    def request(self) -> None:
        """End the computation under way; later ones are not affected."""
        with self._lock:
            self._is_requested = self._is_computing
            if self._interrupt is not None:
                self._interrupt()

    def check(self) -> None:
        """Raise `Cancelled` if the computation under way is to end."""
        if self._is_requested:
            raise Cancelled

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Mark the block as the computation that `request` ends."""
        with self._lock:
            self._is_computing, self._is_requested = True, False
        try:
            yield
        finally:
            with self._lock:
                self._is_computing = self._is_requested = False

    @contextmanager
    def interruptible(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Mark the block as a call that does not check, but that `interrupt` ends."""
        with self._lock:
            self._interrupt = interrupt
        try:
            self.check()  # the request may have come before there was a call to interrupt
            yield
        finally:
            with self._lock:
                self._interrupt = None
        self.check()
