"""Which functions of a program lie at these addresses?"""

from __future__ import annotations

import os.path
import struct
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

LOADABLE, SYMBOLS, FUNCTION, FILE = 1, 2, 2, 4  # as the ELF specification numbers them


@dataclass(frozen=True, slots=True)
class ElfFunction:
    """A function's symbol; `source` is the name of its source file if the symbol is local."""

    symbol: str
    source: str | None


def functions_at(program: Path, offsets: Set[int]) -> set[ElfFunction]:
    """Return the functions that begin at these offsets from the loaded ELF header.

    Return none if the file is missing, has no symbols, or is not a 64-bit little-endian ELF file.
    """
    try:
        data = program.read_bytes()
        if data[:6] != b"\x7fELF\x02\x01":
            return set()
        base = _load_address(data)
        return _functions(data, {base + offset for offset in offsets})
    except (OSError, struct.error, ValueError):  # ValueError: a table cut short
        return set()


def address_at(data: bytes, offset: int) -> int | None:
    """Return the virtual address of a place in a 64-bit ELF file; None if it is not loaded."""
    try:
        return next(
            (
                address + offset - start
                for start, address, length in _loaded(data)
                if start <= offset < start + length
            ),
            None,
        )
    except struct.error:
        return None


def _load_address(data: bytes) -> int:
    """Return the virtual address of the start of the file."""
    return next((address for start, address, _ in _loaded(data) if start == 0), 0)


def _loaded(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of the file that are loaded: offset, virtual address, length."""
    table, size, count = struct.unpack_from("<Q14xHH", data, 32)
    for i in range(count):
        kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", data, table + i * size)
        if kind == LOADABLE:
            yield start, address, length


def _functions(data: bytes, addresses: Set[int]) -> set[ElfFunction]:
    found = set()
    table, size, count = struct.unpack_from("<Q10xHH", data, 40)
    sections = [struct.unpack_from("<4xI16xQQI", data, table + i * size) for i in range(count)]
    for kind, start, length, linked in sections:
        if kind != SYMBOLS:
            continue
        names = sections[linked][1]
        source = ""
        # The local symbols of a source file follow its name; global symbols come last.
        for name, info, _section, value in struct.iter_unpack(
            "<IBxHQ8x", data[start : start + length]
        ):
            if info & 15 == FILE:
                source = os.path.basename(_text(data, names + name))
            elif info & 15 == FUNCTION and value in addresses:
                local = info >> 4 == 0
                found.add(ElfFunction(_text(data, names + name), source if local else None))
    return found


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode(errors="replace")
