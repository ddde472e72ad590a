"""Does a slice contain all that its point depends on?  Change something else, and run again.

A program is built so that its run can be changed at one step (see runtime/patch.c): the value that
a store wrote, or the side that a branch took.  If the step is not in the relevant slice of an
output, the changed run must reach the same point and print the same there.  The execution index
identifies the point: other output may have become longer, shorter or empty.

The tests leave out what a slice does not promise:

1. Slices follow values, not addresses.  With another pointer or index, a store could write to
   memory that the slice is about.  So the tests add to the slice what the addresses of stores
   depend on.
2. A run that crashes or never ends prints nothing more.  A branch is in the slice if its other
   side calls a function that does not return.  But any division or memory access may crash, and
   a flipped branch runs code whose condition is false.
3. Slices do not follow the internal state of libraries (a known gap).  After one more read of an
   input, or another ungetc, the next read returns something else.
"""

from __future__ import annotations

import itertools
import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.frontend.corpus import Ended, Program
from tests.trace import running
from whence.frontend.c.ir import FloatType, Global, Local, PointerType
from whence.frontend.c.tables import OpCode
from whence.frontend.rerun.interventions import (
    Action,
    FlipBranch,
    Intervention,
    XorBytes,
    encode_interventions,
)
from whence.program.ids import Op, Step
from whence.program.rows import OUTPUT
from whence.trace.c.inputs import sources
from whence.trace.c.recording import CThread
from whence.trace.c.run_points import run_point
from whence.trace.columns import U32, whole
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.relevance import Relevance
from whence.trace.slicer import ByteRange, slice_

SECONDS = 5  # time limit of a changed run; the programs take a few milliseconds


class Outcome(Enum):
    """How an output changed when another step was changed."""

    SAME = "it was printed as before"
    OTHER = "something else was printed there"
    MISSING = "it was not printed, though the program ended"
    CRASHED = "the program crashed"
    ENDLESS = "the program did not end"


@dataclass(frozen=True, slots=True)
class Change:
    """A step, and how its value or side is changed."""

    step: Step
    action: Action


class Subject:
    """A recorded program whose run can be changed."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program, self.folder = program, folder
        self._numbers = itertools.count()
        self.executable = running.build(program, folder, "patch")
        self.ended, self.thread = self._run({})
        self._indexes = ExecutionIndexes(self.thread.queries)

    def _run(self, env: dict[str, str]) -> tuple[Ended, CThread]:
        folder = self.folder / f"run-{next(self._numbers)}"
        return running.run(self.program, self.executable, folder, env, SECONDS)

    # --- what is printed

    @cached_property
    def outputs(self) -> list[int]:
        """The rows of `effects` that print a value on standard output."""
        effects = self.thread.stream.effects
        standard = [number for number, s in sources(self.thread).items() if s.name == "stdout"]
        printing = (effects["kind"] == OUTPUT) & np.isin(effects["source"], standard)
        rows = np.flatnonzero(printing & (effects["len"] > 0))
        return [int(row) for row in rows if effects["arg"][row] > 0 or effects["n_runs"][row]]

    def slice_of(self, row: int, *, relevant: bool = True) -> U32:
        """Return the slice of what a row of `effects` printed."""
        return slice_(
            self.thread.stream,
            (ByteRange(row, 0, int(self.thread.stream.effects["len"][row])),),
            control=relevant,
            potential=self.relevance.potential if relevant else None,
            guards=self.relevance.guards if relevant else None,
        )

    @cached_property
    def relevance(self) -> Relevance:
        return self.thread.image.relevance()

    # --- what can be changed

    @cached_property
    def op_of(self) -> npt.NDArray[np.int64]:
        """The operation of each step; entry 0 belongs to no step."""
        stream, code = self.thread.stream, self.thread.image.code
        first, stretch = whole(stream.first), whole(stream.stretch)
        counts = (np.append(first[1:], stream.steps + 1) - first).astype(np.int64)
        base = code.stretch_first_op[stretch].astype(np.int64) - first
        return np.append(0, np.repeat(base, counts) + np.arange(1, stream.steps + 1))

    def steps_with(self, *codes: OpCode) -> npt.NDArray[np.int64]:
        found = np.isin(self.thread.image.program.ops["code"][self.op_of], codes)
        found[0] = False
        return np.flatnonzero(found)

    def _address(self, op: Op) -> Op | None:
        """Return the operation that computes the address of a store; None if it is constant."""
        source, local = self.thread.image.locate(op)
        pointer = source.instruction(local).operands[1].value
        number = source.register(local, pointer.name) if isinstance(pointer, Local) else None
        if number is None:
            return None
        code = int(self.thread.image.program.ops[op - local + number]["code"])
        return None if code in (OpCode.ALLOCA, OpCode.LALLOCA) else Op(op - local + number)

    @cached_property
    def addressing(self) -> U32:
        """All steps that the addresses of stores depend on: see 1 above."""
        known: dict[Op, Op | None] = {}
        criteria: set[Step] = set()
        for step in self.steps_with(OpCode.STORE).tolist():
            op = Op(int(self.op_of[step]))
            address = known.setdefault(op, self._address(op))
            if address is not None:
                found = self.thread.last_execution(address, step)
                criteria.update([found] if found else [])
        criteria.update(self.steps_with(OpCode.COPY, OpCode.FILL).tolist())
        return slice_(
            self.thread.stream, sorted(criteria),
            potential=self.relevance.potential, guards=self.relevance.guards,
        )  # fmt: skip

    def changes_of(self, steps: Sequence[Step], choose: random.Random) -> list[Change]:
        """Return a change for each of the steps that can be changed."""
        found = []
        ops = self.thread.image.program.ops
        for step in steps:
            op = Op(int(self.op_of[step]))
            if ops[op]["code"] == OpCode.CBR:
                found.append(Change(step, FlipBranch()))
                continue
            source, local = self.thread.image.locate(op)
            value, pointer = source.instruction(local).operands
            # The instrumented program cannot patch a store to a constant address expression.
            if not isinstance(pointer.value, Local | Global) or value.type == PointerType():
                continue
            # Change the lowest byte of integers: with a higher one, a loop could run for ever.
            changed = bytes([choose.randrange(1, 256)])
            if isinstance(value.type, FloatType):  # the highest bytes: the others change little
                changed = bytes(int(ops[op]["x"]) - 2) + b"\x10\x40"
            found.append(Change(step, XorBytes(changed)))
        return found

    # --- changing it

    def _environment(self, change: Change) -> dict[str, str]:
        intervention = Intervention(run_point(self.thread, change.step), change.action)
        return {"WHENCE_PATCH": encode_interventions([intervention])}

    def value_of(self, step: Step) -> int:
        """Return the value that a step computed or stored."""
        return int(self.thread.replay.window(step, step + 1).value[0])

    def changed(self, change: Change) -> Ended:
        """Run again with a change, and return how the run ended."""
        return self._run(self._environment(change))[0]

    def outcome(self, row: int, change: Change) -> Outcome:
        """Change the run at a step, and return how the output of a row of `effects` changed."""
        try:
            ended, thread = self._run(self._environment(change))
        except subprocess.TimeoutExpired:
            return Outcome.ENDLESS
        printed = self._printed(self.ended, self.thread, row)
        step = Step(int(self.thread.stream.effects["step"][row]))
        place = _outputs_of(self.thread, step).index(row)
        counterpart = ExecutionIndexes(thread.queries).step_at(self._indexes.index_of(step))
        rows = _outputs_of(thread, counterpart) if counterpart else []
        now = self._printed(ended, thread, rows[place]) if place < len(rows) else b""
        if now:
            return Outcome.SAME if now == printed else Outcome.OTHER
        # A program that crashes also loses the output that is still in a buffer.
        return Outcome.CRASHED if ended.status < 0 else Outcome.MISSING

    def _printed(self, ended: Ended, thread: CThread, row: int) -> bytes:
        effect = thread.stream.effects[row]
        return ended.stdout[int(effect["offset"]) :][: int(effect["len"])]


def _outputs_of(thread: CThread, step: Step) -> list[int]:
    effects = thread.stream.effects
    return [row for row in thread.queries.effects_of(step) if effects["kind"][row] == OUTPUT]
