"""Which steps of a C run could change a point of it, if inputs decide where memory is accessed?

A relevant slice follows the write that a load met.  If inputs decide addresses, that is not enough:

1. A load from a table that inputs choose an element of depends on the writes of all its elements,
   and on the branches that could have written one of them.  The same holds for library functions
   that look at more memory with other inputs.
2. A store whose place inputs decide could have written what a later load read.
3. What a call reads from a file or from standard input depends on all calls that read before it,
   and on the branches that could have read more: they decide how far it was read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from whence.frontend.c.maydefine import READERS
from whence.frontend.c.tables import OpKind
from whence.program.ids import Activation, Instance, Op, Step
from whence.trace.c.analysis import CAnalysis
from whence.trace.c.replayed import ReplayedLog
from whence.trace.columns import NONE, U32, whole
from whence.trace.slicer import ByteRange

Places = Mapping[Step, Collection[tuple[int, int]]]  # address and size of memory, by step


class RelevantSlices:
    """The relevant slices of one run.

    `looked_at` is the memory that a step may read, depending on inputs.  `stores` are the steps
    that write where inputs decide.
    """

    def __init__(self, thread: ReplayedLog, looked_at: Places, stores: Collection[Step]) -> None:
        self._thread, self._queries = thread, thread.queries
        self._relevance = thread.image.relevance()
        self._slicer = CAnalysis().slicer(thread, self._relevance)
        self._looked_at, self._stores = looked_at, sorted(stores)
        self._store_ops = np.array([self._queries.op_of(step) for step in self._stores], np.int64)
        self._more: dict[Step, list[Step]] = {}  # what a step depends on besides, once computed
        self._edges: dict[int, U32] = {}  # branches that could write what a class of loads reads
        self._readers = self._reading_steps()
        self._extended = {*looked_at, *self._exposed_loads(), *self._readers.tolist()}

    def of(self, criteria: Sequence[Step | ByteRange]) -> set[int]:
        """Return the relevant slice of some points."""
        found = self._slice(criteria)
        done: set[int] = set()
        while True:
            loads = found & self._extended - done
            done |= loads
            more = {step for load in loads for step in self._besides(Step(load))} - found
            if more:
                found |= self._slice([Step(step) for step in sorted(more)])
            elif not loads:
                return found

    def _slice(self, criteria: Sequence[Step | ByteRange]) -> set[int]:
        return set(self._slicer.slice(criteria).tolist())

    def _exposed_loads(self) -> set[int]:
        """Return the steps that read what one of the stores could have written."""
        found: set[int] = set()
        if not len(self._store_ops):
            return found
        relevance, ops = self._relevance, set(self._store_ops.tolist())
        for op in np.flatnonzero(relevance.writers_of_op != NONE).tolist():
            if ops.intersection(relevance.writers_for(Op(op))):
                found.update(self._queries.executions(Op(op))[:].tolist())
        return found

    def _reading_steps(self) -> U32:
        """Return the calls whose result depends on how much of the input was read before."""
        image = self._thread.image
        found = [
            step
            for op in np.flatnonzero(image.code.kind == OpKind.CALL).tolist()
            if image.sort(Op(op)).callee in READERS
            for step in self._queries.executions(Op(op))[:].tolist()
        ]
        return np.array(sorted(found), np.uint32)

    # --- one step --------------------------------------------------------------------------------

    def _besides(self, load: Step) -> list[Step]:
        """Return the steps that a step depends on besides the writes that it met."""
        if load not in self._more:
            writes = self._other_writes(load)
            since = min(writes or self._met(load), default=0)
            found = [*(step for step in writes if step), *self._stores_between(since, load)]
            found += self._read_before(load)
            if load in self._looked_at:
                found += self._branches_between(since, load)
            self._more[load] = found
        return self._more[load]

    def _met(self, load: Step) -> list[Step]:
        """Return the writes that a load met; 0: it is older than the run."""
        found = self._queries.definitions(load)
        return [one.step or Step(0) for one in found if one.kind in _MEMORY]

    def _read_before(self, step: Step) -> list[Step]:
        """Return the call that read before a step, and the branches since then that read nothing.

        They could have read something by going the other way.
        """
        at = int(np.searchsorted(self._readers, step))
        if at == len(self._readers) or self._readers[at] != step:
            return []
        last = int(self._readers[at - 1]) if at else 0
        low, high = np.searchsorted(self._unread, [last, step], "right")
        found = [Step(branch) for branch in self._unread[low:high].tolist()]
        return [Step(last), *found] if last else found

    @cached_property
    def _unread(self) -> U32:
        """The branches with another side that may read."""
        return other_sides(self._thread, self._relevance.reading)

    def _other_writes(self, load: Step) -> list[Step]:
        """Return the last write of each byte that a step may read; 0: it is older than the run."""
        found = {
            run.step or Step(0)
            for address, size in self._looked_at.get(load, ())
            for run in self._queries.last_write(address, size, load)
        }
        return sorted(found)

    def _stores_between(self, since: int, load: Step) -> list[Step]:
        """Return the stores with places that inputs decide, and that the step may read from."""
        writers = self._relevance.writers_for(self._queries.op_of(load))
        if not writers or not self._stores:
            return []
        possible = np.isin(self._store_ops, writers)
        return [
            step for step, is_possible in zip(self._stores, possible.tolist(), strict=True)
            if is_possible and since < step < load
        ]  # fmt: skip

    def _branches_between(self, since: int, load: Step) -> list[Step]:
        """Return the branches whose other side could have written what a step reads."""
        potential, op = self._relevance.potential, self._queries.op_of(load)
        number = int(potential.class_of_op[op])
        if number == NONE:
            return []
        branches = self._branches_of_class(number)
        low, high = np.searchsorted(branches, [since, load], "right")
        found = [Step(step) for step in branches[low:high].tolist()]
        if not potential.is_private[op]:
            return found
        own = self._queries.activation_of(load)
        return [step for step in found if self._activation(step) == own]

    def _activation(self, step: Step) -> Activation:
        return self._queries.activation_of(step)

    def _branches_of_class(self, number: int) -> U32:
        """Return the branches that went past a side that may write what a class of loads reads."""
        if number in self._edges:
            return self._edges[number]
        potential = self._relevance.potential
        first, last = (int(potential.class_start[number + k]) for k in (0, 1))
        edges = potential.class_edge[first:last]
        sides = np.stack([potential.edge_stretch[edges], potential.edge_block[edges]], axis=1)
        self._edges[number] = other_sides(self._thread, sides)
        return self._edges[number]


def other_sides(thread: ReplayedLog, sides: U32) -> U32:
    """Return the branches of a run that did not take one of these sides, in order.

    `sides` are rows of stretch and block.
    """
    blocks_of: dict[int, set[int]] = {}
    for stretch, block in sides.tolist():
        blocks_of.setdefault(stretch, set()).add(block)
    stretches, blocks = whole(thread.stream.stretch), thread.image.code.stretch_block
    found = [
        thread.queries.last_step(Instance(instance))
        for instance in np.flatnonzero(np.isin(stretches[:-1], list(blocks_of))).tolist()
        if blocks_of[int(stretches[instance])] - {int(blocks[stretches[instance + 1]])}
    ]
    return np.array(sorted(found), np.uint32)


_MEMORY = ("memory", "initial", "input")  # kinds of dependences on memory
