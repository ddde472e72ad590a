"""Which values did the passing run have where those of the failing run differ?"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from whence.causes.comparison import Comparison
from whence.causes.divergence_points import Lost
from whence.model import Missing, Statement
from whence.program.ids import Step
from whence.program.source import NamedValue, Place
from whence.trace.conditions import Conditions
from whence.trace.reads import VariableRead
from whence.trace.statements import Line, StepDescriber

_ADDRESS = re.compile(r"0x[0-9a-f]+")


class PassingValues:
    """Describes what the passing run did, for comparison with the failing run."""

    def __init__(self, comparison: Comparison, failing: StepDescriber) -> None:
        self.comparison = comparison
        self._failing, self._passing = failing, comparison.passing.describer()
        self._conditions = Conditions(comparison.passing)

    def values(self, line: Line) -> dict[str, str]:
        """Return the values of a line in the passing run that differ, by their failing names.

        Two addresses are never reported as different.
        """
        pairs = []
        for op, step in zip(line.ops.tolist(), line.last.tolist(), strict=True):
            other = self.comparison.counterpart(step)
            if other is not None and not self.comparison.is_noise(step, other):
                pairs.append((step, op, other, self.comparison.passing.op_of(other)))
        pairs.sort()
        failing = self._failing.values_of([(step, op) for step, op, _, _ in pairs])
        passing = self._passing.values_of([(other, op) for _, _, other, op in pairs])
        if len(failing) != len(passing):
            return {}
        return {
            name: other
            for (name, value), other in zip(failing.items(), passing.values(), strict=True)
            if value != other and not (_is_address(value) and _is_address(other))
        }

    def condition(self, branch: Step) -> NamedValue | None:
        """Return the condition and its outcome in the passing run; None if it did not run."""
        other = self.comparison.counterpart(branch)
        if other is None or not self.comparison.passing.is_branch(other):
            return None
        last = self._conditions.settled(other)
        return self._passing.names.whole_condition(self._conditions.executed(last))

    def read(self, read: VariableRead) -> str | None:
        """Return the value of a variable in the passing run; None if it is not comparable."""
        other = self.comparison.counterpart(read.step)
        if other is None or self.comparison.is_noise(read.step, other):
            return None
        names = self._passing.names
        if read.is_argument:
            return next((t.value for t in names.texts(other) if t.name == read.name), None)
        named = names.loaded(other)
        return None if named is None or _is_address(named.value) else named.value

    def accessed(self, step: Step) -> str | None:
        """Return where a load or a store went in the passing run; None if it did not run."""
        other = self.comparison.counterpart(step)
        return None if other is None else self._passing.names.accessed(other)[1]

    def missing(self, lost: Lost) -> Missing | None:
        """Return what the failing run lacks as a statement; None if it has no line."""
        passing, failing = self.comparison.passing, self.comparison.failing
        statement = _statement(self._passing, passing.in_tree(lost.passing))
        definition = _statement(self._passing, passing.in_tree(lost.definition))
        place = self._place(failing.in_tree(lost.after)) if lost.after else None
        if statement is None or place is None:
            return None
        values = statement.values | definition.values if definition else statement.values
        jump = None if lost.jump is None else _statement(self._failing, failing.in_tree(lost.jump))
        own = self.comparison.alignment.pairing.bad_op(passing.op_of(passing.in_tree(lost.passing)))
        elsewhere = own is not None and len(failing.executions(own)) > 0
        statement = replace(statement, values=values)
        return Missing(statement, place.file, place.line, jump=jump, elsewhere=elsewhere)

    def _place(self, step: Step) -> Place | None:
        """Return the place of a step, or the line before its function if it has none."""
        place = self._failing.names.place(step)
        if place is not None:
            return place
        flow = self.comparison.failing
        function = flow.thread.image.function_of(flow.op_of(step))
        body = self.comparison.alignment.pairing.bad.body(function)
        return Place(body.file, body.first - 1, 0, body.name) if body else None


def _statement(describer: StepDescriber, step: Step) -> Statement | None:
    """Return the line of a step as a statement; None if it has no line."""
    steps = np.array([step], np.uint32)
    lines = describer.lines(steps)
    return describer.describe_line(lines[0], steps) if lines else None


def _is_address(value: str) -> bool:
    return bool(_ADDRESS.fullmatch(value))
