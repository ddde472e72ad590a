"""What is known about the Python values around a predicate, as constraints for a solver?

The definition of a step is used only if it agrees with the recorded value: a list may have
changed since its contents were recorded.  Every other step gets a weaker constraint: with the
same operands as in the run it has the same value as in the run.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from whence.frontend.python.values import STOP, UNKNOWN, Value, same, truth
from whence.logic.formula import Formula, Goal
from whence.logic.python.encode import encode
from whence.logic.python.evaluate import agrees, evaluate
from whence.logic.python.terms import (
    PythonTerm,
    differs,
    equal,
    is_true,
    python_literal,
    variable_term,
)
from whence.program.ids import Step
from whence.program.operations import PyOp
from whence.trace.flow import Constant, FlowNode, Operand


class PythonFormula(Formula):
    """The variables and definitions of one question about a Python run."""

    def negation(self, goals: Sequence[Goal]) -> z3.BoolRef:
        return z3.Or([differs(self.term(step), value) for step, value in goals])

    def outcome(self, branch: Step) -> z3.BoolRef:
        term, value = self.term(branch), self._value(branch)
        op = self.flow.node(branch).operation.op
        if op is PyOp.NEXT and not same(value, STOP):
            return z3.BoolVal(True)  # that the loop got an item says nothing about the item
        holds = is_true(term) if op is PyOp.EITHER else None
        return equal(term, python_literal(value)) if holds is None else holds == truth(value)

    def term(self, operand: Operand) -> PythonTerm:
        if isinstance(operand, Constant):
            return python_literal(operand.value)
        found: PythonTerm | None = self._variables.get(operand)
        if found is None:
            found = variable_term(f"v{len(self._variables)}", self._value(operand))
            self._variables[operand] = found
        return found

    def _value(self, operand: Operand) -> Value:
        return self.flow.value_of(operand)

    def defined(self, step: Step, node: FlowNode) -> list[z3.BoolRef]:
        terms = [self.term(operand) for operand in node.operands]
        values = [*map(self._value, node.operands)]
        constraint = None
        if values and agrees(evaluate(node.operation, values), self._value(step)):
            constraint = encode(node.operation, terms, self.term(step))
        found = self._as_in_run(step, node, terms) if constraint is None else [constraint]
        if node.chosen_by is not None:  # another predecessor would have brought another value
            return [z3.Implies(self.outcome(node.chosen_by), constraint) for constraint in found]
        return found

    def _as_in_run(
        self, step: Step, node: FlowNode, terms: Sequence[PythonTerm]
    ) -> list[z3.BoolRef]:
        """Return the constraint that a step is a function of its operands."""
        values = [*map(self._value, node.operands)]
        result = self._value(step)
        if result is UNKNOWN or any(value is UNKNOWN for value in values):
            return []
        both = zip(terms, values, strict=True)
        given = [equal(term, python_literal(value)) for term, value in both]
        return [z3.Implies(z3.And(given), equal(self.term(step), python_literal(result)))]
