"""What is known about the values around a predicate, as constraints for a solver?

Each variable of a formula is the value of one step, and each definition is added to the solver
once, behind a switch.  A check turns on the switches of the steps behind the current cut, so the
solver keeps what it has learned.  The limit of a check counts the solver's own steps, not
seconds: the same run gives the same answer on a loaded machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from whence.program.ids import Step
from whence.trace.flow import Flow, FlowNode, Operand

LIMIT = 200_000  # limit of one check in the solver's own unit, some tenths of a second; guessed

Goal = tuple[Step, Any]  # a step and the value that it had in the run


@dataclass(frozen=True)
class Premise:
    """A branch condition that a proof may assume to come out as it did in the run."""

    branch: Step
    steps: tuple[Step, ...]  # the steps that computed the condition


class Formula(ABC):
    """The variables and definitions of one question.

    Call `assert_negation` once before the first `check`.
    """

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._variables: dict[Operand, Any] = {}
        self._constraints: dict[tuple[str, int], tuple[z3.BoolRef, list[z3.BoolRef]]] = {}
        # Each formula has its own context: an earlier question must not change the answer.
        self._context = z3.Context()
        self._negation: z3.BoolRef | None = None
        self._solver: z3.Solver | None = None

    def assert_negation(self, goals: Sequence[Goal]) -> None:
        """Assert that at least one goal step has another value than in the run."""
        self._negation = self.negation(goals)
        self._solver = self._new_solver()

    def _new_solver(self) -> z3.Solver:
        """Return a solver that knows the negated goals and nothing else."""
        assert self._negation is not None, "assert_negation comes before check"
        solver = z3.Solver(ctx=self._context)
        solver.set("rlimit", LIMIT)
        solver.add(self._negation.translate(self._context))
        return solver

    def check(self, behind: Sequence[Step], premises: Sequence[Premise]) -> z3.CheckSatResult:
        """Can a goal come out differently, given these definitions and premises?

        `behind` are the steps behind the cut, whose definitions hold.
        """
        assert self._solver is not None, "assert_negation comes before check"
        parts = [self._switched("step", step, self._definition) for step in behind]
        for premise in premises:
            parts += [self._switched("step", step, self._definition) for step in premise.steps]
            parts.append(self._switched("branch", premise.branch, lambda at: [self.outcome(at)]))
        found = self._solver.check([switch for switch, _ in parts])
        if found != z3.unknown:
            return found
        # Without switches the solver can simplify more, but it has to start from scratch.
        solver = self._new_solver()
        solver.add(*(constraint for _, constraints in parts for constraint in constraints))
        return solver.check()

    def interrupt(self) -> None:
        """End a check that is under way in another thread: it answers unknown."""
        self._context.interrupt()

    def _switched(
        self, kind: str, step: Step, constrain: Callable[[Step], list[z3.BoolRef]]
    ) -> tuple[z3.BoolRef, list[z3.BoolRef]]:
        """Return the constraints on a step and the switch that turns them on."""
        found = self._constraints.get((kind, step))
        if found is None:
            assert self._solver is not None
            switch = z3.Bool(f"{kind}{step}", self._context)
            constraints = [constraint.translate(self._context) for constraint in constrain(step)]
            self._solver.add(*(z3.Implies(switch, constraint) for constraint in constraints))
            found = self._constraints[kind, step] = switch, constraints
        return found

    def _definition(self, step: Step) -> list[z3.BoolRef]:
        """Return what is known about the value of a step, given the values of its operands."""
        return self.defined(step, self.flow.node(step))

    # --- what each language answers --------------------------------------------------------------

    @abstractmethod
    def term(self, operand: Operand) -> Any:
        """Return the solver's term for an operand."""

    @abstractmethod
    def negation(self, goals: Sequence[Goal]) -> z3.BoolRef:
        """Return the constraint that at least one goal does not hold."""

    @abstractmethod
    def outcome(self, branch: Step) -> z3.BoolRef:
        """Return the constraint that a branch goes the way that it went in the run."""

    @abstractmethod
    def defined(self, step: Step, node: FlowNode) -> list[z3.BoolRef]:
        """Return what is known about the value of a step that is this node."""
