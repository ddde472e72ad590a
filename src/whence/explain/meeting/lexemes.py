"""What does a piece of text say, and which names does it use?

Works on any piece of a file, also one that no parser would accept.
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


class Use(NamedTuple):
    """A name in some text."""

    name: str
    is_member: bool = False  # written after `.`, `->` or `::`
    is_pointed_to: bool = False  # written as in `T *p`: if it is a type, its layout is not used


def lexemes(language: str, text: bytes) -> tuple[bytes, ...]:
    """Return what is left without blanks and comments: equal means that nothing was changed."""
    scan = _PYTHON if language == "python" else _C
    return tuple(m[0] for m in scan.finditer(text) if m.lastgroup != "skipped")


def uses(language: str, text: bytes) -> frozenset[Use]:
    """Return the names in a text, those inside of formatted strings included."""
    found = set()
    for match in (_PYTHON if language == "python" else _C).finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "word":
            is_pointed_to = _POINTER.match(text, match.end()) is not None
            found.add(Use(token.decode("utf-8", "replace"), False, is_pointed_to))
        elif kind == "member":
            found.add(Use(token.lstrip(b"->.:\t\r\n \\").decode("utf-8", "replace"), True))
        elif kind == "string" and language == "python" and b"f" in token[:3].lower():
            found.update(Use(word.decode("utf-8", "replace")) for word in _WORDS.findall(token))
    return frozenset(found)
