"""What did a passing run have where the failing one has something else?"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from whence.causes.comparison import Comparison, Lost
from whence.model import Missing, Statement
from whence.program.source import NamedValue, Place
from whence.trace.statements import Line, StepDescriber

_ADDRESS = re.compile(r"0x[0-9a-f]+")


class PassingValues:
    """Tells what the passing run did, next to the failing one."""

    def __init__(self, comparison: Comparison, narrator: StepDescriber) -> None:
        self.comparison = comparison
        self._here = narrator
        self._there = comparison.there.describer()
        self._namer, self._own = self._there.names, narrator.names

    def values(self, line: Line) -> dict[str, str]:
        """What a line came to in the passing run, by the names that the failing one has for it,
        where that differs.  Which addresses things have is of no interest."""
        pairs = []
        for op, step in zip(line.ops.tolist(), line.last.tolist(), strict=True):
            twin = self.comparison.twin(step)
            if twin is not None:
                pairs.append((step, op, twin, self.comparison.there.op_of(twin)))
        pairs.sort()
        own = self._here.values_of([(step, op) for step, op, _, _ in pairs])
        theirs = self._there.values_of([(twin, op) for _, _, twin, op in pairs])
        if len(own) != len(theirs):
            return {}
        return {
            name: passed
            for (name, value), passed in zip(own.items(), theirs.values(), strict=True)
            if value != passed and not (_is_address(value) and _is_address(passed))
        }

    def condition(self, branch: int) -> NamedValue | None:
        """What the passing run asked at a branch, and how it came out; None if it did not ask."""
        twin = self.comparison.twin(branch)
        if twin is None or not self.comparison.there.is_branch(twin):
            return None
        return self._namer.condition(twin)

    def accessed(self, step: int) -> str | None:
        """Where a load or a store went in the passing run; None if it did not run there."""
        twin = self.comparison.twin(step)
        return None if twin is None else self._namer.accessed(twin)[1]

    def missing(self, lost: Lost) -> Missing | None:
        """What the failing run lacks, as a statement; None if it has no line."""
        gone, made = self._told(lost.there), self._told(lost.made)
        place = (self._own.place(lost.here) or self._start(lost.here)) if lost.here else None
        if gone is None or place is None:
            return None
        values = gone.values | made.values if made else gone.values
        return Missing(replace(gone, values=values), place.file, place.line)

    def _told(self, there: int) -> Statement | None:
        steps = np.array([there], np.uint32)
        lines = self._there.lines(steps)
        return self._there.describe_line(lines[0], steps) if lines else None

    def _start(self, step: int) -> Place | None:
        """The line before the first one of the function that a step is of."""
        function = self.comparison.here.thread.image.function_of(self.comparison.here.op_of(step))
        body = self.comparison.alignment.pairing.bad.body(function)
        return Place(body.file, body.first - 1, 0, body.name) if body else None


def _is_address(value: str) -> bool:
    return bool(_ADDRESS.fullmatch(value))
