"""What does one step depend on directly?

Each answer is computed on request.  `slicer` computes the closure of these answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from whence.program.ids import Instance, Op, Step, Stretch
from whence.program.rows import ALLOC, COPY, INPUT, MIXED, OUTPUT, READ
from whence.trace.columns import (
    CALL,
    DIRECT,
    IN_MEMORY,
    LINK,
    MAX_ARGUMENTS,
    NONE,
    PARAMETER,
    PHI,
    U32,
    Rows,
    Stream,
    whole,
)
from whence.trace.memory_writes import MemoryRange, MemoryWrites, Written
from whence.trace.positions import Positions

OUTSIDE = frozenset({"initial", "input"})  # kinds of dependences that no earlier step defined


class Part(IntEnum):
    """Which part of a step another step depends on.

    The parts differ only for a call that entered its callee, and for a call that copied bytes
    into memory that it allocated: what strdup returned is the address of the copy, not its bytes.
    """

    ENTRY = 0  # the fact that it was called, and the callee
    VALUE = 1  # what it returned
    ARGUMENTS = 2  # what was passed to it; memory that the call itself wrote is made from that


@dataclass(frozen=True, slots=True)
class Dependence:
    """A step that a step depends on, and how.

    `kind` is one of
    "register" (`step` computed the value of an operand),
    "call" (`step` called the function that the operand is a parameter of),
    "result" (`step`, in the callee or in a callback, returned the value),
    "memory" (`step` wrote bytes offset..offset+length of what is read),
    "initial" (these bytes are as they were before the run; `step` is None), and
    "input" (the bytes came from `source`, starting at byte `offset`; `step` is the reading step).
    `address` is where `step` copied the bytes to, if it copied them.  `definitions`, given this
    address and length, returns the definitions of these bytes alone.
    """

    step: Step | None
    kind: str
    part: Part = Part.VALUE
    offset: int = 0
    length: int = 0  # 0: all that the operation reads
    source: int | None = None
    address: int | None = None


class Queries(Positions):
    """The direct dependences of the steps of one stream, and where these steps lie."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self._writes = MemoryWrites(stream)

    def last_write(self, address: int, size: int, before: Step) -> list[Written]:
        """Return who wrote each of the `size` bytes at `address` last before the step `before`."""
        return self._writes.last_write(address, size, before)

    # --- definitions --------------------------------------------------------------------------

    def definitions(
        self, step: Step, part: Part = Part.VALUE, place: MemoryRange | None = None
    ) -> list[Dependence]:
        """Return the definitions of the values that `step` used.

        With `place`, only the bytes count that the step copied or printed there.  Printed bytes
        come from the argument that they show.  They are not taken to depend on the length of the
        text before them, and neither is output to a file.
        """
        instance = self.instance_of(step)
        op = self._op(instance, step)
        uses = range(int(self.code.use_start[op]), int(self.code.use_start[op + 1]))
        # The rows of a copy of frame-local bytes hold the same as its link, byte by byte.
        found = [] if self.is_copy(step) else self.loaded(instance, op)
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
        found.extend(Dependence(returned, "result") for returned in self.returned_to(step))
        return found

    def loaded(self, instance: Instance, op: Op) -> list[Dependence]:
        """Return who wrote the bytes that `op` read in `instance`, if it is a load."""
        if not self.code.flags[op] & LINK:
            return []
        at = self._links_before(instance) + int(self.code.link_rank[op])
        link = int(self.stream.links[at])
        place = self._copied(self.step_of(instance, op))
        if link < MIXED:
            whole = in_memory(Step(link))
            return [replace(whole, length=place.size, address=place.address) if place else whole]
        first, count = (int(number) for number in self.stream.mixed[2 * (link - MIXED) :][:2])
        return list(self._runs(first, count, place.address if place else None))

    def made(self, effect: int, start: int, stop: int) -> list[Dependence]:
        """Return who wrote bytes start..stop of what a row of `effects` read."""
        return list(self._made(self.stream.effects[effect], start, stop))

    def returned_to(self, call: Step) -> list[Step]:
        """Return the steps with which callbacks returned to the unrecorded code that `call` ran."""
        found = []
        instance = self.instance_of(call) + 1
        while instance < len(self.stream.first):
            row = self.stream.activations[int(self.stream.activation[instance])]
            if row["call"] != call or row["flags"] & DIRECT:
                break
            found.append(Step(int(row["ret"])))
            instance = int(row["last_instance"]) + 1
        return [returned for returned in found if returned]

    def is_copy(self, step: Step) -> bool:
        """Did `step` copy bytes, or print them into memory?

        Who reads some of these bytes depends on those alone.
        """
        at = int(np.searchsorted(self.stream.copies, np.uint32(step)))
        return at < len(self.stream.copies) and int(self.stream.copies[at]) == step

    def operands(self, instance: Instance, op: Op) -> list[Dependence]:
        """Return the definitions of the registers that `op` uses, if it ran next in `instance`."""
        start, end = (int(self.code.use_start[op + k]) for k in (0, 1))
        return self._used(instance, op, range(start, end))

    def bytes_of(self, effect: int, start: int, stop: int) -> list[Dependence]:
        """Return the definitions of bytes start..stop of a row of `effects`.

        If the row names the argument that the bytes come from, only that argument counts, else
        all arguments.  A row that names neither memory nor argument has all that the step
        depends on.
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

    # --- registers ----------------------------------------------------------------------------

    def _used(self, instance: Instance, op: Op, uses: Sequence[int]) -> list[Dependence]:
        found: list[Dependence] = []
        for use in uses:
            found.extend(self._resolved(instance, op, int(self.code.use_def[use])))
        return found

    def _incoming(self, instance: Instance, uses: Sequence[int]) -> list[Dependence]:
        """Return the definitions of the value that a phi takes from the block before it."""
        before = self.previous_instance(instance)
        if before is None:
            return []
        taken = [use for use in uses if self.code.use_block[use] == self.block_of(before)]
        # Resolved at the end of the block before, which may be an earlier run of the phi's block.
        first = int(self.code.stretch_first_op[self.stream.stretch[before]])
        return self._used(before, Op(first + self.executed(before)), taken[:1])

    def _resolved(self, instance: Instance, op: Op, use: int) -> Iterator[Dependence]:
        """Yield the definition of the register `use` that `op` in `instance` sees.

        A parameter leads through the calls that passed it on.
        """
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
            whole = direct and not known  # it was passed in a way that is not recorded
            yield Dependence(call, "call", Part.ARGUMENTS if whole else Part.ENTRY)
            use = int(self.code.use_def[arguments[number]]) if direct and known else NONE
        if use == NONE:
            return
        stretch = Stretch(int(self.code.op_stretch[use]))
        is_inside = self.stream.stretch[instance] == stretch and use < op
        at = instance if is_inside else self.last_before(stretch, instance)
        step = None if at is None else self.step_of(at, Op(use))
        if step is not None:
            yield Dependence(step, "register")

    # --- memory -------------------------------------------------------------------------------

    def _copied(self, step: Step | None) -> MemoryRange | None:
        """Return where the load `step` found its bytes, if a copy wrote some of them."""
        if step is None:
            return None
        rows, steps = self._copied_rows(step)
        at = int(steps.searchsorted(np.uint32(step)))
        if at == len(steps) or int(steps[at]) != step:
            return None
        return MemoryRange(int(rows["addr"][at]), int(rows["len"][at]))

    def is_copied(self, step: Step) -> bool:
        """Did the step load bytes that a copy wrote?"""
        return self._copied(step) is not None

    def _copied_rows(self, step: Step) -> tuple[Rows, U32]:
        """Return the rows of `copied` among which that of `step` is, and their steps."""
        sections, copied = self.stream.sections, self.stream.copied
        number = 0 if sections is None else sections.of_step(step)
        if number not in self._known_copied:
            if sections is None:
                rows = whole(copied)
            else:
                starts = sections.columns["copied"]
                rows = copied[int(starts[number]) : int(starts[number + 1])]
            self._known_copied[number] = rows, np.ascontiguousarray(rows["step"])
        return self._known_copied[number]

    @cached_property
    def _known_copied(self) -> dict[int, tuple[Rows, U32]]:
        return {}

    def _links_before(self, instance: Instance) -> int:
        base = instance & ~63
        near = self.code.stretch_links[self.stream.stretch[base:instance]]
        return int(self.stream.linkbase[base >> 6]) + int(near.sum())

    def links_before(self, instance: Instance) -> int:
        """Return the number of links before those of an instance."""
        return self._links_before(instance)

    def _runs(self, first: int, count: int, address: int | None) -> Iterator[Dependence]:
        """Yield who wrote the bytes that were read at `address` (None: nobody copied them)."""
        for run in self.stream.runs[first : first + count]:
            step, offset, length = Step(int(run["step"])), int(run["offset"]), int(run["length"])
            place = None if address is None or not self.is_copy(step) else address + offset
            yield replace(in_memory(step, offset, length), address=place)

    def _made(self, row: Any, start: int, stop: int) -> Iterator[Dependence]:
        """Yield who wrote bytes start..stop of what a row of `effects` read."""
        address = int(row["addr2"] if row["kind"] == COPY else row["addr"])
        for run in self._runs(int(row["first_run"]), int(row["n_runs"]), address):
            low, high = max(start, run.offset), min(stop, run.offset + run.length)
            if low < high:
                place = None if run.address is None else address + low
                yield replace(run, offset=low, length=high - low, address=place)

    # --- effects of calls ---------------------------------------------------------------------

    def effects_of(self, step: Step) -> list[int]:
        """Return the rows of `effects` that `step` has."""
        order = self.stream.effect_order
        low, high = np.searchsorted(self._effect_steps, [step, step + 1])
        return [int(row) for row in order[low:high]]

    @cached_property
    def _effect_steps(self) -> Rows:
        steps: Rows = self.stream.effects["step"][self.stream.effect_order]
        return steps

    def _taken(self, step: Step, uses: Sequence[int], place: MemoryRange) -> list[int]:
        """Return the uses of `step` that its bytes at `place` are made from.

        An argument that only other bytes were printed from does not count.
        """
        named, wanted = set(), set()
        for row in self.effects_of(step):
            effect = self.stream.effects[row]
            argument, start = int(effect["arg"]), int(effect["addr"])
            if not _is_piece(effect) or not 0 <= argument < MAX_ARGUMENTS:
                continue
            named.add(argument)
            if start < place.address + place.size and place.address < start + int(effect["len"]):
                wanted.add(argument)
        return [use for k, use in enumerate(uses) if k not in named or k in wanted]

    def _is_duplicate(self, copy: Any) -> bool:
        """Is the row a copy into memory that its step allocated and returned?"""
        rows = [self.stream.effects[row] for row in self.effects_of(Step(int(copy["step"])))]
        if any(_is_piece(row) for row in rows):  # asprintf returns a length
            return False
        return any(row["kind"] == ALLOC and row["addr"] == copy["addr"] for row in rows)

    def _effects(self, step: Step, part: Part, place: MemoryRange | None) -> Iterator[Dependence]:
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


def in_memory(step: Step, offset: int = 0, length: int = 0) -> Dependence:
    """Return the definition of bytes; `step` is a column's, with 0 for the time before the run."""
    kind = "memory" if step else "initial"
    return Dependence(step or None, kind, Part.ARGUMENTS, offset, length)


def _is_piece(effect: Any) -> bool:
    """Is the row a piece of text that was printed into memory?"""
    return bool(effect["kind"] == OUTPUT and effect["source"] == IN_MEMORY)
