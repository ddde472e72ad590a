"""What do the calls in instrumented code do?

They are made all the time, so they are short and written out: the most frequent kinds of values
first, no call that can be spared.
"""

# ruff: noqa: SIM105 (to suppress an exception otherwise takes calls)

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
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}  # frames of their own before 3.12


def recorder_functions(log: EventLog) -> dict[str, Callable[..., Any]]:
    """The recorder's functions by the names they have in rewritten code.

    A value that is told by its identity and type alone is logged as one int under ~k: tuples
    would have the garbage collector run all the time.  For the same reason the frame and the
    parameters of an event are records of their own before it.
    """
    tokens = ValueTokens(log.note)
    extend, events = log.extend, log.events
    token, number_of, find, id_ = tokens.token, tokens.plain.get, tokens.entries.get, id
    getframe, exc_info = sys._getframe, sys.exc_info
    waiting = WAITING
    param, frame_, enters = PARAM, FRAME, ENTER
    flush = log.flush_thread
    log.token = token

    def changed(new: Extend) -> None:
        nonlocal extend
        extend = new

    log.on_change = changed

    # At the end of the stack there is no room for a call: less is logged then, or nothing, and
    # the program's own next call fails as it should.

    def w(k: int, x: Any) -> Any:
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
        """As w(k, w(j, x))."""
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
                told = token(x)
                extend((j, told, k, told))
        except RecursionError:
            try:
                extend((j, None, k, None))
            except RecursionError:
                pass
        return x

    def n(k: int, x: Any) -> bool:
        t = type(x)
        try:
            if (t is str and len(x) <= 4096) or (t is int and -0x3FFFFFFF < x < 0x3FFFFFFF):
                extend((k, x))
            elif (number := number_of(id_(t))) is not None:
                extend((~k, id_(x) | number))
            else:
                extend((k, token(x)))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            pass
        return True

    def e(k: int) -> None:
        try:
            extend((k, None))
        except RecursionError:
            pass

    def b(k: int, negated: bool) -> bool:
        try:
            if negated:
                extend((k, False))
                return False
            extend((k, True))
            return True
        except RecursionError:
            return not negated

    def c(j: int, k: int, x: bool) -> bool:
        """As b(k, not w(j, x)) of what can only be a bool."""
        try:
            extend((j, x, k, x))
        except RecursionError:
            pass
        return x

    def enter0(k: int) -> None:
        try:
            extend((enters, id_(getframe(1)), k, None))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            pass

    def enter1(k: int, x: Any) -> None:
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
                flush(0)
        except RecursionError:
            try:
                extend((param, None, enters, id_(getframe(1)), k, None))
            except RecursionError:
                pass

    def enter2(k: int, x: Any, y: Any) -> None:
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
                flush(0)
        except RecursionError:
            try:
                extend((param, None, param, None, enters, id_(getframe(1)), k, None))
            except RecursionError:
                pass

    def enter(k: int, *params: Any) -> None:
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
                flush(0)
        except RecursionError:
            try:
                extend((param, None) * len(params) + (enters, id_(getframe(1)), k, None))
            except RecursionError:
                pass

    def x(k: int) -> None:
        try:
            frame, exception = getframe(1), exc_info()[1]
            extend((frame_, id_(frame), k, token(exception)))
            if frame.f_back is None or is_runner(frame.f_back):
                log.uncaught = id_(exception)
        except RecursionError:
            pass

    def h(k: int) -> None:
        try:
            extend((frame_, id_(getframe(1)), k, token(exc_info()[1])))
        except RecursionError:
            pass

    def f(k: int) -> None:
        try:
            extend((k, id_(getframe(1))))
        except RecursionError:
            pass

    def frame_id(frame: FrameType) -> int:
        while frame.f_code.co_name in COMPREHENSIONS and frame.f_back is not None:
            frame = frame.f_back
        return id_(frame)

    def r(k: int, x: Any) -> Any:
        try:
            extend((frame_, frame_id(getframe(1)), k, token(x)))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            pass
        return x

    def g(k: int, x: Any) -> bool:
        try:
            extend((frame_, frame_id(getframe(1)), k, token(x)))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            pass
        return True

    named = (w, v, n, e, b, c, enter0, enter1, enter2, enter, x, h, f, r, g)
    return {function.__name__: function for function in named}


def is_runner(frame: FrameType) -> bool:
    """Is it that of `python -m`?"""
    return frame.f_globals.get("__name__") == "runpy" and frame.f_code.co_name == "_run_code"
