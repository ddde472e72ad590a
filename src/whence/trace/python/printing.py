"""Which call printed a byte of what a Python program put out?

The log has what calls of print were given, not what they wrote.  Where that is known for certain
it is looked for in what the run printed, in order: what lies at the same place whether one looks
from the start or from the end was printed there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from whence.errors import UserError
from whence.frontend.python.values import Obj, Value, is_builtin, items


class PrintCall(NamedTuple):
    """A call that printed: the text, or None if what was given does not tell it."""

    step: int
    text: str | None


class Printed(NamedTuple):
    """Bytes start..stop of the output; start = -1: it is not known where."""

    step: int
    start: int
    stop: int


def print_text(given: Sequence[tuple[str | None, Value]]) -> str | None:
    """What print puts out, given values with their keywords; "" if it goes elsewhere."""
    named = {name: value for name, value in given if name}
    if "file" in named:
        return ""
    if "*" in named or "**" in named:
        return None
    parts = [printed_text(value) for name, value in given if not name]
    between, end = (
        default if (value := named.get(name)) is None else value
        for name, default in (("sep", " "), ("end", "\n"))
    )
    if not isinstance(between, str) or not isinstance(end, str):
        return None
    known = [part for part in parts if part is not None]
    return between.join(known) + end if len(known) == len(parts) else None


def printed_text(value: Value) -> str | None:
    """str(value), if that is known."""
    return value if isinstance(value, str) else _repr(value)


def _repr(value: Value) -> str | None:
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    held = items(value)
    if held is None or not isinstance(value, Obj) or not is_builtin(value) or value.kind == "set":
        return None
    parts = [_repr(one) for one in held]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if value.kind == "dict":
        pairs = zip(known[::2], known[1::2], strict=True)
        return "{" + ", ".join(f"{key}: {one}" for key, one in pairs) + "}"
    if value.kind == "list":
        return f"[{', '.join(known)}]"
    return f"({', '.join(known)}{',' if len(known) == 1 else ''})"


def placed(calls: Sequence[PrintCall], output: bytes) -> list[Printed]:
    """Where the calls, in order, put their text."""
    texts = [None if call.text is None else call.text.encode() for call in calls]
    first = _earliest(texts, output)
    # From the end: the same on what is written backwards.
    backwards = [None if text is None else text[::-1] for text in reversed(texts)]
    last = [None if at is None else len(output) - at for at in _earliest(backwards, output[::-1])][
        ::-1
    ]
    return [
        Printed(call.step, start, stop)
        if start is not None and stop is not None and text is not None
        and start + len(text) == stop
        else Printed(call.step, -1, -1)
        for call, text, start, stop in zip(calls, texts, first, last, strict=True)
    ]  # fmt: skip


def _earliest(texts: Sequence[bytes | None], output: bytes) -> list[int | None]:
    """Where each text lies if each is as early as it can be; None if it is not known or there."""
    found: list[int | None] = []
    at = 0
    for text in texts:
        start = -1 if text is None else output.find(text, at)
        found.append(None if start < 0 else start)
        at = at if start < 0 or text is None else start + len(text)
    return found


def printer_of(byte: int, calls: Sequence[Printed], where: str) -> Printed | None:
    """The call that printed a byte; None if there is none.  A UserError if it cannot be told."""
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
            f"It cannot be told which call printed byte {byte}: {len(between)} of them may have, "
            f"and what they wrote is not in the trace.\n"
            f"Ask for one of their lines instead, such as {where}.",
            slug="output-not-told",
        )
    return None
