"""Whose values does a run have, and who knows what its operations say of them?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.frontend.meaning import Language
from whence.semantics import operands
from whence.semantics.formula import Formula, Goal, Premise
from whence.semantics.python import operands as python_operands
from whence.semantics.python.formula import PythonFormula
from whence.trace.flow import Flow, Node, Operand


def formula_of(flow: Flow, goals: Sequence[Goal], premises: Sequence[Premise]) -> Formula:
    """What is known of the values around the goals."""
    kind = PythonFormula if flow.language is Language.PYTHON else Formula
    return kind(flow, goals, premises)


def needed(flow: Flow, node: Node, step: int, mask: int) -> Sequence[tuple[Operand, int]]:
    """The operands, and the bits of them, that these bits of a step's result rest on."""
    if flow.language is Language.PYTHON:
        return python_operands.needed(flow, node, step, mask)
    return operands.needed(flow, node, step, mask)
