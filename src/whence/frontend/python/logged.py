"""Which events does a log of the recorder hold?

The recorder writes what is quickest for it.  A negative number is that of an operation whose
value is an object of which only identity and type are told, both in one int; parameters and the
frame of an event come as records before it.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

MODULE, END, TYPE, PARAM, FRAME, ENTER = range(2**31, 2**31 + 6)
IDENTITY = 56  # bits of an identity; the number of the type is above them
_LENGTH = 8  # bytes before a chunk that say how long it is

Token = Any  # a value as the recorder tells it


def log_chunks(log: Path) -> Iterator[tuple[list[int], list[Token]]]:
    """The chunks of a log that are whole: numbers and values as they were written."""
    with log.open("rb") as file:
        for start, end in _spans(log):
            file.seek(start)
            yield marshal.loads(file.read(end - start))  # our own recorder wrote it


def is_cut(log: Path) -> bool:
    """Does the log end in the middle of a chunk?"""
    return max((end for _, end in _spans(log)), default=0) != log.stat().st_size


def _spans(log: Path) -> Iterator[tuple[int, int]]:
    """Where the chunks begin and end that are whole."""
    length = log.stat().st_size
    start = _LENGTH
    with log.open("rb") as file:
        while start <= length:
            file.seek(start - _LENGTH)
            end = start + int.from_bytes(file.read(_LENGTH), "little")
            if end > length:
                return
            yield start, end
            start = end + _LENGTH


def decoded(ops: Iterable[int], values: Iterable[Token]) -> Iterator[tuple[int, Token]]:
    """The events of a chunk: an operation and its value each."""
    params: list[Token] = []
    frame: int | None = None
    entered = False
    for op, value in zip(ops, values, strict=True):
        if op < 0:
            op, value = ~op, (value & (1 << IDENTITY) - 1, value >> IDENTITY, None)
        if op == PARAM:
            params.append(value)
        elif op == FRAME:
            frame = value
        elif op == ENTER:
            frame, entered = value, True
        elif entered:
            yield op, (frame, tuple(params))
            frame, entered = None, False
            params.clear()
        elif frame is not None:
            yield op, (frame, value)
            frame = None
        else:
            yield op, value


def read_log(log: Path) -> Iterator[tuple[int, Token]]:
    """The events of a log, records of modules and types among them."""
    for ops, values in log_chunks(log):
        yield from decoded(ops, values)
