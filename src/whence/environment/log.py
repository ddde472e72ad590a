"""What did the tracer log of a run?  (tracer/log.h describes the records.)"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntFlag

_CALL = struct.Struct("<IHHq6Q")
_SEPARATOR = "\x1f"


class Handling(IntFlag):
    """What the tracer did about a call."""

    REPLACED = 1  # it gave the recorded answer instead of the live one
    SKIPPED = 2  # it did not execute the call
    MATCHED = 4  # the plan has an answer for this call
    UNABLE = 8  # the recorded answer differs, and could not be given


@dataclass(frozen=True, slots=True)
class SystemCall:
    """One system call with the answer of the system: a result, and the bytes that it wrote.

    `group` says what was asked, `name` about what: a path (with {cwd} and {home} for those
    folders), an address, or nothing.  For calls that open a file, the blocks are a number of the
    spool and a struct stat; for others, what the call wrote to memory.
    """

    process: int
    number: int  # of the system call
    flags: Handling
    result: int  # an error is a negative number
    arguments: tuple[int, ...]
    group: str
    name: str
    blocks: tuple[bytes, ...]

    @property
    def question(self) -> str:
        return f"{self.group}{_SEPARATOR}{self.name}"

    @property
    def opens(self) -> bool:
        """Are its blocks a content and a struct stat?"""
        return self.group in ("open", "open to write", "open path", "exec")


@dataclass(frozen=True, slots=True)
class ProgramStart:
    """The start of a program: its arguments, variables and what else it inherits."""

    process: int
    path: str
    cmdline: bytes
    environ: bytes
    limits: bytes  # /proc/PID/limits
    status: bytes  # /proc/PID/status
    cwd: str

    @property
    def command(self) -> tuple[str, ...]:
        return tuple(os.fsdecode(word) for word in self.cmdline.split(b"\0")[:-1])


@dataclass(frozen=True, slots=True)
class Stack:
    """The stack of a thread at the call that was watched."""

    process: int
    maps: bytes
    pointer: int
    instruction: int
    content: bytes


@dataclass(slots=True)
class RunLog:
    """All that was logged of a run.  `status` is None if the log has no end."""

    roles: dict[int, str] = field(default_factory=dict)
    starts: list[ProgramStart] = field(default_factory=list)
    calls: list[SystemCall] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    exits: dict[int, int] = field(default_factory=dict)
    status: int | None = None
    seen: int = 0  # how many calls the tracer saw; of equal writes only the first is logged


class _Reader:
    """Takes fields from the bytes of a record."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def number(self, width: int) -> int:
        return int.from_bytes(self.take(width), "little")

    def take(self, length: int) -> bytes:
        found = self._content[self._at : self._at + length]
        if len(found) != length:
            raise ValueError("a record ends too early")
        self._at += length
        return found

    def block(self) -> bytes:
        return self.take(self.number(4))

    def text(self) -> str:
        return os.fsdecode(self.block())


def read_run_log(content: bytes) -> RunLog:
    """Return what a log contains; a log that was cut off has what came before."""
    log = RunLog()
    for kind, body in _records(content):
        _add(log, kind, _Reader(body))
    return log


def _records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 4 <= len(content):
        length = int.from_bytes(content[at : at + 4], "little")
        record = content[at + 4 : at + 4 + length]
        if len(record) < max(length, 1):
            return
        yield record[:1], record[1:]
        at += 4 + length


def _add(log: RunLog, kind: bytes, reader: _Reader) -> None:
    if kind == b"P":
        number, _ = reader.number(4), reader.number(4)
        log.roles[number] = reader.text()
    elif kind == b"X":
        process, path = reader.number(4), reader.text()
        cmdline, environ, limits, status = (reader.block() for _ in range(4))
        log.starts.append(
            ProgramStart(process, path, cmdline, environ, limits, status, reader.text())
        )
    elif kind == b"C":
        log.calls.append(_call(reader))
    elif kind == b"E":
        process = reader.number(4)  # before the status: an assignment evaluates its value first
        log.exits[process] = reader.number(8)
    elif kind == b"S":
        process, maps = reader.number(4), reader.block()
        log.stacks.append(Stack(process, maps, reader.number(8), reader.number(8), reader.block()))
    elif kind == b"Z":
        log.status = reader.number(4)
        log.seen = reader.number(8)
    else:
        raise ValueError(f"a record of the unknown kind {kind!r}")


def _call(reader: _Reader) -> SystemCall:
    process, number, flags, result, *arguments = _CALL.unpack(reader.take(_CALL.size))
    group, _, name = reader.text().partition(_SEPARATOR)
    blocks = tuple(reader.block() for _ in range(reader.number(1)))
    return SystemCall(
        process, number, Handling(flags), result, tuple(arguments), group, name, blocks
    )


# --- writing, for a recording whose secrets were left out ------------------------------------


def write_run_log(log: RunLog) -> bytes:
    """Return the bytes from which `read_run_log` returns the same."""
    parts = [_record(b"P", struct.pack("<II", number, 0), _block(os.fsencode(role)))
             for number, role in log.roles.items()]  # fmt: skip
    for start in log.starts:
        blocks = [os.fsencode(start.path), start.cmdline, start.environ, start.limits]
        blocks += [start.status, os.fsencode(start.cwd)]
        parts.append(_record(b"X", struct.pack("<I", start.process), *map(_block, blocks)))
    parts += [_call_record(call) for call in log.calls]
    parts += [_record(b"E", struct.pack("<IQ", *item)) for item in log.exits.items()]
    if log.status is not None:
        parts.append(_record(b"Z", struct.pack("<IQ", log.status, log.seen)))
    return b"".join(parts)


def _call_record(call: SystemCall) -> bytes:
    head = _CALL.pack(call.process, call.number, call.flags, call.result, *call.arguments)
    blocks = (bytes([len(call.blocks)]), *map(_block, call.blocks))
    return _record(b"C", head, _block(os.fsencode(call.question)), *blocks)


def _record(kind: bytes, *parts: bytes) -> bytes:
    body = kind + b"".join(parts)
    return struct.pack("<I", len(body)) + body


def _block(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def with_blocks(call: SystemCall, *blocks: bytes) -> SystemCall:
    """Return a call with other blocks."""
    return replace(call, blocks=blocks)
