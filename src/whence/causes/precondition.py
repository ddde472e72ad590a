"""How far back must one go until a predicate could not have come out otherwise?

The weakest precondition of the negated predicate is taken backwards along its proof: what the
steps behind the cut computed is substituted, what they read from before it is free, and the
conditions that were passed since, as far as they speak of the same values, are assumed to have
come out as they did.  Once it is unsatisfiable it stays so, so the cut is found by galloping.
The minimal core over those conditions is the cause; what lies before the cut is the conditions'
own question.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import z3

from whence.causes.cancellation import Cancellation
from whence.logic.c.formula import CFormula, Goal, Premise
from whence.logic.languages import formula_of
from whence.trace.flow import Flow, Operand

FIRST, MOST = 3, 48  # steps behind the cut at first, and when we give up
MOST_PREMISES = 12
NEAREST = 48  # conditions that are looked at
_FARTHEST = 40  # steps of one condition


@dataclass(frozen=True)
class Core:
    """What makes the negated predicate impossible."""

    steps: frozenset[int]  # that transformed it, and the premises
    premises: tuple[int, ...]  # branches


@dataclass
class SolverCost:
    calls: int = 0
    gave_up: int = 0
    seconds: float = 0.0


@dataclass
class Preconditions:
    """Finds cores in one run."""

    flow: Flow
    cancellation: Cancellation = field(default_factory=Cancellation)
    cost: SolverCost = field(default_factory=SolverCost)

    def core(self, goals: Sequence[Goal], steps: Iterable[int]) -> Core | None:
        """The core of why the goals, all of them, came out as they did.

        `steps` is a proof of it.  None if nothing less than that proof forces it, as far as we
        can tell.
        """
        order = sorted(steps, reverse=True)
        if len(order) <= 2:
            return None
        formula = formula_of(self.flow, goals, self._premises(goals, order))
        satisfied = 0
        count = FIRST
        while count < len(order) and count <= MOST:
            if self._is_impossible(formula, order, count):
                return self._narrowed(formula, order, satisfied, count)
            satisfied = count
            count *= 2
        return None

    def _narrowed(self, formula: CFormula, order: Sequence[int], low: int, high: int) -> Core:
        """The core for the latest cut: `low` steps behind it are too few, `high` are enough."""
        while high - low > 1:
            middle = (low + high) // 2
            if self._is_impossible(formula, order, middle):
                high = middle
            else:
                low = middle
        behind = order[:high]
        premises = [one for one in formula.premises if one.branch >= behind[-1]]
        for one in list(premises):
            left = [other for other in premises if other is not one]
            if self._check(formula, behind, left) == z3.unsat:
                premises = left
        kept = {step for one in premises for step in one.steps}
        return Core(frozenset(behind) | kept, tuple(sorted(one.branch for one in premises)))

    def _is_impossible(self, formula: CFormula, order: Sequence[int], count: int) -> bool:
        behind = order[:count]
        premises = [one for one in formula.premises if one.branch >= behind[-1]]
        if formula.has_witness(behind, premises):
            return False
        return bool(self._check(formula, behind, premises) == z3.unsat)

    def _check(
        self, formula: CFormula, behind: Sequence[int], premises: Sequence[Premise]
    ) -> z3.CheckSatResult:
        self.cost.calls += 1
        began = time.monotonic()
        with self.cancellation.interruptible(formula.interrupt):
            found = formula.check(behind, premises)
        self.cost.seconds += time.monotonic() - began
        if found == z3.unknown:
            self.cost.gave_up += 1
        return found

    def _premises(self, goals: Sequence[Goal], order: Sequence[int]) -> list[Premise]:
        """Conditions passed before the goals that speak of what the proof reads, nearest first."""
        read = {
            operand
            for step in order
            if self.flow.is_load(step)
            for operand in self.flow.node(step).operands
        }
        own = {step for step, _ in goals}
        found = []
        for branch in self._passed(min(own), order[min(len(order), MOST) - 1]):
            if branch in own:
                continue
            steps, reads = self._condition(branch)
            if reads & read and len(steps) < _FARTHEST:
                found.append(Premise(branch, tuple(steps)))
                if len(found) == MOST_PREMISES:
                    break
        return found

    def _passed(self, until: int, since: int) -> Iterator[int]:
        """The branches of an activation before a step, the nearest first."""
        queries = self.flow.queries
        instance = self.flow.previous_instance(self.flow.instance_of(until))
        for _ in range(4 * NEAREST):
            if instance is None:
                return
            last = queries.last_step(instance)
            if last < since:
                return
            if self.flow.is_branch(last) and self.flow.node(last).operands:
                yield last
            instance = self.flow.previous_instance(instance)

    def _condition(self, branch: int) -> tuple[list[int], set[Operand]]:
        """The steps of a condition back to the loads, and what these read."""
        steps: list[int] = []
        reads: set[Operand] = set()
        work: list[Operand] = [branch]
        while work and len(steps) < _FARTHEST:
            operand = work.pop()
            if not isinstance(operand, int) or operand in steps:
                continue
            steps.append(operand)
            node = self.flow.node(operand)
            if self.flow.is_load(operand):
                reads.update(node.operands)
            elif not self.flow.is_call(operand):
                work += node.operands
        return steps, reads
