"""Which bytes did the steps of a C thread read and write, and what did memory hold at a step?

The log has an entry for each load and store, and for what library functions read and wrote.  A load
tells what memory holds, so bytes that unrecorded code wrote are known as soon as a load reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.frontend.c.tables import CONSTANT, OpCode
from whence.program.ids import Op, Step
from whence.program.rows import COPY, OUTPUT, READ
from whence.trace.c.memory import Memory
from whence.trace.c.replayed import ReplayedLog
from whence.trace.columns import IN_MEMORY, whole

MAX_STEPS = 16_000_000  # limit on the steps of a thread whose memory is logged: 0.5 GB
_CHUNK = 1 << 20  # steps whose values are replayed together; guessed
_MAX_BYTES = 4_000_000  # limit on the accesses of one call, in bytes; guessed
_FEW = 32  # elements of an array that are looked at together; guessed
_MAX_TOLD = 1_000_000  # bytes of output that tell what memory held; guessed
_MAX_HOPS = 16  # copies of copies that are followed; guessed
_ZEROING = ("calloc", "strncpy", "bzero", "explicit_bzero")
_BYTE = np.uint64(0xFF)
_REPEATED = np.uint64(0x0101010101010101)  # times a byte: eight of it

I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class TouchedBytes:
    """The bytes that a part of a run read before it wrote them, and those that it wrote."""

    read: I64  # addresses, in order
    read_values: npt.NDArray[np.int16]  # -1: not known from the access itself
    written: I64
    written_values: npt.NDArray[np.int16]
    order: dict[int, int]  # for the first byte of each access: its place in time


class MemoryLog:
    """The accesses of one thread."""

    def __init__(self, thread: ReplayedLog) -> None:
        self.thread = thread
        self.memory = Memory(thread)
        ops = thread.image.program.ops
        self.values = np.zeros(thread.stream.steps + 1, np.uint64)  # by step
        addresses = np.zeros(thread.stream.steps + 1, np.uint64)
        for first in range(1, thread.stream.steps + 1, _CHUNK):
            window = thread.replay.window(first, first + _CHUNK)
            self.values[first : first + len(window.value)] = window.value
            addresses[first : first + len(window.address)] = window.address
        self.ops = _ops_of_steps(thread)
        self.callees = addresses  # of the steps that call
        self.codes = ops["code"][self.ops]
        self.codes[0] = OpCode.NOP
        self._build(addresses, ops)

    # --- entries ------------------------------------------------------------------------------

    def _build(self, addresses: U64, ops: Any) -> None:
        parts = [
            self._loads(addresses, ops), self._effect_reads(), self._outputs(), self._writes(ops)
        ]  # fmt: skip
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        step, is_write = columns[0], columns[5]
        order = np.lexsort((is_write, step))
        self.step, self.address, self.length, self.value, self.known, is_write, self.source = (
            column[order] for column in columns
        )
        self.is_write = is_write.astype(bool)

    def _loads(self, addresses: U64, ops: Any) -> tuple[Any, ...]:
        steps = np.flatnonzero(self.codes == OpCode.LOAD)
        rows = ops[self.ops[steps]]
        size = rows["x"].astype(np.int64)
        known = (size <= 8) & (rows["c"] == 0)
        return _entries(steps, addresses[steps], size, self.values[steps], known, is_write=False)

    def _effect_reads(self) -> tuple[Any, ...]:
        effects = self.thread.stream.effects
        kind = effects["kind"]
        is_read = (kind == READ) | (kind == COPY) | self._is_output
        is_read[self._told_rows] = False
        rows = effects[is_read & (effects["step"] > 0)]
        start = np.where(rows["kind"] == COPY, rows["addr2"], rows["addr"])
        unknown = np.zeros(len(rows), bool)
        return _entries(
            rows["step"], start, rows["len"], np.zeros(len(rows), np.uint64), unknown,
            is_write=False,
        )  # fmt: skip

    @cached_property
    def _is_output(self) -> npt.NDArray[np.bool_]:
        """Which effects are output that was read from memory?"""
        effects = self.thread.stream.effects
        is_outside = (effects["source"] != IN_MEMORY) & (effects["addr"] != 0)
        found: npt.NDArray[np.bool_] = (effects["kind"] == OUTPUT) & is_outside
        return found

    @cached_property
    def _told_rows(self) -> list[int]:
        """The effects that tell which bytes were read: output whose text is in the log."""
        effects = self.thread.stream.effects
        rows = np.flatnonzero(self._is_output & (effects["addr2"] != 0) & (effects["step"] > 0))
        total = np.cumsum(effects["len"][rows])
        found: list[int] = rows[total <= _MAX_TOLD].tolist()
        return found

    def _outputs(self) -> tuple[Any, ...]:
        """Return the reads of output whose text is known, eight bytes each."""
        effects = self.thread.stream.effects
        found: list[tuple[int, int, int, int]] = []
        for row in self._told_rows:
            text = self.thread.output_text(row) or b""
            step, address = int(effects["step"][row]), int(effects["addr"][row])
            for start in range(0, len(text), 8):
                part = text[start : start + 8]
                value = int.from_bytes(part, "little")
                found.append((step, address + start, len(part), value))
        columns = zip(*found, strict=True) if found else ((), (), (), ())
        steps, addresses, lengths, values = columns
        known = np.ones(len(found), bool)
        return _entries(
            steps, addresses, lengths, np.array(values, np.uint64), known, is_write=False
        )  # fmt: skip

    def _writes(self, ops: Any) -> tuple[Any, ...]:
        rows = whole(self.thread.stream.writes)
        rows = rows[rows["step"] > 0]
        steps = rows["step"].astype(np.int64)
        code, layout = self.codes[steps], ops["c"][self.ops[steps]]
        value = self.values[steps].copy()
        known = (code == OpCode.STORE) & (rows["len"] <= 8) & (layout == 0)
        is_fill = code == OpCode.FILL
        value[is_fill] = (value[is_fill] & _BYTE) * _REPEATED
        known |= is_fill
        found = _entries(steps, rows["addr"], rows["len"], value, known, is_write=True)
        source = found[6]
        copies = self._copies()
        for row in np.flatnonzero(~known).tolist():
            start = copies.get((int(steps[row]), int(rows["addr"][row])))
            if start is not None:
                source[row] = start
            elif code[row] == OpCode.CALL and self._fills_with_zeros(int(self.ops[steps[row]])):
                found[3][row], known[row] = 0, True
        return found

    def _fills_with_zeros(self, op: int) -> bool:
        """Does a call write zeros wherever it does not copy?"""
        if op not in self._zeros:
            self._zeros[op] = self.thread.image.sort(Op(op)).callee in _ZEROING
        return self._zeros[op]

    @cached_property
    def _zeros(self) -> dict[int, bool]:
        return {}

    def _copies(self) -> dict[tuple[int, int], int]:
        """Return where the bytes came from that a step copied to an address."""
        effects = self.thread.stream.effects
        rows = effects[effects["kind"] == COPY]
        return {(int(row["step"]), int(row["addr"])): int(row["addr2"]) for row in rows}

    # --- what a part of the run touched -------------------------------------------------------

    def touched(self, first: Step, last: Step) -> TouchedBytes | None:
        """Return what the steps first .. last touched; None if it is too much."""
        low, high = np.searchsorted(self.step, [first, last + 1])
        length = self.length[low:high]
        total = int(length.sum())
        if total > _MAX_BYTES:
            return None
        entry = np.repeat(np.arange(low, high), length)
        offset = np.arange(total) - np.repeat(np.cumsum(length) - length, length)
        address = self.address[entry] + offset
        value = self._bytes(entry, offset)
        is_write = self.is_write[entry]
        places, firsts = np.unique(address, return_index=True)
        is_read = ~is_write[firsts]
        writes = np.flatnonzero(is_write)[::-1]  # the last first
        written, lasts = np.unique(address[writes], return_index=True)
        order: dict[int, int] = {}
        for number, start in enumerate(self.address[low:high].tolist()):
            order.setdefault(start, number)
        return TouchedBytes(
            places[is_read], value[firsts[is_read]], written, value[writes[lasts]], order
        )

    def _bytes(self, entry: I64, offset: I64) -> npt.NDArray[np.int16]:
        """Return the bytes at some offsets of some entries; -1 if they are not known."""
        shift = (8 * (offset % 8)).astype(np.uint64)
        found = ((self.value[entry] >> shift) & _BYTE).astype(np.int16)
        found[~self.known[entry]] = -1
        return found

    # --- contents -----------------------------------------------------------------------------

    def read(self, address: int, size: int, before: int) -> bytes | None:
        """Return the bytes at an address just before a step; None if they are not known."""
        found = bytearray(size)
        for offset in range(size):
            byte = self.byte(address + offset, before)
            if byte is None:
                return None
            found[offset] = byte
        return bytes(found)

    def byte(self, address: int, before: int, hops: int = _MAX_HOPS) -> int | None:
        """Return one byte just before a step; None if it is not known."""
        low, high = np.searchsorted(self._by_address[0], [address, address + 1])
        entries = self._by_address[1][low:high]
        at = int(np.searchsorted(self.step[entries], before))
        for entry in _one_by_one(entries[:at][::-1]):
            offset = address - int(self.address[entry])
            if self.known[entry]:
                return int(self._bytes(np.array([entry]), np.array([offset]))[0])
            if self.is_write[entry]:
                if self.source[entry] and hops:
                    start = int(self.source[entry]) + offset
                    found = self.byte(start, int(self.step[entry]), hops - 1)
                    if found is not None:
                        return found
                return self._learned(address, entries[at:])
        return self._learned(address, entries[at:], is_initial=True)

    def was_written(self, address: int, size: int, before: int) -> bool:
        """Did a step before this one write one of these bytes?"""
        low, high = np.searchsorted(self._by_address[0], [address, address + size])
        entries = self._by_address[1][low:high]
        return bool(np.any(self.is_write[entries] & (self.step[entries] < before)))

    def _learned(self, address: int, later: I64, *, is_initial: bool = False) -> int | None:
        """Return what a later load shows about a byte that was not written in between."""
        for entry in _one_by_one(later):
            if self.is_write[entry]:
                break
            if self.known[entry]:
                offset = address - int(self.address[entry])
                return int(self._bytes(np.array([entry]), np.array([offset]))[0])
        if is_initial:
            initial = self.memory.initial(address, 1)
            return None if initial is None else initial[0]
        return None

    @cached_property
    def _by_address(self) -> tuple[I64, I64]:
        """Every byte of every entry: its address and the entry, by address and time."""
        entry = np.repeat(np.arange(len(self.step)), self.length)
        start = np.repeat(np.cumsum(self.length) - self.length, self.length)
        address = self.address[entry] + np.arange(len(entry)) - start
        order = np.argsort(address, kind="stable")
        return address[order], entry[order]

    def alloca_size(self, step: Step) -> int:
        """Return how many bytes a step reserved on the stack."""
        return reserved(self.thread, Op(int(self.ops[step])))


def reserved(thread: ReplayedLog, op: Op) -> int:
    """Return how many bytes an operation reserves on the stack; an unknown count is one."""
    program = thread.image.program
    row = program.ops[op]
    count = int(row["a"])
    times = int(program.constants[count & ~CONSTANT]) if count & CONSTANT else 1
    return int(program.constants[int(row["c"])]) * max(times, 1)


def _one_by_one(entries: I64) -> Iterator[int]:
    """Yield the elements of an array of which most often the first ones are enough."""
    for start in range(0, len(entries), _FEW):
        yield from entries[start : start + _FEW].tolist()


def _entries(
    step: Any, address: Any, length: Any, value: U64, known: npt.NDArray[np.bool_], *,
    is_write: bool,
) -> tuple[Any, ...]:  # fmt: skip
    count = len(step)
    return (
        np.asarray(step).astype(np.int64), np.asarray(address).astype(np.int64),
        np.asarray(length).astype(np.int64), value, known, np.full(count, is_write, np.uint8),
        np.zeros(count, np.int64),
    )  # fmt: skip


def _ops_of_steps(thread: ReplayedLog) -> npt.NDArray[np.int64]:
    """Return the operation of each step; that of step 0 means nothing."""
    stream, code = thread.stream, thread.image.code
    first = whole(stream.first).astype(np.int64)
    starts = code.stretch_first_op[whole(stream.stretch)].astype(np.int64)
    sizes = np.diff(np.append(first, stream.steps + 1))
    found = np.zeros(stream.steps + 1, np.int64)
    if len(first):
        within = np.arange(1, stream.steps + 1) - np.repeat(first, sizes)
        found[1:] = np.repeat(starts, sizes) + within
    return found
