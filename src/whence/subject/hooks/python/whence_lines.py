"""Which lines of the tree does this process execute?

Every line is logged once, as `path<tab>line`.  The log is opened, appended to and closed for each
batch: the program never sees, closes or inherits a file descriptor of the log, and processes can
share one log.  A batch is written when a function is entered for the first time, so a process that
is killed loses little.
"""

# pathlib is not imported: the program may not need it.

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False  # as in `typing`, which is not imported: the program may not need it
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

    Note = Callable[[tuple[str, int]], None]


def start_coverage(tree: str, log: str) -> None:
    """Log the executed lines of the files in `tree` from now on."""
    places = _Places(tree)
    note, flush = _log_to(log)
    atexit.register(flush)
    if sys.version_info >= (3, 12):
        _monitor(places, note, flush)
    else:
        _trace(places, note, flush)


class _Places(dict[str, str]):
    """A code object's file name -> its path in the tree, or "" if it is not in the tree.

    The dictionary fills itself, so a lookup of a known name costs no Python call.
    """

    def __init__(self, tree: str) -> None:
        both = (os.path.abspath(tree), os.path.realpath(tree))
        self.roots = {os.path.join(root, "") for root in both}
        self.cwd = os.getcwd()  # read now: the program may change it
        self.join, self.normal = os.path.join, os.path.normpath

    def __missing__(self, name: str) -> str:
        path = self.normal(self.join(self.cwd, name)) if name.endswith(".py") else ""
        inside = [path[len(root) :] for root in self.roots if path.startswith(root)]
        return self.setdefault(name, inside[0] if inside else "")


def _log_to(log: str) -> tuple[Note, Callable[[], None]]:
    pending: list[tuple[str, int]] = []
    # Bound now: a test may replace these functions by fakes.
    open_, write, close, encode = os.open, os.write, os.close, os.fsencode
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND

    def flush() -> None:
        batch = []
        try:
            while pending:
                batch.append("{}\t{}\n".format(*pending.pop()))
        except IndexError:
            pass  # another thread took the last one
        if batch:
            try:
                fd = open_(log, flags)
                try:
                    write(fd, encode("".join(batch)))
                finally:
                    close(fd)
            except OSError:
                pass

    return pending.append, flush


def _monitor(places: _Places, note: Note, flush: Callable[[], None]) -> None:
    """Use sys.monitoring; each event is disabled after it happened, so a line costs only once."""
    if sys.version_info < (3, 12):
        return
    monitoring = sys.monitoring
    free = [tool for tool in (4, 3) if monitoring.get_tool(tool) is None]
    if not free:
        return
    tool = free[0]
    disable, line_event = monitoring.DISABLE, monitoring.events.LINE
    watch = monitoring.set_local_events

    def on_start(code: CodeType, _offset: int) -> object:
        if places[code.co_filename]:
            flush()
            watch(tool, code, line_event)
        return disable

    def on_line(code: CodeType, line: int) -> object:
        note((places[code.co_filename], line))
        return disable

    monitoring.use_tool_id(tool, "whence")
    monitoring.register_callback(tool, monitoring.events.PY_START, on_start)
    monitoring.register_callback(tool, line_event, on_line)
    monitoring.set_events(tool, monitoring.events.PY_START)


def _trace(places: _Places, note: Note, flush: Callable[[], None]) -> None:
    """Use sys.settrace; a call of a function outside the tree, or fully seen, costs one callback.

    Within a frame, tracing continues even if all lines were seen: the interpreter copies the local
    variables for the trace function, and an outdated copy would keep objects alive that the program
    has dropped.
    """
    import threading

    # By id, because equal code objects may come from different files.  The entry keeps the code
    # object alive, so that its id stays unique.
    known: dict[int, tuple[CodeType, set[int], Callable[..., Any]]] = {}

    def on_call(frame: FrameType, _event: str, _arg: object) -> Callable[..., Any] | None:
        code = frame.f_code
        path = places[code.co_filename]
        if not path:
            return None
        entered = known.get(id(code))
        if entered is None:
            flush()
            entered = known[id(code)] = enter(code, path)
        _, unseen, on_line = entered
        return on_line if unseen else None

    def enter(code: CodeType, path: str) -> tuple[CodeType, set[int], Callable[..., Any]]:
        unseen = {line for _, _, line in code.co_lines() if line}
        if code.co_name != "<module>" and unseen != {code.co_firstlineno}:
            unseen.discard(code.co_firstlineno)  # the call itself, which is no line event

        def on_line(frame: FrameType, _event: str, _arg: object) -> Callable[..., Any]:
            line = frame.f_lineno
            if line in unseen:
                unseen.discard(line)
                note((path, line))
            return on_line

        return code, unseen, on_line

    threading.settrace(on_call)
    sys.settrace(on_call)
