"""Which rules do the values of C and C++ follow, which are rows of bits?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.logic.c.formula import CFormula
from whence.logic.c.operands import needed
from whence.logic.c.witness import CWitnessSearch
from whence.logic.formula import Goal
from whence.logic.logic import Logic
from whence.program.ids import Step
from whence.trace.flow import Flow, FlowNode, Operand


class CLogic(Logic):
    def needed(
        self, flow: Flow, node: FlowNode, step: Step, mask: int
    ) -> Sequence[tuple[Operand, int]]:
        return needed(flow, node, step, mask)

    def formula(self, flow: Flow) -> CFormula:
        return CFormula(flow)

    def witnesses(self, flow: Flow, goals: Sequence[Goal]) -> CWitnessSearch:
        return CWitnessSearch(flow, goals)
