"""Which step wrote the bytes at an address last, before a given step?"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from whence.program.ids import Step
from whence.trace.columns import U32, U64, Stream


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
        self._writes = stream.writes

    def last_write(self, address: int, size: int, before: Step) -> list[Written]:
        """Return who wrote each of the `size` bytes at `address` last before the step `before`."""
        definer = np.zeros(size, np.int64)
        for row in self._overlapping(address, size, before):  # in order of time
            written = self._writes[row]
            low = int(written["addr"]) - address
            definer[max(low, 0) : max(low + int(written["len"]), 0)] = written["step"]
        cuts = [0, *(int(cut) + 1 for cut in np.flatnonzero(np.diff(definer))), size]
        return [
            Written(a, b - a, Step(int(definer[a])) or None) for a, b in itertools.pairwise(cuts)
        ]

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
