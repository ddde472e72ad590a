"""How does what scanf stored depend on the text that it read?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import z3

from whence.inputs import InputByte
from whence.paths.c.calls import LibraryCall
from whence.paths.c.numbers import limits_of, number_term, recorded_byte, spelled
from whence.paths.terms import Fact, Term
from whence.program.rows import INPUT, WRITE

_SPACE = b" \t\n\v\f\r"
_DIRECTIVE = re.compile(
    rb"(?P<space>\s+)|%(?P<skip>\*?)(?P<width>\d*)(?P<size>hh|h|ll|l|j|z|t|q|L)?"
    rb"(?P<kind>[diuxXopcsneEfgGaA%]|\[\^?\]?[^\]]*\])|(?P<literal>.)",
    re.DOTALL,
)


class _Item(NamedTuple):
    """One conversion: the bytes of the text that it took."""

    kind: str
    start: int
    stop: int
    is_stored: bool


def scanned(call: LibraryCall) -> bool:
    """scanf, fscanf and sscanf."""
    has_text = call.name == "sscanf"
    place = {"scanf": 0, "fscanf": 1, "sscanf": 1}[call.name]
    text_and_origins = _from_memory(call) if has_text else _from_stream(call)
    pattern = call.string(call.recorded(place))
    if text_and_origins is None or pattern is None:
        return False
    text, origins = text_and_origins
    form = bytes(recorded_byte(call, byte)[0] for byte in pattern[:-1])
    items = list(_items(form, text))
    writes = [
        (int(row["addr"]), int(row["len"]))
        for row in (
            call.flow.thread.stream.effects[number]
            for number in call.flow.queries.effects_of(call.step)
        )
        if row["kind"] == WRITE
    ]
    stored = [item for item in items if item.is_stored]
    if len(stored) != len(writes) or (writes and len(stored) != call.result):
        return False
    if any(item.kind not in "diucs[" for item in stored):
        return False
    for item, (address, size) in zip(stored, writes, strict=True):
        used = [origin for origin in origins[item.start : item.stop + 1] if origin is not None]
        if len(used) < item.stop - item.start or used[0].source not in call.of.free:
            continue
        if item.kind in "diu":
            _store_number(call, item, used, text, address, size)
        else:
            _store_text(call, item, used, address)
    return True


def _store_number(
    call: LibraryCall, item: _Item, used: list[InputByte], text: bytes, address: int, size: int
) -> None:
    own = text[item.start : item.stop]
    limits = limits_of(8 * size, is_signed=item.kind != "u")
    term = number_term(call, used, own, int(own), limits)
    for k in range(size):
        byte = z3.Extract(8 * k + 7, 8 * k, term.term)
        call.of.written[call.step, address + k] = Term(byte, term.unknowns)


def _store_text(call: LibraryCall, item: _Item, used: list[InputByte], address: int) -> None:
    for k, origin in enumerate(used[: item.stop - item.start]):
        value = call.of.byte(origin)
        if not isinstance(value, Term):
            continue
        call.of.written[call.step, address + k] = value
        if item.kind == "s":
            is_space = z3.Or([value.term == space for space in _SPACE])
            call.of.unknowns.add_fact(origin, Fact(z3.Not(is_space), value.unknowns))
        elif item.kind == "[":
            call.shape([Fact(value.term == recorded_byte(call, value)[0], value.unknowns)])
    if item.kind != "c":
        call.of.written[call.step, address + item.stop - item.start] = 0


def _from_memory(call: LibraryCall) -> tuple[bytes, list[InputByte | None]] | None:
    values = call.string(call.recorded(0))
    if values is None:
        return None
    pairs = [recorded_byte(call, value) for value in values]
    return bytes(byte for byte, _ in pairs[:-1]), [origin for _, origin in pairs]


def _from_stream(call: LibraryCall) -> tuple[bytes, list[InputByte | None]] | None:
    for number in call.flow.queries.effects_of(call.step):
        row = call.flow.thread.stream.effects[number]
        if row["kind"] == INPUT:
            source, start = call.flow.source_of(int(row["source"])), int(row["offset"])
            contents = call.of.contents.get(source)
            if contents is None:
                return None
            # The byte that ended the text was looked at and put back.
            text = contents[start : start + int(row["len"]) + 1]
            return text, [InputByte(source, start + k) for k in range(len(text))]
    return None


def _items(form: bytes, text: bytes) -> Iterator[_Item]:
    """Yield what each conversion of a format takes from a text."""
    at = 0
    for found in _DIRECTIVE.finditer(form):
        kind = (found["kind"] or b"").decode("latin-1")
        if found["space"]:
            at = _past_space(text, at)
            continue
        if found["literal"] or kind == "%":
            at = at if found["literal"] else _past_space(text, at)
            if text[at : at + 1] != (found["literal"] or b"%"):
                return
            at += 1
            continue
        width = int(found["width"]) if found["width"] else None
        is_stored = not found["skip"]
        if kind == "n":
            continue
        if kind == "c":
            stop = at + (width or 1)
            if stop > len(text):
                return
            yield _Item("c", at, stop, is_stored)
            at = stop
            continue
        if kind[0] != "[":
            at = _past_space(text, at)
        if kind in "diu":
            number = spelled(text, at, width)
            if number is None:
                return
            yield _Item(kind, number.start, number.stop, is_stored)
            at = number.stop
            continue
        stop = _end_of(kind, text, at, width)
        if stop == at:
            return
        yield _Item(kind[0], at, stop, is_stored)
        at = stop


def _past_space(text: bytes, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _end_of(kind: str, text: bytes, at: int, width: int | None) -> int:
    limit = len(text) if width is None else min(len(text), at + width)
    if kind[0] == "[":
        match = re.compile(f"(?:{kind})*".encode("latin-1"), re.DOTALL).match(text, at, limit)
        return match.end() if match else at
    while at < limit and text[at] not in _SPACE:
        at += 1
    return at
