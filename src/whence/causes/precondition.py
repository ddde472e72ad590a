"""How far back must one go until a predicate could not have come out differently?

The weakest precondition of the negated predicate is taken backwards along its proof.  The steps
behind the cut are substituted by their definitions; values from before the cut are free.  Branch
conditions between the cut and the predicate that read the same values are assumed to come out as
they did.  Once the precondition is unsatisfiable it stays so for earlier cuts, so the cut is found
by galloping.  The minimal core over those branch conditions is the cause.  The outcomes of the
conditions themselves are questions of the next level.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import z3

from whence.causes.cancellation import Cancellation
from whence.logic.formula import Formula, Goal, Premise
from whence.logic.logic import Logic
from whence.logic.witness import WitnessSearch
from whence.program.ids import Step
from whence.trace.flow import Flow, Operand

_FIRST_CUT, MAX_CUT = 3, 48  # steps behind the first cut tried, and behind the last; guessed
MAX_PREMISES = 12  # limit on premises of one predicate; guessed
MAX_CONDITIONS = 48  # limit on conditions before a predicate that may become premises; guessed
_MAX_CONDITION_STEPS = 40  # limit on steps of one condition; guessed


@dataclass(frozen=True)
class Core:
    """The steps and premises that make the negated predicate impossible."""

    steps: frozenset[Step]  # the steps behind the cut and those of the premises
    premises: tuple[Step, ...]  # branches


@dataclass
class SolverCost:
    """What the solver has cost so far."""

    calls: int = 0
    gave_up: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class _Negated:
    """A negated predicate, with the premises that may make it impossible."""

    formula: Formula
    witnesses: WitnessSearch
    premises: Sequence[Premise]

    def premises_since(self, step: Step) -> list[Premise]:
        return [premise for premise in self.premises if premise.branch >= step]


@dataclass
class Preconditions:
    """Finds cores in one run."""

    flow: Flow
    logic: Logic
    cancellation: Cancellation = field(default_factory=Cancellation)
    cost: SolverCost = field(default_factory=SolverCost)

    def core(self, goals: Sequence[Goal], steps: Iterable[Step]) -> Core | None:
        """Return the core that forces all goals to be as in the run.

        `steps` is a proof of the goals.  None: as far as we can tell, no smaller set of steps
        forces them.
        """
        order = sorted(steps, reverse=True)
        if len(order) <= 2:
            return None
        negated = self._negated(goals, order)
        satisfied = 0
        count = _FIRST_CUT
        while count < len(order) and count <= MAX_CUT:
            if self._is_impossible(negated, order, count):
                return self._narrowed(negated, order, satisfied, count)
            satisfied = count
            count *= 2
        return None

    def _negated(self, goals: Sequence[Goal], order: Sequence[Step]) -> _Negated:
        premises = self._premises(goals, order)
        formula = self.logic.formula(self.flow)
        formula.assert_negation(goals)
        return _Negated(formula, self.logic.witnesses(self.flow, goals), premises)

    def _narrowed(self, negated: _Negated, order: Sequence[Step], low: int, high: int) -> Core:
        """Return the core for the latest cut: `low` steps are too few, `high` are enough."""
        while high - low > 1:
            middle = (low + high) // 2
            if self._is_impossible(negated, order, middle):
                high = middle
            else:
                low = middle
        behind = order[:high]
        premises = negated.premises_since(behind[-1])
        for premise in list(premises):
            others = [other for other in premises if other is not premise]
            if self._check(negated.formula, behind, others) == z3.unsat:
                premises = others
        kept = {step for premise in premises for step in premise.steps}
        branches = sorted(premise.branch for premise in premises)
        return Core(frozenset(behind) | kept, tuple(branches))

    def _is_impossible(self, negated: _Negated, order: Sequence[Step], count: int) -> bool:
        behind = order[:count]
        premises = negated.premises_since(behind[-1])
        if negated.witnesses.has_witness(behind, premises):
            return False
        return bool(self._check(negated.formula, behind, premises) == z3.unsat)

    def _check(
        self, formula: Formula, behind: Sequence[Step], premises: Sequence[Premise]
    ) -> z3.CheckSatResult:
        self.cost.calls += 1
        began = time.monotonic()
        with self.cancellation.interruptible(formula.interrupt):
            found = formula.check(behind, premises)
        self.cost.seconds += time.monotonic() - began
        if found == z3.unknown:
            self.cost.gave_up += 1
        return found

    def _premises(self, goals: Sequence[Goal], order: Sequence[Step]) -> list[Premise]:
        """Return conditions before the goals that read what the proof reads, nearest first."""
        read = {
            operand
            for step in order
            if self.flow.is_load(step)
            for operand in self.flow.node(step).operands
        }
        goal_steps = {step for step, _ in goals}
        found = []
        for branch in self._passed(min(goal_steps), order[min(len(order), MAX_CUT) - 1]):
            if branch in goal_steps:
                continue
            steps, reads = self._condition(branch)
            if reads & read and len(steps) < _MAX_CONDITION_STEPS:
                found.append(Premise(branch, tuple(steps)))
                if len(found) == MAX_PREMISES:
                    break
        return found

    def _passed(self, until: Step, since: Step) -> Iterator[Step]:
        """Yield the branches of an activation between two steps, the last first."""
        queries = self.flow.queries
        instance = self.flow.previous_instance(self.flow.instance_of(until))
        for _ in range(4 * MAX_CONDITIONS):
            if instance is None:
                return
            last = queries.last_step(instance)
            if last < since:
                return
            if self.flow.is_branch(last) and self.flow.node(last).operands:
                yield last
            instance = self.flow.previous_instance(instance)

    def _condition(self, branch: Step) -> tuple[list[Step], set[Operand]]:
        """Return the steps of a condition back to its loads, and the operands of those loads."""
        steps: list[Step] = []
        reads: set[Operand] = set()
        work: list[Operand] = [branch]
        while work and len(steps) < _MAX_CONDITION_STEPS:
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
