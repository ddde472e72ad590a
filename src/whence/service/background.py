"""How are causes computed while the user goes on?  One at a time, in another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from operator import itemgetter

from whence.model import CauseTree

Found = tuple[int, ...] | Exception
_PATIENCE = 2.0  # seconds that a computation gets to end once it was cancelled


class Background:
    """What is to be computed of a tree, and what is being computed.

    All methods are called from one thread.  `done` is called from another, with a cause and
    either the causes below it or why there are none; `end` must follow in the first thread.
    """

    def __init__(self, tree: CauseTree, done: Callable[[int, Found], None]) -> None:
        self._tree = tree
        self._done = done
        self._waiting: list[tuple[int, int]] = []  # rank and cause
        self._thread: threading.Thread | None = None
        self.is_dropped = False  # nobody wants what is being computed any more
        self.current: int | None = None

    def want(self, number: int, *, rank: int) -> None:
        """Compute the causes below one, after all that is under way or has a lower rank."""
        self._waiting.append((rank, number))
        self._waiting.sort(key=itemgetter(0))
        self._start()

    def drop(self, is_unwanted: Callable[[int], bool]) -> None:
        """Compute nothing of the causes that are unwanted, not even what is under way."""
        self._waiting = [each for each in self._waiting if not is_unwanted(each[1])]
        if self.current is not None and is_unwanted(self.current):
            self.is_dropped = True
            self._cancel()

    def end(self) -> None:
        """Go on, once what `done` told is dealt with."""
        self.current, self.is_dropped = None, False
        self._start()

    def stop(self) -> None:
        """End it all; what is under way and cannot be cancelled is left behind after a while."""
        self._waiting.clear()
        if self._thread is not None and self._thread.is_alive():
            self._cancel()
            self._thread.join(_PATIENCE)

    def _start(self) -> None:
        if self.current is None and self._waiting:
            _, self.current = self._waiting.pop(0)
            # A daemon: a computation that takes long must not keep the user from leaving.
            self._thread = threading.Thread(target=self._run, args=(self.current,), daemon=True)
            self._thread.start()

    def _run(self, number: int) -> None:
        found: Found
        try:
            found = self._tree.children(number)
        except Exception as error:
            found = error
        with suppress(RuntimeError):  # the user has quit, and nobody listens
            self._done(number, found)

    def _cancel(self) -> None:
        cancel = getattr(self._tree, "cancel", None)
        if cancel is not None:
            cancel()
