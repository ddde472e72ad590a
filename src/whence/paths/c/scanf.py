"""How does what scanf stored depend on the text that it read?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import z3

from whence.inputs import InputByte
from whence.paths.c.calls import LibraryCall
from whence.paths.c.numbers import (
    begins_number,
    limits_of,
    number_term,
    recorded_byte,
    require_match,
    require_range,
    spelled,
)
from whence.paths.c.reals import REAL, begins_real, is_moderate, real_term
from whence.paths.conditions import ConditionKind
from whence.paths.terms import Fact, Term
from whence.program.rows import INPUT, WRITE

_SPACE = b" \t\n\v\f\r"
_MAX_WORD = 4  # bytes that tell whether a word follows; guessed
_LONG = 18  # digits of a number that surely fits into 64 bits
_DIRECTIVE = re.compile(
    rb"(?P<space>\s+)|%(?P<skip>\*?)(?P<width>\d*)(?P<size>hh|h|ll|l|j|z|t|q|L)?"
    rb"(?P<kind>[diuxXopcsneEfgGaA%]|\[\^?\]?[^\]]*\])|(?P<literal>.)",
    re.DOTALL,
)


class _Item(NamedTuple):
    """One directive of a format, and the bytes of the text that it took.

    One that found nothing is the last; it would have taken something at `start`.
    """

    kind: str  # the letter of a conversion; "" for a character that the format names
    start: int
    stop: int
    is_stored: bool
    is_found: bool = True
    width: int | None = None
    literal: bytes = b""  # the character that the format names, or the set of %[


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
    stored = [item for item in items if item.is_stored and item.is_found]
    if len(stored) != len(writes) or (writes and len(stored) != call.result):
        return False
    if any(item.kind not in _KNOWN for item in stored):
        return False
    places = iter(writes)
    behind = 0  # the item before
    for number, item in enumerate(items):
        if not item.is_found and item.start == len(text) > behind:
            item = item._replace(start=behind, stop=behind)
        used = [origin for origin in origins[item.start : item.stop + 1] if origin is not None]
        first = origins[item.start] if item.start < len(origins) else None
        is_free = first is not None and first.source in call.of.free
        if item.is_found and len(used) < item.stop - item.start:
            is_free = False  # a part of it is no input
        if is_free:
            _require(call, item, origins, number, text, behind)
        behind = item.stop
        if item.is_found and item.is_stored:
            address, size = next(places)
            if is_free:
                _store(call, item, used, text, address, size)
    return True


_KNOWN = frozenset("diuxXocs[efgEG")
_TEXTS = ("s", "[", "c")
_BASES = {"i": 0, "x": 16, "X": 16, "o": 8}
_REAL = frozenset("efgEG")


def _require(
    call: LibraryCall, item: _Item, origins: list[InputByte | None], number: int, text: bytes,
    behind: int,
) -> None:  # fmt: skip
    """Add the condition that a directive found what it did, or did not find it.

    `behind` is where the directive before it stopped.  What is missing is missing behind spaces.
    """
    rest = [origin for origin in origins[item.start :] if origin is not None]
    size = item.stop - item.start
    if item.kind in _TEXTS and item.is_found:
        _require_word(call, item, origins[: len(text)], number, behind)
        return
    if item.kind == "":
        wanted = item.literal[0]
        other = b"x" if item.is_found else item.literal
        require_match(
            call, rest[:1], size, other, lambda terms: terms[0] == wanted,
            is_matched=item.is_found, number=number,
        )  # fmt: skip
        return
    base = _BASES.get(item.kind, 10) or 10
    begins = begins_number(base, spaces=0) if item.is_found else begins_number(base)
    if item.kind in _REAL:
        begins = begins_real
    if item.kind == "[":
        member = _members(item.literal)[:1] or b"x"
        require_match(
            call, rest, size, member, lambda terms: _in_set(terms[0], item.literal),
            is_matched=False, number=number,
        )  # fmt: skip
        return
    if item.kind in _TEXTS:
        begins = _is_word
    other = b"x" if item.is_found else b" 1" if item.start and not size else b"1"
    skipped = [origin for origin in origins[behind : item.start] if origin is not None]
    if skipped and not item.is_found:
        rest, size = [*skipped, *rest], size + len(skipped)
        other = text[behind : item.start] + b"1"
    require_match(
        call, rest, size, other, begins, is_matched=item.is_found, number=number,
        spaces=skipped if item.is_found else (),
    )  # fmt: skip


def _require_word(
    call: LibraryCall, item: _Item, origins: list[InputByte | None], number: int, behind: int
) -> None:
    """Add the condition that a word is where it was.

    Before it there are spaces, no byte in it ends it, and the next one does.
    """
    if item.kind == "c":
        return
    size = item.stop - item.start
    parts, unknowns = [], 0
    for at in range(behind, min(item.stop + (size != item.width), len(origins))):
        origin = origins[at]
        value = call.of.byte(origin) if origin is not None else None
        if isinstance(value, Term):
            parts.append(_is_as_in_word(value.term, item, at))
            unknowns |= value.unknowns
    if parts:
        fact = Fact(z3.And(parts), unknowns)
        shape = number, item.start - behind, size
        call.of.add(call.step, ConditionKind.SHAPE, fact, shape)


def _is_as_in_word(byte: Any, item: _Item, at: int) -> Any:
    """Return that a byte before a word, in it or behind it is of the kind that it was."""
    if at < item.start:
        return z3.Or([byte == space for space in _SPACE])
    is_inside = _in_set(byte, item.literal) if item.kind == "[" else _is_word([byte])
    return is_inside if at < item.stop else z3.Not(is_inside)


def _is_word(terms: Sequence[Any]) -> Any:
    """Return whether there is something else than spaces in the first bytes."""
    found = [z3.And([term != space for space in (*_SPACE, 0)]) for term in terms[:_MAX_WORD]]
    return z3.Or(found)


def _store(
    call: LibraryCall, item: _Item, used: list[InputByte], text: bytes, address: int, size: int
) -> None:
    if item.kind in _TEXTS:
        _store_text(call, item, used, address)
        return
    own = text[item.start : item.stop]
    if item.kind in _REAL:
        if not is_moderate(own, 8 * size):
            require_range(call, used, own, b"1", is_in_range=False)
            return
        term = real_term(call, used, own, 8 * size)
    else:
        number = spelled(own, base=_BASES.get(item.kind, 10))
        assert number is not None
        limits = limits_of(8 * size, is_signed=item.kind in "di")
        is_followed = text[item.stop : item.stop + 1].isdigit()
        term = number_term(call, used, own, number, _with_width(limits, item, is_followed))
    for k in range(size):
        byte = z3.Extract(8 * k + 7, 8 * k, term.term)
        call.of.written[call.step, address + k] = Term(byte, term.unknowns)


def _with_width(limits: tuple[int, int], item: _Item, is_followed: bool) -> tuple[int, int]:
    """Return the limits of a number that has at most so many characters as its format allows.

    If a digit follows, the number has all of them.
    """
    if item.width is None or item.width > _LONG:
        return limits
    most, least = 10**item.width - 1, -(10 ** (item.width - 1)) + 1
    if is_followed:
        least = 10 ** (item.width - 1)
    return max(limits[0], least), min(limits[1], most)


def _store_text(call: LibraryCall, item: _Item, used: list[InputByte], address: int) -> None:
    for k, origin in enumerate(used[: item.stop - item.start]):
        value = call.of.byte(origin)
        if not isinstance(value, Term):
            continue
        call.of.written[call.step, address + k] = value
    if item.kind != "c":
        call.of.written[call.step, address + item.stop - item.start] = 0


def _in_set(term: Any, members: bytes) -> Any:
    """Return that a byte is in the set of a conversion such as %[a-z]."""
    return z3.Or([term == byte for byte in _members(members)])


@cache
def _members(members: bytes) -> bytes:
    """Return the bytes in such a set."""
    kind = re.compile(members, re.DOTALL)
    return bytes(byte for byte in range(1, 256) if kind.match(bytes([byte])))


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
    """Yield what each directive of a format takes from a text; the last one may find nothing."""
    at = 0
    for found in _DIRECTIVE.finditer(form):
        kind = (found["kind"] or b"").decode("latin-1")
        if found["space"]:
            at = _past_space(text, at)
            continue
        if kind == "n":
            continue
        item = _next_item(found, kind, text, at)
        yield item
        if not item.is_found:
            return
        at = item.stop


def _next_item(found: re.Match[bytes], kind: str, text: bytes, at: int) -> _Item:
    """Return what one directive takes from a text at a place."""
    width = int(found["width"]) if found["width"] else None
    is_stored = not found["skip"]
    if found["literal"] or kind == "%":
        start = at if found["literal"] else _past_space(text, at)
        wanted = found["literal"] or b"%"
        is_there = text[start : start + 1] == wanted
        return _Item("", start, start + (start < len(text)), False, is_there, None, wanted)
    if kind == "c":
        stop = at + (width or 1)
        if stop > len(text):
            return _Item("c", len(text), len(text), is_stored, False)
        return _Item("c", at, stop, is_stored)
    start = at if kind[0] == "[" else _past_space(text, at)
    members = kind.encode("latin-1")
    missing = _Item(kind[0], at, at, is_stored, False, None, members)
    if start < len(text):
        word = re.split(rb"[\s,;:=]", text[start:])[0]
        missing = _Item(kind[0], start, start + len(word), is_stored, False, None, members)
    if kind in "diuxXo":
        number = spelled(text, start, width, _BASES.get(kind, 10))
        return (
            missing if number is None
            else _Item(kind, number.start, number.stop, is_stored, True, width)
        )  # fmt: skip
    if kind in _REAL:
        limit = len(text) if width is None else min(len(text), start + width)
        match = REAL.match(text, start, limit)
        return missing if match is None else _Item(kind, start, match.end(), is_stored)
    stop = _end_of(kind, text, start, width)
    if stop == start:
        return missing
    return _Item(kind[0], start, stop, is_stored, True, width, members)


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
