"""What do the calls in instrumented code do?

They are made all the time, so they are short and written out: the most frequent kinds of values
first, no call that can be spared.
"""

# ruff: noqa: SIM105 (to suppress an exception otherwise takes calls)

from __future__ import annotations

import sys

from .log import WAITING
from .private import BUILTINS
from .tokens import LONG, SMALL, Tokens

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from .log import Extend, Log

COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}  # frames of their own before 3.12


def functions(log: Log) -> dict[str, Callable[..., Any]]:
    """The recorder's functions by the names they have in rewritten code."""
    tokens = Tokens(log.note)
    extend, events = log.extend, log.events
    token, number_of, id_ = tokens.token, tokens.plain.get, id
    getframe, exc_info = sys._getframe, sys.exc_info
    waiting, long, most, least = WAITING, LONG, SMALL, -SMALL
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
            if t is str and len(x) <= long:
                extend((k, x))
            elif t is bool or x is None:
                extend((k, x))
            elif t is int and least < x < most:
                extend((k, x))
            elif (number := number_of(id_(t))) is not None:
                extend((k, (id_(x), number, None)))
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
        try:
            y = token(x)
            extend((j, y, k, y))
        except RecursionError:
            try:
                extend((j, None, k, None))
            except RecursionError:
                pass
        return x

    def n(k: int, x: Any) -> bool:
        try:
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

    def enter(k: int, params: tuple[Any, ...]) -> None:
        try:
            for x in params:
                t = type(x)
                if not (t is int and least < x < most or t is str and len(x) <= long or x is None):
                    params = tuple([
                        (id_(x), number, None)
                        if (number := number_of(id_(type(x)))) is not None
                        else token(x)
                        for x in params
                    ])  # fmt: skip
                    break
            extend((k, (id_(getframe(1)), params)))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            try:
                extend((k, (id_(getframe(1)), (None,) * len(params))))
            except RecursionError:
                pass

    def x(k: int) -> None:
        try:
            frame, exception = getframe(1), exc_info()[1]
            extend((k, (id(frame), token(exception))))
            if frame.f_back is None or is_runner(frame.f_back):
                log.uncaught = id(exception)
        except RecursionError:
            pass

    def h(k: int) -> None:
        try:
            extend((k, (id(getframe(1)), token(exc_info()[1]))))
        except RecursionError:
            pass

    def f(k: int) -> None:
        try:
            extend((k, id(getframe(1))))
        except RecursionError:
            pass

    def frame_id(frame: FrameType) -> int:
        while frame.f_code.co_name in COMPREHENSIONS and frame.f_back is not None:
            frame = frame.f_back
        return id(frame)

    def r(k: int, x: Any) -> Any:
        try:
            extend((k, (frame_id(getframe(1)), token(x))))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            pass
        return x

    def g(k: int, x: Any) -> bool:
        try:
            extend((k, (frame_id(getframe(1)), token(x))))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            pass
        return True

    return {
        "w": w, "v": v, "n": n, "e": e, "b": b, "enter": enter, "x": x, "h": h, "f": f, "r": r, "g": g
    }  # fmt: skip


def is_runner(frame: FrameType) -> bool:
    """Is it that of `python -m`?"""
    return frame.f_globals.get("__name__") == "runpy" and frame.f_code.co_name == "_run_code"
