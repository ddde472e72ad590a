"""Which earlier read made a call read another part of its input than in the passing run?

A read begins where the last read of the same input ended.  If one run executed a read that the
other lacks, or read more, then all later reads get other bytes, or meet the end of the input.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from whence.causes.comparison import Comparison
from whence.inputs import InputSource
from whence.program.ids import Step
from whence.program.rows import INPUT
from whence.trace.flow import Flow

Numbers = npt.NDArray[np.int64]
_MAX_READS = 20_000  # limit on earlier reads that are compared; guessed


class Shift(NamedTuple):
    """Where two runs began to read other parts of an input; one of the steps may be missing."""

    failing: Step | None
    passing: Step | None


class _Reads(NamedTuple):
    """The calls that read from one source, in order, and which of its bytes each read."""

    steps: Numbers
    starts: Numbers
    stops: Numbers

    def before(self, step: Step) -> int:
        """Return how many of them ran before a step."""
        return int(np.searchsorted(self.steps, step))

    def place(self, step: Step) -> int | None:
        """Return which of them a step is; None if it is none."""
        at = self.before(step)
        return at if at < len(self.steps) and self.steps[at] == step else None

    def position(self, step: Step) -> int:
        """Return where in the source a step reads, or would read."""
        at = self.before(step)
        if at < len(self.steps) and self.steps[at] == step:
            return int(self.starts[at])
        return int(self.stops[at - 1]) if at else 0


class ShiftedReads:
    """Finds where the reads of a failing run part from those of a passing run."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._known: dict[Step, Shift | None] = {}

    @cached_property
    def _failing(self) -> dict[InputSource, _Reads]:
        return _reads_of(self._comparison.failing)

    @cached_property
    def _passing(self) -> dict[InputSource, _Reads]:
        return _reads_of(self._comparison.passing)

    def before(self, step: Step) -> Shift | None:
        """Return the earlier reads because of which a step reads elsewhere; None if none is known.

        A step that reads at the same place as its counterpart needs no reason.
        """
        other = self._comparison.counterpart(step)
        if other is None or not (
            _reads_input(self._comparison.failing, step)
            or _reads_input(self._comparison.passing, other)
        ):
            return None
        for source, own in self._failing.items():
            theirs = self._passing.get(source)
            if theirs is None or own.place(step) is theirs.place(other) is None:
                continue
            if own.position(step) == theirs.position(other):
                return None
            return self._parted(own, theirs, step, other)
        return None

    def _parted(self, own: _Reads, theirs: _Reads, step: Step, other: Step) -> Shift | None:
        """Return the first reads after the last one that both runs made at the same place."""
        counterpart = self._comparison.counterpart
        end = own.before(step)
        first: Step | None = None  # the first read that only the failing run made
        moved = [step]  # reads of both runs, at other places
        meeting = -1  # of the last read at the same place: its place among those of the passing run
        for at in range(end - 1, max(end - _MAX_READS, 0) - 1, -1):
            read = Step(int(own.steps[at]))
            if read in self._known:
                return self._note(moved, self._known[read])
            pair = counterpart(read)
            place = None if pair is None else theirs.place(pair)
            if place is None:
                first = read
            elif own.starts[at] != theirs.starts[place]:
                moved.append(read)
            elif own.stops[at] != theirs.stops[place]:
                return self._note(moved, Shift(read, pair))
            else:
                meeting = place
                break
        paired = self._comparison.alignment.failing_counterpart
        between = map(Step, theirs.steps[meeting + 1 : theirs.before(other)].tolist())
        lacking = next((read for read in between if paired(read) is None), None)
        is_known = first is not None or lacking is not None
        return self._note(moved, Shift(first, lacking) if is_known else None)

    def _note(self, steps: list[Step], shift: Shift | None) -> Shift | None:
        self._known.update(dict.fromkeys(steps, shift))
        return shift


def _reads_input(flow: Flow, step: Step) -> bool:
    if not flow.is_call(step):
        return False
    kinds = flow.thread.stream.effects["kind"]
    return any(kinds[row] == INPUT for row in flow.queries.effects_of(step))


def _reads_of(flow: Flow) -> dict[InputSource, _Reads]:
    rows = flow.thread.stream.effects
    rows = rows[rows["kind"] == INPUT]
    found: dict[InputSource, _Reads] = {}
    for number in np.unique(rows["source"]).tolist():
        source = flow.source_of(number)
        own = rows[rows["source"] == number]
        steps, starts = own["step"].astype(np.int64), own["offset"].astype(np.int64)
        is_first = np.diff(steps, prepend=-1) != 0  # one call may leave several rows
        is_last = np.diff(steps, append=-1) != 0
        stops = starts + own["len"].astype(np.int64)
        if source is not None and source not in found:
            found[source] = _Reads(steps[is_first], starts[is_first], stops[is_last])
    return found
