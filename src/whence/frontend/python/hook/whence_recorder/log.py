"""Where do events go?

Events go to a flat list in memory: an operation, its value, the next operation, and so on.  When
the list is long, and at the end, it is written to the log of the process.  Each event is added by
one call, because code of the program (a signal handler, a finalizer) can run between two calls.
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

END = 2**31 + 1
WAITING = 400_000  # length at which the list is written; an event has two entries; guessed
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
        self._sizes: dict[int, int] = {}
        self._local = _thread._local()
        self._lock = _thread.allocate_lock()
        self._flushing_lock = _thread.allocate_lock()
        self.events: list[Any] = []
        self._streams = [self.events]
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

    # --- writing ---

    def flush(self) -> None:
        """Write the waiting events of all threads."""
        for thread in range(len(self._streams)):
            self.flush_thread(thread)

    def flush_thread(self, thread: int) -> None:
        # If the lock is taken, its holder writes: perhaps this thread, interrupted by a signal.
        if self._left > 0 and self._flushing_lock.acquire(blocking=False):
            try:
                self._write_events(thread)
            finally:
                self._flushing_lock.release()

    def _write_events(self, thread: int) -> None:
        events = self._streams[thread]
        if not events:
            return
        batch = events[:]
        del events[: len(batch)]  # events that were added in the meantime stay
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
        """Notice when the first thread starts: until then all events belong to the main thread."""
        self._local.events = self.events
        replaced: list[Any] = []
        for name in ("start_new_thread", "start_new", "start_joinable_thread"):
            real = getattr(_thread, name, None)
            if real is not None:
                replaced.append((_thread, name, real, self._first_thread(real, replaced)))
        threading: Any = sys.modules.get("threading")
        for _, name, real, replacement in replaced[:]:
            setattr(_thread, name, replacement)
            if threading is not None and getattr(threading, f"_{name}", None) is real:
                setattr(threading, f"_{name}", replacement)

    def _first_thread(self, real: Any, replaced: list[Any]) -> Any:
        def start_new_thread(*args: Any, **kwargs: Any) -> Any:
            self._use_threads(replaced)
            return real(*args, **kwargs)

        return start_new_thread

    def _use_threads(self, replaced: list[Any]) -> None:
        """Give every thread its own list, and restore the functions that start threads."""
        threading: Any = sys.modules.get("threading")
        for module, name, real, replacement in replaced:
            if getattr(module, name) is replacement:
                setattr(module, name, real)
            if threading is not None and getattr(threading, f"_{name}", None) is replacement:
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
    """Return JSON, made by `_json`: the program may never import `json`."""
    encode = make_encoder(None, repr, encode_basestring_ascii, None, ":", ",", False, False, True)
    return "".join(encode(value, 0))
