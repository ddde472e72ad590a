"""Which part of an object lies at an offset, and what is its value?"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from whence.frontend.c.debug import DebugType
from whence.frontend.c.terms import as_signed, bare, is_character

_FLOATS = {4: "<f", 8: "<d"}
STRUCTURES = ("struct", "class", "union", "array")  # kinds of types with parts
_DEEP = 24  # levels of nested parts that are followed; guessed


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an object that has no parts itself: a number, a pointer."""

    suffix: str  # behind the name of the object: ".name[3]"
    type: DebugType | None  # None: a byte whose type is not known
    offset: int  # where it begins in the object
    size: int
    is_union: bool = False  # it may hold a value of another type
    is_padding: bool = False


class Parts:
    """Finds the parts of objects, and keeps what it found."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Part] = {}

    def at(self, kind: DebugType | None, offset: int) -> Part:
        """Return the smallest part of an object of a type that holds an offset."""
        key = (id(kind), offset)
        if key not in self._known:
            self._known[key] = _part(kind, offset, "", 0, _DEEP)
        return self._known[key]


def _part(kind: DebugType | None, offset: int, suffix: str, start: int, levels: int) -> Part:
    found = bare(kind)
    if found is None or not levels:
        return Part(f"{suffix}{{{offset}}}", None, start + offset, 1)
    if found.kind in ("struct", "class", "union"):
        for member in found.members:
            if member.is_base and _is_empty(member.type):
                continue  # it shares its byte with the first member
            size = member.bits // 8 or (member.type.size if member.type else 0)
            if member.is_bitfield:
                low, high = member.bit_offset // 8, (member.bit_offset + member.bits - 1) // 8
                if low <= offset <= high:
                    return Part(f"{suffix}.{member.name}{{{offset}}}", None, start + offset, 1)
            elif member.offset <= offset < member.offset + size:
                inner = f"{suffix}.{member.name}" if member.name else suffix
                part = _part(
                    member.type, offset - member.offset, inner, start + member.offset, levels - 1
                )
                return replace(part, is_union=True) if found.kind == "union" else part
        return Part(f"{suffix}{{{offset}}}", None, start + offset, 1, is_padding=True)
    if found.kind == "array":
        size = found.base.size if found.base else 0
        if size:
            number = offset // size
            inner = f"{suffix}[{number}]"
            return _part(
                found.base, offset - number * size, inner, start + number * size, levels - 1
            )
    if not found.size or offset >= found.size:
        return Part(f"{suffix}{{{offset}}}", None, start + offset, 1)
    return Part(suffix, found, start, found.size)


def _is_empty(kind: DebugType | None) -> bool:
    """Has a class no members, not even inherited ones?"""
    found = bare(kind)
    return found is not None and all(m.is_base and _is_empty(m.type) for m in found.members)


def is_pointer(kind: DebugType | None) -> bool:
    found = bare(kind)
    return found is not None and found.kind in ("pointer", "reference")


def decoded_value(kind: DebugType | None, data: bytes) -> int | float | bool | str:
    """Return a number, a truth value or a character; pointers are numbers here."""
    found = bare(kind)
    raw = int.from_bytes(data, "little")
    if found is None or found.kind in ("pointer", "reference", "member pointer", "function"):
        return raw
    if found.encoding == "float":
        form = _FLOATS.get(len(data))
        return struct.unpack(form, data)[0] if form else raw
    if found.encoding == "boolean":
        return bool(raw)
    if is_character(found) and 32 <= raw < 127:
        return chr(raw)
    if found.kind == "enum" and (name := found.enumerators.get(raw)):
        return name
    return as_signed(raw, len(data), found.is_unsigned)
