"""Does a proof force its predicate?  Compute it again with different values everywhere else.

The steps of the proof compute what they compute; every other step, and every input that is not
part of the proof, gets another value.  The proved value must come out as it was recorded.
Loads read the same definitions, and phis take the same operands: a proof does not cover these.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from whence.causes.proof import Proof
from whence.logic.c.evaluate import evaluate
from whence.program.ids import Step
from whence.program.operations import COp
from whence.trace.c.flow import CFlow
from whence.trace.flow import Constant, External, FlowNode, Left, Operand, StoredBits


class Unknown(Enum):
    """A value that was not recorded."""

    SAME = "the same as in the run"


Value = int | Unknown


@dataclass
class Reevaluation:
    """The values of the steps of a proof if everything else is arbitrary."""

    flow: CFlow
    proof: Proof
    choose: random.Random
    fixed: Mapping[Step, int] = field(default_factory=dict)  # values of steps that are given
    values: dict[Operand, Value] = field(default_factory=dict)

    def of(self, step: Step) -> Value:
        """Return the new value of a step."""
        work: list[Operand] = [step]
        while work:
            wanted = [need for need in self._needed(work[-1]) if need not in self.values]
            if wanted:
                work += wanted
            else:
                operand = work.pop()
                if operand not in self.values:
                    self.values[operand] = self._value(operand)
        return self.values[step]

    def _needed(self, operand: Operand) -> tuple[Operand, ...]:
        if isinstance(operand, StoredBits):
            return (operand.step,)
        if isinstance(operand, Left) and operand.step in self.proof.steps:
            return self.flow.left(operand)
        if isinstance(operand, int) and operand in self.proof.steps and operand not in self.fixed:
            return self.flow.node(operand).operands
        return ()

    def _value(self, operand: Operand) -> Value:
        if isinstance(operand, Constant):
            return Unknown.SAME if operand.value is None else operand.value
        if isinstance(operand, StoredBits):
            whole = self.values[operand.step]
            assert isinstance(whole, int)
            return whole >> operand.low & (1 << operand.width) - 1
        if isinstance(operand, Left):
            is_proved = operand.step in self.proof.steps
            same = is_proved and all(map(self._is_same, self.flow.left(operand)))
            return Unknown.SAME if same else self.arbitrary(operand)
        if isinstance(operand, External):
            return Unknown.SAME if operand in self.proof.inputs else self.arbitrary(operand)
        if operand in self.fixed:
            return self.fixed[operand]
        if operand not in self.proof.steps:
            return self.arbitrary(operand)
        return self._computed(operand, self.flow.node(operand))

    def _computed(self, step: Step, node: FlowNode) -> int:
        operation = node.operation
        recorded = self.flow.value(step)
        given = [self.values[operand] for operand in node.operands]
        if all(map(self._is_same, node.operands)):
            return recorded
        if operation.op is COp.CONCAT:
            given = _filled(given, operation.widths, recorded)
        known = [value for value in given if isinstance(value, int)]
        if len(known) < len(given) or operation.op is COp.OPAQUE:
            return self.arbitrary(step)
        if operation.op is COp.SWITCH:
            return known[0]
        found = evaluate(operation, known)
        if found is not None:
            return found
        # Is the result undefined for these operands, or can we not compute the operation at all?
        before = [self.flow.value_of(operand) for operand in node.operands]
        defined = [value for value in before if value is not None]
        can_compute = len(defined) == len(before) and evaluate(operation, defined) is not None
        return recorded if can_compute else self.arbitrary(step)

    def _is_same(self, operand: Operand) -> bool:
        value = self.values[operand]
        return value is Unknown.SAME or value == self.flow.value_of(operand)

    def arbitrary(self, operand: Operand) -> int:
        """Return any value, often zero, an extreme, or one next to the recorded value."""
        full = (1 << max(self.flow.width_of(operand), 1)) - 1
        recorded = self.flow.value_of(operand) or 0
        near = (0, 1, full, full >> 1, (full >> 1) + 1, recorded + 1, recorded - 1, ~recorded)
        anything = self.choose.randint(0, full)
        return self.choose.choice((anything, anything, *near)) & full


def _filled(parts: list[Value], widths: tuple[int, ...], recorded: int) -> list[Value]:
    """Return the parts of a value; unchanged parts come from the recorded whole."""
    found: list[Value] = []
    low = 0
    for part, width in zip(parts, widths, strict=True):
        is_known = low + width <= 64  # only 64 bits of a wider value are recorded
        whole = recorded >> low & (1 << width) - 1
        found.append(whole if part is Unknown.SAME and is_known else part)
        low += width
    return found
