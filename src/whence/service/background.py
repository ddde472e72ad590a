"""How are causes computed while the user goes on?  One at a time, in another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from operator import itemgetter

from whence.model import CauseTree

Answer = tuple[int, ...] | Exception
"""The causes below a cause, or the error that computing them raised."""

_PATIENCE = 2.0  # seconds that a cancelled computation gets to end; guessed


class Background:
    """A queue of causes whose children are to be computed, and the computation under way.

    All methods are called from one thread.  `done` is called from another, with a cause and the
    answer; the first thread must then call `end`.
    """

    def __init__(self, tree: CauseTree, done: Callable[[int, Answer], None]) -> None:
        self._tree = tree
        self._done = done
        self._waiting: list[tuple[int, int]] = []  # rank and cause
        self._thread: threading.Thread | None = None
        self.is_dropped = False  # the computation under way is no longer wanted
        self.current: int | None = None

    def want(self, number: int, *, rank: int) -> None:
        """Compute the causes below a cause, after those under way or of a lower rank."""
        self._waiting.append((rank, number))
        self._waiting.sort(key=itemgetter(0))
        self._start()

    def drop(self, is_unwanted: Callable[[int], bool]) -> None:
        """Remove unwanted causes from the queue, and cancel the computation of one."""
        self._waiting = [each for each in self._waiting if not is_unwanted(each[1])]
        if self.current is not None and is_unwanted(self.current):
            self.is_dropped = True
            self._tree.cancel()

    def end(self) -> None:
        """Start the next computation, once the answer that `done` received is dealt with."""
        self.current, self.is_dropped = None, False
        self._start()

    def stop(self) -> None:
        """Empty the queue and cancel the computation under way; wait for it, but not for long."""
        self._waiting.clear()
        if self._thread is not None and self._thread.is_alive():
            self._tree.cancel()
            self._thread.join(_PATIENCE)

    def _start(self) -> None:
        if self.current is None and self._waiting:
            _, self.current = self._waiting.pop(0)
            # A daemon thread, so that a long computation does not keep the process alive.
            self._thread = threading.Thread(target=self._run, args=(self.current,), daemon=True)
            self._thread.start()

    def _run(self, number: int) -> None:
        answer: Answer
        try:
            answer = self._tree.children(number)
        except Exception as error:
            answer = error
        with suppress(RuntimeError):  # the user has quit, and nobody listens
            self._done(number, answer)
