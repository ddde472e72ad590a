"""What is known of the Python values around a predicate, in the solver's words?

A definition is only said if it fits what was recorded: a list may have been changed since the
value that we know of it.  Of everything else there is the fact: given the same, it would have come
to the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import z3

from whence.frontend.python.values import STOP, UNKNOWN, Obj, Value, items, same, truth
from whence.logic.c.formula import CFormula
from whence.logic.python.encode import (
    PythonTerm,
    differs,
    encode,
    equal,
    is_true,
    python_literal,
    variable,
)
from whence.logic.python.evaluate import agrees, evaluate
from whence.program.operations import PyOp
from whence.trace.flow import Constant, FlowNode, Operand


class PythonFormula(CFormula):
    """The variables and definitions of one question about a Python run."""

    unknown: ClassVar[Any] = UNKNOWN

    @cached_property
    def negated(self) -> z3.BoolRef:
        return z3.Or([differs(self.term(step), value) for step, value in self.goals])

    def outcome(self, branch: int) -> z3.BoolRef:
        term, value = self.term(branch), self._value(branch)
        op = self.flow.node(branch).operation.op
        if op is PyOp.NEXT and not same(value, STOP):
            return z3.BoolVal(True)  # that there was something says nothing of what it was
        holds = is_true(term) if op is PyOp.EITHER else None
        return equal(term, python_literal(value)) if holds is None else holds == truth(value)

    def term(self, operand: Operand) -> PythonTerm:
        if isinstance(operand, Constant):
            return python_literal(operand.value)
        found: PythonTerm | None = self._variables.get(operand)
        if found is None:
            found = variable(f"v{len(self._variables)}", self._value(operand))
            self._variables[operand] = found
        return found

    def _value(self, operand: Operand) -> Value:
        return self.flow.value_of(operand)

    def _defined(self, step: int, node: FlowNode) -> list[z3.BoolRef]:
        terms = [self.term(operand) for operand in node.operands]
        values = [*map(self._value, node.operands)]
        said = None
        if values and agrees(evaluate(node.operation, values), self._value(step)):
            said = encode(node.operation, terms, self.term(step))
        found = self._fact(step, node, terms) if said is None else [said]
        if node.chosen_by is not None:  # another way there would have brought another value
            return [z3.Implies(self.outcome(node.chosen_by), one) for one in found]
        return found

    def _fact(self, step: int, node: FlowNode, terms: Sequence[PythonTerm]) -> list[z3.BoolRef]:
        values = [*map(self._value, node.operands)]
        result = self._value(step)
        if result is UNKNOWN or any(value is UNKNOWN for value in values):
            return []
        both = zip(terms, values, strict=True)
        given = [equal(term, python_literal(value)) for term, value in both]
        return [z3.Implies(z3.And(given), equal(self.term(step), python_literal(result)))]

    # --- a quick look ----------------------------------------------------------------------------

    def _tries(self, operand: Operand, constants: Sequence[Any]) -> Sequence[Value]:
        return tries(self._value(operand), constants)

    def _is(self, found: Any, expected: Any) -> bool:
        return agrees(found, expected)

    def _applied(self, node: FlowNode, values: Sequence[Any]) -> Value:
        return evaluate(node.operation, values) if values else UNKNOWN


def tries(recorded: Value, constants: Sequence[Value]) -> list[Value]:
    """Values of its type that make a comparison come out otherwise, if any simple one does."""
    alike = [one for one in constants if type(one) is type(recorded)][:4]
    near: list[Value] = []
    if isinstance(recorded, bool):
        near = [not recorded]
    elif isinstance(recorded, int | float):
        near = [recorded + 1, recorded - 1, 0, 1, -1]
        near += [number for one in alike for number in (one, one + 1, one - 1)]  # type: ignore[operator]
        near = [type(recorded)(one) for one in near]  # type: ignore[arg-type]
    elif isinstance(recorded, str | bytes):
        near = [recorded[:0], recorded[:-1], recorded * 2, recorded[1:], *alike]
        near += [recorded + "x"] if isinstance(recorded, str) else []
    elif recorded is None:
        near = [1]
    elif isinstance(recorded, Obj) and recorded.type == "tuple":
        near = _other_tuples(recorded, constants)
    return [one for one in near if not same(one, recorded)]


def _other_tuples(recorded: Obj, constants: Sequence[Value]) -> list[Value]:
    """The tuple with one item changed."""
    inside = items(recorded) or ()
    return [
        Obj(0, "tuple", "tuple", (len(inside), (*inside[:at], one, *inside[at + 1 :])))
        for at, item in enumerate(inside[:4])
        for one in tries(item, constants)[:2]
    ]
