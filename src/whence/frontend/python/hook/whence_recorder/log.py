"""Where do events go?

To a list in memory, flat: an operation, its value, and so on; now and then and at the end to the
log of the process.  An event is added by one call, as code of the program can run in between two
(a signal handler, a finalizer).  No file stays open, for the program might see or close it.
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

END = 2**31 + 1
WAITING = 400_000  # entries of the list, two an event
VERSION = 4  # of the marshal format: all Pythons know it


class EventLog:
    """The log of this process, and of those it forks.

    `extend` takes an event.  It is changed when a second thread starts and when the log is full;
    `on_change` hears of that.
    """

    def __init__(self, folder: str, most: int) -> None:
        self._root, self._left = folder, most
        self._folder: str | None = None
        self._inherited: str | None = None
        self._sizes: dict[int, int] = {}
        self._local = _thread._local()
        self._lock = _thread.allocate_lock()
        self._flushing_lock = _thread.allocate_lock()
        self.events: list[Any] = []
        self._streams = [self.events]
        self.extend: Extend = self.events.extend
        self.on_change: Callable[[Extend], object] = id
        self.token: Callable[[object], object] = id
        self.uncaught = id(None)  # the exception with which the main module was left
        self._keep_functions()
        self._watch_threads()
        self._watch_ends()

    def note(self, op: int, value: object) -> None:
        """A record of something else than an operation: in the main thread's log."""
        if self._left > 0:
            self.events.extend((op, value))

    def _keep_functions(self) -> None:
        """Take hold of what is needed later: a test may put fakes in their place."""
        self._open, self._write, self._close = os.open, os.write, os.close
        self._mkdir, self._listdir, self._getpid = os.mkdir, os.listdir, os.getpid
        self._getcwd, self._getppid, self._time = os.getcwd, os.getppid, time.time
        self._read, self._get_ident = os.read, _thread.get_ident

    # --- writing ---

    def flush(self) -> None:
        """Write down what waits, of all threads."""
        for thread in range(len(self._streams)):
            self.flush_thread(thread)

    def flush_thread(self, thread: int) -> None:
        # Whoever is here already, perhaps this very thread before a signal came, does it.
        if self._left > 0 and self._flushing_lock.acquire(blocking=False):
            try:
                self._write_down(thread)
            finally:
                self._flushing_lock.release()

    def _write_down(self, thread: int) -> None:
        events = self._streams[thread]
        if not events:
            return
        batch = events[:]
        del events[: len(batch)]  # what came meanwhile stays
        data = marshal.dumps((batch[::2], batch[1::2]), VERSION)
        try:
            self._append(thread, len(data).to_bytes(8, "little") + data)
        except OSError:
            self._left = 0
        if self._left <= 0:
            self._stop()

    def _append(self, thread: int, data: bytes) -> None:
        folder = self._folder or self._new_folder()
        fd = self._open(f"{folder}/{thread}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._write(fd, rest) :]
        finally:
            self._close(fd)
        self._sizes[thread] = self._sizes.get(thread, 0) + len(data)
        self._left -= len(data)

    def _stop(self) -> None:
        self._describe(full=True)
        self.extend = deque(maxlen=0).extend
        self.on_change(self.extend)

    def _new_folder(self) -> str:
        count = sum(name[0].isdigit() for name in self._listdir(self._root))
        folder = self._folder = f"{self._root}/{count:04}-{self._getpid()}"
        self._mkdir(folder)
        self._describe(full=False)
        if self._inherited is not None:
            for thread, size in self._sizes.items():
                self._copy(f"{self._inherited}/{thread}.log", f"{folder}/{thread}.log", size)
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
        if self._folder is None:
            return
        document = {
            "pid": self._getpid(), "parent": self._getppid(), "argv": list(sys.orig_argv),
            "python": "{}.{}.{}".format(*sys.version_info), "started": int(self._time()),
            "cwd": _cwd(self._getcwd), "full": full,
        }  # fmt: skip
        fd = self._open(
            f"{self._folder}/process.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666
        )
        self._write(fd, json(document).encode("ascii", "replace"))
        self._close(fd)

    # --- threads ---

    def _watch_threads(self) -> None:
        """Before the first thread starts every event is the main thread's."""
        self._local.events = self.events
        kept: list[Any] = []
        for name in ("start_new_thread", "start_new", "start_joinable_thread"):
            real = getattr(_thread, name, None)
            if real is not None:
                kept.append((_thread, name, real, self._first_thread(real, kept)))
        threading: Any = sys.modules.get("threading")
        for _, name, real, ours in kept[:]:
            setattr(_thread, name, ours)
            if threading is not None and getattr(threading, f"_{name}", None) is real:
                setattr(threading, f"_{name}", ours)

    def _first_thread(self, real: Any, kept: list[Any]) -> Any:
        def start_new_thread(*args: Any, **kwargs: Any) -> Any:
            self._use_threads(kept)
            return real(*args, **kwargs)

        return start_new_thread

    def _use_threads(self, kept: list[Any]) -> None:
        """Give every thread a list of its own, and put back what told us."""
        threading: Any = sys.modules.get("threading")
        for module, name, real, ours in kept:
            if getattr(module, name) is ours:
                setattr(module, name, real)
            if threading is not None and getattr(threading, f"_{name}", None) is ours:
                setattr(threading, f"_{name}", real)
        if self._left <= 0:
            return
        local, new = self._local, self._new_stream
        waiting = WAITING

        def extend(event: tuple[int, object]) -> None:
            try:
                events = local.events
            except AttributeError:
                events = new()
            events.extend(event)
            if len(events) > waiting and events is not self.events:
                self.flush_thread(local.thread)

        self.extend = extend
        self.on_change(extend)

    def _new_stream(self) -> list[Any]:
        events: list[Any] = []
        with self._lock:
            self._local.thread = len(self._streams)
            self._streams.append(events)
        self._local.events = events
        return events

    # --- ends ---

    def _watch_ends(self) -> None:
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
        last = getattr(sys, "last_value", None)
        self.note(END, self.token(last) if id(last) == self.uncaught else None)
        self.flush()

    def _forked(self) -> None:
        """The child goes on with a log of its own, which begins with what is known so far."""
        self._lock = _thread.allocate_lock()
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
    """JSON by the quick half of its module, whose other half the program may never need."""
    encode = make_encoder(None, repr, encode_basestring_ascii, None, ":", ",", False, False, True)
    return "".join(encode(value, 0))
