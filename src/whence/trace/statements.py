"""Which lines of the source are some steps, and what did they compute?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whence.model import Statement
from whence.program.source import NamedValue
from whence.trace.columns import CALL, NONE
from whence.trace.recording import Thread
from whence.trace.slicer import executed_ops
from whence.trace.step_names import StepNames

Steps = npt.NDArray[np.uint32]
Ops = npt.NDArray[np.int64]
MOST_VALUES = 200  # of one line
FARTHEST = 4096  # instances of its activation in which a step of the same line is looked for


@dataclass(frozen=True, slots=True)
class Line:
    """A line that some steps went through: the last step of each of its ops, in order."""

    file: str
    number: int
    ops: Ops
    last: Steps
    instances: int

    @property
    def is_outside(self) -> bool:
        """Is it in a file that does not belong to the program's tree, such as a system header?"""
        return self.file.startswith("/")


class StepDescriber(ABC):
    """Tells the steps of one thread as statements."""

    def __init__(self, thread: Thread, namer: StepNames) -> None:
        self.thread, self.namer = thread, namer

    @abstractmethod
    def named(self, step: int, op: int) -> NamedValue | None:
        """What a step of an op did: the name of what changed, and its new value.

        None if it is not worth a word, or did not come to a value.
        """

    def ops(self, steps: Steps) -> Ops:
        """The op of each of some steps, which are sorted."""
        stream, code = self.thread.stream, self.thread.image.code
        instances = self.thread.queries.instances_at(steps)
        starts = code.stretch_first_op[stream.stretch[instances]].astype(np.int64)
        return starts + steps - stream.first[instances]

    # --- lines -------------------------------------------------------------------------------

    def lines(self, steps: Steps) -> list[Line]:
        """The distinct lines of some steps, the one that ran last first."""
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
        kept = [line for line in found if not self._only_ends(line.file, line.number, line.ops)]
        return sorted(kept, key=lambda line: -int(line.last[-1]))

    def _only_ends(self, file: str, line: int, ops: Ops) -> bool:
        """Is it the end of a function, where the compiler has it return what a line above gave?

        A destructor that runs there is worth showing.
        """
        is_closing = self.thread.is_closing(file, line)
        return is_closing and not np.any(self.thread.image.code.kind[ops] == CALL)

    def told(self, lines: Iterable[Line], steps: Steps) -> list[Statement]:
        """Lines of these steps as statements, by file and line, with what they computed last."""
        latest = sorted(lines, key=lambda line: -int(line.last[-1]))  # so values are replayed once
        found = [self.tell(line, steps) for line in latest]
        return sorted(found, key=lambda s: (s.file.startswith("/"), s.file, s.line))

    def tell(self, line: Line, steps: Steps) -> Statement:
        """A line of these steps as a statement, with what it computed last."""
        pairs = list(self._together(line, steps))
        values = self.values_of(pairs[-MOST_VALUES:])
        return self._statement(line.file, line.number, int(line.ops[-1]), values, line.instances)

    def _together(self, line: Line, steps: Steps) -> Iterator[tuple[int, int]]:
        """The steps and ops of the last time that control went through the line.

        Where a function calls itself, the last step of an op may be another activation's.
        """
        queries = self.thread.queries
        end = int(line.last[-1])
        own = queries.activation_of(end)
        start = int(line.last[int(np.argmin(line.ops))])  # where the line begins
        found = []
        for op, step in zip(line.ops.tolist(), line.last.tolist(), strict=True):
            if queries.activation_of(step) != own:
                step = self.thread.last_execution(op, end, FARTHEST)
                if step is None or not _has(steps, step):
                    continue
            elif step < start and queries.activation_of(start) == own:
                continue  # of an earlier time
            found.append((step, op))
        return iter(sorted(found))

    # --- executions --------------------------------------------------------------------------

    def executions(self, steps: Steps, most: int) -> tuple[list[Statement], int]:
        """The last executions of lines, in order, and how many came before them.

        Neighbouring steps of one line are one; a call that runs code of ours cuts it in two.
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
        left = max(len(starts) - most, 0)
        waiting: dict[int, tuple[int, int]] = {}  # calls by activation: their value comes later
        found = []
        for start, end in zip(starts[left:].tolist(), ends[left:].tolist(), strict=True):
            activation = int(activations[start])
            pairs = list(zip(steps[start:end].tolist(), ops[start:end].tolist(), strict=True))
            if activation in waiting:
                pairs.insert(0, waiting.pop(activation))
            is_call = image.code.kind[pairs[-1][1]] == CALL
            if is_call and self.thread.queries.entered(pairs[-1][0]):
                waiting[activation] = pairs.pop()
            key = int(keys[start])
            file, line = image.file_names[key >> 32], key & 0xFFFFFFFF
            if self._only_ends(file, line, ops[start:end]):
                continue
            values = self.values_of(pairs[-MOST_VALUES:])
            found.append(self._statement(file, line, int(ops[end - 1]), values, 1))
        return found, left

    # --- values ------------------------------------------------------------------------------

    def _statement(
        self, file: str, line: int, op: int, values: dict[str, str], instances: int
    ) -> Statement:  # fmt: skip
        name = self.namer.function_of(op)
        text = self.thread.recording.lines.line(file, line)
        return Statement(file, line, name, text, values, instances)

    def values_of(self, pairs: Sequence[tuple[int, int]]) -> dict[str, str]:
        """What some steps computed, by name; a value under the same name is the last."""
        found: dict[str, str] = {}
        for step, op in pairs:
            named = self.named(step, op)
            if named is None:
                continue
            # `if (f(x))`: that f(x) is 3 says more than that it is true.
            if named.value in self.namer.truths and named.name in found:
                continue
            found[named.name] = named.value
        return found


def _has(steps: Steps, step: int) -> bool:
    at = int(np.searchsorted(steps, np.uint32(step)))  # of their type, or all are converted
    return at < len(steps) and int(steps[at]) == step
