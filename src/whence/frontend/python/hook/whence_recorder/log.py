"""Where do events go?

Events go to a flat list in memory: an operation, its value, the next operation, and so on.  When
the list is long, and at the end, it is written to the log of the process.  Each event is added by
one call, because code of the program (a signal handler, a finalizer) can run between two calls.
All threads use one list, so that the order of their events is known.  As soon as a second one
starts, each event is preceded by the thread that logged it; the log keeps this where it changes.
No file stays open, because the program might see or close it.
"""

from __future__ import annotations

import _thread
import atexit
import marshal
import os
import sys
import time
from _collections import deque  # type: ignore[import-not-found]
from _json import encode_basestring_ascii, make_encoder

from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Extend = Callable[[Any], None]

END, THREAD, STARTS, STARTED = 2**31 + 1, 2**31 + 6, 2**31 + 7, 2**31 + 8
WAITING = 400_000  # length at which the list is written; an event has two entries; guessed
PAUSE = 0.1  # seconds between two writings of a program that will be killed; guessed
VERSION = 4  # version of the marshal format that all supported Pythons can write


class EventLog:
    """The log of this process and of the processes that it forks.

    `extend` adds an event.  It is replaced when a second thread starts and when the log is full;
    `on_change` is then called with the new one.  `max_size` is the limit in bytes.
    """

    def __init__(self, folder: str, max_size: int) -> None:
        self._root, self._left = folder, max_size  # _left: bytes that may still be written
        self._folder: str | None = None
        self._inherited: str | None = None
        self._size = 0
        self._has_threads = False
        self._written_thread = 0  # whose events end the log; 0: no thread was named yet
        self._flushing_lock = _thread.allocate_lock()
        self.events: list[Any] = []
        self.extend: Extend = self.events.extend
        self.on_change: Callable[[Extend], object] = id
        self.token: Callable[[object], object] = id
        self.before_end: Callable[[], object] = int  # is called when the process ends
        self.uncaught = id(None)  # identity of the exception that left the main module
        self._keep_functions()
        self._watch_threads()
        self._watch_ends()

    def note(self, op: int, value: object) -> None:
        """Add a record that belongs to no operation to the main thread's log."""
        if self._left > 0:
            self.events.extend((op, value))

    def _keep_functions(self) -> None:
        """Keep references to functions that are needed later: a test may replace them."""
        self._open, self._write, self._close = os.open, os.write, os.close
        self._mkdir, self._listdir, self._getpid = os.mkdir, os.listdir, os.getpid
        self._getcwd, self._getppid, self._time = os.getcwd, os.getppid, time.time
        self._read, self._rename = os.read, os.rename
        self._ident, self._start_thread = _thread.get_ident, _thread.start_new_thread

    # --- writing ---

    def flush(self) -> None:
        """Write the waiting events."""
        # If the lock is taken, its holder writes: perhaps this thread, interrupted by a signal.
        if self._left > 0 and self._flushing_lock.acquire(blocking=False):
            try:
                self._write_events()
            finally:
                self._flushing_lock.release()

    def flush_regularly(self) -> None:
        """Write the waiting events again and again: the program will be killed.

        A thread that the program cannot see does it.
        """
        sleep, flush = time.sleep, self.flush

        def write() -> None:
            while True:
                sleep(PAUSE)
                flush()

        self._start_thread(write, ())

    def _write_events(self) -> None:
        batch = self.events[:]
        if not batch:
            return
        del self.events[: len(batch)]  # events that were added in the meantime stay
        if self._has_threads:
            batch = self._without_repeats(batch)
        data = marshal.dumps((batch[::2], batch[1::2]), VERSION)
        try:
            self._append(len(data).to_bytes(8, "little") + data)
        except OSError:
            self._left = 0
        if self._left <= 0:
            self._stop()

    def _without_repeats(self, batch: list[Any]) -> list[Any]:
        """Return a batch of events that names a thread only where another one logged before."""
        found: list[Any] = []
        for at in range(0, len(batch), 2):
            if batch[at] == THREAD:
                if batch[at + 1] == self._written_thread:
                    continue
                self._written_thread = batch[at + 1]
            found += batch[at : at + 2]
        return found

    def _append(self, data: bytes) -> None:
        folder = self._folder or self._new_folder()
        fd = self._open(f"{folder}/0.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._write(fd, rest) :]
        finally:
            self._close(fd)
        self._size += len(data)
        self._left -= len(data)

    def _stop(self) -> None:
        """Discard all further events: the log is full or cannot be written."""
        self._describe(full=True)
        self.extend = deque(maxlen=0).extend
        self.on_change(self.extend)

    def _new_folder(self) -> str:
        count = sum(name[0].isdigit() for name in self._listdir(self._root))
        folder = self._folder = f"{self._root}/{count:04}-{self._getpid()}"
        self._mkdir(folder)
        self._describe(full=False)
        if self._inherited is not None:
            if self._size:
                self._copy(f"{self._inherited}/0.log", f"{folder}/0.log", self._size)
            self._inherited = None
        return folder

    def _copy(self, source: str, target: str, size: int) -> None:
        read = self._open(source, os.O_RDONLY)
        write = self._open(target, os.O_WRONLY | os.O_CREAT, 0o666)
        while size > 0:
            part = self._read(read, min(size, 1 << 20))
            if not part:
                break
            size -= self._write(write, part)
        self._close(read)
        self._close(write)

    def _describe(self, *, full: bool) -> None:
        """Write the document that describes the process, whole or, if it is killed, not at all."""
        if self._folder is None:
            return
        document = {
            "pid": self._getpid(), "parent": self._getppid(), "argv": list(sys.orig_argv),
            "python": "{}.{}.{}".format(*sys.version_info), "started": int(self._time()),
            "cwd": _cwd(self._getcwd), "full": full, "path": [str(each) for each in sys.path],
        }  # fmt: skip
        path = f"{self._folder}/process.json"
        fd = self._open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        self._write(fd, json(document).encode("ascii", "replace"))
        self._close(fd)
        self._rename(f"{path}.new", path)

    # --- threads ---

    def _watch_threads(self) -> None:
        """Notice when a thread starts.  Until the first one does, all events are the main one's."""
        threading: Any = sys.modules.get("threading")
        for name in ("start_new_thread", "start_new", "start_joinable_thread"):
            real = getattr(_thread, name, None)
            if real is None:
                continue
            replacement = self._starting(real)
            setattr(_thread, name, replacement)
            if threading is not None and getattr(threading, f"_{name}", None) is real:
                setattr(threading, f"_{name}", replacement)

    def _starting(self, real: Any) -> Any:
        def start_new_thread(*args: Any, **kwargs: Any) -> Any:
            self._use_threads()
            self._note_here(STARTS, 0)
            started = real(*args, **kwargs)
            self._note_here(STARTED, started if type(started) is int else started.ident)
            return started

        start_new_thread.__name__ = start_new_thread.__qualname__ = real.__name__
        start_new_thread.__doc__ = real.__doc__
        return start_new_thread

    def _note_here(self, op: int, value: object) -> None:
        """Add a record to the events of this thread."""
        if self._left > 0:
            self.events.extend((THREAD, self._ident(), op, value))

    def _use_threads(self) -> None:
        """From now on, log with each event which thread logged it."""
        if self._has_threads or self._left <= 0:
            return
        self._has_threads = True
        add, ident = self.events.extend, self._ident

        def extend(event: tuple[Any, ...]) -> None:
            add((THREAD, ident(), *event))

        self.extend = extend
        self.on_change(extend)

    # --- ends ---

    def _watch_ends(self) -> None:
        """Have the events written before the process ends, forks or executes another program."""
        atexit.register(self._end)
        os._exit = self._flushing(os._exit)
        for name in ("execv", "execve"):
            setattr(os, name, self._flushing(getattr(os, name)))
        os.register_at_fork(before=self.flush, after_in_child=self._forked)

    def _flushing(self, real: Any) -> Any:
        def leave(*args: Any, **kwargs: Any) -> Any:
            self.flush()
            return real(*args, **kwargs)

        leave.__name__ = leave.__qualname__ = real.__name__
        leave.__doc__ = real.__doc__
        return leave

    def _end(self) -> None:
        self.before_end()
        last = getattr(sys, "last_value", None)
        self.note(END, self.token(last) if id(last) == self.uncaught else None)
        self.flush()

    def _forked(self) -> None:
        """Give a forked child its own log, which begins with a copy of its parent's."""
        self._flushing_lock = _thread.allocate_lock()
        if self._folder is not None:
            self._inherited = self._folder
        self._folder = None


def _cwd(getcwd: Callable[[], str]) -> str | None:
    try:
        return getcwd()
    except OSError:
        return None


def json(value: object) -> str:
    """Return JSON, made by `_json`: the program may never import `json`."""
    encode = make_encoder(None, repr, encode_basestring_ascii, None, ":", ",", False, False, True)
    return "".join(encode(value, 0))
