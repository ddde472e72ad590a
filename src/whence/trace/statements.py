"""Which source lines did some steps execute, and what did they compute there?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whence.model import Statement
from whence.program.ids import Op, Step
from whence.program.source import NamedValue
from whence.trace.columns import CALL, NONE
from whence.trace.recording import Thread
from whence.trace.slicer import executed_ops
from whence.trace.step_names import StepNames

Steps = npt.NDArray[np.uint32]
Ops = npt.NDArray[np.int64]
MAX_VALUES = 200  # limit on values shown for one line; guessed
MAX_BACK = 4096  # limit on instances searched back for a step of the same line; guessed


@dataclass(frozen=True, slots=True)
class Line:
    """A source line that some of the steps executed."""

    file: str
    number: int
    ops: Ops  # its operations, by their last step
    last: Steps  # the last step of each operation
    instances: int  # how many times the line ran

    @property
    def is_outside(self) -> bool:
        """Is the line in a file outside the program's tree, such as a system header?"""
        return self.file.startswith("/")


class StepDescriber(ABC):
    """Describes the steps of one thread as statements."""

    def __init__(self, thread: Thread, names: StepNames) -> None:
        self.thread, self.names = thread, names

    @abstractmethod
    def named(self, step: Step, op: Op) -> NamedValue | None:
        """Return what a step of `op` set: its name in the source, and the new value.

        None if there is nothing worth showing, or the step did not complete.
        """

    def ops(self, steps: Steps) -> Ops:
        """Return the operation of each of `steps`, which are sorted."""
        stream, code = self.thread.stream, self.thread.image.code
        instances = self.thread.queries.instances_at(steps)
        starts = code.stretch_first_op[stream.stretch[instances]].astype(np.int64)
        return starts + steps - stream.first[instances]

    # --- lines -------------------------------------------------------------------------------

    def lines(self, steps: Steps) -> list[Line]:
        """Return the distinct lines of `steps`, the one that ran last first."""
        image = self.thread.image
        counts, last = executed_ops(self.thread.stream, steps)
        ran = np.flatnonzero(counts)
        ran = ran[(image.files[ran] != NONE) & (image.rows[ran] != 0)]
        if not len(ran):
            return []
        keys = image.files[ran].astype(np.uint64) << np.uint64(32) | image.rows[ran]
        order = np.lexsort((last[ran], keys))
        ran, keys = ran[order], keys[order]
        unique, starts = np.unique(keys, return_index=True)
        found = [
            Line(
                file=image.file_names[key >> 32],
                number=key & 0xFFFFFFFF,
                ops=ops,
                last=last[ops],
                instances=int(counts[ops].max()),
            )
            for key, ops in zip(unique.tolist(), np.split(ran, starts[1:]), strict=True)
        ]
        kept = [line for line in found if not self._is_end(line.file, line.number, line.ops)]
        return sorted(kept, key=lambda line: -int(line.last[-1]))

    def _is_end(self, file: str, line: int, ops: Ops) -> bool:
        """Is the line the end of a function, which returns the value that a line above set?

        A line with calls is not: a destructor that runs there is worth showing.
        """
        is_closing = self.thread.is_closing(file, line)
        return is_closing and not np.any(self.thread.image.code.kind[ops] == CALL)

    def describe_lines(self, lines: Iterable[Line], steps: Steps) -> list[Statement]:
        """Return lines of `steps` as statements, ordered by file and line."""
        # Values are replayed in chunks: in the order of the run, each chunk is replayed once.
        latest = sorted(lines, key=lambda line: -int(line.last[-1]))
        found = [self.describe_line(line, steps) for line in latest]
        return sorted(found, key=lambda s: (s.file.startswith("/"), s.file, s.line))

    def describe_line(self, line: Line, steps: Steps) -> Statement:
        """Return a line of `steps` as a statement, with the values that it computed last."""
        pairs = self._last_execution(line, steps)
        values = self.values_of(pairs[-MAX_VALUES:])
        op = Op(int(line.ops[-1]))
        return self._statement(line.file, line.number, op, values, line.instances)

    def _last_execution(self, line: Line, steps: Steps) -> list[tuple[Step, Op]]:
        """Return the steps and operations of the last execution of a line.

        If a function calls itself, `line.last` may hold steps of several activations.
        """
        queries = self.thread.queries
        end = Step(int(line.last[-1]))
        own = queries.activation_of(end)
        start = Step(int(line.last[int(np.argmin(line.ops))]))  # the line's first operation
        found: list[tuple[Step, Op]] = []
        step: Step | None
        for op, step in zip(line.ops.tolist(), line.last.tolist(), strict=True):
            if queries.activation_of(step) != own:
                step = self.thread.last_execution(op, end, MAX_BACK)
                if step is None or not _has(steps, step):
                    continue
            elif step < start and queries.activation_of(start) == own:
                continue  # it belongs to an earlier execution
            found.append((step, op))
        return sorted(found)

    # --- executions --------------------------------------------------------------------------

    def executions(self, steps: Steps, limit: int) -> tuple[list[Statement], int]:
        """Return the last `limit` executions of lines, in order, and the number of earlier ones.

        Adjacent steps of one line are one execution.  A call of recorded code cuts it in two.
        """
        image = self.thread.image
        ops = self.ops(steps)
        keys = image.files[ops].astype(np.uint64) << np.uint64(32) | image.rows[ops]
        activations = self.thread.stream.activation[self.thread.queries.instances_at(steps)]
        changed = (np.diff(keys) != 0) | (np.diff(activations.astype(np.int64)) != 0)
        starts = np.concatenate(([0], np.flatnonzero(changed) + 1))[: len(steps)].astype(np.int64)
        ends = np.append(starts[1:], len(steps))
        has_place = (image.files[ops[starts]] != NONE) & (image.rows[ops[starts]] != 0)
        starts, ends = starts[has_place], ends[has_place]
        omitted = max(len(starts) - limit, 0)
        waiting: dict[int, tuple[Step, Op]] = {}  # by activation: a call whose value comes later
        found = []
        for start, end in zip(starts[omitted:].tolist(), ends[omitted:].tolist(), strict=True):
            activation = int(activations[start])
            pairs = list(zip(steps[start:end].tolist(), ops[start:end].tolist(), strict=True))
            if activation in waiting:
                pairs.insert(0, waiting.pop(activation))
            is_call = image.code.kind[pairs[-1][1]] == CALL
            if is_call and self.thread.queries.entered(pairs[-1][0]):
                waiting[activation] = pairs.pop()
            key = int(keys[start])
            file, line = image.file_names[key >> 32], key & 0xFFFFFFFF
            if self._is_end(file, line, ops[start:end]):
                continue
            values = self.values_of(pairs[-MAX_VALUES:])
            found.append(self._statement(file, line, Op(int(ops[end - 1])), values, 1))
        return found, omitted

    # --- values ------------------------------------------------------------------------------

    def _statement(
        self, file: str, line: int, op: Op, values: dict[str, str], instances: int
    ) -> Statement:  # fmt: skip
        name = self.names.function_of(op)
        text = self.thread.recording.lines.line(file, line)
        return Statement(file, line, name, text, values, instances)

    def values_of(self, pairs: Sequence[tuple[Step, Op]]) -> dict[str, str]:
        """Return what (step, operation) pairs computed, by name; the last value of a name wins."""
        found: dict[str, str] = {}
        for step, op in pairs:
            named = self.named(step, op)
            if named is None:
                continue
            # For `if (f(x))`, keep that f(x) is 3 and not that it is true.
            if named.value in self.names.truths and named.name in found:
                continue
            found[named.name] = named.value
        return found


def _has(steps: Steps, step: Step) -> bool:
    # searchsorted converts all steps unless `step` has their type.
    at = int(np.searchsorted(steps, np.uint32(step)))
    return at < len(steps) and int(steps[at]) == step
