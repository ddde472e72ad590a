"""What do the recorder's functions do that rewritten code calls?

The program calls them all the time.  So they test for the most frequent kinds of values first, and
repeat code instead of calling a function.
"""

# ruff: noqa: SIM105 (contextlib.suppress would take further calls)

from __future__ import annotations

import sys

from .log import WAITING
from .private import BUILTINS
from .tokens import ValueTokens

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from .log import EventLog, Extend

PARAM, FRAME, ENTER = 2**31 + 3, 2**31 + 4, 2**31 + 5
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}  # have their own frames before 3.12


def recorder_functions(log: EventLog) -> dict[str, Callable[..., Any]]:
    """Return the recorder's functions by the names that they have in rewritten code.

    If only the identity and type of a value are logged, they are logged as one int under the
    number ~k: tuples would make the garbage collector run all the time.  For the same reason the
    frame and the parameters of an event are separate records before the event.
    """
    tokens = ValueTokens(log.note)
    extend, events = log.extend, log.events
    token, number_of, find, id_ = tokens.token, tokens.plain.get, tokens.entries.get, id
    getframe, exc_info = sys._getframe, sys.exc_info
    waiting = WAITING
    param, frame_, enters = PARAM, FRAME, ENTER
    flush = log.flush
    log.token = token

    def change_extend(new: Extend) -> None:
        nonlocal extend
        extend = new

    log.on_change = change_extend

    # At the recursion limit a call fails.  Then less is logged, or nothing, and the program's own
    # next call fails as it would without the recorder.

    def w(k: int, x: Any) -> Any:
        """Log the value of operation k, and return it."""
        t = type(x)
        try:
            if (
                (t is str and len(x) <= 4096)
                or (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF)
                or t is bool
                or x is None
            ):
                extend((k, x))
            elif (number := number_of(id_(t))) is not None:
                extend((~k, id_(x) | number))
            elif (entry := find(id_(t))) is not None:
                extend((k, (id_(x), entry[0], entry[1](x))))
            else:
                extend((k, token(x)))
        except RecursionError:
            try:
                extend((k, None))
            except RecursionError:
                pass
        return x

    def v(j: int, k: int, x: Any) -> Any:
        """Do the same as w(k, w(j, x))."""
        t = type(x)
        try:
            if (
                (t is str and len(x) <= 4096)
                or (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF)
                or t is bool
                or x is None
            ):
                extend((j, x, k, x))
            elif (number := number_of(id_(t))) is not None:
                number |= id_(x)
                extend((~j, number, ~k, number))
            else:
                logged = token(x)
                extend((j, logged, k, logged))
        except RecursionError:
            try:
                extend((j, None, k, None))
            except RecursionError:
                pass
        return x

    def n(k: int, x: Any) -> bool:
        """Log the value that a loop, `with` or `match` got, and return True."""
        t = type(x)
        try:
            if (t is str and len(x) <= 4096) or (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF):
                extend((k, x))
            elif (number := number_of(id_(t))) is not None:
                extend((~k, id_(x) | number))
            else:
                extend((k, token(x)))
            if len(events) > waiting:
                flush()
        except RecursionError:
            pass
        return True

    def e(k: int) -> None:
        """Log that an operation without a value was executed."""
        try:
            extend((k, None))
        except RecursionError:
            pass

    def b(k: int, negated: bool) -> bool:
        """Log the truth of a condition, and return it."""
        try:
            if negated:
                extend((k, False))
                return False
            extend((k, True))
            return True
        except RecursionError:
            return not negated

    def c(j: int, k: int, x: bool) -> bool:
        """Do the same as b(k, not w(j, x)) if x is a bool."""
        try:
            extend((j, x, k, x))
        except RecursionError:
            pass
        return x

    def enter0(k: int) -> None:
        """Log that a function without parameters was entered."""
        try:
            extend((enters, id_(getframe(1)), k, None))
            if len(events) > waiting:
                flush()
        except RecursionError:
            pass

    def enter1(k: int, x: Any) -> None:
        """Log that a function was entered with one parameter."""
        t = type(x)
        p = param
        try:
            if (number := number_of(id_(t))) is not None:
                p, x = ~p, id_(x) | number
            elif not (
                (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF)
                or (t is str and len(x) <= 4096)
                or x is None
            ):
                x = token(x)
            extend((p, x, enters, id_(getframe(1)), k, None))
            if len(events) > waiting:
                flush()
        except RecursionError:
            try:
                extend((param, None, enters, id_(getframe(1)), k, None))
            except RecursionError:
                pass

    def enter2(k: int, x: Any, y: Any) -> None:
        """Log that a function was entered with two parameters."""
        t, u = type(x), type(y)
        p = q = param
        try:
            if (number := number_of(id_(t))) is not None:
                p, x = ~p, id_(x) | number
            elif not (
                (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF)
                or (t is str and len(x) <= 4096)
                or x is None
            ):
                x = token(x)
            if (t is u and number is not None) or (number := number_of(id_(u))) is not None:
                q, y = ~q, id_(y) | number
            elif not (
                (u is int and -0x3FFFFFFF < y < 0x3FFFFFFF)
                or (u is str and len(y) <= 4096)
                or y is None
            ):
                y = token(y)
            extend((p, x, q, y, enters, id_(getframe(1)), k, None))
            if len(events) > waiting:
                flush()
        except RecursionError:
            try:
                extend((param, None, param, None, enters, id_(getframe(1)), k, None))
            except RecursionError:
                pass

    def enter(k: int, *params: Any) -> None:
        """Log that a function was entered with any number of parameters."""
        records: list[Any] = []
        try:
            for x in params:
                t = type(x)
                if (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF) or (t is str and len(x) <= 4096):
                    records += (param, x)
                elif (number := number_of(id_(t))) is not None:
                    records += (~param, id_(x) | number)
                else:
                    records += (param, token(x))
            records += (enters, id_(getframe(1)), k, None)
            extend(records)
            if len(events) > waiting:
                flush()
        except RecursionError:
            try:
                extend((param, None) * len(params) + (enters, id_(getframe(1)), k, None))
            except RecursionError:
                pass

    def x(k: int) -> None:
        """Log that an exception leaves a function."""
        try:
            frame, exception = getframe(1), exc_info()[1]
            extend((frame_, id_(frame), k, token(exception)))
            if frame.f_back is None or is_runner(frame.f_back):
                log.uncaught = id_(exception)
        except RecursionError:
            pass

    def h(k: int) -> None:
        """Log that an `except` clause handles an exception."""
        try:
            extend((frame_, id_(getframe(1)), k, token(exc_info()[1])))
        except RecursionError:
            pass

    def f(k: int) -> None:
        """Log that a `finally` clause begins, or an `async with` ended."""
        try:
            extend((k, id_(getframe(1))))
        except RecursionError:
            pass

    def frame_id(frame: FrameType) -> int:
        """Return the identity of the frame of the function around comprehensions."""
        while frame.f_code.co_name in COMPREHENSIONS and frame.f_back is not None:
            frame = frame.f_back
        return id_(frame)

    def r(k: int, x: Any) -> Any:
        """Log the value with which a suspended function continues, and return it."""
        try:
            extend((frame_, frame_id(getframe(1)), k, token(x)))
            if len(events) > waiting:
                flush()
        except RecursionError:
            pass
        return x

    def g(k: int, x: Any) -> bool:
        """Do the same as n for a generator expression or an asynchronous statement."""
        try:
            extend((frame_, frame_id(getframe(1)), k, token(x)))
            if len(events) > waiting:
                flush()
        except RecursionError:
            pass
        return True

    named = (w, v, n, e, b, c, enter0, enter1, enter2, enter, x, h, f, r, g)
    return {function.__name__: function for function in named}


def is_runner(frame: FrameType) -> bool:
    """Is it the frame from which `python -m` runs a module?"""
    return frame.f_globals.get("__name__") == "runpy" and frame.f_code.co_name == "_run_code"
