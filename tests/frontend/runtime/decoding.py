"""What is in the files of a recorded program?  An independent reader of the format."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

HEADER = struct.Struct("<QQQQQIIqIIQIIQQQIIQ")
RUNNING, ENDED, CRASHED, DISK_FULL, TOO_LONG, EXECED, LEFT = range(7)
READ, WRITE, COPY, INPUT, OUTPUT, ALLOC, FREE, SOURCE, EXIT, ARGV, ENV = range(1, 12)
MEMORY = 0xFFFFFFFF
_LAYOUT = {READ: "QQ", WRITE: "QQ", COPY: "QQQ", INPUT: "IQQQ", OUTPUT: "IQQQiI", ALLOC: "QQ",
           FREE: "Q", EXIT: "i", ARGV: "QQIQ", ENV: "QQIQ"}  # fmt: skip

Effect = tuple[int, ...]  # kind, then its fields


@dataclass(frozen=True, slots=True)
class Text:
    """What an output consisted of; no bytes if that is not known."""

    source: int
    offset: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Stream:
    kind: int
    number: int
    parent: int
    signal: int
    parent_offset: int
    state: int
    crash_signal: int
    crash_address: int
    lost: int
    size: int  # bytes of the log with its header
    file_size: int
    marks: list[int]  # numbers of the functions that were entered
    effects: list[Effect]
    sources: dict[int, tuple[int, bytes]]
    texts: list[Text]


@dataclass(frozen=True, slots=True)
class Process:
    name: str
    facts: dict[str, list[bytes]]
    modules: bytes
    streams: dict[int, Stream]


def read_stream(path: Path) -> Stream:
    data = path.read_bytes()
    (cursor, _, magic, window, offset, kind, number, _, parent, signal, parent_offset, state,
     crash_signal, crash_address, _, lost, _, _, settled) = HEADER.unpack_from(data)  # fmt: skip
    assert magic == int.from_bytes(b"WHENCE01", "little")
    size = offset + cursor - window if window else settled
    marks: list[int] = []
    effects: list[Effect] = []
    sources: dict[int, tuple[int, bytes]] = {}
    texts: list[Text] = []
    for item in _items(data, size):
        if isinstance(item, int):
            marks.append(item)
        elif isinstance(item, Text):
            texts.append(item)
        elif isinstance(item, tuple):
            effects.append(item)
        else:
            sources.update(item)
    return Stream(kind, number, parent, signal, parent_offset, state, crash_signal, crash_address,
                  lost, size, len(data), marks, effects, sources, texts)  # fmt: skip


def _items(data: bytes, end: int) -> Iterator[int | Effect | Text | dict[int, tuple[int, bytes]]]:
    at = 4096
    while at < end:
        if data[at] == 0:
            yield int.from_bytes(data[at + 1 : at + 7], "little")
            at += 7
            continue
        assert data[at] == 3, f"no item starts with {data[at]} (at {at})"
        kind = data[at + 1]
        at += 2
        if kind == SOURCE:
            source, what, length = struct.unpack_from("<IBH", data, at)
            at += 7 + length
            yield {source: (what, data[at - length : at])}
        else:
            layout = struct.Struct("<" + _LAYOUT[kind])
            fields = list(layout.unpack_from(data, at))
            at += layout.size
            if kind == OUTPUT:
                known = fields.pop()
                assert known in (0, fields[2])
                at += known
                yield Text(fields[0], fields[1], data[at - known : at])
            yield (kind, *fields)
    assert at == end


def read_process(folder: Path) -> Process:
    facts: dict[str, list[bytes]] = {}
    for line in (folder / "process").read_text("ascii").splitlines():
        key, value = line.split(" ", 1)
        facts.setdefault(key, []).append(unquote_to_bytes(value))
    streams = {int(path.stem): read_stream(path) for path in folder.glob("*.log")}
    return Process(folder.name, facts, (folder / "modules").read_bytes(), streams)


def read_trace(folder: Path) -> list[Process]:
    """Return all processes of a run, in the order of their names."""
    return [read_process(path) for path in sorted(folder.iterdir())]
