"""How far back must one go until a predicate could not have come out otherwise?

The weakest precondition of the negated predicate is taken backwards along its proof: what the
steps behind the cut computed is substituted, what they read from before it is free, and the
conditions that were passed since, as far as they speak of the same values, are assumed to have
come out as they did.  Once it is unsatisfiable it stays so, so the cut is found by galloping.
The minimal core over those conditions is the cause; what lies before the cut is the conditions'
own question.

Every variable of the formula is the value of one step, so each definition is added once, to be
switched on where the cut is before it, and the solver keeps what it learned.  The limit of a check
counts the solver's own steps, not seconds: the same run gives the same answer on a loaded machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import z3

from whence.frontend.meaning import Op
from whence.semantics.encode import encode
from whence.semantics.evaluate import evaluate
from whence.trace.flow import Constant, Flow, Node, Operand, Piece

LIMIT = 200_000  # the solver's own measure, some tenths of a second
FIRST, MOST = 3, 48  # steps behind the cut at first, and when we give up
MOST_PREMISES = 12
NEAREST = 48  # conditions that are looked at
_FARTHEST = 40  # steps of one condition

Goal = tuple[int, int]  # a step and what it came to


@dataclass(frozen=True)
class Core:
    """What makes the negated predicate impossible."""

    steps: frozenset[int]  # that transformed it, and the premises
    premises: tuple[int, ...]  # branches


@dataclass
class Cost:
    calls: int = 0
    gave_up: int = 0
    seconds: float = 0.0


@dataclass
class Preconditions:
    """Finds cores in one run."""

    flow: Flow
    cost: Cost = field(default_factory=Cost)

    def core(self, goals: Sequence[Goal], steps: Iterable[int]) -> Core | None:
        """The core of why the goals, all of them, came out as they did.

        `steps` is a proof of it.  None if nothing less than that proof forces it, as far as we
        can tell.
        """
        order = sorted(steps, reverse=True)
        if len(order) <= 2:
            return None
        formula = _Formula(self.flow, goals, self._premises(goals, order))
        satisfied = 0
        count = FIRST
        while count < len(order) and count <= MOST:
            if self._is_impossible(formula, order, count):
                return self._narrowed(formula, order, satisfied, count)
            satisfied = count
            count *= 2
        return None

    def _narrowed(self, formula: _Formula, order: Sequence[int], low: int, high: int) -> Core:
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

    def _is_impossible(self, formula: _Formula, order: Sequence[int], count: int) -> bool:
        behind = order[:count]
        premises = [one for one in formula.premises if one.branch >= behind[-1]]
        if formula.has_witness(behind, premises):
            return False
        return bool(self._check(formula, behind, premises) == z3.unsat)

    def _check(
        self, formula: _Formula, behind: Sequence[int], premises: Sequence[_Premise]
    ) -> z3.CheckSatResult:
        self.cost.calls += 1
        began = time.monotonic()
        found = formula.check(behind, premises)
        self.cost.seconds += time.monotonic() - began
        if found == z3.unknown:
            self.cost.gave_up += 1
        return found

    def _premises(self, goals: Sequence[Goal], order: Sequence[int]) -> list[_Premise]:
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
                found.append(_Premise(branch, tuple(steps)))
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


@dataclass(frozen=True)
class _Premise:
    branch: int
    steps: tuple[int, ...]


@dataclass
class _Formula:
    """The variables and definitions of one question."""

    flow: Flow
    goals: Sequence[Goal]
    premises: Sequence[_Premise]

    def __post_init__(self) -> None:
        self._variables: dict[Operand, z3.BitVecRef] = {}
        self._said: dict[tuple[str, int], tuple[z3.BoolRef, list[z3.BoolRef]]] = {}
        # A context of its own: what was asked before must not change the answer.
        self._context = z3.Context()
        self._solver = self._fresh_solver()

    def _fresh_solver(self) -> z3.Solver:
        solver = z3.Solver(ctx=self._context)
        solver.set("rlimit", LIMIT)
        solver.add(self.negated.translate(self._context))
        return solver

    def check(self, behind: Sequence[int], premises: Sequence[_Premise]) -> z3.CheckSatResult:
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

    def term(self, operand: Operand) -> z3.BitVecRef:
        if isinstance(operand, Constant) and operand.value is not None:
            return z3.BitVecVal(operand.value, operand.width)
        if isinstance(operand, Piece):
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

    def _defined(self, step: int, node: Node) -> list[z3.BoolRef]:
        operation, result = node.operation, self.term(step)
        terms = [self.term(operand) for operand in node.operands]
        if operation.op is Op.OPAQUE:
            return self._fact(step, node, terms)
        if not operation.width or any(
            term.size() != width for term, width in zip(terms, operation.widths, strict=True)
        ):
            return []
        if operation.op is Op.SWITCH:  # its recorded value is that of its operand
            return [result == terms[0]] if result.size() == terms[0].size() else []
        if operation.op is Op.COPY and operation.widths != (operation.width,):
            return []
        if operation.op is Op.CONCAT and sum(operation.widths) != operation.width:
            return []  # of a struct with gaps
        said = encode(operation, terms, result)
        if said is None:
            return []
        if node.chosen_by is not None:  # another way there would have brought another value
            return [z3.Implies(self.outcome(node.chosen_by), said)]
        return [said]

    def _fact(self, step: int, node: Node, terms: Sequence[z3.BitVecRef]) -> list[z3.BoolRef]:
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

    def has_witness(self, behind: Sequence[int], premises: Sequence[_Premise]) -> bool:
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
            and not (isinstance(operand, Piece) and operand.step in inside)
        )
        constants = {
            operand.value
            for step in steps
            for operand in self.flow.node(step).operands
            if isinstance(operand, Constant) and operand.value is not None
        }
        return any(
            self._differs(steps, premises, operand, value)
            for operand in list(free)[:4]
            for value in _tries(self._recorded(operand), constants, self._width(operand))
        )

    def _recorded(self, operand: Operand) -> int:
        found = self.flow.value_of(operand)
        return 0 if found is None else found

    def _differs(
        self, steps: Sequence[int], premises: Sequence[_Premise], changed: Operand, value: int
    ) -> bool:
        """Does the predicate come out otherwise, and the premises as before, if one value does?"""
        other: dict[Operand, int | None] = {changed: value}  # what is not as it was

        def of(operand: Operand) -> int | None:
            if operand in other:
                return other[operand]
            if isinstance(operand, Piece) and operand.step in other:
                whole = other[operand.step]
                return None if whole is None else whole >> operand.low & (1 << operand.width) - 1
            return self.flow.value_of(operand)

        for step in steps:
            node = self.flow.node(step)
            touched = any(
                operand in other or (isinstance(operand, Piece) and operand.step in other)
                for operand in node.operands
            )
            if not touched and (node.chosen_by is None or node.chosen_by not in other):
                continue
            found = self._applied(node, [of(operand) for operand in node.operands])
            if node.chosen_by in other:
                found = None  # another way there would have brought another value
            if found is None or found != self.flow.value(step):
                other[step] = found
        if any(one.branch in other for one in premises):
            return False
        outcomes = [(other[step], expected) for step, expected in self.goals if step in other]
        return any(found is not None and found != expected for found, expected in outcomes)

    def _applied(self, node: Node, values: Sequence[int | None]) -> int | None:
        given = [value for value in values if value is not None]
        if len(given) < len(values) or not values:
            return None
        if node.operation.op in (Op.COPY, Op.SWITCH):
            return given[0] & (1 << max(node.operation.width, 1)) - 1
        return evaluate(node.operation, given)


def _tries(recorded: int, constants: set[int], width: int) -> list[int]:
    """Values that make a comparison come out otherwise, if any simple one does."""
    full = (1 << width) - 1
    near = [recorded + 1, recorded - 1, 0, 1, full, full >> 1, (full >> 1) + 1]
    for constant in sorted(constants)[:4]:
        near += [constant, constant + 1, constant - 1]
    return [value for value in dict.fromkeys(one & full for one in near) if value != recorded]
