"""Which write went beyond a heap block, so that the memory allocator found it damaged later?"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from whence.program.ids import Step
from whence.program.rows import ALLOC, FREE
from whence.trace.c.endings import callee
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CThread
from whence.trace.columns import whole

# The functions that look at the memory between the blocks.
ALLOCATORS = frozenset({
    "malloc", "calloc", "realloc", "reallocarray", "free", "strdup", "strndup", "asprintf",
    "aligned_alloc", "posix_memalign", "_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm",
})  # fmt: skip
_MAX_WRITES = 4_000_000  # limit on the writes of a run that is looked at; guessed
_MAX_BEHIND = 1 << 16  # limit on bytes between the end of a block and a write behind it; guessed
_NEAR = 64  # blocks before an address that may hold it; guessed
_MAX_ODD = 20_000  # limit on the writes that are looked at one by one; guessed


class Overrun(NamedTuple):
    """A write that went beyond a block of the heap."""

    step: Step  # what wrote there
    allocation: Step  # the call that allocated the block


def is_allocator(flow: CFlow, call: Step) -> bool:
    """Does a step call a function that looks at the memory between the blocks of the heap?"""
    assert isinstance(flow.thread, CThread)
    return flow.is_call(call) and callee(flow.thread, call) in ALLOCATORS


def first_overrun(flow: CFlow) -> Overrun | None:
    """Return the first write of a run that went beyond a block; None if none is known."""
    stream = flow.thread.stream
    if stream.sections is not None or len(stream.writes) > _MAX_WRITES:
        return None
    blocks = _HeapBlocks(stream.effects)
    writes = whole(stream.writes)
    for row in blocks.odd(writes)[:_MAX_ODD]:
        step, address, length = (int(writes[name][row]) for name in ("step", "addr", "len"))
        allocation = blocks.overrun_by(address, length, step)
        if allocation is not None:
            return Overrun(Step(step), Step(allocation))
    return None


class _Block(NamedTuple):
    birth: int
    death: float
    end: int  # the first address behind it


class _HeapBlocks:
    """The blocks of the heap, and when each was there."""

    def __init__(self, effects: Any) -> None:
        frees: dict[int, list[int]] = defaultdict(list)
        for row in effects[effects["kind"] == FREE]:
            frees[int(row["addr"])].append(int(row["step"]))
        self._blocks: dict[int, list[_Block]] = defaultdict(list)
        for row in effects[effects["kind"] == ALLOC]:
            start, birth = int(row["addr"]), int(row["step"])
            death = next((step for step in frees[start] if step > birth), float("inf"))
            if start:
                self._blocks[start].append(_Block(birth, death, start + int(row["len"])))
        self._starts = sorted(self._blocks)

    def odd(self, writes: Any) -> npt.NDArray[np.intp]:
        """Return the rows of `writes` on the heap that may be outside of all blocks, in order."""
        if not self._starts:
            return np.zeros(0, np.intp)
        starts = np.array(self._starts, np.uint64)
        shortest = np.array(
            [min(block.end for block in self._blocks[start]) for start in self._starts], np.uint64
        )
        at = np.searchsorted(starts, writes["addr"], side="right") - 1
        ends = writes["addr"] + writes["len"]
        last = max(block.end for block in self._blocks[self._starts[-1]])
        is_heap = (
            (at >= 0) & (writes["addr"] < np.uint64(last + _MAX_BEHIND)) & (writes["step"] > 0)
        )
        rows = np.flatnonzero(is_heap & (ends > shortest[np.maximum(at, 0)]))
        found: npt.NDArray[np.intp] = rows[np.argsort(writes["step"][rows], kind="stable")]
        return found

    def overrun_by(self, address: int, length: int, step: int) -> int | None:
        """Return the allocation of the block that a write began in or behind, and overran."""
        for block in self._before(address):
            if not block.birth <= step < block.death:
                continue
            if address + length <= block.end:
                return None
            return block.birth if address < block.end + _MAX_BEHIND else None
        return None

    def _before(self, address: int) -> Iterator[_Block]:
        """Yield the blocks that begin at or before an address, the nearest first."""
        at = bisect_right(self._starts, address)
        for start in reversed(self._starts[max(at - _NEAR, 0) : at]):
            yield from reversed(self._blocks[start])
