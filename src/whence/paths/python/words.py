"""How does a Python programmer describe what an operation made of a text?"""

from __future__ import annotations

from whence.frontend.python.values import UNKNOWN, Obj, Value, python_text
from whence.paths.words import branch_words

_MAX_VALUE = 30  # characters of a value in a sentence; guessed
_MAX_PARTS = 4  # parts of a text whose lengths a sentence lists; guessed


def shape_words(text: str, value: Value) -> str:
    """Return what holds of the result of an operation that reads a text in one of many ways.

    `text` is the operation in the words of the source, `value` is its result.  The digits and
    letters of a result may be others, its sign and its lengths are fixed.
    """
    if isinstance(value, bool):
        return branch_words(text, is_true=value, negation="not")
    if isinstance(value, int) and text.startswith("int("):
        sign = "a negative number" if value < 0 else "a number"
        return f"{text} is {sign} of {_counted(len(str(abs(value))), 'digit')}"
    if isinstance(value, float) and text.startswith("float("):
        return f"{text} is a number"
    if isinstance(value, str | bytes):
        return f"len({text}) == {len(value)}"
    if isinstance(value, Obj) and value.kind in ("list", "tuple"):
        size, items = value.shape
        parts = list(items or ())
        if size <= _MAX_PARTS and parts and all(isinstance(one, str) for one in parts):
            lengths = " and ".join(str(len(one)) for one in parts)
            return f"{text} has {_counted(size, 'part')} of length {lengths}"
        return f"{text} has {_counted(size, 'part')}"
    if value is UNKNOWN or isinstance(value, Obj):
        return f"{text} takes the same entry"
    return f"{text} == {python_text(value, _MAX_VALUE)}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
