"""What does a function of this version do on a state that was recorded in the other one?

At the end of the process, each asked function runs in a fork of its own, with rebuilt arguments.
The fork has no open files, and a limit on its time.  The records of its calls are added to the log.
"""

from __future__ import annotations

import marshal
import os
import sys

from .named_code import Classes, RefusedError
from .private import BUILTINS
from .rebuilding import Rebuilding
from .states import FUNCTION

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .call_log import CallLog
    from .log import EventLog
    from .settings import Settings

AGAIN = 2**31 + 17  # number of a log record, as in trace/python/calls_again.py
FIRST_NUMBER, NUMBERS = 2**40, 2**20  # of the calls of a request; each request has two ways
MAX_SECONDS = 2  # limit on the CPU time of one call; guessed
MAX_WAIT = 20.0  # seconds until a call that waits for something is ended; guessed
MAX_ALL_SECONDS = 20.0  # limit on the CPU time of all calls of a process; guessed
MAX_WAITS = 2  # calls that wait for something, after which no more are run; guessed
MAX_YIELDED = 1000  # limit on values that are taken from a generator; guessed
FORMAT = 4  # the version of marshal's format
_ASYNCHRONOUS = 0x80 | 0x200  # flags of code: a coroutine, an asynchronous generator
_VARARGS, _KEYWORDS = 4, 8  # flags of code: *args, **kwargs


class RunningAgain:
    """Runs the functions that a file asks for."""

    def __init__(self, settings: Settings, log: EventLog, calls: CallLog) -> None:
        assert settings.again is not None
        with open(settings.again, "rb") as opened:
            self._nodes, self._known, self._asked = marshal.load(opened)
        self._settings, self._log, self._calls = settings, log, calls
        self._waits = 0
        self._fork, self._pipe, self._exit, self._dup2 = os.fork, os.pipe, os._exit, os.dup2
        self._read, self._write, self._close, self._open = os.read, os.write, os.close, os.open
        self._waitpid, self._kill, self._listdir = os.waitpid, os.kill, os.listdir

    def run(self) -> None:
        """Run all of them; then the process may end."""
        classes = Classes(self._known)
        requests = self._asked.get(tuple(sys.orig_argv), ())
        if requests:
            classes.classes()
            classes.functions()
        before = _seconds_of_children()
        for request in requests:
            if _seconds_of_children() - before > MAX_ALL_SECONDS or self._waits >= MAX_WAITS:
                self._answer(request, False, "the calls before it took too long")
                continue
            is_open = self._ask(request, classes, is_second=False)
            if is_open:
                self._ask(request, classes, is_second=True)

    def _ask(self, request: Any, classes: Classes, *, is_second: bool) -> bool:
        """Run one request in a fork; return whether its state left something open."""
        try:
            reading, writing = self._pipe()
            child = self._fork()
        except (OSError, RuntimeError):
            self._answer(request, is_second, "the process could not be forked")
            return False
        if child == 0:
            self._in_child(request, classes, writing, is_second=is_second)
        self._close(writing)
        data = self._received(reading, child)
        self._close(reading)
        self._waitpid(child, 0)
        try:
            why, is_open, events = marshal.loads(data)
        except (ValueError, EOFError, TypeError):
            why, is_open, events = f"it does not end within {MAX_SECONDS} s", False, []
        self._log.events.extend(events)
        self._answer(request, is_second, why)
        return bool(is_open)

    def _answer(self, request: Any, is_second: bool, why: str) -> None:
        self._log.note(AGAIN, (request["id"], is_second, why))

    def _received(self, reading: int, child: int) -> bytes:
        import select
        import signal

        parts: list[bytes] = []
        waiting = select.poll()
        waiting.register(reading, select.POLLIN | select.POLLHUP)
        while True:
            if not waiting.poll(MAX_WAIT * 1000):
                self._waits += 1
                self._kill(child, signal.SIGKILL)
                return b""
            part = self._read(reading, 1 << 20)
            if not part:
                return b"".join(parts)
            parts.append(part)

    # --- in the fork ---

    def _in_child(
        self, request: Any, classes: Classes, writing: int, *, is_second: bool
    ) -> None:  # fmt: skip
        try:
            self._isolate(writing)
            self._log._left = 0  # the parent writes what is logged here
            self._calls.begin_again(FIRST_NUMBER + (2 * request["id"] + is_second) * NUMBERS)
            rebuilding = Rebuilding(self._nodes, classes, is_second=is_second)
            why = self._run(request, classes, rebuilding)
            events = [] if why else self._log.events[:]
            rest = memoryview(marshal.dumps((why, rebuilding.is_open, events), FORMAT))
            while rest:
                rest = rest[self._write(writing, rest) :]
        finally:
            self._exit(0)

    def _isolate(self, writing: int) -> None:
        import resource

        sys.settrace(None)
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
        nowhere = self._open(os.devnull, os.O_RDWR)
        for name in self._listdir("/dev/fd"):
            if int(name) not in (nowhere, writing):
                try:
                    self._dup2(nowhere, int(name))
                except OSError:
                    continue  # it was open only to list the folder

    def _run(self, request: Any, classes: Classes, rebuilding: Rebuilding) -> str:
        """Run the function; return why that is not possible, or nothing."""
        try:
            function = self._function(request, classes)
            args, kwargs = _arguments(function, request["given"], rebuilding)
            self._put_around(function, request["around"], rebuilding)
        except RefusedError as refused:
            return f"it cannot be rebuilt: {refused}"
        except Exception as error:
            return f"it cannot be rebuilt: {type(error).__name__}"
        del self._log.events[:]
        try:
            result = function(*args, **kwargs)
            if type(result).__name__ == "generator":
                for number, _ in enumerate(result):
                    if number >= MAX_YIELDED:
                        return "it yields too many values"
        except BaseException:
            pass  # the call that it leaves has logged it
        return ""

    def _function(self, request: Any, classes: Classes) -> Any:
        """Return the function that is defined at a line; there must be only one."""
        file, line = request["place"]
        found = [
            each
            for functions in classes.functions().values()
            for each in functions
            if each.__code__.co_firstlineno == line
            and each.__code__.co_name == request["name"]
            and self._settings.name(each.__code__.co_filename) == file
        ]
        if len({id(each.__code__) for each in found}) == 1 and not found[0].__closure__:
            found = found[:1]
        if len(found) != 1:
            how = "was not made" if not found else f"was made {len(found)} times"
            raise RefusedError(f"the function {how}")
        if found[0].__code__.co_flags & _ASYNCHRONOUS:
            raise RefusedError("the function is a coroutine")
        return found[0]

    def _put_around(self, function: Any, around: dict[str, Any], rebuilding: Rebuilding) -> None:
        """Put in the globals and the variables of outer functions."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name, state in around.items():
            if name in cells:
                cells[name].cell_contents = rebuilding.value(state)
            else:
                function.__globals__[name] = rebuilding.value(state)


def _seconds_of_children() -> float:
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _arguments(
    function: Any, given: Any, rebuilding: Rebuilding
) -> tuple[list[Any], dict[str, Any]]:
    """Return what to call a function with; parameters that have their default are left out."""
    assert type(function) is FUNCTION
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    names = code.co_varnames
    first = code.co_argcount
    keyword = names[first : first + code.co_kwonlyargcount]
    first += code.co_kwonlyargcount
    rest = names[first] if code.co_flags & _VARARGS else None
    first += bool(rest)
    more = names[first] if code.co_flags & _KEYWORDS else None
    values: dict[str, Any] = {}
    for name, state, is_default in given:
        if name not in (*positional, *keyword, rest, more):
            if not is_default:
                raise RefusedError(f"the function has no parameter {name}")
        elif not is_default:
            values[name] = rebuilding.value(state)
    args: list[Any] = []
    for name in positional:
        if name not in values:
            break
        args.append(values.pop(name))
    extra = values.pop(rest, ()) if rest else ()
    if extra and len(args) < len(positional):
        raise RefusedError("further arguments follow a default")
    args.extend(extra)
    kwargs = values.pop(more, {}) if more else {}
    return args, {**kwargs, **values}
