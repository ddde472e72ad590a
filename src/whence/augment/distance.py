"""How many branches must go the right way until control comes to a place?

This is the distance in the control dependence graph across calls (thesis, 4.3.1): a branch that
decides whether a block runs counts one, a call counts nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush

import numpy as np

from whence.program.graph import controlling_edges, post_dominators
from whence.program.ids import Block, Op
from whence.trace.columns import CALL
from whence.trace.recording import Image, Thread

_BY_POINTER = 1  # what a call counts whose callee is a guess
ProgramEdge = tuple[Block, Block]  # a branch at the end of the first block leads to the second


class CallGraph:
    """Which blocks call which functions, by name and as seen in runs."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self._seen: dict[int, set[Block]] = defaultdict(set)

    def add_run(self, thread: Thread) -> None:
        """Note the calls of a run: they show where pointers led."""
        rows, code = thread.stream.activations, self.image.code
        rows = rows[1:][rows["call"][1:] > 0]
        entered = thread.stream.stretch[rows["first_instance"]]
        functions = code.block_function[code.stretch_block[entered]]
        pairs = np.unique(np.stack([functions, _blocks_at(thread, rows["call"])]), axis=1)
        for function, block in pairs.T.tolist():
            self._seen[function].add(block)

    def callers(self, function: int) -> list[tuple[Block, int]]:
        """Return the blocks that may call a function, and how many branches the call counts."""
        named, unnamed = self._named
        name = self.image.function_names[function].rpartition(".")[2]
        known = {*named.get(name, ()), *self._seen[function]}
        guessed = [(block, _BY_POINTER) for block in unnamed if block not in known]
        return [*((block, 0) for block in known), *guessed]

    @cached_property
    def _named(self) -> tuple[Mapping[str, list[Block]], list[Block]]:
        """The blocks that call each function by its name, and those that call by a pointer."""
        named: dict[str, list[Block]] = defaultdict(list)
        unnamed: list[Block] = []
        code = self.image.code
        for op in np.flatnonzero(code.kind == CALL).tolist():
            callee = self.image.sort(Op(op)).callee
            block = Block(int(code.stretch_block[code.op_stretch[op]]))
            if callee:
                named[callee].append(block)
            else:
                unnamed.append(block)
        return named, unnamed


def _blocks_at(thread: Thread, steps: np.ndarray) -> np.ndarray:
    instances = thread.queries.instances_at(steps.astype(np.uint32))
    found: np.ndarray = thread.image.code.stretch_block[thread.stream.stretch[instances]]
    return found


class Distances:
    """The distance of each branch and block of a program from some operations of it."""

    def __init__(self, calls: CallGraph, targets: Iterable[Op]) -> None:
        self._calls, self._image = calls, calls.image
        self._controllers: dict[int, list[Sequence[ProgramEdge]]] = {}
        self.blocks: dict[Block, int] = {}
        self.edges: dict[ProgramEdge, int] = {}
        code = self._image.code
        starts = {Block(int(code.stretch_block[code.op_stretch[op]])) for op in targets}
        self._spread(starts)

    def of_edge(self, edge: ProgramEdge) -> int | None:
        """Return how many more branches must go right after this edge; None: it leads nowhere."""
        return self.edges.get(edge)

    def _spread(self, starts: Iterable[Block]) -> None:
        """Dijkstra, from the targets back to what decides that they run."""
        work = [(0, block) for block in sorted(starts)]
        while work:
            distance, block = heappop(work)
            if self.blocks.get(block, distance + 1) <= distance:
                continue
            self.blocks[block] = distance
            function = int(self._image.code.block_function[block])
            deciding = self._deciding(function)[block - self._first(function)]
            for edge in deciding:
                self.edges[edge] = min(distance, self.edges.get(edge, distance))
                heappush(work, (distance + 1, edge[0]))
            if not deciding:
                for caller, counts in self._calls.callers(function):
                    heappush(work, (distance + counts, caller))

    def _first(self, function: int) -> int:
        return int(self._image.code.function_first_block[function])

    def _deciding(self, function: int) -> list[Sequence[ProgramEdge]]:
        """Return for each block of a function the edges that decide that it runs."""
        if function not in self._controllers:
            first = self._first(function)
            count = int(self._image.code.function_blocks[function])
            branching = self._image.branching(function).following
            following = [
                [after - first for after in branching.get(Block(first + block), [])]
                for block in range(count)
            ]
            edges = controlling_edges(following, post_dominators(following))
            self._controllers[function] = [
                sorted(
                    (Block(first + branch), Block(first + following[branch][index]))
                    for branch, index in found
                    if branch != block
                )
                for block, found in enumerate(edges)
            ]
        return self._controllers[function]
