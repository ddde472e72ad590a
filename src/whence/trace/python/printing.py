"""Which call printed a byte of the output of a Python program?

The log contains the arguments of print calls, not the text that they wrote.  If the text follows
from the arguments, it is searched in the output of the run.  All texts are placed in order, once as
early as possible and once as late as possible.  A call whose text has the same place both times
printed it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from whence.errors import UserError
from whence.frontend.python.values import Obj, Value, is_builtin, items
from whence.program.ids import Step


class PrintCall(NamedTuple):
    """A call that printed."""

    step: Step
    text: str | None  # None: its arguments do not determine the text


class PrintedRange(NamedTuple):
    """The bytes start..stop of the output that a step printed."""

    step: Step
    start: int  # -1: unknown
    stop: int


def print_text(arguments: Sequence[tuple[str | None, Value]]) -> str | None:
    """Return the text that `print` writes to standard output; None: unknown.

    Each argument is a keyword or None, and a value.  With the keyword `file` the text is "".
    """
    named = {name: value for name, value in arguments if name}
    if "file" in named:
        return ""
    if "*" in named or "**" in named:
        return None
    parts = [printed_text(value) for name, value in arguments if not name]
    between, end = (
        default if (value := named.get(name)) is None else value
        for name, default in (("sep", " "), ("end", "\n"))
    )
    if not isinstance(between, str) or not isinstance(end, str):
        return None
    known = [part for part in parts if part is not None]
    return between.join(known) + end if len(known) == len(parts) else None


def printed_text(value: Value) -> str | None:
    """Return str(value), or None if it is unknown."""
    return value if isinstance(value, str) else _repr(value)


def _repr(value: Value) -> str | None:
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    recorded = items(value)
    if (
        recorded is None
        or not isinstance(value, Obj)
        or not is_builtin(value)
        or value.kind == "set"
    ):
        return None
    parts = [_repr(item) for item in recorded]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if value.kind == "dict":
        pairs = zip(known[::2], known[1::2], strict=True)
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    if value.kind == "list":
        return f"[{', '.join(known)}]"
    return f"({', '.join(known)}{',' if len(known) == 1 else ''})"


def locate_prints(calls: Sequence[PrintCall], output: bytes) -> list[PrintedRange]:
    """Return where in the output the calls, in order, printed their text."""
    texts = [None if call.text is None else call.text.encode() for call in calls]
    first = _earliest(texts, output)
    # As late as possible: the same, with the texts and the output reversed.
    backwards = [None if text is None else text[::-1] for text in reversed(texts)]
    last = [None if at is None else len(output) - at for at in _earliest(backwards, output[::-1])][
        ::-1
    ]
    return [
        PrintedRange(call.step, start, stop)
        if start is not None and stop is not None and text is not None
        and start + len(text) == stop
        else PrintedRange(call.step, -1, -1)
        for call, text, start, stop in zip(calls, texts, first, last, strict=True)
    ]  # fmt: skip


def _earliest(texts: Sequence[bytes | None], output: bytes) -> list[int | None]:
    """Return the earliest place of each text after the texts before it; None: no place."""
    found: list[int | None] = []
    at = 0
    for text in texts:
        start = -1 if text is None else output.find(text, at)
        found.append(None if start < 0 else start)
        at = at if start < 0 or text is None else start + len(text)
    return found


def printer_of(byte: int, calls: Sequence[PrintedRange], where: str) -> PrintedRange | None:
    """Return the call that printed a byte, or None.  Raise a UserError if several may have."""
    before = after = None
    for number, call in enumerate(calls):
        if call.start <= byte < call.stop:
            return call
        if call.start >= 0 and call.stop <= byte:
            before = number
        elif call.start > byte and after is None:
            after = number
    first = 0 if before is None else before + 1
    between = [call for call in islice(calls, first, after) if call.start < 0]
    if len(between) == 1:
        start = 0 if before is None else calls[before].stop
        return between[0]._replace(start=start, stop=byte + 1)
    if between:
        raise UserError(
            f"whence cannot tell which call printed byte {byte}: {len(between)} calls may have, "
            f"and the trace does not contain the text that they wrote.\n"
            f"Ask for the line of one of these calls instead, such as {where}.",
            slug="output-not-told",
        )
    return None
