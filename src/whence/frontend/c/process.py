"""What did a recorded process leave behind?

A folder PID-N holds `process` (facts about the process), `modules` (its modules, their addresses
and the initial contents of their variables), and the logs of its threads.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from signal import SIGBUS, SIGFPE, SIGILL, SIGSEGV
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

from whence.frontend.c.replay import HEADER, Jump
from whence.frontend.c.replay.program import CProgram, InitialMemory
from whence.frontend.c.tables import Description
from whence.frontend.trace_files import reading
from whence.program.mapped_files import map_file

FAULTS = (SIGSEGV, SIGBUS, SIGFPE, SIGILL)  # signals of an instruction that cannot complete
MODULE_MAGIC = 0x444D4857  # "WHMD", as in whence.h


class ProcessState(IntEnum):
    """How the recording of a thread ended."""

    RUNNING = 0  # it was killed, or the machine stopped
    ENDED = 1
    CRASHED = 2
    DISK_FULL = 3
    TOO_LONG = 4
    EXECED = 5
    LEFT = 6  # a jump or an exception left this signal handler


@dataclass(frozen=True, slots=True)
class LogFile:
    """The log of one thread or signal handler."""

    path: Path
    number: int
    kind: str  # main, thread, handler
    state: ProcessState
    signal: int  # the signal that killed it, if state is CRASHED
    address: int  # the address that it, or for a handler the thread before, could not access
    size: int  # bytes of log
    lost: int
    parent: int
    parent_offset: int
    missing: int = 0  # bytes of log that were written and are not in the file
    status: int | None = None  # the argument of exit(), if this thread ended the process by it
    handled: int = 0  # the signal that a handler ran for

    @property
    def is_crashed(self) -> bool:
        """Did a signal kill the thread?"""
        return self.state is ProcessState.CRASHED and self.kind != "handler"


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """A module as it was loaded."""

    id: str
    addresses: tuple[int, ...]
    initial: tuple[tuple[int, bytes], ...]  # (symbol, contents at the start)


class CProcess:
    """One recorded process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, list[str]] = {}
        for line in (folder / "process").read_text("ascii", "replace").splitlines():
            key, _, value = line.partition(" ")
            text = unquote_to_bytes(value).decode("utf-8", "surrogateescape")
            self.facts.setdefault(key, []).append(text)

    def fact(self, name: str) -> str:
        return self.facts.get(name, [""])[0]

    @property
    def pid(self) -> int:
        return self._number("pid")

    @property
    def started(self) -> int:
        """When the process started, or called exec: nanoseconds of a clock that only counts up."""
        return self._number("started")

    @property
    def places(self) -> tuple[int, ...]:
        """Return where the parts of its memory lay, as in runtime/register.c."""
        with reading(self.folder / "process"):
            return tuple(map(int, self.facts.get("place", ())))

    def _number(self, name: str) -> int:
        with reading(self.folder / "process"):
            return int(self.fact(name) or 0)

    @property
    def arguments(self) -> list[str]:
        return self.facts.get("arg", [])

    @property
    def standard_targets(self) -> list[str]:
        """Return where standard input, output and error led when the process started."""
        return [self.fact(name) for name in ("fd0", "fd1", "fd2")]

    @cached_property
    def logs(self) -> list[LogFile]:
        """Return the logs of the threads, the main thread's first."""
        found = (read_header(path) for path in self.folder.glob("*.log"))
        return sorted((log for log in found if log), key=lambda log: log.number)

    @property
    def has_main_log(self) -> bool:
        return any(log.kind == "main" for log in self.logs)

    @cached_property
    def modules(self) -> list[LoadedModule]:
        path = self.folder / "modules"
        with reading(path):
            return list(_modules(path.read_bytes()))

    def program(self, descriptions: Sequence[Description]) -> CProgram:
        """Combine the modules of the process, given the description of each."""
        initial = [
            InitialMemory(module.addresses[symbol], len(contents), contents)
            for module in self.modules
            for symbol, contents in module.initial
        ]
        return CProgram.of(
            [{**d.arrays, "names": np.array(d.names, dtype=object)} for d in descriptions],
            [module.addresses for module in self.modules],
            initial,
        )

    @staticmethod
    def description(module: str, folder: Path) -> Description:
        path = folder / f"{module}.npz"
        with reading(path):
            return Description.load(path)

    def jumps_out(self, log: LogFile) -> list[Jump]:
        """Return where signal handlers jumped out of a thread's log, in order."""
        found = [
            Jump(each.parent_offset, each.address if each.handled in FAULTS else None)
            for each in self.logs
            if each.state is ProcessState.LEFT and each.parent == log.number
        ]
        return sorted(found, key=lambda jump: jump.offset)

    def open_log(self, log: LogFile) -> npt.NDArray[np.uint8]:
        return map_file(log.path)


def c_processes(trace: Path) -> list[CProcess]:
    """Return the processes that were recorded into a folder, in the order in which they started.

    Of a program without a recorded source, only the runtime left something behind.
    """
    started = [CProcess(path.parent) for path in trace.glob("*/process")]
    found = [
        each
        for each in started
        if (each.folder / "modules").exists() or any(log.size for log in each.logs)
    ]
    return sorted(found, key=lambda process: (process.started, process.pid))


def cut_logs(trace: Path, limit: int) -> None:
    """Keep at most the first `limit` bytes of each log of a recorded run."""
    for path in trace.glob("*/*.log"):
        if path.stat().st_size > HEADER + limit:
            os.truncate(path, HEADER + limit)


def read_header(path: Path) -> LogFile | None:
    """Return the header of a log; None if the process died before it was written."""
    with path.open("rb") as file:
        data = file.read(128)
    if len(data) < 128 or data[16:24] != b"WHENCE01":
        return None
    cursor, _, _, window, offset, kind, number = struct.unpack_from("<5Q2I", data)
    parent, signal, parent_offset, state, crash, address = struct.unpack_from("<2IQ2IQ", data, 56)
    lost = struct.unpack_from("<Q", data, 96)[0]
    has_status, settled, status = struct.unpack_from("<IQi", data, 108)
    end = offset + cursor - window if window else settled
    return LogFile(
        path=path,
        number=number,
        kind=("main", "thread", "handler")[min(kind, 2)],
        state=ProcessState(min(state, 6)),
        signal=crash or signal,
        address=address,
        size=max(end - 4096, 0),
        lost=lost,
        parent=parent,
        parent_offset=parent_offset,
        missing=max(end - path.stat().st_size, 0),
        status=status if has_status else None,
        handled=signal,
    )


def _modules(data: bytes) -> Iterator[LoadedModule]:
    """Yield the complete modules: the process may have died while it wrote one."""
    with suppress(struct.error):
        yield from _whole_modules(data)


def _whole_modules(data: bytes) -> Iterator[LoadedModule]:
    at = 0
    while at + 8 <= len(data):
        magic, length = struct.unpack_from("<2I", data, at)
        if magic != MODULE_MAGIC:
            return
        at += 8
        name = data[at : at + length].decode("ascii", "replace")
        at += length
        (n_symbols,) = struct.unpack_from("<I", data, at)
        addresses = struct.unpack_from(f"<{n_symbols}Q", data, at + 4)
        at += 4 + 8 * n_symbols
        (n_snap,) = struct.unpack_from("<I", data, at)
        at += 4
        initial = []
        for _ in range(n_snap):
            symbol, _reserved, size = struct.unpack_from("<2IQ", data, at)
            initial.append((symbol, data[at + 16 : at + 16 + size]))
            at += 16 + size
        if at > len(data):
            return
        yield LoadedModule(name, addresses, tuple(initial))
