"""What does one step depend on, and what lies around it?

Answers are computed when asked for.  Indexes that an answer needs are built once and, when the
stream has a directory, kept there.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.program.ids import Activation, Block, Instance, Op, Step, Stretch
from whence.program.rows import ALLOC, COPY, INPUT, MIXED, OUTPUT, READ
from whence.trace.columns import (
    CALL,
    DIRECT,
    IN_MEMORY,
    LINK,
    NAMED,
    NONE,
    PARAMETER,
    PHI,
    U32,
    U64,
    Rows,
    Stream,
)

NEAR = 64  # so many instances are walked back one by one before the index of stretches is asked


OUTSIDE = frozenset({"initial", "input"})  # kinds of dependences that no earlier step made


class Part(IntEnum):
    """What of a step is meant.

    The parts differ only for a call that entered its callee, or that copied something into
    memory that it allocated: what strdup returned is where the copy is, not what it holds.
    """

    ENTRY = 0  # that it was called, and whom
    VALUE = 1  # what came back
    ARGUMENTS = 2  # what was passed; memory that the call itself wrote is made of it


@dataclass(frozen=True, slots=True)
class Dependence:
    """A step that a step depends on.

    `kind` is "register" (value of an operand), "call" (entered by this step), "result" (returned
    by this step, the callee's or a callback's), "memory" (bytes offset.. of what is read were
    written by this step), "initial" (they are as they were before the run; step is None) or "input"
    (bytes offset.. of `source` came in; step is the step itself).  `address` is where the bytes
    lie if the step copied them there: `definitions` tells, given it and the length, what just
    these come from.
    """

    step: Step | None
    kind: str
    part: Part = Part.VALUE
    offset: int = 0
    length: int = 0  # 0: all of what the op reads
    source: int | None = None
    address: int | None = None


@dataclass(frozen=True, slots=True)
class StepPlace:
    """Bytes of memory; of a frame, if it is about a step that copied frame-local bytes."""

    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes offset..offset+length of a place were last written by `step` (None: never)."""

    offset: int
    length: int
    step: Step | None


class Queries:
    """Demand-driven questions about the steps of one stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.code = stream.code

    # --- places -----------------------------------------------------------------------------

    def instance_of(self, step: int) -> Instance:
        """The instance that `step` lies in."""
        stream = self.stream
        if not 0 < step <= stream.steps:
            raise ValueError(f"step {step} is not in 1..{stream.steps}")
        at = step >> 6
        low = int(stream.instmap[at])
        high = int(stream.instmap[at + 1]) if at + 1 < len(stream.instmap) else len(stream.first)
        near = stream.first[low : high + 1]
        return Instance(low + int(np.searchsorted(near, np.uint32(step), "right")) - 1)

    def instances_at(self, steps: U32) -> npt.NDArray[np.int64]:
        """The instances that some steps lie in."""
        # `first` of the same type as what is looked for, or it is all converted each time.
        return np.searchsorted(self.stream.first, steps.astype(np.uint32, copy=False), "right") - 1

    def op_of(self, step: int) -> Op:
        """The op that `step` executed."""
        return self._op(self.instance_of(step), step)

    def step_of(self, instance: int, op: int) -> Step | None:
        """The step that executed `op` in `instance`, if it did."""
        offset = op - int(self.code.stretch_first_op[self.stream.stretch[instance]])
        inside = 0 <= offset < self.executed(instance)
        return Step(int(self.stream.first[instance]) + offset) if inside else None

    def activation_of(self, step: int) -> Activation:
        """The activation that `step` ran in."""
        return Activation(int(self.stream.activation[self.instance_of(step)]))

    def executed(self, instance: int) -> int:
        """How many ops ran in `instance`."""
        first = self.stream.first
        end = first[instance + 1] if instance + 1 < len(first) else self.stream.steps + 1
        return int(end) - int(first[instance])

    def last_step(self, instance: int) -> Step:
        """The last step of `instance`: its branch, call or return, unless the run was cut."""
        return Step(int(self.stream.first[instance]) + self.executed(instance) - 1)

    def block_of(self, instance: int) -> Block:
        """The block of `instance`."""
        return Block(int(self.code.stretch_block[self.stream.stretch[instance]]))

    def side_of(self, step: int) -> Block | None:
        """The block that ran after the instance of `step`; for a call, the callee's first."""
        after = self.instance_of(step) + 1
        return self.block_of(after) if after < len(self.stream.first) else None

    # --- activations --------------------------------------------------------------------------

    def callers(self, step: int) -> list[Activation]:
        """The activations around `step`, the innermost first."""
        chain = []
        activation = self.activation_of(step)
        while activation:
            chain.append(activation)
            activation = Activation(self._activation(activation, "parent"))
        return chain

    def children(self, activation: int) -> list[Activation]:
        """The activations entered from `activation`, in order."""
        found = np.flatnonzero(self.stream.activations["parent"] == activation)
        return [Activation(child) for child in found.tolist() if child]

    def entered(self, call: int) -> Activation | None:
        """The activation that the step `call` entered itself; None if it ran outside code."""
        after = self.instance_of(call) + 1
        if after >= len(self.stream.first):
            return None
        activation = Activation(int(self.stream.activation[after]))
        row = self.stream.activations[activation]
        return activation if row["flags"] & DIRECT and row["call"] == call else None

    def previous_instance(self, instance: int) -> Instance | None:
        """The instance before `instance` in its activation."""
        stream = self.stream
        activation = int(stream.activation[instance])
        if instance <= self._activation(activation, "first_instance"):
            return None
        inner = int(stream.activation[instance - 1])
        if inner == activation:
            return Instance(instance - 1)
        while inner and self._activation(inner, "parent") != activation:
            inner = self._activation(inner, "parent")
        return self.instance_of(self._activation(inner, "call")) if inner else None

    def previous_of_block(self, instance: int) -> Instance | None:
        """The first instance of the run before, in this activation, of the block."""
        start = self._block_start(instance)
        return None if start is None else self.last_before(self._first_stretch(instance), start)

    def last_before(
        self, stretch: int, instance: int, within: int | None = None
    ) -> Instance | None:
        """The last instance of `stretch` before `instance` in its activation.

        With `within`, only so many instances of the activation are looked at.
        """
        at = self.previous_instance(instance)
        for _ in range(NEAR if within is None else within):
            if at is None or self.stream.stretch[at] == stretch:
                return at
            at = self.previous_instance(at)
        return self.last_before_indexed(stretch, instance) if within is None else None

    def next_of_block(self, instance: int) -> Instance | None:
        """The first instance of the run after, in this activation, of the block."""
        stream = self.stream
        activation = stream.activation[instance]
        found = self.instances_of(self._first_stretch(instance))
        low = int(np.searchsorted(found, np.uint32(instance), "right"))
        last = np.uint32(self._activation(int(activation), "last_instance"))
        high = int(np.searchsorted(found, last, "right"))
        for part in step_chunks(low, high):
            hits = np.flatnonzero(stream.activation[found[part]] == activation)
            if len(hits):
                return Instance(int(found[part][hits[0]]))
        return None

    def executions(self, op: int) -> npt.NDArray[np.int64]:
        """Return the steps that executed `op`, in order."""
        stretch = int(self.code.op_stretch[op])
        offset = op - int(self.code.stretch_first_op[stretch])
        steps = self.stream.first[self.instances_of(stretch)].astype(np.int64) + offset
        return steps[steps <= self.stream.steps]

    # --- dependences --------------------------------------------------------------------------

    def controlling_step(self, step: int) -> Step | None:
        """Return the branch or call that decided that `step` ran; None at the outermost level."""
        return Step(int(self.stream.control[self.instance_of(step)])) or None

    def coming_from(self, step: int) -> Step | None:
        """The branch by which control came to `step`, if that says which value it takes: a phi's.

        None for everything else.  A phi always runs where its block does, so `deciding` does
        not tell: of `a || b` it is a branch on `a` that chooses between true and b.
        """
        instance = self.instance_of(step)
        if self.code.kind[self._op(instance, step)] != PHI:
            return None
        before = self.previous_instance(instance)
        return None if before is None else self.last_step(before)

    def definitions(
        self, step: int, part: Part = Part.VALUE, place: StepPlace | None = None
    ) -> list[Dependence]:
        """What the values that `step` used were made by.

        `place`: of what the step copied or printed into memory, only the bytes that it put
        there.  What they were printed from is the argument that they show; that the length of
        what comes before them shifts them is left aside, as it is for what goes to a file.
        """
        instance = self.instance_of(step)
        op = self._op(instance, step)
        uses = range(int(self.code.use_start[op]), int(self.code.use_start[op + 1]))
        # The rows of a copy of frame-local bytes say the same as its link, byte by byte.
        found = [] if self.is_copy(step) else self._linked(instance, op)
        if self.code.kind[op] == PHI:
            return found + self._incoming(instance, uses)
        activation = self.entered(step) if self.code.kind[op] == CALL else None
        if activation and part is not Part.ARGUMENTS:
            returned = Step(self._activation(activation, "ret"))
            if part is Part.VALUE and returned:
                found.append(Dependence(returned, "result"))
            return found + self._used(instance, op, uses[-1:])
        taken = uses if place is None else self._taken(step, uses, place)
        found += self._used(instance, op, taken) + list(self._effects(step, part, place))
        found.extend(Dependence(ret, "result") for ret in self.returned_to(step))
        return found

    def loaded(self, instance: int, op: int) -> list[Dependence]:
        """Who left the bytes that the load `op` read in `instance`."""
        return self._linked(instance, op)

    def made(self, effect: int, start: int, stop: int) -> list[Dependence]:
        """Who left the bytes start..stop of what a row of `effects` copied."""
        return list(self._made(self.stream.effects[effect], start, stop))

    def returned_to(self, call: int) -> list[Step]:
        """What callbacks returned to the code, not recorded, that the step `call` called."""
        found = []
        instance = self.instance_of(call) + 1
        while instance < len(self.stream.first):
            row = self.stream.activations[int(self.stream.activation[instance])]
            if row["call"] != call or row["flags"] & DIRECT:
                break
            found.append(Step(int(row["ret"])))
            instance = int(row["last_instance"]) + 1
        return [ret for ret in found if ret]

    def is_copy(self, step: int) -> bool:
        """Did `step` copy or print bytes, so that who reads some of them need not take all?"""
        at = int(np.searchsorted(self.stream.copies, np.uint32(step)))
        return at < len(self.stream.copies) and int(self.stream.copies[at]) == step

    def operands(self, instance: int, op: int) -> list[Dependence]:
        """What the registers that `op` uses depend on, were it the next op of `instance` to run."""
        start, end = (int(self.code.use_start[op + k]) for k in (0, 1))
        return self._used(instance, op, range(start, end))

    def bytes_of(self, effect: int, start: int, stop: int) -> list[Dependence]:
        """What bytes start..stop of a row of `effects` were made by.

        If the row names the argument they were made from, it is that argument, else all of them.
        A row that names neither memory nor argument has all that the step depends on.
        """
        row = self.stream.effects[effect]
        step, argument = Step(int(row["step"])), int(row["arg"])
        if row["kind"] not in (READ, COPY, OUTPUT) or (not row["n_runs"] and argument < 0):
            return self.definitions(step, Part.ARGUMENTS)
        found = list(self._made(row, start, stop))
        instance = self.instance_of(step)
        op = self._op(instance, step)
        uses = range(int(self.code.use_start[op]), int(self.code.use_start[op + 1]))
        return found + self._used(instance, op, uses[argument:][:1] if argument >= 0 else uses)

    def last_write(self, address: int, size: int, before: int) -> list[Written]:
        """Who wrote each of the `size` bytes at `address` last before the step `before`."""
        definer = np.zeros(size, np.int64)
        for row in self._overlapping(address, size, before):  # in order of time
            written = self.stream.writes[row]
            low = int(written["addr"]) - address
            definer[max(low, 0) : max(low + int(written["len"]), 0)] = written["step"]
        cuts = [0, *(int(cut) + 1 for cut in np.flatnonzero(np.diff(definer))), size]
        return [
            Written(a, b - a, Step(int(definer[a])) or None) for a, b in itertools.pairwise(cuts)
        ]

    def potential(
        self, step: int, edges: Sequence[tuple[int, int]], *, is_private: bool = False
    ) -> list[Step]:
        """The branch steps since the definition of what `step` loads that could have redefined it.

        `edges`: (last stretch of a branch's block, block on the side that may define it).  A
        branch counts if it did not enter that block and, if the load `is_private`, ran in the
        activation that loads.
        """
        since = self.defined(step) or 0
        activation = self.activation_of(step)
        found: set[Step] = set()
        for stretch, block in edges:
            instances = self.instances_of(stretch).astype(np.int64)
            ends = self.stream.first[instances] + self.code.stretch_ops[stretch] - np.uint32(1)
            low, high = np.searchsorted(ends, [since + 1, step])
            instances, ends = instances[low:high], ends[low:high]
            if is_private:
                own = self.stream.activation[instances] == activation
                instances, ends = instances[own], ends[own]
            after = np.minimum(instances + 1, len(self.stream.first) - 1)
            entered = self.code.stretch_block[self.stream.stretch[after]]
            other = (entered != block) | (after == instances)
            found.update(Step(end) for end in ends[other].tolist())
        return sorted(found)

    def defined(self, step: int) -> Step | None:
        """The earliest definition among the bytes that `step` loads; None if before the run."""
        instance = self.instance_of(step)
        steps = [found.step for found in self._linked(instance, self._op(instance, step))]
        return min(steps, key=lambda definer: definer or 0, default=None)

    # --- indexes ------------------------------------------------------------------------------

    def instances_of(self, stretch: int) -> U32:
        """All instances of `stretch`, in order."""
        order, start = self._by_stretch
        return order[int(start[stretch]) : int(start[stretch + 1])]

    @cached_property
    def _by_stretch(self) -> tuple[U32, U32]:
        order = self.index("by-stretch.u32", lambda: argsort(self.stream.stretch))
        counts = np.bincount(self.stream.stretch, minlength=len(self.code.stretch_ops))
        start = np.zeros(len(counts) + 1, np.uint32)
        np.cumsum(counts, out=start[1:])
        return order, start

    def index(self, name: str, build: Callable[[], U32]) -> U32:
        """The array that `build` makes, from the stream's directory if it is there."""
        directory = self.stream.directory
        if directory is None:
            return build()
        path = directory / name
        if not path.exists():
            partial = path.with_suffix(".partial")
            build().tofile(partial)
            partial.replace(path)  # so that a killed build leaves nothing half made
        if not path.stat().st_size:
            return np.zeros(0, np.uint32)
        return np.memmap(path, np.uint32, "r")

    @cached_property
    def _by_address(self) -> list[tuple[int, U32]]:
        """The rows of `writes` by address, apart for each power of two of their length.

        So the rows that overlap a place are near it in each part, however long others are.
        """
        lengths = self.stream.writes["len"]
        sizes = np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.uint8)
        addresses = self.stream.writes["addr"]
        parts = []
        for size in np.unique(sizes[lengths > 0]):
            rows = np.flatnonzero((sizes == size) & (lengths > 0)).astype(np.uint32)
            order = np.argsort(addresses[rows], kind="stable")
            parts.append((1 << int(size), rows[order]))
        return parts

    def _overlapping(self, address: int, size: int, before: int) -> list[int]:
        """Rows of `writes` near the place, in order of time: of like ones only the last."""
        writes = self.stream.writes
        found: list[int] = []
        for longest, rows in self._by_address:
            start = address - longest + 1
            low = _bisect(writes["addr"], rows, start)
            high = _bisect(writes["addr"], rows, address + size)
            near = rows[low:high]
            near = near[writes["step"][near] < before][::-1]  # the last first
            offsets = writes["addr"][near].astype(np.int64) - start
            _, last = np.unique(offsets * (longest + 1) + writes["len"][near], return_index=True)
            found.extend(int(row) for row in near[last])
        return sorted(found)

    # --- inside -------------------------------------------------------------------------------

    def _op(self, instance: int, step: int) -> Op:
        offset = step - int(self.stream.first[instance])
        return Op(int(self.code.stretch_first_op[self.stream.stretch[instance]]) + offset)

    def _activation(self, activation: int, field: str) -> int:
        return int(self.stream.activations[field][activation])

    def _first_stretch(self, instance: int) -> Stretch:
        return Stretch(int(self.code.block_first_stretch[self.block_of(instance)]))

    def _block_start(self, instance: int) -> Instance | None:
        """The instance with which this run of its block began."""
        first = self._first_stretch(instance)
        at: Instance | None = Instance(instance)
        while at is not None and self.stream.stretch[at] != first:
            at = self.previous_instance(at)
        return at

    def last_before_indexed(self, stretch: int, instance: int) -> Instance | None:
        """As `last_before`, without walking back first."""
        activation = self.stream.activation[instance]
        start = np.uint32(self._activation(int(activation), "first_instance"))
        found = self.instances_of(stretch)
        high = int(np.searchsorted(found, np.uint32(instance)))
        low = int(np.searchsorted(found, start))
        for part in step_chunks(high, low):
            hits = np.flatnonzero(self.stream.activation[found[part]] == activation)
            if len(hits):
                return Instance(int(found[part][hits[-1]]))
        return None

    def _used(self, instance: int, op: int, uses: Sequence[int]) -> list[Dependence]:
        found: list[Dependence] = []
        for use in uses:
            found.extend(self._resolved(instance, op, int(self.code.use_def[use])))
        return found

    def _incoming(self, instance: int, uses: Sequence[int]) -> list[Dependence]:
        """What a phi takes, coming from the block that ran before."""
        before = self.previous_instance(instance)
        if before is None:
            return []
        taken = [use for use in uses if self.code.use_block[use] == self.block_of(before)]
        # Seen from the end of the block before: a phi may take what its own block defined then.
        end = int(self.code.stretch_first_op[self.stream.stretch[before]]) + self.executed(before)
        return self._used(before, end, taken[:1])

    def _resolved(self, instance: int, op: int, use: int) -> Iterator[Dependence]:
        """Where the register `use` got the value that `op` in `instance` sees."""
        while use != NONE and use & PARAMETER:
            activation = self.stream.activations[int(self.stream.activation[instance])]
            call = Step(int(activation["call"]))
            if not call:
                return
            instance = self.instance_of(call)
            op = self._op(instance, call)
            arguments = range(int(self.code.use_start[op]), int(self.code.use_start[op + 1]) - 1)
            number = use & ~PARAMETER
            direct = bool(activation["flags"] & DIRECT)
            known = number < len(arguments)
            whole = direct and not known  # passed by a way that we do not see
            yield Dependence(call, "call", Part.ARGUMENTS if whole else Part.ENTRY)
            use = int(self.code.use_def[arguments[number]]) if direct and known else NONE
        if use == NONE:
            return
        stretch = int(self.code.op_stretch[use])
        here = self.stream.stretch[instance] == stretch and use < op
        at = instance if here else self.last_before(stretch, instance)
        step = None if at is None else self.step_of(at, use)
        if step is not None:
            yield Dependence(step, "register")

    def _linked(self, instance: int, op: int) -> list[Dependence]:
        if not self.code.flags[op] & LINK:
            return []
        at = self._links_before(instance) + int(self.code.link_rank[op])
        link = int(self.stream.links[at])
        place = self._copied(self.step_of(instance, op))
        if link < MIXED:
            whole = _memory(Step(link))
            return [replace(whole, length=place.size, address=place.address) if place else whole]
        first, count = (int(number) for number in self.stream.mixed[2 * (link - MIXED) :][:2])
        return list(self._runs(first, count, place.address if place else None))

    def _copied(self, step: int | None) -> StepPlace | None:
        """Where the load `step` found its bytes, if a copy wrote some of them."""
        copied = self.stream.copied
        at = int(np.searchsorted(copied["step"], np.uint32(step or 0)))
        if at == len(copied) or int(copied["step"][at]) != step:
            return None
        return StepPlace(int(copied["addr"][at]), int(copied["len"][at]))

    def _links_before(self, instance: int) -> int:
        base = instance & ~63
        near = self.code.stretch_links[self.stream.stretch[base:instance]]
        return int(self.stream.linkbase[base >> 6]) + int(near.sum())

    def _runs(self, first: int, count: int, address: int | None) -> Iterator[Dependence]:
        """Who defined the bytes, which were read at `address` (None: nobody copied them)."""
        for run in self.stream.runs[first : first + count]:
            step, offset, length = Step(int(run["step"])), int(run["offset"]), int(run["length"])
            place = None if address is None or not self.is_copy(step) else address + offset
            yield replace(_memory(step, offset, length), address=place)

    def _made(self, row: Any, start: int, stop: int) -> Iterator[Dependence]:
        """Who defined the bytes start..stop of what a row of `effects` read."""
        address = int(row["addr2"] if row["kind"] == COPY else row["addr"])
        for run in self._runs(int(row["first_run"]), int(row["n_runs"]), address):
            low, high = max(start, run.offset), min(stop, run.offset + run.length)
            if low < high:
                place = None if run.address is None else address + low
                yield replace(run, offset=low, length=high - low, address=place)

    def effects_of(self, step: int) -> list[int]:
        """The rows of `effects` that `step` has."""
        order = self.stream.effect_order
        low, high = np.searchsorted(self._effect_steps, [step, step + 1])
        return [int(row) for row in order[low:high]]

    @cached_property
    def _effect_steps(self) -> Rows:
        steps: Rows = self.stream.effects["step"][self.stream.effect_order]
        return steps

    def _taken(self, step: int, uses: Sequence[int], place: StepPlace) -> list[int]:
        """Those of the uses of `step` that its bytes at `place` are made of.

        Left out are the arguments that only other bytes were printed from.
        """
        named, wanted = set(), set()
        for row in self.effects_of(step):
            effect = self.stream.effects[row]
            argument, start = int(effect["arg"]), int(effect["addr"])
            if not _is_piece(effect) or not 0 <= argument < NAMED:
                continue
            named.add(argument)
            if start < place.address + place.size and place.address < start + int(effect["len"]):
                wanted.add(argument)
        return [use for k, use in enumerate(uses) if k not in named or k in wanted]

    def _is_duplicate(self, copy: Any) -> bool:
        """Is the row a copy into memory that its step allocated to return it?"""
        rows = [self.stream.effects[row] for row in self.effects_of(int(copy["step"]))]
        if any(_is_piece(row) for row in rows):  # asprintf returns how much it printed
            return False
        return any(row["kind"] == ALLOC and row["addr"] == copy["addr"] for row in rows)

    def _effects(self, step: int, part: Part, place: StepPlace | None) -> Iterator[Dependence]:
        for row in self.effects_of(step):
            effect = self.stream.effects[row]
            if effect["kind"] == COPY and part is not Part.ARGUMENTS and self._is_duplicate(effect):
                continue
            start, stop = 0, int(effect["len"])
            if place is not None and effect["kind"] == COPY:
                start = max(place.address - int(effect["addr"]), 0)
                stop = min(place.address + place.size - int(effect["addr"]), stop)
            if effect["kind"] in (READ, COPY, OUTPUT):
                yield from self._made(effect, start, stop)
            elif effect["kind"] == INPUT:
                yield Dependence(
                    Step(step),
                    "input",
                    offset=int(effect["offset"]),
                    length=int(effect["len"]),
                    source=int(effect["source"]),
                )


def _memory(step: Step, offset: int = 0, length: int = 0) -> Dependence:
    """The definition of bytes by a column's step, which is 0 for the time before the run."""
    kind = "memory" if step else "initial"
    return Dependence(step or None, kind, Part.ARGUMENTS, offset, length)


def _is_piece(effect: Any) -> bool:
    return bool(effect["kind"] == OUTPUT and effect["source"] == IN_MEMORY)


def argsort(column: U32) -> U32:
    return np.argsort(column, kind="stable").astype(np.uint32)


def step_chunks(start: int, stop: int) -> Iterator[slice]:
    """Slices that cover start..stop, or from start back to stop, each twice as long."""
    size = 1024
    while start != stop:
        if start < stop:
            end = min(start + size, stop)
            yield slice(start, end)
        else:
            end = max(start - size, stop)
            yield slice(end, start)
        start, size = end, 2 * size


def _bisect(addresses: U64, rows: U32, address: int) -> int:
    """How many of `rows`, which are in order of address, lie below `address`."""
    return bisect_left(rows, address, key=lambda row: int(addresses[row]))
