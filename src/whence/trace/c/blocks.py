"""Which object lies at an address at a step: a static variable, stack memory, a heap block?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from whence.frontend.c.debug import DebugType
from whence.frontend.c.ir import Bytes
from whence.frontend.c.layout import Layout
from whence.frontend.c.mangled_names import type_of_symbol
from whence.frontend.c.tables import OpCode
from whence.program.ids import Step
from whence.program.rows import ALLOC, FREE
from whence.trace.c.memory import module_symbols, modules_of
from whence.trace.c.memory_log import MemoryLog

_PAGE = 12  # bits of an address within a page; guessed
_MAX_PAGES = 4096  # pages of one block that are noted; guessed
_ALLOCATORS = ("malloc", "calloc")
_MAX_SIZE = 1 << 40  # larger second arguments are no sizes; guessed
VIRTUALS = "'s virtual functions"  # what the name of a class's table ends with
_NEAR = 64  # starts of blocks before an address that are looked at; guessed


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """An object: where it lies, and since which step."""

    start: int
    size: int
    birth: int  # 0: from the start of the run
    name: str = ""  # of a static variable
    type: DebugType | None = None  # of a static variable
    text: bytes | None = None  # the contents of a string literal
    is_function: bool = False
    is_stack: bool = False

    @property
    def key(self) -> tuple[int, int]:
        return self.start, self.birth


class Blocks:
    """The objects of one thread's run."""

    def __init__(self, log: MemoryLog) -> None:
        self._log, self._thread = log, log.thread
        self._starts: dict[int, list[int]] = {}  # by page: where blocks begin
        self._blocks: dict[int, list[MemoryBlock]] = {}  # by start, in order of birth
        for block in (*self._static(), *self._dynamic()):
            self._add(block)

    def _add(self, block: MemoryBlock) -> None:
        known = self._blocks.setdefault(block.start, [])
        known.append(block)
        first, last = block.start >> _PAGE, (block.start + max(block.size, 1) - 1) >> _PAGE
        for page in range(first, min(last, first + _MAX_PAGES) + 1):
            starts = self._starts.setdefault(page, [])
            at = bisect_right(starts, block.start)
            if not at or starts[at - 1] != block.start:
                insort(starts, block.start)

    def _static(self) -> Iterator[MemoryBlock]:
        seen: set[int] = set()
        for source, loaded in modules_of(self._thread):
            names = dict(module_symbols(source, loaded))
            layout = Layout(source.module)
            functions = {*source.module.functions, *source.module.declarations}
            for name, address in names.items():
                variable = source.module.variables.get(name)
                if not address or (address in seen and name not in functions):
                    continue
                if name in functions:
                    spoken = source.names.function_name(name)
                    yield MemoryBlock(address, 1, 0, spoken, is_function=True)
                elif variable is not None:
                    debug = source.names.debug
                    known = (
                        None if variable.debug is None else debug.global_variable(variable.debug)
                    )
                    text = variable.initial.data if isinstance(variable.initial, Bytes) else None
                    kind = known.type if known else None
                    table = _table_name(name)
                    size = (kind.size if kind else 0) or (len(text) if text else 1)
                    size = layout.size(variable.type) if table else size
                    seen.add(address)
                    shown = table or (known.name if known else "")
                    is_text = variable.constant and not shown
                    yield MemoryBlock(address, size, 0, shown, kind, text if is_text else None)
        for start, contents in self.given_strings:
            yield MemoryBlock(start, len(contents), 0, text=contents)

    @cached_property
    def given_strings(self) -> list[tuple[int, bytes]]:
        """The arguments and variables of the process: address and bytes."""
        return self._log.memory.strings.strings

    def _dynamic(self) -> Iterator[MemoryBlock]:
        log, effects = self._log, self._thread.stream.effects
        rows = effects[effects["kind"] == ALLOC]
        births = [(int(r["step"]), int(r["addr"]), int(r["len"]), False) for r in rows]
        births += [
            (step, int(log.values[step]), log.alloca_size(Step(step)), True)
            for step in np.flatnonzero(log.codes == OpCode.ALLOCA).tolist()
        ]
        births += self._through_pointers({birth[0] for birth in births})
        for step, address, size, is_stack in sorted(births):
            if address:
                yield MemoryBlock(address, size, step, is_stack=is_stack)

    def _through_pointers(self, known: set[int]) -> Iterator[tuple[int, int, int, bool]]:
        """Yield what allocators returned that were called through function pointers."""
        for step in self.calls_of(_ALLOCATORS):
            if step not in known:
                given = [*self._thread.replay.arguments(step), 0, 0][:2]
                size = max(given[0], 1) * max(given[1], 1) if given[1] < _MAX_SIZE else given[0]
                yield step, int(self._log.values[step]), size, False

    def calls_of(self, names: Collection[str]) -> list[int]:
        """Return the steps that called one of these functions of a library."""
        places = [
            address
            for source, loaded in modules_of(self._thread)
            for name, address in module_symbols(source, loaded)
            if name in names and address
        ]
        callees = np.isin(self._log.callees, np.array(places, np.uint64))
        found: list[int] = np.flatnonzero(callees & (self._log.codes == OpCode.CALL)).tolist()
        return found

    @cached_property
    def _frees(self) -> tuple[list[int], list[int]]:
        """The steps that freed memory, and the addresses."""
        effects = self._thread.stream.effects
        rows = effects[effects["kind"] == FREE]
        found = {int(row["step"]): int(row["addr"]) for row in rows}
        for step in self.calls_of(("free",)):
            if step not in found:
                found[step] = [*self._thread.replay.arguments(step), 0][0]
        steps = sorted(found)
        return steps, [found[step] for step in steps]

    def freed(self, first: int, last: int) -> frozenset[int]:
        """Return the starts of the blocks that the steps first .. last freed."""
        steps, addresses = self._frees
        low, high = bisect_left(steps, first), bisect_right(steps, last)
        return frozenset(addresses[low:high])

    def find(self, address: int, before: int) -> MemoryBlock | None:
        """Return the object that holds an address just before a step."""
        starts = self._starts.get(address >> _PAGE, [])
        at = bisect_right(starts, address)
        best: MemoryBlock | None = None
        for start in starts[max(at - _NEAR, 0) : at][::-1]:
            for block in reversed(self._blocks[start]):
                if block.birth >= before and block.birth:
                    continue
                if address < start + max(block.size, 1) and (
                    best is None or block.birth > best.birth
                ):
                    best = block
                break
        return best

    def pointed(self, address: int, before: int) -> MemoryBlock | None:
        """Return the object that a pointer points into, or just behind."""
        found = self.find(address, before)
        if found is None:
            found = self.find(address - 1, before)
            if found is not None and (found.start + found.size != address or found.is_function):
                return None
        return found

    @cached_property
    def by_name(self) -> dict[str, MemoryBlock]:
        """The static variables by name."""
        found: dict[str, MemoryBlock] = {}
        for blocks in self._blocks.values():
            for block in blocks:
                if block.name and not block.is_function:
                    found.setdefault(block.name, block)
        return found


def _table_name(symbol: str) -> str:
    """Return the name of the table of a class's virtual functions; empty for another symbol."""
    name = type_of_symbol(symbol) if symbol.startswith("_ZTV") else None
    return f"{name}{VIRTUALS}" if name else ""
