"""How is text from a program shown without invisible or acting characters?

Control characters move a terminal's cursor.  Bidirectional ones make a line read differently
(Trojan Source).  Bytes that are not UTF-8 cannot be printed.  `page/text.js` has the same rules.
"""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Unicode calls these letters, so identifiers may contain them.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")


def visible(text: str) -> str:
    """Return the text with a visible sign for each invisible character except tabs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_sign, text))


def _sign(char: str) -> str:
    if char == "\t" or (unicodedata.category(char) not in _UNSEEN and char not in _BLANK_LETTERS):
        return char
    number = ord(char)
    if number < 0x20:
        return chr(0x2400 + number)  # Unicode's picture of the control character
    if 0xDC80 <= number <= 0xDCFF:  # a byte that Python could not decode
        return f"⟨x{number - 0xDC00:02X}⟩"
    return f"⟨U+{number:04X}⟩"
