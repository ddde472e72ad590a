"""Which step wrote the bytes at an address last, before a given step?"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from whence.program.ids import Step
from whence.trace.columns import U32, U64, Rows, Stream, whole
from whence.trace.sections import Sections

_PAGE = 12  # bits of an address within a page of memory, as in replay/memory.h


@dataclass(frozen=True, slots=True)
class MemoryRange:
    """Bytes of memory.

    For a step that copied frame-local bytes, the address is an offset in its frame.
    """

    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes offset..offset+length of a range were last written by `step` (None: never)."""

    offset: int
    length: int
    step: Step | None


class MemoryWrites:
    """The writes to memory of one stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._parts: dict[int, _Writes] = {}  # by section; 0 if the stream has none

    def last_write(self, address: int, size: int, before: Step) -> list[Written]:
        """Return who wrote each of the `size` bytes at `address` last before the step `before`."""
        if not size:
            return []
        sections = self._stream.sections
        definer = np.zeros(size, np.int64)
        if sections is None:
            definer = self._part(0).definers(address, size, before)
        else:
            for number in self._numbers(sections, address, size, before):
                if definer.min() > int(sections.steps[number + 1]):
                    break  # no row of this section or of one before it is as late
                np.maximum(definer, self._part(number).definers(address, size, before), out=definer)
        cuts = [0, *(int(cut) + 1 for cut in np.flatnonzero(np.diff(definer))), size]
        return [
            Written(a, b - a, Step(int(definer[a])) or None) for a, b in itertools.pairwise(cuts)
        ]

    @staticmethod
    def _numbers(sections: Sections, address: int, size: int, before: Step) -> list[int]:
        """Return the sections that may have written these bytes before a step, the last first.

        What unrecorded code wrote after it called back is in a later section than its call.
        """
        last = len(sections.steps) - 2
        pages = range(address >> _PAGE, (address + size - 1 >> _PAGE) + 1)
        found = {number for page in pages for number in sections.with_page(page, 0, last)}
        found = {number for number in found if sections.least_writes[number] < before}
        return sorted(found, reverse=True)

    def _part(self, number: int) -> _Writes:
        """Return the writes of one section, or all writes of a stream without sections."""
        if number not in self._parts:
            sections = self._stream.sections
            if sections is None:
                rows = whole(self._stream.writes)
            else:
                start, stop = (int(sections.columns["writes"][number + k]) for k in (0, 1))
                rows = self._stream.writes[start:stop]
                if not sections.is_ordered:
                    rows = rows[np.argsort(rows["step"], kind="stable")]
            self._parts[number] = _Writes(rows)
        return self._parts[number]


class _Writes:
    """Some writes to memory, in order of time."""

    def __init__(self, rows: Rows) -> None:
        self._writes = rows

    def definers(self, address: int, size: int, before: Step) -> npt.NDArray[np.int64]:
        """Return for each of the `size` bytes who wrote it last before a step; 0: nobody."""
        definer = np.zeros(size, np.int64)
        for row in self._overlapping(address, size, before):  # in order of time
            written = self._writes[row]
            low = int(written["addr"]) - address
            definer[max(low, 0) : max(low + int(written["len"]), 0)] = written["step"]
        return definer

    @cached_property
    def _by_address(self) -> list[tuple[int, U32]]:
        """For each power of two, the rows with a length up to it, ordered by address.

        The rows that overlap a range are near it in each part, however long other rows are.
        """
        lengths = self._writes["len"]
        sizes = np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.uint8)
        addresses = self._writes["addr"]
        parts = []
        for size in np.unique(sizes[lengths > 0]):
            rows = np.flatnonzero((sizes == size) & (lengths > 0)).astype(np.uint32)
            order = np.argsort(addresses[rows], kind="stable")
            parts.append((1 << int(size), rows[order]))
        return parts

    def _overlapping(self, address: int, size: int, before: Step) -> list[int]:
        """Return rows of writes that may overlap a range, in order of time.

        Of several rows with the same address and length, only the last is among them.
        """
        writes = self._writes
        found: list[int] = []
        for longest, rows in self._by_address:
            start = address - longest + 1
            low = _rows_below(writes["addr"], rows, start)
            high = _rows_below(writes["addr"], rows, address + size)
            near = rows[low:high]
            near = near[writes["step"][near] < before][::-1]  # the last first
            offsets = writes["addr"][near].astype(np.int64) - start
            _, last = np.unique(offsets * (longest + 1) + writes["len"][near], return_index=True)
            found.extend(int(row) for row in near[last])
        return sorted(found)


def _rows_below(addresses: U64, rows: U32, address: int) -> int:
    """Return how many of `rows`, which are ordered by address, lie below `address`."""
    return bisect_left(rows, address, key=lambda row: int(addresses[row]))
