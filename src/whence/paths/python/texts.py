"""What do the methods of str and bytes give on texts that inputs decide?

The result of a method that cuts a text (strip, split, partition, replace) has the shape of the run:
it is cut at the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import z3

from whence.paths.python import chars as classes
from whence.paths.python.comparisons import as_held, as_truth
from whence.paths.python.formulas import Formula, choice, every, in_ranges, no, same_texts, some
from whence.paths.python.site import NO_RULE, Rule, Site
from whence.paths.python.values import (
    AnyValue,
    Held,
    Number,
    Text,
    recorded_value,
    text_of,
    unknowns_of,
)


def text_like(text: Text, chars: Sequence[Any], value: Any, unknowns: int = 0) -> Text:
    """Return a text that is made from another one."""
    return Text(tuple(chars), text.unknowns | unknowns, value)


def stands_at(text: Text, at: int, part: Sequence[Any]) -> Formula:
    """Return that a part stands at a place of a text."""
    return same_texts(text.chars[at : at + len(part)], part)


# --- case and classes ---------------------------------------------------------------------------


def _cased(change: Callable[[Any], Any], name: str) -> Rule:
    def rule(_: Site, text: Text) -> AnyValue:
        found = [change(char) for char in text.chars]
        value = getattr(text.value, name)()
        if None in found or len(value) != len(found):
            return NO_RULE
        return text_like(text, found, value)

    return rule


def _swapped(char: Any) -> Any:
    if isinstance(char, int):
        swapped = chr(char).swapcase()
        return ord(swapped) if len(swapped) == 1 else None
    return z3.If(in_ranges(char, *classes.LOWER), char - 32, classes.lowered(char))


def _capitalized(_: Site, text: Text) -> AnyValue:
    head = [classes.raised(char) for char in text.chars[:1]]
    rest = [classes.lowered(char) for char in text.chars[1:]]
    value = text.value.capitalize()
    if None in [*head, *rest] or len(value) != len(text.chars):
        return NO_RULE
    return text_like(text, [*head, *rest], value)


def _all_in(ranges: tuple[tuple[int, int], ...], name: str, *, of_empty: bool = False) -> Rule:
    test = getattr(str, name)

    def rule(site: Site, text: Text) -> AnyValue:
        if not text.chars:
            return of_empty
        parts = [classes.is_in(char, ranges, test) for char in text.chars]
        return as_truth(every(parts), text.unknowns, site.result)

    return rule


def _all_cased(wanted: tuple[tuple[int, int], ...], unwanted: tuple[tuple[int, int], ...]) -> Rule:
    """isupper and islower: some letter of the one case, and none of the other."""

    def rule(site: Site, text: Text) -> AnyValue:
        if any(isinstance(char, int) and char > 127 for char in text.chars):
            return NO_RULE
        none = every(no(in_ranges(char, *unwanted)) for char in text.chars)
        one = some(in_ranges(char, *wanted) for char in text.chars)
        return as_truth(every([none, one]), text.unknowns, site.result)

    return rule


# --- cutting ------------------------------------------------------------------------------------


def _stripped(left: bool, right: bool) -> Rule:
    def rule(site: Site, text: Text, given: AnyValue = None) -> AnyValue:
        is_cut = _cutter(text, given)
        if is_cut is None or not isinstance(site.result, type(text.value)):
            return NO_RULE
        size, cut = len(site.result), [is_cut(char) for char in text.chars]
        start = len(text.value) - len(text.value.lstrip(recorded_value(given))) if left else 0
        if size:
            stop = start + size
            parts = [*cut[:start], *cut[stop:]]
            parts += [no(cut[start])] * left + [no(cut[stop - 1])] * right
        else:
            start, parts = 0, cut
        site.shape(every(parts), text.unknowns, (start, size))
        return text.part(start, start + size)

    return rule


def _cutter(text: Text, given: AnyValue) -> Callable[[Any], Formula] | None:
    """Return what decides whether a character is stripped."""
    if given is None:
        in_bytes = isinstance(text.value, bytes)
        return lambda char: classes.is_space(char, in_bytes=in_bytes)
    wanted = text_of(given)
    if wanted is None or any(not isinstance(char, int) for char in wanted.chars):
        return None
    ranges = tuple((code, code) for code in wanted.chars)
    return lambda char: in_ranges(char, *ranges)


def _split(site: Site, text: Text, sep: AnyValue = None, most: AnyValue = -1) -> AnyValue:
    limit = recorded_value(most)
    site.fixed(most)
    if sep is None:
        return _split_at_spaces(site, text, limit)
    part = text_of(sep)
    if part is None or not part.chars:
        return NO_RULE
    cuts = _places(text.value, part.value, limit)
    return _cut_at(site, text, part, cuts, is_limited=0 <= limit <= len(cuts))


def _places(text: Any, part: Any, limit: int) -> list[int]:
    """Return where a part is found in a text, from left to right."""
    found: list[int] = []
    at = text.find(part)
    while at >= 0 and (limit < 0 or len(found) < limit):
        found.append(at)
        at = text.find(part, at + len(part))
    return found


def _found_at(text: Text, part: Text, cuts: Sequence[int], *, is_limited: bool) -> Formula:
    """Return that a part is found at these places and at no other one."""
    size, at = len(part.chars), 0
    parts = []
    for cut in [*cuts, len(text.chars)]:
        is_last = cut == len(text.chars) and cut not in cuts
        if not (is_last and is_limited):
            stop = len(text.chars) - size + 1 if is_last else cut
            parts += [no(stands_at(text, k, part.chars)) for k in range(at, stop)]
        if not is_last:
            parts.append(stands_at(text, cut, part.chars))
        at = cut + size
    return every(parts)


def _cut_at(
    site: Site, text: Text, part: Text, cuts: Sequence[int], *, is_limited: bool
) -> AnyValue:
    formula = _found_at(text, part, cuts, is_limited=is_limited)
    site.shape(formula, text.unknowns | part.unknowns, tuple(cuts))
    size = len(part.chars)
    bounds = [-size, *cuts, len(text.chars)]
    pairs = pairwise(bounds)
    return Held("list", [text.part(start + size, stop) for start, stop in pairs])


def _split_at_spaces(site: Site, text: Text, limit: int) -> AnyValue:
    if limit >= 0:
        return NO_RULE
    in_bytes = isinstance(text.value, bytes)
    spaces = [classes.is_space(char, in_bytes=in_bytes) for char in text.chars]
    is_space = [text.value[k : k + 1].isspace() for k in range(len(text.chars))]
    parts = [one if known else no(one) for one, known in zip(spaces, is_space, strict=True)]
    words, start = [], None
    for at, known in enumerate([*is_space, True]):
        if known and start is not None:
            words.append(text.part(start, at))
        start = None if known else at if start is None else start
    site.shape(every(parts), text.unknowns, tuple(is_space))
    return Held("list", list(words))


def _split_from_right(
    site: Site, text: Text, sep: AnyValue = None, most: AnyValue = -1
) -> AnyValue:
    limit = recorded_value(most)
    part = None if sep is None else text_of(sep)
    if part is None or len(part.chars) != 1:
        return NO_RULE
    site.fixed(most)
    cuts = _places(text.value, part.value, -1)
    if 0 <= limit < len(cuts):
        cuts = cuts[len(cuts) - limit :]
        first = cuts[0] if cuts else len(text.chars)
        parts = [
            stands_at(text, k, part.chars) if k in cuts else no(stands_at(text, k, part.chars))
            for k in range(first, len(text.chars))
        ]
        site.shape(every(parts), text.unknowns | part.unknowns, tuple(cuts))
        bounds = [-1, *cuts, len(text.chars)]
        pairs = pairwise(bounds)
        return Held("list", [text.part(start + 1, stop) for start, stop in pairs])
    return _cut_at(site, text, part, cuts, is_limited=False)


def _lines(site: Site, text: Text, keep: AnyValue = False) -> AnyValue:
    keeps = bool(recorded_value(keep))
    values = text.value.splitlines(True)
    in_bytes = isinstance(text.value, bytes)
    ranges = ((10, 10), (13, 13)) if in_bytes else classes.LINE_ENDS
    parts, lines, at = [], [], 0
    for value in values:
        bare = len(value.splitlines()[0])
        stop = at + len(value)
        parts += [no(in_ranges(char, *ranges)) for char in text.chars[at : at + bare]]
        # A line end stays the same character: \r\n is one.
        parts += [
            _as_it_was(text, k)
            for k in range(at + bare, stop)
            if not isinstance(text.chars[k], int)
        ]
        lines.append(text.part(at, stop if keeps else at + bare))
        at = stop
    site.shape(every(parts), text.unknowns, tuple(map(len, values)))
    return Held("list", list(lines))


def _as_it_was(text: Text, at: int) -> Formula:
    known = text.value[at]
    return text.chars[at] == (known if isinstance(known, int) else ord(known))


def _partitioned(site: Site, text: Text, sep: AnyValue, *, last: bool = False) -> AnyValue:
    part = text_of(sep)
    if part is None or not part.chars:
        return NO_RULE
    size = len(part.chars)
    at = text.value.rfind(part.value) if last else text.value.find(part.value)
    ends = len(text.chars) - size + 1
    others = range(max(ends, 0)) if at < 0 else range(at + 1, ends) if last else range(at)
    parts = [no(stands_at(text, k, part.chars)) for k in others]
    unknowns = text.unknowns | part.unknowns
    empty = text.part(0, 0)
    if at < 0:
        site.shape(every(parts), unknowns, -1)
        return Held("tuple", [empty, empty, text] if last else [text, empty, empty])
    site.shape(every([*parts, stands_at(text, at, part.chars)]), unknowns, at)
    pieces = [text.part(0, at), text.part(at, at + size), text.part(at + size, len(text.chars))]
    return Held("tuple", list(pieces))


def _replaced(
    site: Site, text: Text, old: AnyValue, new: AnyValue, count: AnyValue = -1
) -> AnyValue:
    part, other, limit = text_of(old), text_of(new), recorded_value(count)
    if part is None or other is None or not part.chars:
        return NO_RULE
    site.fixed(count)
    cuts = _places(text.value, part.value, limit)
    is_limited = 0 <= limit <= len(cuts)
    formula = _found_at(text, part, cuts, is_limited=is_limited)
    site.shape(formula, text.unknowns | part.unknowns, tuple(cuts))
    found: list[Any] = []
    at = 0
    for cut in cuts:
        found += [*text.chars[at:cut], *other.chars]
        at = cut + len(part.chars)
    value = text.value.replace(part.value, other.value, limit)
    return text_like(text, [*found, *text.chars[at:]], value, other.unknowns)


def _without(site: Site, text: Text, affix: AnyValue, *, at_end: bool) -> AnyValue:
    part = text_of(affix)
    if part is None:
        return NO_RULE
    size = len(part.chars)
    start = len(text.chars) - size if at_end else 0
    if start < 0 or not size:
        return text
    holds = text.value.endswith(part.value) if at_end else text.value.startswith(part.value)
    formula = stands_at(text, start, part.chars)
    site.shape(formula if holds else no(formula), text.unknowns | part.unknowns, holds)
    if not holds:
        return text
    return text.part(0, start) if at_end else text.part(size, len(text.chars))


# --- searching ----------------------------------------------------------------------------------


def _window(site: Site, text: Text, start: AnyValue, stop: AnyValue) -> tuple[int, int]:
    site.fixed(start, stop)
    low, high, _ = slice(recorded_value(start), recorded_value(stop)).indices(len(text.chars))
    return low, high


def _has_affix(at_end: bool) -> Rule:
    def rule(
        site: Site, text: Text, affix: AnyValue, start: AnyValue = None, stop: AnyValue = None
    ) -> AnyValue:
        low, high = _window(site, text, start, stop)
        held = as_held(affix)
        affixes = [text_of(one) for one in (held.items if held is not None else [affix])]
        parts = []
        for one in affixes:
            if one is None:
                return NO_RULE
            size = len(one.chars)
            at = high - size if at_end else low
            parts.append(size <= high - low and stands_at(text, at, one.chars))
        return as_truth(some(parts), text.unknowns | unknowns_of(affixes), site.result)

    return rule


def _position(last: bool, error: str) -> Rule:
    def rule(
        site: Site, text: Text, part: AnyValue, start: AnyValue = None, stop: AnyValue = None
    ) -> AnyValue:
        wanted = text_of(part)
        if wanted is None:
            return NO_RULE
        low, high = _window(site, text, start, stop)
        places = range(low, high - len(wanted.chars) + 1)
        unknowns = text.unknowns | wanted.unknowns
        found: Any = -1
        for at in places if last else reversed(places):
            found = choice(stands_at(text, at, wanted.chars), at, found)
        if error:
            is_there = some(stands_at(text, at, wanted.chars) for at in places)
            if not site.defined(is_there, unknowns, error):
                return None
        if isinstance(found, int):
            found = z3.IntVal(found)
        return Number(found, unknowns, site.result)

    return rule


def _counted(site: Site, text: Text, part: AnyValue) -> AnyValue:
    wanted = text_of(part)
    if wanted is None or not wanted.chars:
        return NO_RULE
    unknowns = text.unknowns | wanted.unknowns
    if len(wanted.chars) > 1:
        cuts = _places(text.value, wanted.value, -1)
        site.shape(_found_at(text, wanted, cuts, is_limited=False), unknowns, tuple(cuts))
        return site.result
    ones = [choice(stands_at(text, k, wanted.chars), 1, 0) for k in range(len(text.chars))]
    return Number(z3.Sum([z3.IntVal(0), *ones]), unknowns, site.result)


# --- making -------------------------------------------------------------------------------------


def _joined(_: Site, text: Text, parts: AnyValue) -> AnyValue:
    held = as_held(parts)
    texts = None if held is None or held.kind not in ("list", "tuple") else held.items
    whole = text_of(parts)
    if whole is not None:
        texts = [whole.part(k, k + 1) for k in range(len(whole.chars))]
    if texts is None:
        return NO_RULE
    found: list[Any] = []
    unknowns, values = text.unknowns, []
    for at, one in enumerate(texts):
        own = text_of(one)
        if own is None or type(own.value) is not type(text.value):
            return NO_RULE
        found += [*(text.chars if at else ()), *own.chars]
        unknowns |= own.unknowns
        values.append(own.value)
    return Text(tuple(found), unknowns, text.value.join(values))


def _padded(name: str) -> Rule:
    def rule(site: Site, text: Text, width: AnyValue, fill: AnyValue = " ") -> AnyValue:
        size, with_ = recorded_value(width), recorded_value(fill)
        if not isinstance(size, int) or not isinstance(with_, str | bytes):
            return NO_RULE
        site.fixed(width, fill)
        mark = "\0" if isinstance(text.value, str) else b"\0"
        # Where does the text stand in the result?
        shown = getattr(mark * len(text.chars), name)(size, with_)
        at = shown.find(mark) if text.chars else 0
        left, right = shown[:at], shown[at + len(text.chars) :]
        chars = [*_codes(left), *text.chars, *_codes(right)]
        return text_like(text, chars, left + text.value + right)

    return rule


def _codes(text: str | bytes) -> list[int]:
    return list(text) if isinstance(text, bytes) else list(map(ord, text))


def _zero_filled(site: Site, text: Text, width: AnyValue) -> AnyValue:
    size = recorded_value(width)
    if not isinstance(size, int) or not isinstance(text.value, str):
        return NO_RULE
    site.fixed(width)
    more = max(size - len(text.chars), 0)
    if not more or not text.chars:
        return text_like(text, [48] * more + [*text.chars], text.value.zfill(size))
    has_sign = text.value[0] in "+-"
    formula = in_ranges(text.chars[0], (43, 43), (45, 45))
    site.shape(formula if has_sign else no(formula), text.unknowns, has_sign)
    head = text.chars[: int(has_sign)]
    rest = text.chars[int(has_sign) :]
    return text_like(text, [*head, *[48] * more, *rest], text.value.zfill(size))


def _recoded(site: Site, text: Text, encoding: AnyValue = "utf-8", *more: AnyValue) -> AnyValue:
    name = str(recorded_value(encoding)).lower().replace("_", "-")
    is_plain = all(not isinstance(char, int) or char < 128 for char in text.chars)
    if name not in ("utf-8", "utf8", "ascii", "latin-1", "latin1") or not is_plain or more:
        return NO_RULE
    if isinstance(text.value, bytes):
        beyond = every(char < 128 for char in text.chars if not isinstance(char, int))
        site.shape(beyond, text.unknowns, "ascii")
    return text_like(text, text.chars, site.result)


TEXT_METHODS: dict[str, Rule] = {
    "lower": _cased(classes.lowered, "lower"),
    "casefold": _cased(classes.lowered, "casefold"),
    "upper": _cased(classes.raised, "upper"),
    "swapcase": _cased(_swapped, "swapcase"),
    "capitalize": _capitalized,
    "isdigit": _all_in(classes.DIGITS, "isdigit"),
    "isdecimal": _all_in(classes.DIGITS, "isdecimal"),
    "isnumeric": _all_in(classes.DIGITS, "isnumeric"),
    "isalpha": _all_in(classes.LETTERS, "isalpha"),
    "isalnum": _all_in((*classes.DIGITS, *classes.LETTERS), "isalnum"),
    "isspace": _all_in(classes.SPACES, "isspace"),
    "isascii": _all_in(((0, 127),), "isascii", of_empty=True),
    "isprintable": _all_in(classes.PRINTABLE, "isprintable", of_empty=True),
    "isupper": _all_cased(classes.UPPER, classes.LOWER),
    "islower": _all_cased(classes.LOWER, classes.UPPER),
    "strip": _stripped(left=True, right=True),
    "lstrip": _stripped(left=True, right=False),
    "rstrip": _stripped(left=False, right=True),
    "split": _split,
    "rsplit": _split_from_right,
    "splitlines": _lines,
    "partition": _partitioned,
    "rpartition": lambda site, text, sep: _partitioned(site, text, sep, last=True),
    "replace": _replaced,
    "removeprefix": lambda site, text, affix: _without(site, text, affix, at_end=False),
    "removesuffix": lambda site, text, affix: _without(site, text, affix, at_end=True),
    "startswith": _has_affix(at_end=False),
    "endswith": _has_affix(at_end=True),
    "find": _position(last=False, error=""),
    "rfind": _position(last=True, error=""),
    "index": _position(last=False, error="ValueError"),
    "rindex": _position(last=True, error="ValueError"),
    "count": _counted,
    "join": _joined,
    "ljust": _padded("ljust"),
    "rjust": _padded("rjust"),
    "center": _padded("center"),
    "zfill": _zero_filled,
    "encode": _recoded,
    "decode": _recoded,
}
