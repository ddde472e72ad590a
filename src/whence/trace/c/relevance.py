"""Which branches of a C program could have changed what a run reads or prints?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from whence.frontend.c import flow
from whence.frontend.c.maydefine import BranchEdge, LoadPlace, MayDefine
from whence.frontend.c.replay.program import CProgram
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.tables import OpCode
from whence.program.ids import Block, Op, Stretch
from whence.trace.columns import NONE, U32
from whence.trace.relevance import Relevance
from whence.trace.slicer import Potential

_MAX_WRITERS = 200  # possible writers of one load; with more, none is reported; guessed
_LOCAL = (OpCode.LLOAD, OpCode.LCOPY, OpCode.LCOPYOUT)  # read frame-local memory, by offset


class _Numbers:
    """Translates the names that the analyses use into numbers of the whole program."""

    def __init__(self, program: CProgram, sources: Sequence[ModuleSource]) -> None:
        self.program, self.sources = program, sources
        self.first_block: dict[tuple[int, str], Block] = {}
        self.op_at: dict[tuple[int, int], Op] = {}  # by module and line of the IR
        self._successors: dict[tuple[int, str], list[list[int]]] = {}
        for number, (source, base) in enumerate(zip(sources, program.bases, strict=True)):
            description = source.description
            for row in description.arrays["functions"]:
                name = description.names[int(row["name"])]
                self.first_block[number, name] = Block(int(row["first_block"]) + base.block)
            lines = description.arrays["op_line"].tolist()
            self.op_at.update(((number, line), Op(base.op + op)) for op, line in enumerate(lines))

    def successors(self, module: int, function: str) -> list[list[int]]:
        """Return the blocks that may run right after each block of a function."""
        if (module, function) not in self._successors:
            body = self.sources[module].module.functions[function]
            self._successors[module, function] = flow.block_successors(body)
        return self._successors[module, function]

    def last_stretch(self, block: Block) -> Stretch:
        row = self.program.blocks[block]
        return Stretch(int(row["first_stretch"]) + int(row["n_stretches"]) - 1)


def analysed(program: CProgram, sources: Sequence[ModuleSource]) -> Relevance:
    """Return what the branches of these modules could change by going the other way."""
    numbers = _Numbers(program, sources)
    analysis = MayDefine([source.module for source in sources])
    return Relevance(
        _potential(analysis, numbers),
        _guards(numbers),
        _sides(analysis.edges_printing(), numbers),
        _sides(analysis.edges_reading(), numbers),
        np.zeros((0, 2), np.uint32),
        *_writers(analysis, numbers),
    )


def _sides(edges: Sequence[BranchEdge], numbers: _Numbers) -> U32:
    """Return sides of branches as rows of stretch and block."""
    found = []
    for module, function, block, side in edges:
        first = numbers.first_block.get((module, function))
        if first is not None:
            after = first + numbers.successors(module, function)[block][side]
            found.append((numbers.last_stretch(Block(first + block)), after))
    return np.array(found, np.uint32).reshape(-1, 2)


def _writers(analysis: MayDefine, numbers: _Numbers) -> tuple[U32, U32, U32]:
    group_of_op = np.full(len(numbers.program.ops), NONE, np.uint32)
    groups: dict[tuple[int, ...], int] = {}
    for (module, _function, line), places in analysis.writing():
        op = numbers.op_at.get((module, line))
        if op is None or len(places) > _MAX_WRITERS:
            continue
        found = (numbers.op_at.get((m, at)) for m, _, at in places)
        ops = tuple(writer for writer in found if writer is not None)
        group_of_op[op] = groups.setdefault(ops, len(groups))
    starts = np.cumsum([0, *(len(ops) for ops in groups)]).astype(np.uint32)
    flat = [writer for ops in groups for writer in ops]
    return group_of_op, starts, np.array(flat, np.uint32)


def _potential(analysis: MayDefine, numbers: _Numbers) -> Potential:
    places, classes, edges = analysis.table()
    class_of_op = np.full(len(numbers.program.ops), NONE, np.uint32)
    for (module, _function, line), number in places.items():
        op = numbers.op_at.get((module, line))
        if op is not None:
            class_of_op[op] = number
    is_private = np.isin(numbers.program.ops["code"], _LOCAL)
    for module, line in _private(analysis, numbers, places):
        op = numbers.op_at.get((module, line))
        if op is not None:
            is_private[op] = True
    edge_stretch = np.full(len(edges), NONE, np.uint32)
    edge_block = np.full(len(edges), NONE, np.uint32)
    for number, (module, function, block, side) in enumerate(edges):
        first = numbers.first_block.get((module, function))
        if first is None:
            continue  # the function is not recorded
        edge_stretch[number] = numbers.last_stretch(Block(first + block))
        edge_block[number] = first + numbers.successors(module, function)[block][side]
    kept = edge_stretch != NONE
    starts, lists = [0], []
    for edges_of in classes:
        usable = edges_of[kept[edges_of]]
        lists.append(usable.astype(np.uint32))
        starts.append(starts[-1] + len(usable))
    edge_stretch[~kept] = 0
    return Potential(
        class_of_op=class_of_op,
        is_private=is_private,
        class_start=np.array(starts, np.uint32),
        class_edge=np.concatenate([np.zeros(0, np.uint32), *lists]),
        edge_stretch=edge_stretch,
        edge_block=edge_block,
    )


def _private(
    analysis: MayDefine, numbers: _Numbers, places: dict[LoadPlace, int]
) -> Iterator[tuple[int, int]]:
    """Yield the loads (module, line) of memory that only their own activation can reach."""
    for number, source in enumerate(numbers.sources):
        for name, function in source.module.functions.items():
            for block in function.blocks:
                for op in block.instructions:
                    known = (number, name, op.line) in places
                    if known and analysis.is_private(number, name, op):
                        yield number, op.line


def _guards(numbers: _Numbers) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(numbers.program.stretches), bool)
    modules = [source.module for source in numbers.sources]
    for module, functions in enumerate(flow.guards(modules)):
        for name, edges in functions.items():
            first = numbers.first_block.get((module, name))
            if first is not None:
                for block, _side in edges:
                    found[numbers.last_stretch(Block(first + block))] = True
    return found
