"""Which branches, had they gone the other way, might have defined what a load reads?

This is potential dependence, the third kind besides data and control dependence: the load may
depend on a branch because of code that did *not* run.  This module computes the part that holds for
all runs: an edge of a branch may define what a load reads if some block of its region (see `flow`),
or a function called there, may write a byte that the load may read (see `aliases`).  The slicer
adds the part about one run: did the branch run between the definition and the load, and did it go
another way?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import gcd
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from whence.frontend.c.aliases import Access, Aliases, Cell
from whence.frontend.c.allocators import FunctionId
from whence.frontend.c.flow import gather
from whence.frontend.c.ir import Function, Global, Instruction, Local, Module
from whence.program.graph import components

BranchEdge = tuple[int, str, int, int]  # module, function, branch block, successor index
LoadPlace = tuple[int, str, int]  # module, function, line of the instruction
Edges = npt.NDArray[np.uint32]

# All output goes to one pseudo-object that nothing else writes and nothing reads.  What standard
# error gets is no output.
_OUTPUT = Access(-1, -1, 0, 1, 0, 0, 1)
# The place in the input: calls that read change it.
_PLACE = Access(-2, -2, 0, 1, 0, 0, 1)
_PRINTERS = frozenset({
    "printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf", "puts", "fputs", "putc",
    "fputc", "putchar", "putw", "fwrite", "write", "writev", "pwrite", "_IO_putc", "__overflow",
    "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk", "putc_unlocked",
    "fputc_unlocked", "putchar_unlocked", "fputs_unlocked", "fwrite_unlocked", "puts_unlocked",
})  # fmt: skip
_STDERR = Global("stderr")
# Functions whose result depends on how much was read before.
READERS = frozenset({
    "getchar", "getc", "fgetc", "_IO_getc", "getc_unlocked", "getchar_unlocked", "fgetc_unlocked",
    "ungetc", "getw", "fgets", "fgets_unlocked", "gets", "getline", "getdelim", "__getdelim",
    "fread", "fread_unlocked", "read", "readv", "scanf", "fscanf", "vscanf", "vfscanf",
    "__isoc99_scanf", "__isoc99_fscanf", "__isoc23_scanf", "__isoc23_fscanf", "fgetwc", "getwc",
    "getwchar", "feof", "ftell", "fseek", "fseeko", "rewind", "lseek", "__uflow", "__underflow",
})  # fmt: skip


class _Keys:
    """Numbers the accesses that write, so that an integer can represent a set of them."""

    def __init__(self) -> None:
        self.numbers: dict[Access, int] = {}
        self._classes: dict[int, list[Access]] = {}

    def bit(self, access: Access) -> int:
        if access not in self.numbers:
            self.numbers[access] = len(self.numbers)
            self._classes.setdefault(access.cls, []).append(access)
        return 1 << self.numbers[access]

    def touching(self, access: Access) -> int:
        """Return the accesses that may overlap this one."""
        bits = 0
        for other in self._classes.get(access.cls, ()):
            if _overlap(access, other):
                bits |= 1 << self.numbers[other]
        return bits


def _overlap(one: Access, other: Access) -> bool:
    if one.object != other.object and one.object >= 0 and other.object >= 0:
        return False
    if one.high <= other.low or other.high <= one.low:
        return False
    stride = gcd(one.stride, other.stride)
    if not stride:
        return True
    apart = (other.offset - one.offset) % stride  # from one's first byte to the next byte of other
    return apart < one.size or apart + other.size > stride


def _bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class _Block(NamedTuple):
    """What a block writes, and which functions it calls."""

    shared: int  # bits of the shared keys
    private: int  # bits of the function's own keys
    called: frozenset[FunctionId]


class MayDefine:
    """Answers for all loads of a program; `edges` are its branch edges, numbered."""

    def __init__(self, modules: Sequence[Module], aliases: Aliases | None = None) -> None:
        self.aliases = aliases or Aliases(modules)
        self.edges: list[BranchEdge] = []
        self._modules = modules
        self._ids: list[FunctionId] = [
            (m, name) for m, module in enumerate(modules) for name in module.functions
        ]
        self._shared = _Keys()
        self._private: dict[FunctionId, _Keys] = {fid: _Keys() for fid in self._ids}
        self._blocks = {fid: self._describe(fid) for fid in self._ids}
        self._mod = self._transitive()
        # Edges grouped by what they may write: many may write the same.
        self._rows: dict[int, list[int]] = {}
        self._own: dict[FunctionId, list[tuple[int, int]]] = {fid: [] for fid in self._ids}
        for fid in self._ids:
            self._index(fid)
        self._masks: dict[Access, int] = {}
        self._answers: dict[tuple[FunctionId | None, int], Edges] = {}

    # --- questions

    def mod(self, module: int, function: str) -> frozenset[Cell]:
        """Return everything that a call of the function may write and others can see."""
        bits = self._mod[module, function]
        numbers = self._shared.numbers.items()
        accesses = [a for a, number in numbers if bits >> number & 1 and a not in (_OUTPUT, _PLACE)]
        return frozenset().union(*(self.aliases.cells(access) for access in accesses))

    def edges_defining(self, module: int, function: str, load: Instruction) -> list[BranchEdge]:
        """Return the branch edges whose regions may define what the instruction reads."""
        return [self.edges[edge] for edge in self._defining((module, function), load)]

    def edges_printing(self) -> list[BranchEdge]:
        """Return the branch edges whose regions may print something."""
        return [self.edges[edge] for edge in self._answer(None, self._shared.bit(_OUTPUT))]

    def edges_reading(self) -> list[BranchEdge]:
        """Return the branch edges whose regions may read input, and so change the place in it."""
        return [self.edges[edge] for edge in self._answer(None, self._shared.bit(_PLACE))]

    def writing(self) -> Iterator[tuple[LoadPlace, list[LoadPlace]]]:
        """Yield each instruction that reads memory, with those that may write what it reads."""
        shared: dict[int, list[LoadPlace]] = {}  # by number of the access
        private: dict[FunctionId, dict[int, list[LoadPlace]]] = {}
        for fid, op in self._operations():
            for access in self.aliases.writes(*fid, op):
                is_private = self._is_private(access)
                keys = self._private[fid] if is_private else self._shared
                places = private.setdefault(fid, {}) if is_private else shared
                places.setdefault(keys.numbers[access], []).append((*fid, op.line))
        found: dict[tuple[int, FunctionId | None, int], list[LoadPlace]] = {}
        for fid, op in self._operations():
            all_of, own = self._masks_of(fid, op)
            key = all_of, fid if own else None, own
            if key not in found:
                lists = [shared[number] for number in _bits(all_of) if number in shared]
                mine = private.get(fid, {})
                lists += [mine[number] for number in _bits(own) if number in mine]
                found[key] = list(dict.fromkeys(chain.from_iterable(lists)))
            if found[key]:
                yield (*fid, op.line), found[key]

    def _operations(self) -> Iterator[tuple[FunctionId, Instruction]]:
        for m, name in self._ids:
            for op in _instructions(self._modules[m].functions[name]):
                yield (m, name), op

    def is_private(self, module: int, function: str, load: Instruction) -> bool:
        """Do only branches of the loading activation count?"""
        found = self.aliases.reads(module, function, load)
        return all(self._is_private(access) for access in found)

    def table(self) -> tuple[dict[LoadPlace, int], list[Edges], list[BranchEdge]]:
        """Return the class of each reading instruction, the edges of each class, and all edges.

        Instructions that the same edges may define for are of one class.
        """
        classes: dict[bytes, int] = {}
        found: list[Edges] = []
        numbers: dict[int, int] = {}  # by identity: most answers are shared
        class_of: dict[LoadPlace, int] = {}
        for m, name in self._ids:
            for op in _instructions(self._modules[m].functions[name]):
                if not self.aliases.reads(m, name, op):
                    continue
                edges = self._defining((m, name), op)
                if id(edges) not in numbers:
                    number = classes.setdefault(edges.tobytes(), len(found))
                    if number == len(found):
                        found.append(edges)
                    numbers[id(edges)] = number
                class_of[m, name, op.line] = numbers[id(edges)]
        return class_of, found, self.edges

    def _defining(self, fid: FunctionId, load: Instruction) -> Edges:
        shared, private = self._masks_of(fid, load)
        if not private:
            return self._answer(None, shared)
        if not shared:
            return self._answer(fid, private)
        return np.union1d(self._answer(None, shared), self._answer(fid, private))

    def _masks_of(self, fid: FunctionId, load: Instruction) -> tuple[int, int]:
        """Return the shared writes, and the function's own ones, that may overlap what is read."""
        shared = private = 0
        for access in self.aliases.reads(*fid, load):
            if self._is_private(access):
                private |= self._mask(self._private[fid], access)
            else:
                shared |= self._mask(self._shared, access)
        return shared, private

    def _mask(self, keys: _Keys, access: Access) -> int:
        if access not in self._masks:
            self._masks[access] = keys.touching(access)
        return self._masks[access]

    def _answer(self, fid: FunctionId | None, mask: int) -> Edges:
        """Return the edges that may do one of these writes: those of `fid`, or the shared ones."""
        if (fid, mask) not in self._answers:
            if fid is None:
                rows = (edges for bits, edges in self._rows.items() if bits & mask)
                found = sorted(chain.from_iterable(rows))
            else:
                found = [edge for bits, edge in self._own[fid] if bits & mask]
            self._answers[fid, mask] = np.array(found, dtype=np.uint32)
        return self._answers[fid, mask]

    # --- building

    def _is_private(self, access: Access) -> bool:
        return access.object >= 0 and self.aliases.is_private(access.object)

    def _describe(self, fid: FunctionId) -> list[_Block]:
        return [
            self._describe_block(fid, block.instructions)
            for block in self._modules[fid[0]].functions[fid[1]].blocks
        ]

    def _describe_block(self, fid: FunctionId, ops: Iterable[Instruction]) -> _Block:
        shared = private = 0
        called: set[FunctionId] = set()
        errors: set[str] = set()  # registers that hold the stream of standard error
        for op in ops:
            if op.opcode == "load" and op.operands[0].value == _STDERR and op.result is not None:
                errors.add(op.result)
            for access in self.aliases.writes(*fid, op):
                if self._is_private(access):
                    private |= self._private[fid].bit(access)
                else:
                    shared |= self._shared.bit(access)
            if op.callee is not None:
                called |= self.aliases.called(*fid, op)
                name = op.callee.name if isinstance(op.callee, Global) else ""
                streams = {one.value.name for one in op.operands if isinstance(one.value, Local)}
                if name in _PRINTERS and not streams & errors:
                    shared |= self._shared.bit(_OUTPUT)
                if name in READERS:
                    shared |= self._shared.bit(_PLACE)
        return _Block(shared, private, frozenset(called))

    def _transitive(self) -> dict[FunctionId, int]:
        """Return the shared writes of each function, including all functions it calls."""
        number = {fid: i for i, fid in enumerate(self._ids)}
        calls = [
            sorted({number[callee] for block in self._blocks[fid] for callee in block.called})
            for fid in self._ids
        ]
        mod: dict[FunctionId, int] = {}
        for group in components(range(len(calls)), lambda i: calls[i]):
            bits = 0
            for i in group:
                for block in self._blocks[self._ids[i]]:
                    bits |= block.shared
                for callee in calls[i]:
                    bits |= mod.get(self._ids[callee], 0)
            mod.update((self._ids[i], bits) for i in group)
        return mod

    def _index(self, fid: FunctionId) -> None:
        """Number the edges of a function, and note what they may write."""
        width = len(self._shared.numbers)
        facts = []
        for block in self._blocks[fid]:
            bits = block.shared | block.private << width
            for callee in block.called:
                bits |= self._mod[callee]
            facts.append(bits)
        low = (1 << width) - 1
        for edge, bits in sorted(gather(self._modules[fid[0]].functions[fid[1]], facts).items()):
            if bits & low:
                self._rows.setdefault(bits & low, []).append(len(self.edges))
            if bits >> width:
                self._own[fid].append((bits >> width, len(self.edges)))
            self.edges.append((*fid, *edge))


def _instructions(function: Function) -> Iterator[Instruction]:
    for block in function.blocks:
        yield from block.instructions
