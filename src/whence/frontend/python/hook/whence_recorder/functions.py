"""What do the calls in instrumented code do?

They are made all the time, so they are short and written out: the most frequent kinds of values
first, no call that can be spared.
"""

from __future__ import annotations

import sys

from .log import WAITING
from .tokens import HUGE, LONG, Tokens

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
    token = tokens.token
    getframe, exc_info = sys._getframe, sys.exc_info
    waiting, long, huge, less = WAITING, LONG, HUGE, -HUGE
    flush = log.flush_thread
    log.token = token

    def changed(new: Extend) -> None:
        nonlocal extend
        extend = new

    log.on_change = changed

    # At the end of the stack there is no room for a call: what cannot be logged is not, and the
    # program's own next call fails as it should.

    def w(k: int, x: Any) -> Any:
        t = type(x)
        try:
            if t is str:
                extend((k, x if len(x) <= long else token(x)))
            elif t is bool or x is None:
                extend((k, x))
            elif t is int:
                extend((k, x if less < x < huge else token(x)))
            else:
                extend((k, token(x)))
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
            extend((k, (id(getframe(1)), tuple([token(x) for x in params]))))
            if len(events) > waiting:
                flush(0)
        except RecursionError:
            pass

    def x(k: int) -> None:
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
        "w": w, "n": n, "e": e, "b": b, "enter": enter, "x": x, "h": x, "f": f, "r": r, "g": g
    }  # fmt: skip
