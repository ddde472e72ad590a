"""What is known of the values around a predicate, in the solver's words?

Every variable of the formula is the value of one step, so each definition is added once, to be
switched on where the cut is before it, and the solver keeps what it learned.  The limit of a check
counts the solver's own steps, not seconds: the same run gives the same answer on a loaded machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import z3

from whence.logic.c.encode import encode
from whence.logic.c.evaluate import evaluate
from whence.program.operations import COp
from whence.trace.flow import Constant, Flow, FlowNode, Operand, StoredBits

LIMIT = 200_000  # the solver's own measure, some tenths of a second

Goal = tuple[int, Any]  # a step and what it came to


@dataclass(frozen=True)
class Premise:
    """A condition that was passed."""

    branch: int
    steps: tuple[int, ...]


@dataclass
class CFormula:
    """The variables and definitions of one question; its values are bits."""

    unknown: ClassVar[Any] = None  # a value that is not known

    flow: Flow
    goals: Sequence[Goal]
    premises: Sequence[Premise]

    def __post_init__(self) -> None:
        self._variables: dict[Operand, Any] = {}
        self._said: dict[tuple[str, int], tuple[z3.BoolRef, list[z3.BoolRef]]] = {}
        # A context of its own: what was asked before must not change the answer.
        self._context = z3.Context()
        self._solver = self._fresh_solver()

    def _fresh_solver(self) -> z3.Solver:
        solver = z3.Solver(ctx=self._context)
        solver.set("rlimit", LIMIT)
        solver.add(self.negated.translate(self._context))
        return solver

    def check(self, behind: Sequence[int], premises: Sequence[Premise]) -> z3.CheckSatResult:
        """Can the predicate come out otherwise, given what these steps and conditions say?"""
        parts = [self._switched("step", step, self._definition) for step in behind]
        for one in premises:
            parts += [self._switched("step", step, self._definition) for step in one.steps]
            parts.append(self._switched("branch", one.branch, lambda at: [self.outcome(at)]))
        found = self._solver.check([switch for switch, _ in parts])
        if found != z3.unknown:
            return found
        # With everything said outright it can simplify more, at the price of starting anew.
        solver = self._fresh_solver()
        solver.add(*(one for _, said in parts for one in said))
        return solver.check()

    def interrupt(self) -> None:
        """End a check that is under way in another thread: it answers unknown."""
        self._context.interrupt()

    def _switched(
        self, kind: str, step: int, say: Callable[[int], list[z3.BoolRef]]
    ) -> tuple[z3.BoolRef, list[z3.BoolRef]]:
        """What is said of a step, and what switches it on."""
        found = self._said.get((kind, step))
        if found is None:
            switch = z3.Bool(f"{kind}{step}", self._context)
            said = [one.translate(self._context) for one in say(step)]
            self._solver.add(*(z3.Implies(switch, one) for one in said))
            found = self._said[kind, step] = switch, said
        return found

    @cached_property
    def negated(self) -> z3.BoolRef:
        return z3.Or([self.term(step) != value for step, value in self.goals])

    def outcome(self, branch: int) -> z3.BoolRef:
        return self.term(branch) == self.flow.value(branch)

    def term(self, operand: Operand) -> Any:
        if isinstance(operand, Constant) and operand.value is not None:
            return z3.BitVecVal(operand.value, operand.width)
        if isinstance(operand, StoredBits):
            whole = self.term(operand.step)
            if operand.low + operand.width <= whole.size():
                return z3.Extract(operand.low + operand.width - 1, operand.low, whole)
        found = self._variables.get(operand)
        if found is None:
            name = f"v{len(self._variables)}"
            found = self._variables[operand] = z3.BitVec(name, self._width(operand))
        return found

    def _width(self, operand: Operand) -> int:
        return max(self.flow.width_of(operand), 1)

    def _definition(self, step: int) -> list[z3.BoolRef]:
        """What is known of the value of a step, given those of its operands."""
        return self._defined(step, self.flow.node(step))

    def _defined(self, step: int, node: FlowNode) -> list[z3.BoolRef]:
        operation, result = node.operation, self.term(step)
        terms = [self.term(operand) for operand in node.operands]
        if operation.op is COp.OPAQUE:
            return self._fact(step, node, terms)
        if not operation.width or any(
            term.size() != width for term, width in zip(terms, operation.widths, strict=True)
        ):
            return []
        if operation.op is COp.SWITCH:  # its recorded value is that of its operand
            return [result == terms[0]] if result.size() == terms[0].size() else []
        if operation.op is COp.COPY and operation.widths != (operation.width,):
            return []
        if operation.op is COp.CONCAT and sum(operation.widths) != operation.width:
            return []  # of a struct with gaps
        said = encode(operation, terms, result)
        if said is None:
            return []
        if node.chosen_by is not None:  # another way there would have brought another value
            return [z3.Implies(self.outcome(node.chosen_by), said)]
        return [said]

    def _fact(self, step: int, node: FlowNode, terms: Sequence[z3.BitVecRef]) -> list[z3.BoolRef]:
        """Of what we do not know inside: given the same, it would have come to the same."""
        values = [self.flow.value_of(operand) for operand in node.operands]
        if not node.operation.width or node.operation.width > 64 or None in values:
            return []
        given = [
            term == z3.BitVecVal(value, term.size())
            for term, value in zip(terms, values, strict=True)
            if value is not None
        ]
        is_same = self.term(step) == z3.BitVecVal(self.flow.value(step), self.term(step).size())
        return [z3.Implies(z3.And(given), is_same)]

    # --- a quick look ----------------------------------------------------------------------------

    def has_witness(self, behind: Sequence[int], premises: Sequence[Premise]) -> bool:
        """Is there an easy way for the predicate to come out otherwise?

        One value from before the cut is changed at a time, to what is likely to matter.  That
        settles most questions at a hundredth of what the solver takes.
        """
        steps = sorted({*behind, *(step for one in premises for step in one.steps)})
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
            for operand in list(free)[:4]
            for value in self._tries(operand, constants)
        )

    def _tries(self, operand: Operand, constants: Sequence[Any]) -> Sequence[Any]:
        found = self.flow.value_of(operand)
        return _tries(0 if found is None else found, {*constants}, self._width(operand))

    def _is(self, found: Any, expected: Any) -> bool:
        return bool(found == expected)

    def _differs(
        self, steps: Sequence[int], premises: Sequence[Premise], changed: Operand, value: Any
    ) -> bool:
        """Does the predicate come out otherwise, and the premises as before, if one value does?"""
        other: dict[Operand, Any] = {changed: value}  # what is not as it was

        def of(operand: Operand) -> Any:
            if operand in other:
                return other[operand]
            if isinstance(operand, StoredBits) and operand.step in other:
                whole = other[operand.step]
                return None if whole is None else whole >> operand.low & (1 << operand.width) - 1
            return self.flow.value_of(operand)

        for step in steps:
            node = self.flow.node(step)
            touched = any(
                operand in other or (isinstance(operand, StoredBits) and operand.step in other)
                for operand in node.operands
            )
            if not touched and (node.chosen_by is None or node.chosen_by not in other):
                continue
            found = self._applied(node, [of(operand) for operand in node.operands])
            if node.chosen_by in other:
                found = self.unknown  # another way there would have brought another value
            if found is self.unknown or not self._is(found, self.flow.value(step)):
                other[step] = found
        if any(one.branch in other for one in premises):
            return False
        outcomes = [(other[step], expected) for step, expected in self.goals if step in other]
        return any(
            found is not self.unknown and not self._is(found, expected)
            for found, expected in outcomes
        )

    def _applied(self, node: FlowNode, values: Sequence[Any]) -> Any:
        given = [value for value in values if value is not None]
        if len(given) < len(values) or not values:
            return None
        if node.operation.op in (COp.COPY, COp.SWITCH):
            return given[0] & (1 << max(node.operation.width, 1)) - 1
        return evaluate(node.operation, given)


def _tries(recorded: int, constants: set[int], width: int) -> list[int]:
    """Values that make a comparison come out otherwise, if any simple one does."""
    full = (1 << width) - 1
    near = [recorded + 1, recorded - 1, 0, 1, full, full >> 1, (full >> 1) + 1]
    for constant in sorted(constants)[:4]:
        near += [constant, constant + 1, constant - 1]
    return [value for value in dict.fromkeys(one & full for one in near) if value != recorded]
