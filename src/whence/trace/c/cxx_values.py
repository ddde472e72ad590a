"""What do objects of the C++ standard library hold, as the source would write it?

Only the layout of libstdc++ is known: a std::string is a pointer and a length, a std::vector two
pointers to its begin and its end.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from whence.frontend.c import terms
from whence.frontend.c.debug import DebugType
from whence.program.ids import Step
from whence.trace.c.memory import Memory

_STRING = re.compile(r"(class\.)?(std::)?(__cxx11::)?basic_string(<char, .*)?(\.\d+)?")
_STRING_SIZE = 32  # bytes of a std::string
_VECTOR = re.compile(r"(?:std::)?vector<(.+), std::allocator<\1 ?> ?>")
_NUMBERS = {
    "int": "i", "unsigned int": "I", "short": "h", "unsigned short": "H", "signed char": "b",
    "unsigned char": "B", "long": "q", "unsigned long": "Q", "long long": "q",
    "unsigned long long": "Q", "float": "f", "double": "d",
}  # fmt: skip
_MAX_TEXT = 48  # bytes of a string that are shown; guessed
_MAX_ITEMS = 6  # items of a vector that are shown; guessed
_MAX_SIZE = 1 << 32  # bytes; a larger object is taken for memory that is not set

Reader = Callable[[int, int], bytes | None]


class CxxValues:
    """The objects of one thread."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def shown(self, kind: str, address: int, before: Step) -> str | None:
        """Return the object of a type at an address just before a step; None if it is unknown."""

        def read(at: int, size: int) -> bytes | None:
            return self._memory.read(at, size, before)

        if _STRING.fullmatch(kind):
            return _string(read, address)
        vector = _VECTOR.fullmatch(kind)
        return _vector(read, address, vector[1]) if vector else None


def string_content(read: Reader, address: int, limit: int) -> str | None:
    """Return the first bytes of a std::string as text; None if they are not known."""
    head = read(address, 16)
    if head is None:
        return None
    start, size = struct.unpack("<QQ", head)
    text = read(start, min(size, limit)) if size < _MAX_SIZE else None
    return None if text is None else text.decode("utf-8", "replace")


def library_type(kind: DebugType | None) -> str | None:
    """Return the library type that a pointer or a reference leads to; None if it is another."""
    found = terms.bare(kind)
    if found is None or found.kind not in ("pointer", "reference"):
        return None
    inside = terms.bare(found.base)
    name = inside.name if inside is not None and inside.kind in ("class", "struct") else ""
    return name if _STRING.fullmatch(name) or _VECTOR.fullmatch(name) else None


def _string(read: Reader, address: int) -> str | None:
    head = read(address, 16)
    if head is None:
        return None
    start, size = struct.unpack("<QQ", head)
    text = read(start, min(size, _MAX_TEXT)) if size < _MAX_SIZE else None
    if text is None:
        return None
    return terms.c_string(text) + ("…" if size > _MAX_TEXT else "")


def _vector(read: Reader, address: int, item: str) -> str | None:
    head = read(address, 16)
    if head is None:
        return None
    start, end = struct.unpack("<QQ", head)
    form = _NUMBERS.get(item)
    is_text = bool(_STRING.fullmatch(item))
    size = struct.calcsize(form) if form else _STRING_SIZE if is_text else 0
    if not size or not 0 <= end - start < _MAX_SIZE or (end - start) % size:
        return None
    count = (end - start) // size
    shown = [
        _string(read, at) if is_text else _number(read, at, form or "")
        for at in range(start, end, size)[:_MAX_ITEMS]
    ]
    if any(each is None for each in shown):
        return None
    items = ", ".join(each for each in shown if each is not None)
    return f"{{{items}}}" if count <= _MAX_ITEMS else f"{{{items}, …}} ({count} items)"


def _number(read: Reader, address: int, form: str) -> str | None:
    data = read(address, struct.calcsize(form))
    return None if data is None else str(struct.unpack(f"<{form}", data)[0])
