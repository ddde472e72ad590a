"""What do f-strings, `format` and `%` give on values that inputs decide?"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Sequence

from whence.paths.python.conversions import to_str
from whence.paths.python.site import NO_RULE, Site
from whence.paths.python.texts import TEXT_METHODS
from whence.paths.python.values import (
    AnyValue,
    Text,
    is_symbolic,
    recorded_value,
    text_of,
    unknowns_of,
)

_SPEC = re.compile(r"(?:(.)?([<>^]))?(0)?(\d+)?([sd])?")
_PERCENT = re.compile(r"%(?:(%)|(\d+)?([sd]))")
_ALIGNED = {"<": "ljust", ">": "rjust", "^": "center"}


def f_string(site: Site, node: ast.JoinedStr, operands: Sequence[AnyValue]) -> AnyValue:
    """Return the value of an f-string; `operands` stand in the order of the source."""
    rest = list(operands)
    parts: list[AnyValue] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(part.value)
            continue
        assert isinstance(part, ast.FormattedValue)
        spec = _constant_spec(part.format_spec)
        if spec is None or part.conversion not in (-1, ord("s")) or not rest:
            return NO_RULE
        parts.append(formatted_value(site, rest.pop(0), spec))
    return joined(parts)


def _constant_spec(spec: ast.expr | None) -> str | None:
    if spec is None:
        return ""
    assert isinstance(spec, ast.JoinedStr)
    if any(not isinstance(part, ast.Constant) for part in spec.values):
        return None
    return "".join(str(part.value) for part in spec.values if isinstance(part, ast.Constant))


def formatted_value(site: Site, value: AnyValue, spec: str) -> AnyValue:
    """Return one formatted value as a text; NO_RULE if there is no formula."""
    if not is_symbolic(value):
        plain = recorded_value(value)
        is_plain = isinstance(plain, str | int | float | bool) or plain is None
        return format(plain, spec) if is_plain else NO_RULE
    found, match = to_str(site, value), _SPEC.fullmatch(spec)
    text = None if found is NO_RULE else text_of(found)
    if text is None or match is None:
        return NO_RULE
    fill, align, zero, width, kind = match.groups()
    is_number = isinstance(recorded_value(value), int)
    if kind and (kind == "d") != is_number:
        return NO_RULE
    if not width:
        return text
    if zero and not align:
        return TEXT_METHODS["zfill"](site, text, int(width))
    align = align or (">" if is_number else "<")
    return TEXT_METHODS[_ALIGNED[align]](site, text, int(width), fill or ("0" if zero else " "))


def joined(parts: Sequence[AnyValue]) -> AnyValue:
    """Return texts as one text."""
    texts = [None if part is NO_RULE else text_of(part) for part in parts]
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return NO_RULE
    chars = tuple(char for text in known for char in text.chars)
    return Text(chars, unknowns_of(known), "".join(text.value for text in known))


def by_percent(site: Site, pattern: AnyValue, given: Sequence[AnyValue]) -> AnyValue:
    """Return `pattern % given` for a pattern that inputs do not decide."""
    if not isinstance(pattern, str):
        return NO_RULE
    rest, parts, at = list(given), [], 0
    for match in _PERCENT.finditer(pattern):
        parts.append(pattern[at : match.start()])
        at = match.end()
        if match[1]:
            parts.append("%")
        elif not rest:
            return NO_RULE
        else:
            width = f">{match[2]}" if match[2] else ""
            parts.append(formatted_value(site, rest.pop(0), width))
    if "%" in pattern[at:] or rest:
        return NO_RULE
    return joined([*parts, pattern[at:]])


def by_format(site: Site, pattern: AnyValue, given: Sequence[AnyValue]) -> AnyValue:
    """Return `pattern.format(*given)` for a pattern that inputs do not decide."""
    if not isinstance(pattern, str):
        return NO_RULE
    parts: list[AnyValue] = []
    count = 0
    for literal, name, spec, conversion in _fields(pattern):
        parts.append(literal)
        if name is None:
            continue
        number = count if name == "" else int(name) if name.isdigit() else -1
        count += 1
        if not 0 <= number < len(given) or conversion or "{" in (spec or ""):
            return NO_RULE
        parts.append(formatted_value(site, given[number], spec or ""))
    return joined(parts)


def _fields(pattern: str) -> list[tuple[str, str | None, str | None, str | None]]:
    return list(string.Formatter().parse(pattern))
