"""What is known about the bits around a predicate of a C run, as constraints for a solver?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from whence.logic.c.encode import encode
from whence.logic.formula import Formula, Goal
from whence.program.ids import Step
from whence.program.operations import COp
from whence.trace.flow import Constant, FlowNode, Operand, StoredBits

_MAX_WIDTH = 64  # bits of a value that the recorder keeps whole


class CFormula(Formula):
    """The variables and definitions of one question; every value is a bit-vector."""

    def negation(self, goals: Sequence[Goal]) -> z3.BoolRef:
        return z3.Or([self.term(step) != value for step, value in goals])

    def outcome(self, branch: Step) -> z3.BoolRef:
        return self.term(branch) == self.flow.value(branch)

    def term(self, operand: Operand) -> Any:
        if isinstance(operand, Constant) and operand.value is not None:
            return z3.BitVecVal(operand.value, operand.width)
        if isinstance(operand, StoredBits):
            whole = self.term(operand.step)
            if operand.low + operand.width <= whole.size():
                return z3.Extract(operand.low + operand.width - 1, operand.low, whole)
        found = self._variables.get(operand)
        if found is None:
            name = f"v{len(self._variables)}"
            width = max(self.flow.width_of(operand), 1)
            found = self._variables[operand] = z3.BitVec(name, width)
        return found

    def defined(self, step: Step, node: FlowNode) -> list[z3.BoolRef]:
        operation, result = node.operation, self.term(step)
        terms = [self.term(operand) for operand in node.operands]
        if operation.op is COp.OPAQUE:
            return self._as_in_run(step, node, terms)
        if not operation.width or any(
            term.size() != width for term, width in zip(terms, operation.widths, strict=True)
        ):
            return []
        if operation.op is COp.SWITCH:  # the recorded value of a switch is that of its operand
            return [result == terms[0]] if result.size() == terms[0].size() else []
        if operation.op is COp.COPY and operation.widths != (operation.width,):
            return []
        if operation.op is COp.CONCAT and sum(operation.widths) != operation.width:
            return []  # a struct with gaps
        constraint = encode(operation, terms, result)
        if constraint is None:
            return []
        if node.chosen_by is not None:  # another predecessor would have brought another value
            return [z3.Implies(self.outcome(node.chosen_by), constraint)]
        return [constraint]

    def _as_in_run(
        self, step: Step, node: FlowNode, terms: Sequence[z3.BitVecRef]
    ) -> list[z3.BoolRef]:
        """Return the constraint that an unknown operation is a function of its operands."""
        values = [self.flow.value_of(operand) for operand in node.operands]
        if not node.operation.width or node.operation.width > _MAX_WIDTH or None in values:
            return []
        given = [
            term == z3.BitVecVal(value, term.size())
            for term, value in zip(terms, values, strict=True)
            if value is not None
        ]
        is_same = self.term(step) == z3.BitVecVal(self.flow.value(step), self.term(step).size())
        return [z3.Implies(z3.And(given), is_same)]
