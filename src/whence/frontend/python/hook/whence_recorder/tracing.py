"""How are the recorder's frames hidden from a program that traces or profiles itself?"""

from __future__ import annotations

import os
import sys

from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

RECORDER_FOLDER = os.path.dirname(__file__)


class _Filtered:
    """A trace function of the program that is called only for the program's own frames."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, frame: FrameType, event: str, arg: object) -> object:
        if frame.f_code.co_filename.startswith(RECORDER_FOLDER):
            return None
        return self.function(frame, event, arg)


def hide_frames() -> None:
    """Replace the functions of `sys` that set or return a trace or profile function."""
    for set_name, get_name in (("settrace", "gettrace"), ("setprofile", "getprofile")):
        real_set, real_get = getattr(sys, set_name), getattr(sys, get_name)
        setattr(sys, set_name, _named(real_set, _setting(real_set)))
        setattr(sys, get_name, _named(real_get, _getting(real_get)))


def _setting(real: Callable[[Any], None]) -> Callable[[Any], None]:
    def set_function(function: Any, /) -> None:
        real(None if function is None else _Filtered(function))

    return set_function


def _getting(real: Callable[[], Any]) -> Callable[[], Any]:
    def get_function() -> Any:
        found = real()
        return found.function if type(found) is _Filtered else found

    return get_function


def _named(real: Any, replacement: Any) -> Any:
    replacement.__name__ = replacement.__qualname__ = real.__name__
    replacement.__doc__ = real.__doc__
    return replacement
