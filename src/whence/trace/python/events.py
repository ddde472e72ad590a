"""Which events did a thread of a Python program log?"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whence.frontend.python.logged import decoded
from whence.trace.python.program import Loaded

FIRST_RECORD = 2**31  # numbers from here on are of records that are no ops
MODULE, END, TYPE = FIRST_RECORD, FIRST_RECORD + 1, FIRST_RECORD + 2
_LENGTH = 8  # bytes before a chunk that say how long it is

Token = Any  # a value as the recorder wrote it


@dataclass(frozen=True, slots=True)
class Type:
    module: str
    name: str  # qualified
    identity: int
    ancestors: tuple[int, ...]
    kind: str


@dataclass
class Events:
    """What one thread logged, in order."""

    ops: list[int] = field(default_factory=list)
    values: list[Token] = field(default_factory=list)
    modules: list[Loaded] = field(default_factory=list)
    types: dict[int, Type] = field(default_factory=dict)
    end: Token = None  # the exception that ended the program, if one did
    is_damaged: bool = False
    has_ended: bool = False


def read_events(path: Path, main: Path | None = None) -> Events:
    """The events of a log; modules and types of all threads are in that of the `main` one."""
    found = Events()
    for source in dict.fromkeys([main or path, path]):
        for ops, values in _chunks(source, found):
            for op, value in decoded(ops, values):
                if op < FIRST_RECORD:
                    if source == path:
                        found.ops.append(op)
                        found.values.append(value)
                elif op == MODULE:
                    found.modules.append(Loaded(*value))
                elif op == TYPE:
                    number, *rest = value
                    found.types[number] = Type(*rest)
                elif op == END:
                    found.end, found.has_ended = value, True
    return found


def _chunks(path: Path, found: Events) -> Iterator[tuple[list[int], list[Token]]]:
    data = path.read_bytes()
    at = 0
    while at + _LENGTH <= len(data):
        size = int.from_bytes(data[at : at + _LENGTH], "little")
        at += _LENGTH
        if at + size > len(data):
            break
        chunk = marshal.loads(data[at : at + size])  # our own recorder wrote it
        yield chunk[0], chunk[1]
        at += size
    found.is_damaged |= at != len(data)
