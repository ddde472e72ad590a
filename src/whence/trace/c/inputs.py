"""Which input bytes did a C thread read, and which of them did some of its steps read?

Input comes in two ways.  Arguments and environment variables lie in memory before the run: rows
ARGV and ENV of `effects` say where each string lies, and where the pointer to it (its *slot*)
does.  All other input is brought in by calls: rows INPUT say which bytes of which source.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from whence.frontend.c.tables import OpCode
from whence.inputs import (
    STDIN,
    InputByte,
    InputPointer,
    InputRange,
    InputSource,
    SourceKind,
    argument,
    merged,
    variable,
)
from whence.program.ids import Step
from whence.program.rows import ARGV, COPY, ENV, INPUT, OUTPUT, READ, SOURCE
from whence.trace.c.replayed import ReplayedLog
from whence.trace.flow import Initial

_MAX_STEPS = 100_000  # steps whose addresses are looked up; more would take too long; guessed
_MAX_LOAD = 64  # bytes of the largest vector that one load reads
UNKNOWN_SOURCE = InputSource(SourceKind.STREAM, "a descriptor")  # that the log does not name
_SLOT = 8  # bytes of a pointer
_FILE, _STDIN = 1, 2  # kinds in rows SOURCE: enum wh_source of the runtime

Steps = npt.NDArray[np.uint32]


def sources(thread: ReplayedLog) -> dict[int, InputSource]:
    """Return the sources that a thread used, by the number that its effects name them with."""
    effects = thread.stream.effects
    found: dict[int, InputSource] = {}
    streams: dict[str, int] = {}  # how many sources of this name that are no files
    for row in np.flatnonzero(effects["kind"] == SOURCE).tolist():
        number, kind = int(effects[row]["source"]), int(effects[row]["arg"])
        name = thread.source_name(row)
        if number in found:
            continue
        if kind == _STDIN:
            found[number] = STDIN
        elif kind == _FILE:
            path = _in_tree(name, thread.recording.document.get("tree"))
            found[number] = InputSource(SourceKind.FILE, path)
        else:
            found[number] = InputSource(SourceKind.STREAM, name, streams.get(name, 0))
            streams[name] = streams.get(name, 0) + 1
    return found


def _in_tree(path: str, tree: str | None) -> str:
    """Return a path relative to the tree if it is inside."""
    if tree:
        for root in (Path(tree), Path(tree).resolve()):
            if Path(path).is_relative_to(root):
                return Path(path).relative_to(root).as_posix()
    return path


class _Area(NamedTuple):
    """The memory of a string, or of the pointer to one."""

    start: int
    source: InputSource
    first: int | None  # where in a string the bytes of the source begin; None: it is a pointer
    contents: bytes  # at the start of the run

    @property
    def stop(self) -> int:
        return self.start + len(self.contents)


_GIVEN: WeakKeyDictionary[ReplayedLog, GivenStrings] = WeakKeyDictionary()


def given_strings(thread: ReplayedLog) -> GivenStrings:
    """Return the arguments and variables of a thread by their memory, found once."""
    if thread not in _GIVEN:
        _GIVEN[thread] = GivenStrings(thread)
    return _GIVEN[thread]


class GivenStrings:
    """The arguments and environment variables of a thread, by the memory that they lie in."""

    def __init__(self, thread: ReplayedLog) -> None:
        effects = thread.stream.effects
        facts = thread.image.process.facts
        texts = {ARGV: facts.get("arg", []), ENV: facts.get("env", [])}
        self._areas: list[_Area] = []
        for row in effects[np.isin(effects["kind"], [ARGV, ENV])]:
            number, own = int(row["source"]), texts[int(row["kind"])]
            text = own[number] if number < len(own) else ""
            source, first = argument(number), 0
            if row["kind"] == ENV:
                name = text.partition("=")[0]
                source, first = variable(name), len(os.fsencode(name)) + 1
            start, slot = int(row["addr"]), int(row["addr2"])
            if start:
                self._areas.append(_Area(start, source, first, os.fsencode(text) + b"\0"))
            self._areas.append(_Area(slot, source, None, start.to_bytes(_SLOT, "little")))
        self._areas.sort(key=lambda area: area.start)
        self._starts = [area.start for area in self._areas]
        self.low = self._starts[0] if self._areas else 0
        self.high = max((area.stop for area in self._areas), default=0)

    @property
    def strings(self) -> list[tuple[int, bytes]]:
        """The address of each string and its bytes, with the 0 that ends it."""
        return [(area.start, area.contents) for area in self._areas if area.first is not None]

    def contents(self, address: int, size: int) -> bytes | None:
        """Return bytes of one string or pointer as they were at the start; None for others."""
        area = self._area(address)
        if area is None or address + size > area.stop:
            return None
        return area.contents[address - area.start :][:size]

    def _area(self, address: int) -> _Area | None:
        at = bisect_right(self._starts, address) - 1
        found = self._areas[at] if at >= 0 else None
        return found if found is not None and address < found.stop else None

    def pieces(
        self, address: int, length: int
    ) -> Iterator[tuple[int, int, InputRange | InputPointer | None]]:
        """Yield (address, length, what it holds) for the parts of an area of memory.

        A part holds bytes of a source, a pointer to a source (or some bytes of it), or neither.
        The name of a variable gives an empty range.
        """
        end = address + length
        if end <= self.low or address >= self.high:
            yield address, length, None
            return
        while address < end:
            area = self._area(address)
            if area is None:
                following = bisect_right(self._starts, address)
                stop = self._starts[following] if following < len(self._starts) else end
                size = min(stop, end) - address
                yield address, size, None
                address += size
                continue
            size = min(area.stop, end) - address
            if area.first is None:
                yield address, size, InputPointer(area.source)
            elif address < area.start + area.first:
                size = min(size, area.start + area.first - address)
                yield address, size, InputRange(area.source, 0, 0)
            else:
                offset = address - area.start - area.first
                yield address, size, InputRange(area.source, offset, offset + size)
            address += size

    def operands(
        self, step: Step, address: int, length: int
    ) -> Iterator[tuple[int, InputByte | InputRange | InputPointer | Initial]]:
        """Yield what bytes that no recorded step wrote are, each with its address."""
        rest = address
        for start, size, found in self.pieces(address, length):
            is_pointer = isinstance(found, InputPointer) and size == _SLOT
            if not is_pointer and not (isinstance(found, InputRange) and found.width):
                continue
            if rest < start:
                yield rest, Initial(step, rest, 8 * (start - rest))
            if isinstance(found, InputRange):
                for number, operand in enumerate(byte_operands(found)):
                    yield start + number, operand
            elif found is not None:
                yield start, found
            rest = start + size
        if rest < address + length:
            yield rest, Initial(step, rest, 8 * (address + length - rest))


def byte_operands(found: InputRange) -> Iterable[InputByte | InputRange]:
    """Return the bytes of a range one by one, if a load can have read them; else the range."""
    return found.bytes() if found.width <= 8 * _MAX_LOAD else (found,)


def inputs_of(thread: ReplayedLog, steps: Steps | None = None) -> tuple[InputRange, ...]:
    """Return the input bytes that a thread's calls read, or that these steps of it read.

    Without steps, all arguments count, and variables do not: every run has them.
    """
    effects = thread.stream.effects
    read = effects[effects["kind"] == INPUT]
    if steps is not None:
        read = read[np.isin(read["step"], steps)]
    known = sources(thread)
    found = [
        InputRange(
            known.get(int(row["source"]), UNKNOWN_SOURCE),
            int(row["offset"]),
            int(row["offset"]) + int(row["len"]),
        )
        for row in read
    ]
    if steps is not None:
        found += _given_ranges(thread, steps)
    elif thread.log.kind == "main":
        for number, text in enumerate(thread.image.process.arguments[1:], 1):
            found.append(InputRange(argument(number), 0, len(os.fsencode(text))))
    return merged(found)


def _given_ranges(thread: ReplayedLog, steps: Steps) -> Iterator[InputRange]:
    """Yield the bytes of arguments and variables that steps read."""
    strings = given_strings(thread)
    for address, length in _read_by_calls(thread, steps):
        for _, _, found in strings.pieces(address, length):
            # A call that reads all of argv[] depends on the strings that it reads, not on all.
            if isinstance(found, InputRange) and found.width:
                yield found
    for address, length in _loaded(thread, steps, strings):
        for _, _, found in strings.pieces(address, length):
            if isinstance(found, InputPointer):
                yield InputRange(found.source, 0, 0)
            elif found is not None:
                yield found


def _read_by_calls(thread: ReplayedLog, steps: Steps) -> Iterator[tuple[int, int]]:
    """Yield the memory (address, size) that calls read and no recorded step had written."""
    stream = thread.stream
    rows = stream.effects[np.isin(stream.effects["kind"], [READ, COPY, OUTPUT])]
    for row in rows[np.isin(rows["step"], steps)]:
        yield from initial_memory(stream.runs, row, 0, int(row["len"]))


def initial_memory(
    runs: npt.NDArray[np.void], row: np.void, start: int, stop: int
) -> Iterator[tuple[int, int]]:
    """Yield (address, size) of what a row of `effects` read of memory that no recorded step had
    written, in bytes start..stop of the row."""
    address = int(row["addr2"] if row["kind"] == COPY else row["addr"])
    first = int(row["first_run"])
    for run in runs[first : first + int(row["n_runs"])]:
        low = max(int(run["offset"]), start)
        high = min(int(run["offset"]) + int(run["length"]), stop)
        if not run["step"] and low < high:
            yield address + low, high - low


def _loaded(thread: ReplayedLog, steps: Steps, strings: GivenStrings) -> Iterator[tuple[int, int]]:
    """Yield the memory (address, size) near arguments and variables that loads read and no
    recorded step had written.  Of too many steps, yield none."""
    if not len(steps) or len(steps) > _MAX_STEPS or int(steps[-1] - steps[0]) > 100 * _MAX_STEPS:
        return
    window = thread.replay.window(int(steps[0]), int(steps[-1]) + 1)
    stream, image = thread.stream, thread.image
    instances = thread.queries.instances_at(steps)
    ops = image.code.stretch_first_op[stream.stretch[instances]] + steps - stream.first[instances]
    addresses = np.asarray(window.address[steps - steps[0]], np.uint64)
    near = (addresses >= np.uint64(strings.low)) & (addresses < np.uint64(strings.high))
    near &= image.program.ops["code"][ops] == OpCode.LOAD
    for address, instance, op in zip(
        addresses[near].tolist(), instances[near].tolist(), ops[near].tolist(), strict=True
    ):
        for found in thread.queries.loaded(instance, op):
            if not found.step:
                size = found.length or int(image.program.ops["x"][op])
                yield address + found.offset, size
