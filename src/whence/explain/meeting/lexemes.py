"""Which tokens and names does a piece of source text have?

The text may be any piece of a file, even one that no parser accepts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = rb"[^\W\d]\w*"
_NUMBER = rb"\.?\d(?:[eEpP][+-]|[\w.])*"
_C = re.compile(
    rb"(?P<skipped>/\*.*?(?:\*/|\Z)|//[^\n]*|\\\r?\n|\s+)"
    rb'|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    rb"|(?P<number>" + _NUMBER + rb")|(?P<member>(?:->|\.|::)\s*" + _WORD + rb")"
    rb"|(?P<word>" + _WORD + rb")|(?P<sign>.)",
    re.DOTALL,
)
_PYTHON = re.compile(
    rb"(?P<skipped>\#[^\n]*|\\\r?\n|\s+)"
    rb"|(?P<string>\b[rRbBuUfFtT]{0,2}(?:'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)"
    rb"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"))"
    rb"|(?P<number>" + _NUMBER + rb")|(?P<member>\.\s*" + _WORD + rb")"
    rb"|(?P<word>" + _WORD + rb")|(?P<sign>.)",
    re.DOTALL,
)
_WORDS = re.compile(_WORD)
_POINTER = re.compile(rb"\s*\*[\s*]*(?:,|" + _WORD + rb")")


class NameUse(NamedTuple):
    """A name that a text uses."""

    name: str
    is_member: bool = False  # written after `.`, `->` or `::`
    is_pointed_to: bool = False  # as `T` in `T *p`: if `T` is a type, its layout does not matter


def lexemes(language: str, text: bytes) -> tuple[bytes, ...]:
    """Return the tokens without blanks and comments.  Texts with equal tokens mean the same."""
    scan = _PYTHON if language == "python" else _C
    return tuple(m[0] for m in scan.finditer(text) if m.lastgroup != "skipped")


def uses(language: str, text: bytes) -> frozenset[NameUse]:
    """Return the names in a text, including those inside formatted strings."""
    found = set()
    for match in (_PYTHON if language == "python" else _C).finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "word":
            is_pointed_to = _POINTER.match(text, match.end()) is not None
            found.add(NameUse(token.decode("utf-8", "replace"), False, is_pointed_to))
        elif kind == "member":
            found.add(NameUse(token.lstrip(b"->.:\t\r\n \\").decode("utf-8", "replace"), True))
        elif kind == "string" and language == "python" and b"f" in token[:3].lower():
            found.update(NameUse(word.decode("utf-8", "replace")) for word in _WORDS.findall(token))
    return frozenset(found)
