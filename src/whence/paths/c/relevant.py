"""Which steps of a C run could change a point of it, if inputs decide where memory is accessed?

A relevant slice follows the write that a load met.  If inputs decide addresses, that is not enough:

1. A load from a table that inputs choose an element of depends on the writes of all its elements,
   and on the branches that could have written one of them.  The same holds for library functions
   that look at more memory with other inputs.
2. A store whose place inputs decide could have written what a later load read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

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
        self._looked_at, self._stores = looked_at, sorted(stores)
        self._store_ops = np.array([self._queries.op_of(step) for step in self._stores], np.int64)
        self._more: dict[Step, list[Step]] = {}  # what a step depends on besides, once computed
        self._edges: dict[int, U32] = {}  # branches that could write what a class of loads reads
        self._extended = {*looked_at, *self._exposed_loads()}

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
        relevance = self._relevance
        return set(CAnalysis().slice(self._thread, criteria, relevance, None).tolist())

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

    # --- one step --------------------------------------------------------------------------------

    def _besides(self, load: Step) -> list[Step]:
        """Return the steps that a step depends on besides the writes that it met."""
        if load not in self._more:
            writes = self._other_writes(load)
            met = [one.step or 0 for one in self._queries.definitions(load) if one.kind in _MEMORY]
            since = min([*writes, *met], default=0)
            found = [*(step for step in writes if step), *self._stores_between(since, load)]
            if load in self._looked_at:
                found += self._branches_between(since, load)
            self._more[load] = found
        return self._more[load]

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
        potential, stream = self._relevance.potential, self._thread.stream
        first, last = (int(potential.class_start[number + k]) for k in (0, 1))
        sides: dict[int, set[int]] = {}
        for edge in potential.class_edge[first:last].tolist():
            stretch = int(potential.edge_stretch[edge])
            sides.setdefault(stretch, set()).add(int(potential.edge_block[edge]))
        stretches = whole(stream.stretch)
        blocks = self._thread.image.code.stretch_block
        found = [
            self._queries.last_step(Instance(instance))
            for instance in np.flatnonzero(np.isin(stretches[:-1], list(sides))).tolist()
            if sides[int(stretches[instance])] - {int(blocks[stretches[instance + 1]])}
        ]
        self._edges[number] = np.array(sorted(found), np.uint32)
        return self._edges[number]


_MEMORY = ("memory", "initial", "input")  # kinds of dependences on memory
