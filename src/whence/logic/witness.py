"""Is there an easy way for a predicate to come out differently?

One value from before the cut is changed at a time, to values that are likely to matter, and the
steps behind the cut are computed again.  This settles most questions in a hundredth of the time
that the solver takes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from whence.logic.formula import Goal, Premise
from whence.program.ids import Step
from whence.trace.flow import Constant, Flow, FlowNode, Operand, StoredBits

_MAX_CHANGED = 4  # limit on values from before the cut that are changed; guessed


class WitnessSearch(ABC):
    """Looks for one changed value that makes a goal come out differently."""

    unknown: ClassVar[Any]  # stands for a value that is not known

    def __init__(self, flow: Flow, goals: Sequence[Goal]) -> None:
        self.flow, self.goals = flow, goals

    def has_witness(self, behind: Sequence[Step], premises: Sequence[Premise]) -> bool:
        """Does a changed value make a goal differ while all premises come out as before?"""
        steps = sorted({*behind, *(step for premise in premises for step in premise.steps)})
        inside = set(steps)
        free = dict.fromkeys(
            operand
            for step in steps
            for operand in self.flow.node(step).operands
            if not isinstance(operand, Constant)
            and not (isinstance(operand, int) and operand in inside)
            and not (isinstance(operand, StoredBits) and operand.step in inside)
        )
        constants = [
            operand.value
            for step in steps
            for operand in self.flow.node(step).operands
            if isinstance(operand, Constant) and operand.value is not self.unknown
        ]
        return any(
            self._differs(steps, premises, operand, value)
            for operand in list(free)[:_MAX_CHANGED]
            for value in self.candidates(operand, constants)
        )

    def _differs(
        self, steps: Sequence[Step], premises: Sequence[Premise], changed: Operand, value: Any
    ) -> bool:
        """Does a goal differ, and no premise, if the operand `changed` has this value?"""
        other: dict[Operand, Any] = {changed: value}  # operands that are not as in the run
        for step in steps:
            node = self.flow.node(step)
            if not self._is_affected(node, other):
                continue
            found = self.applied(node, [self._value(operand, other) for operand in node.operands])
            if node.chosen_by in other:
                found = self.unknown  # another predecessor would have brought another value
            if found is self.unknown or not self.is_same(found, self.flow.value(step)):
                other[step] = found
        if any(premise.branch in other for premise in premises):
            return False
        outcomes = [(other[step], expected) for step, expected in self.goals if step in other]
        return any(
            found is not self.unknown and not self.is_same(found, expected)
            for found, expected in outcomes
        )

    def _is_affected(self, node: FlowNode, other: dict[Operand, Any]) -> bool:
        """Does a node use an operand that is not as in the run?"""
        return (node.chosen_by is not None and node.chosen_by in other) or any(
            operand in other or (isinstance(operand, StoredBits) and operand.step in other)
            for operand in node.operands
        )

    def _value(self, operand: Operand, other: dict[Operand, Any]) -> Any:
        if operand in other:
            return other[operand]
        if isinstance(operand, StoredBits) and operand.step in other:
            return self.bits_of(other[operand.step], operand)
        return self.flow.value_of(operand)

    # --- what each language answers --------------------------------------------------------------

    @abstractmethod
    def candidates(self, operand: Operand, constants: Sequence[Any]) -> Sequence[Any]:
        """Return values for an operand that may make a comparison come out differently."""

    @abstractmethod
    def is_same(self, found: Any, expected: Any) -> bool:
        """Are two values the same, so far as a branch or a goal can tell?"""

    @abstractmethod
    def applied(self, node: FlowNode, values: Sequence[Any]) -> Any:
        """Return the result of a node's operation for these operands, or `unknown`."""

    def bits_of(self, whole: Any, part: StoredBits) -> Any:  # noqa: ARG002 - for values of bits
        """Return some bits of a changed value, or `unknown`."""
        return self.unknown
