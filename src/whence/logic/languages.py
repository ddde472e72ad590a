"""Whose values does a run have, and who knows what its operations say of them?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.logic.c import operands
from whence.logic.c.formula import CFormula, Goal, Premise
from whence.logic.python import operands as python_operands
from whence.logic.python.formula import PythonFormula
from whence.program.operations import Language
from whence.trace.flow import Flow, FlowNode, Operand


def formula_of(flow: Flow, goals: Sequence[Goal], premises: Sequence[Premise]) -> CFormula:
    """What is known of the values around the goals."""
    kind = PythonFormula if flow.language is Language.PYTHON else CFormula
    return kind(flow, goals, premises)


def needed(flow: Flow, node: FlowNode, step: int, mask: int) -> Sequence[tuple[Operand, int]]:
    """The operands, and the bits of them, that these bits of a step's result rest on."""
    if flow.language is Language.PYTHON:
        return python_operands.needed(flow, node, step, mask)
    return operands.needed(flow, node, step, mask)
