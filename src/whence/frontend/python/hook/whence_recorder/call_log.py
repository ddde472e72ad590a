"""Which calls did the watched functions get, and what did each of them do?

A call is logged when it begins (the states of its parameters and of the globals that the function
names) and when it ends (its result or exception, and the states that it changed).  Calls of
functions that are called very often are not all logged: the first ones are, and later ones in
groups.  Which calls these are depends only on the number of the call.
"""

# ruff: noqa: SIM105 (contextlib.suppress would take further calls)

from __future__ import annotations

import os
import sys

from .log import WAITING
from .private import BUILTINS
from .settings import Settings
from .states import FUNCTION, METHOD, MODULE, NAMED, States

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from .log import EventLog
    from .states import State

# Numbers of log records, as in trace/python/watched_calls.py.
ENTER, LEAVE, OUTPUT, READ, COUNTS = range(2**31 + 12, 2**31 + 17)
UNCHANGED = ()  # stands for a state that is the one at the start of the call
# Calls that are logged: the first ones, then this many of each group.  See bench/contract.
FIRST, FIRST_OF_CHANGED = 60, 1500
GROUP, GROUP_OF_CHANGED = 4096, 1024
LOGGED = 64
MAX_GLOBAL_NODES = 60  # limit on the objects that the state of a global describes; guessed
MAX_OUTPUT = 4096  # limit on characters of one write that are logged; guessed
FIXED = (str, int, float, bool, bytes, type(None), type, FUNCTION, METHOD, MODULE, *NAMED)


class _Function:
    """A watched function: how often it was called, and what it names."""

    __slots__ = ("count", "defaults", "first", "globals", "group")

    def __init__(self) -> None:
        self.count = 0
        self.defaults: dict[int, Any] = {}
        self.first, self.group = -1, 1  # not known before the first call
        self.globals: tuple[str, ...] = ()


class _Call:
    """A call that is logged and has not ended."""

    __slots__ = ("arguments", "function", "globals", "number", "raised", "result", "yielded")

    def __init__(self, number: int, function: _Function) -> None:
        self.number, self.function = number, function
        self.arguments: list[tuple[Any, State]] = []
        self.globals: dict[str, Any] = {}
        self.result: State = None
        self.raised: State = None
        self.yielded: list[State] | None = None


class _Delegate:
    """An iterator that notes what another one yields, and else behaves like that one."""

    __slots__ = ("_inner", "_note")

    def __init__(self, inner: Any, note: Callable[[Any], Any]) -> None:
        self._inner, self._note = inner, note

    def __iter__(self) -> _Delegate:
        return self

    def __next__(self) -> Any:
        return self._note(next(self._inner))

    def __getattr__(self, name: str) -> Any:
        """Return `send`, `throw` or `close` of the other iterator, if it has them."""
        method = getattr(self._inner, name)
        if name == "close":
            return method
        return lambda *arguments: self._note(method(*arguments))


class CallLog:
    """The functions of the watcher that rewritten code calls."""

    def __init__(self, settings: Settings, log: EventLog) -> None:
        self._log, self._settings = log, settings
        self._states = States(self._note)
        self._functions: dict[int, _Function] = {}
        self._active: dict[int, _Call] = {}  # by the identity of the frame
        self._last = 0
        self._globals: dict[tuple[int, str], tuple[Any, State]] = {}  # first value and state
        self._changed = _changed_functions(settings)
        self._getframe, self._print = sys._getframe, print
        self._exc_info = sys.exc_info
        self._writers = _writer_types()
        self.at_end: Callable[[], object] = int  # is called when the program has ended

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the functions by the names that they have in rewritten code."""
        named = (
            *(self.enter, self.result, self.yielded, self.delegated, self.raised, self.leave),
            self.default,
        )
        return {function.__name__: function for function in named} | {"writer": self.writer}

    def _note(self, kind: int, value: object) -> None:
        self._log.extend((kind, value))

    # --- the start of a call ---

    def enter(self, k: int, *arguments: Any) -> None:
        """Note that function k was called."""
        function = self._functions.get(k)
        if function is None:
            function = self._functions[k] = _Function()
        count = function.count
        function.count = count + 1
        if count < function.first or count % function.group < LOGGED:
            self._enter(k, function, arguments, self._getframe(1))

    def _enter(self, k: int, function: _Function, arguments: Any, frame: FrameType) -> None:
        if function.first < 0:
            self._meet(function, frame)
        parent, back = self._parent(frame), frame.f_back
        self._last += 1
        call = _Call(self._last, function)
        state, defaults = self._states.state, function.defaults
        for index, value in enumerate(arguments):
            found = state(value)
            is_default = index in defaults and defaults[index] is value
            call.arguments.append((value, (found, is_default)))
        call.globals = self._state_of_globals(function, frame)
        place = (back.f_code.co_filename, back.f_lineno) if back is not None else ("", 0)
        given = tuple([given for _, given in call.arguments])
        free = self._free(frame)
        self._note(ENTER, (call.number, k, parent, place, given, call.globals, free))
        self._active[id(frame)] = call
        if len(self._log.events) > WAITING:
            self._log.flush()

    def _meet(self, function: _Function, frame: FrameType) -> None:
        """Note what a function is like, at its first call."""
        code = frame.f_code
        is_changed = (self._settings.name(code.co_filename), code.co_firstlineno) in self._changed
        function.first = FIRST_OF_CHANGED if is_changed else FIRST
        function.group = GROUP_OF_CHANGED if is_changed else GROUP
        names = [name for name in code.co_names if name in frame.f_globals]
        function.globals = tuple([name for name in names if name[:2] != "__"])

    def _parent(self, frame: FrameType) -> int:
        """Return the number of the logged call that this one is a part of; 0 if there is none."""
        active, back = self._active, frame.f_back
        while back is not None:
            call = active.get(id(back))
            if call is not None:
                return call.number
            back = back.f_back
        return 0

    def _state_of_globals(self, function: _Function, frame: FrameType) -> dict[str, State]:
        """Return the states of the globals that are no longer what they were at first."""
        found: dict[str, State] = {}
        namespace = frame.f_globals
        for name in function.globals:
            value = namespace.get(name)
            key = (id(namespace), name)
            first = self._globals.get(key)
            if type(value) in FIXED:
                if first is None:
                    self._globals[key] = (value, self._states.state(value))
                elif first[0] is not value and type(value) not in FIXED[6:]:
                    found[name] = value if type(value) is not bytes else self._states.state(value)
                continue
            state = self._states.state(value, MAX_GLOBAL_NODES)
            if first is None:
                self._globals[key] = (None, state)
            elif first[1] != state:
                found[name] = state
        return found

    def _free(self, frame: FrameType) -> dict[str, State]:
        """Return the states of the variables of outer functions that a function uses."""
        names = frame.f_code.co_freevars
        if not names:
            return {}
        variables = frame.f_locals
        found = {}
        for name in names:
            value = variables.get(name)
            if name in variables and type(value) not in FIXED[6:]:
                found[name] = self._states.state(value, MAX_GLOBAL_NODES)
        return found

    def default(self, k: int, index: int, value: Any) -> Any:
        """Note the default value of a parameter, and return it."""
        function = self._functions.get(k)
        if function is None:
            function = self._functions[k] = _Function()
        function.defaults[index] = value
        return value

    # --- its end ---

    def result(self, value: Any) -> Any:
        """Note what a function returns, and return it."""
        call = self._active.get(id(self._getframe(1)))
        if call is not None:
            try:
                call.result = self._states.state(value)
            except RecursionError:
                pass
        return value

    def yielded(self, value: Any) -> Any:
        """Note what a generator yields, and return it."""
        call = self._active.get(id(self._getframe(1)))
        if call is not None:
            if call.yielded is None:
                call.yielded = []
            call.yielded.append(self._states.state(value))
        return value

    def delegated(self, iterable: Any) -> Any:
        """Note what a generator yields from something, and return an equivalent of that."""
        call = self._active.get(id(self._getframe(1)))
        if call is None or not hasattr(type(iterable), "__iter__"):
            return iterable

        def note(value: Any) -> Any:
            if call.yielded is None:
                call.yielded = []
            call.yielded.append(self._states.state(value))
            return value

        return _Delegate(iter(iterable), note)

    def raised(self) -> None:
        """Note the exception that leaves a function."""
        call = self._active.get(id(self._getframe(1)))
        if call is not None:
            call.raised = self._states.state(self._exc_info()[1])

    def leave(self) -> None:
        """Note that a function has ended."""
        frame = self._getframe(1)
        call = self._active.pop(id(frame), None)
        if call is not None:
            state = self._states.state
            after = tuple(
                [self._after(value, before[0], state) for value, before in call.arguments]
            )
            namespace = self._state_of_globals(call.function, frame)
            yielded = None if call.yielded is None else tuple(call.yielded)
            ended = (call.number, call.result, call.raised, yielded, after, namespace)
            self._note(LEAVE, ended)

    def _after(self, value: Any, before: State, state: Callable[[Any], State]) -> State:
        if type(before) is not tuple:
            return UNCHANGED
        found = state(value)
        return UNCHANGED if found == before else (found,)

    # --- output and files ---

    def writer(self, function: Any) -> Any:
        """Return a function that does the same, and notes what it writes to a stream."""
        if function is self._print:
            frame = self._getframe(1)
            return lambda *args, **kwargs: self._printed(frame, args, kwargs)
        target = getattr(function, "__self__", None) if type(function) in NAMED else None
        if isinstance(target, self._writers):
            frame = self._getframe(1)

            def write(*args: Any, **kwargs: Any) -> Any:
                self._output(frame, target, args)
                return function(*args, **kwargs)

            return write
        return function

    def _printed(self, frame: FrameType, args: Any, kwargs: dict[str, Any]) -> None:
        """Print, and note the text if it goes to a real stream."""
        file: Any = kwargs.get("file") or sys.stdout
        if not isinstance(file, self._writers):
            self._print(*args, **kwargs)
            return
        stream: Any = file
        text = _text_printed(self._print, args, kwargs)
        self._output(frame, file, (text,))
        stream.write(text)
        if kwargs.get("flush"):
            stream.flush()

    def _output(self, frame: FrameType, target: Any, args: Any) -> None:
        call = self._active.get(id(frame))
        number = call.number if call is not None else self._parent(frame)
        name = "standard error" if target in (sys.stderr, sys.__stderr__) else "standard output"
        if target not in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            name = "a file"
        if args and type(args[0]) in (str, bytes):
            self._note(OUTPUT, (number, name, args[0][:MAX_OUTPUT]))

    def end(self) -> None:
        """Log how often each function was called."""
        self._note(COUNTS, {k: function.count for k, function in self._functions.items()})
        self.at_end()

    def begin_again(self, number: int) -> None:
        """Log all calls from now on, with numbers from this one on."""
        self._active.clear()
        self._states = States(self._note)  # its nodes are logged anew
        self._last = number - 1
        for function in self._functions.values():
            function.count = 0


def _writer_types() -> tuple[type, ...]:
    import io

    return (io.TextIOWrapper, io.BufferedWriter, io.FileIO)


def _text_printed(print_: Any, args: Any, kwargs: dict[str, Any]) -> str:
    import io

    text = io.StringIO()
    options = {key: value for key, value in kwargs.items() if key in ("sep", "end")}
    print_(*args, **options, file=text)
    return text.getvalue()


def _changed_functions(settings: Settings) -> frozenset[tuple[str, int]]:
    """Return the file and first line of each function that the other version has differently."""
    if not settings.watched or not os.path.exists(settings.watched):
        return frozenset()
    with open(settings.watched, encoding="utf-8", errors="surrogateescape") as file:
        rows = (line.rstrip("\n").rsplit("\t", 1) for line in file)
        return frozenset((path, int(line)) for path, line in rows)
