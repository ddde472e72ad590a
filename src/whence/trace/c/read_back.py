"""What did a program read back from a file: who wrote these bytes, and who chose the place?

A program that keeps its data in a temporary file reads what it wrote.  The bytes are no input then:
they come from the calls that wrote them last.  Which bytes it reads depends on the last call that
moved the position in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from whence.program.ids import Op, Step
from whence.program.rows import INPUT, OUTPUT
from whence.trace.columns import CALL, IN_MEMORY
from whence.trace.flow import Flow, Left, Operand
from whence.trace.queries import OUTSIDE

# The calls that move the position, with the number of the argument that says where to.
_POSITION = {
    "fseek": 1, "fseeko": 1, "fseeko64": 1, "lseek": 1, "lseek64": 1, "fsetpos": 1, "fsetpos64": 1,
}  # fmt: skip
_MAX_READ = 1 << 16  # limit on bytes of one call that are looked up; guessed


class _Range(NamedTuple):
    """Bytes start..stop of a row of `effects`; no row: nothing of this run wrote them."""

    row: int | None
    start: int
    stop: int


class ReadBack:
    """Finds what a thread read back of what it wrote."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._stream = flow.thread.stream

    @cached_property
    def _written(self) -> dict[int, list[int]]:
        """By source: the rows that wrote to it, in order."""
        effects = self._stream.effects
        is_output = (effects["kind"] == OUTPUT) & (effects["source"] != IN_MEMORY)
        read = set(np.unique(effects["source"][effects["kind"] == INPUT]).tolist())
        found: dict[int, list[int]] = {}
        for row in np.flatnonzero(is_output).tolist():
            source = int(effects["source"][row])
            if source in read:
                found.setdefault(source, []).append(row)
        return found

    def parts(self, row: int, start: int, stop: int) -> Iterator[tuple[int, int, list[Operand]]]:
        """Cut bytes start..stop of an INPUT row; of each part, yield what it was written from.

        The list is empty for bytes that came from outside.
        """
        read = self._stream.effects[row]
        offset, step = int(read["offset"]), int(read["step"])
        rows = self._written.get(int(read["source"]), [])
        if not rows or stop - start > _MAX_READ:
            yield start, stop, []
            return
        for part in self._covered(rows, offset + start, offset + stop, step):
            own = [] if part.row is None else [*self._sources(part)]
            if part.row is None:
                yield part.start - offset, part.stop - offset, own
            else:
                begin = int(self._stream.effects[part.row]["offset"]) - offset
                yield begin + part.start, begin + part.stop, own

    def _covered(self, rows: list[int], start: int, stop: int, before: int) -> Iterator[_Range]:
        """Yield the rows that wrote bytes start..stop of a file last before a step."""
        effects, left = self._stream.effects, [(start, stop)]
        for row in reversed(rows):
            if not left:
                return
            if int(effects["step"][row]) >= before:
                continue
            first = int(effects["offset"][row])
            last = first + int(effects["len"][row])
            rest: list[tuple[int, int]] = []
            for low, high in left:
                begin, end = max(low, first), min(high, last)
                if begin >= end:
                    rest.append((low, high))
                    continue
                yield _Range(row, begin - first, end - first)
                rest += [(a, b) for a, b in ((low, begin), (end, high)) if a < b]
            left = rest
        for low, high in left:
            yield _Range(None, low, high)

    def _sources(self, part: _Range) -> Iterator[Operand]:
        """Yield the operands that some bytes of an OUTPUT row were written from."""
        assert part.row is not None
        flow, step = self._flow, int(self._stream.effects[part.row]["step"])
        for found in flow.queries.bytes_of(part.row, part.start, part.stop):
            if found.kind in OUTSIDE or not found.step or found.step == step:
                continue
            is_left = found.kind == "memory" and flow.is_call_or_copy(found.step)
            length = 8 * found.length
            yield Left(found.step, found.address or 0, length) if is_left else found.step

    # --- positions -------------------------------------------------------------------------------

    @cached_property
    def _positioning(self) -> list[tuple[Op, int]]:
        """The calls of the program that move a position, with the argument that says where to."""
        image = self._flow.thread.image
        calls = np.flatnonzero(image.code.kind == CALL).tolist()
        named = ((Op(op), image.sort(Op(op)).callee) for op in calls)
        return [(op, _POSITION[name]) for op, name in named if name in _POSITION]

    def position(self, step: Step) -> Operand | None:
        """Return what said where a call reads a file: an argument of the last call that moved it.

        None if the step reads no file, or if nothing moved the position.
        """
        flow = self._flow
        if not self._positioning or not self._reads_file(step):
            return None
        files = {
            value
            for number in range(flow.arguments(step))
            if (value := flow.value_of(flow.argument(step, number) or Left(step, 0, 0))) is not None
        }
        latest: tuple[Step, int] | None = None
        for op, argument in self._positioning:
            steps = flow.executions(op)
            for number in reversed(steps[: steps.before(step)].tolist()):
                call = Step(number)
                if latest is not None and call < latest[0]:
                    break
                stream = flow.argument(call, 0)
                if stream is not None and flow.value_of(stream) in files:
                    latest = call, argument
                    break
        return None if latest is None else flow.argument(*latest)

    def _reads_file(self, step: Step) -> bool:
        effects = self._stream.effects
        return any(effects["kind"][row] == INPUT for row in self._flow.queries.effects_of(step))
