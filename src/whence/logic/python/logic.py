"""Which rules do the values of Python follow, which are objects?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.logic.formula import Goal
from whence.logic.logic import Logic
from whence.logic.python.formula import PythonFormula
from whence.logic.python.operands import needed
from whence.logic.python.witness import PythonWitnessSearch
from whence.program.ids import Step
from whence.trace.flow import Flow, FlowNode, Operand


class PythonLogic(Logic):
    def needed(
        self, flow: Flow, node: FlowNode, step: Step, mask: int
    ) -> Sequence[tuple[Operand, int]]:
        return needed(flow, node, step, mask)

    def formula(self, flow: Flow) -> PythonFormula:
        return PythonFormula(flow)

    def witnesses(self, flow: Flow, goals: Sequence[Goal]) -> PythonWitnessSearch:
        return PythonWitnessSearch(flow, goals)
