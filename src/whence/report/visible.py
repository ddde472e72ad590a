"""How is text from a program shown so that nothing in it hides or acts?

Control characters move a terminal's cursor, bidirectional ones make a line read as what it is
not (Trojan Source), and bytes that are no UTF-8 cannot be written at all.  `page.js` does the same.
"""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")  # identifiers may be made of them


def visible(text: str) -> str:
    """The text with a sign in the place of each character that is none itself, but tabs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_sign, text))


def _sign(char: str) -> str:
    if char == "\t" or (unicodedata.category(char) not in _UNSEEN and char not in _BLANK_LETTERS):
        return char
    number = ord(char)
    if number < 0x20:
        return chr(0x2400 + number)  # the picture that Unicode has of it
    if 0xDC80 <= number <= 0xDCFF:  # how Python keeps a byte that it could not decode
        return f"⟨x{number - 0xDC00:02X}⟩"
    return f"⟨U+{number:04X}⟩"
