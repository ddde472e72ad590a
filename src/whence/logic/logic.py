"""What must a language know about values so that causes can be found in its runs?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from whence.logic.formula import Formula, Goal
from whence.logic.witness import WitnessSearch
from whence.program.ids import Step
from whence.trace.flow import Flow, FlowNode, Operand

ALL = -1  # mask of a whole value: all bits of a number, all items of a tuple


class Logic(ABC):
    """The rules for the values of one language."""

    @abstractmethod
    def needed(
        self, flow: Flow, node: FlowNode, step: Step, mask: int
    ) -> Sequence[tuple[Operand, int]]:
        """Return the operands, each with a mask, that force a masked part of a step's result."""

    @abstractmethod
    def formula(self, flow: Flow) -> Formula:
        """Return an empty formula over the values of a run."""

    @abstractmethod
    def witnesses(self, flow: Flow, goals: Sequence[Goal]) -> WitnessSearch:
        """Return a search for values that make the goals come out differently."""
