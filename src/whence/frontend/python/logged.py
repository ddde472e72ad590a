"""Which events does a log of the recorder contain?

The recorder writes the form that is fastest to write.  A negative number ~k stands for operation k;
its value is then an object of which only identity and type are recorded, both in one int.  The
parameters and the frame of an event are separate records before the event.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

MODULE, END, TYPE, PARAM, FRAME, ENTER, THREAD, STARTS, STARTED = range(2**31, 2**31 + 9)
IDENTITY = 56  # bits of an identity; the number of the type is in the bits above
_LENGTH = 8  # bytes before a chunk that contain its length

Token = Any  # a value in the form of the log


def log_chunks(log: Path) -> Iterator[tuple[list[int], list[Token]]]:
    """Yield the complete chunks of a log: numbers and values as they were written."""
    with log.open("rb") as file:
        for start, end in _spans(log):
            file.seek(start)
            yield marshal.loads(file.read(end - start))  # written by our own recorder


def is_cut(log: Path) -> bool:
    """Does the log end in the middle of a chunk?"""
    return max((end for _, end in _spans(log)), default=0) != log.stat().st_size


def _spans(log: Path) -> Iterator[tuple[int, int]]:
    """Yield where each complete chunk begins and ends."""
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
    """Yield the events of a chunk, each an operation and its value."""
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
    """Yield the events of a log, and its records of modules and types."""
    for ops, values in log_chunks(log):
        yield from decoded(ops, values)
