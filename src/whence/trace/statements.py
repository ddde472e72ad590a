"""Which lines of the source are some steps, and what did they compute?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from whence.frontend.c.describing import describe
from whence.frontend.c.tables import NONE
from whence.model import Statement
from whence.trace.recording import Thread

Steps = npt.NDArray[np.uint32]
CHUNK = 1 << 17  # steps whose values are replayed together


class Narrator:
    """Tells the steps of one thread as statements."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self._first = -1
        self._values: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)

    def value(self, step: int) -> int:
        """What a step computed, stored, returned or decided on."""
        first = (step - 1) // CHUNK * CHUNK + 1
        if first != self._first:
            self._values = self.thread.replay.window(first, first + CHUNK).value
            self._first = first
        return int(self._values[step - first])

    def ops(self, steps: Steps) -> npt.NDArray[np.int64]:
        """The op of each of some steps, which are sorted."""
        stream, code = self.thread.stream, self.thread.image.code
        instances = np.searchsorted(stream.first, steps, side="right") - 1
        starts = code.stretch_first_op[stream.stretch[instances]].astype(np.int64)
        return starts + steps - stream.first[instances]

    def lines(self, steps: Steps) -> list[Statement]:
        """The distinct lines of some steps, by file and line, with their last values."""
        image = self.thread.image
        counts, last = self._last_of_each_op(steps)
        ran = np.flatnonzero(counts)
        ran = ran[(image.files[ran] != NONE) & (image.rows[ran] != 0)]
        keys = image.files[ran].astype(np.uint64) << np.uint64(32) | image.rows[ran]
        order = np.argsort(keys, kind="stable")
        unique, starts = np.unique(keys[order], return_index=True)
        groups = np.split(ran[order], starts[1:])
        # From the latest to the earliest, so that values are replayed once.
        latest = sorted(
            zip(unique.tolist(), groups, strict=True), key=lambda g: -int(last[g[1]].max())
        )
        found = []
        for key, ops in latest:
            file = image.file_names[key >> 32]
            since = last[ops.min()]
            own = ops[last[ops] >= since]
            own = own[np.argsort(last[own])]
            line = self._line(file, key & 0xFFFFFFFF, last[own], own, int(counts[ops].max()))
            found.append(line)
        return sorted(found, key=lambda s: (s.file, s.line))

    def _last_of_each_op(
        self, steps: Steps
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:  # fmt: skip
        """How many of the steps executed each op, and the last that did."""
        total = len(self.thread.image.rows)
        counts = np.zeros(total, np.int64)
        last = np.zeros(total, np.uint32)
        for start in range(0, len(steps), 1 << 22):
            part = steps[start : start + (1 << 22)]
            ops = self.ops(part)
            counts += np.bincount(ops, minlength=total)
            last[ops] = part  # of several for one op the last stays
        return counts, last

    def executions(self, steps: Steps, limit: int) -> Iterator[Statement]:
        """Each execution of a line, in order: neighbouring steps of one line are one."""
        image = self.thread.image
        ops = self.ops(steps)
        keys = image.files[ops].astype(np.uint64) << np.uint64(32) | image.rows[ops]
        activations = self.thread.stream.activation[
            np.searchsorted(self.thread.stream.first, steps, side="right") - 1
        ]
        changed = (np.diff(keys) != 0) | (np.diff(activations.astype(np.int64)) != 0)
        borders = np.concatenate(([0], np.flatnonzero(changed) + 1, [len(steps)]))
        count = 0
        for start, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
            key = int(keys[start])
            if key >> 32 == NONE or not key & 0xFFFFFFFF:
                continue
            if count == limit:
                return
            count += 1
            file = image.file_names[key >> 32]
            yield self._line(file, key & 0xFFFFFFFF, steps[start:end], ops[start:end])

    def _line(
        self, file: str, line: int, steps: Steps, ops: npt.NDArray[np.int64], instances: int = 1
    ) -> Statement:  # fmt: skip
        image = self.thread.image
        place = image.place(int(ops[-1]))
        source, _ = image.locate(int(ops[-1]))
        name = source.names.function_name(place.function) if place else ""
        values = dict(self._values_of(steps, ops))
        text = self.thread.recording.lines.line(file, line)
        return Statement(file, line, name, text, values, instances)

    def _values_of(
        self, steps: Steps, ops: npt.NDArray[np.int64]
    ) -> Iterator[tuple[str, str]]:  # fmt: skip
        for step, op in zip(steps.tolist()[-200:], ops.tolist()[-200:], strict=True):
            source, local = self.thread.image.locate(op)
            named = describe(source, local, self.value(step), self.registers(step, op))
            if named is not None:
                yield named.name, named.value

    def registers(self, step: int, op: int) -> Callable[[str], int | None]:
        """What the registers of the function hold at a step."""
        source, local = self.thread.image.locate(op)

        def value(name: str) -> int | None:
            number = source.register(local, name)
            if number is None:
                return None
            found = self.thread.last_execution(op - local + number, step)
            return None if found is None else self.value(found)

        return value
