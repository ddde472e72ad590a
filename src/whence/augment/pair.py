"""How do two versions differ with the same input, and what would make them differ more?

Both runs are recorded and aligned by execution index.  Their conditions and values are formulas
over the same inputs, so the change effect is where these formulas differ.  A question keeps what
the pair has achieved (the change was reached, a value differs, a branch goes another way) and
carries the effect on: to another value that is printed, or past a branch that goes the same way in
both versions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import z3

from whence.augment.deciders import deciding_steps
from whence.augment.questions import InputQuestion
from whence.augment.seen_runs import SeenRun
from whence.causes.comparison import Comparison
from whence.causes.printed_bytes import byte_sources, call_arguments
from whence.darwin.joint import Joint
from whence.paths.conditions import ConditionKind
from whence.paths.explore import negated
from whence.paths.terms import Fact
from whence.program.ids import Op, Step
from whence.trace.alignment import Alignment
from whence.trace.flow import Constant, Flow, Operand, StoredBits
from whence.trace.recording import Comparable

_MAX_PRINTED = 200  # printed values that are compared; guessed
_MAX_EXECUTIONS = 8  # executions of a changed operation that are compared; guessed
_MAX_TURNED = 4  # executions of a branch in changed code that are turned; guessed
BAD, GOOD = 0, 1  # the runs of a pair


class Aim(IntEnum):
    """What a question wants to carry a change effect to; the most promising first."""

    OUTPUT = 0  # printed values, or the exit status, are to differ
    BRANCH = 1  # a branch is to go another way than in the other version
    INFECT = 2  # a changed operation is to compute another value
    TURN = 3  # a branch of changed code is to go the other way
    FLIP = 4  # a branch after the change is to go the other way


@dataclass(frozen=True)
class PairQuestion:
    """A question about a pair of runs, and the place that it is about."""

    aim: Aim
    question: InputQuestion
    step: Step  # of the bad run, or of the good one
    of: int  # BAD or GOOD
    op: Op


class RunPair:
    """The runs of both versions with one input."""

    def __init__(self, bad: SeenRun, good: SeenRun) -> None:
        self.bad, self.good = bad, good
        self.runs = (bad, good)
        self.contents = bad.contents

    @cached_property
    def joint(self) -> Joint:
        return Joint([self.bad.run.unknowns, self.good.run.unknowns])

    @cached_property
    def comparison(self) -> Comparison:
        return Comparison(Alignment(self.bad.flow, self.good.flow))

    @cached_property
    def facts(self) -> tuple[list[Fact], list[Fact]]:
        """The conditions of both runs, over the same unknowns."""
        bad, good = (
            [self.joint.fact(of, one.fact) for one in run.conditions]
            for of, run in enumerate(self.runs)
        )
        return bad, good

    def counterpart(self, of: int, step: Step) -> Step | None:
        """Return the step of the other run that corresponds to a step of one run."""
        alignment = self.comparison.alignment
        return (
            alignment.passing_counterpart(step)
            if of == BAD
            else alignment.failing_counterpart(step)
        )

    # --- what differs ----------------------------------------------------------------------------

    @cached_property
    def divergence(self) -> int | None:
        """The number of the first condition of the bad run that only it has, or that differs.

        Branches that only the bad version has do not count.
        """
        pairing, flow = self.comparison.alignment.pairing, self.bad.flow
        for number, condition in enumerate(self.bad.conditions):
            is_paired = pairing.good_op(flow.op_of(condition.step)) is not None
            is_branch = is_paired and flow.is_branch(condition.step)
            if is_branch and self.comparison.side_differs(condition.step):
                return number
        return None

    @cached_property
    def is_infected(self) -> bool:
        """Does a changed operation compute another value, or a branch go another way?"""
        return self.divergence is not None or any(
            self.counterpart(BAD, step) is not None and self._differ_now(step)
            for step in self.bad.changed_steps(_MAX_EXECUTIONS)
        )

    @cached_property
    def guard(self) -> list[Fact]:
        """What keeps the runs apart once they go different ways."""
        if self.divergence is None:
            return []
        bad, good = self.facts
        step = self.bad.conditions[self.divergence].step
        other = self.counterpart(BAD, step)
        kept = self._until(GOOD, other) if other is not None else len(good)
        return [*bad[: self.divergence + 1], *good[:kept]]

    @cached_property
    def differing(self) -> tuple[list[int], list[int]]:
        """The numbers of the conditions of each run that the other run does not have as well.

        Which element of a table is accessed is the same condition wherever the table lies, and
        that it is inside the table is no way that a run goes.
        """
        plain = [[z3.simplify(fact.formula) for fact in facts] for facts in self.facts]
        numbers = [[formula.get_id() for formula in formulas] for formulas in plain]
        known = [set(numbers[GOOD]), set(numbers[BAD])]
        found = [
            [
                at for at, (number, one) in enumerate(zip(own, run.conditions, strict=True))
                if number not in known[of] and one.kind is not ConditionKind.BOUNDS
            ]
            for of, (own, run) in enumerate(zip(numbers, self.runs, strict=True))
        ]  # fmt: skip
        return found[BAD], found[GOOD]

    # --- questions -------------------------------------------------------------------------------

    def questions(self) -> Iterator[PairQuestion]:
        """Yield what would carry the change effect on."""
        yield from self._output_questions()
        yield from self._branch_questions()
        yield from self._infect_questions()
        yield from self._own_branches()

    def _asked(
        self, aim: Aim, kept: Sequence[Fact], wanted: Fact, step: Step, of: int = BAD
    ) -> PairQuestion:
        question = InputQuestion(self.joint.unknowns, kept, wanted, self.contents)
        return PairQuestion(aim, question, step, of, self.runs[of].flow.op_of(step))

    def _output_questions(self) -> Iterator[PairQuestion]:
        """Both runs keep their ways, and a printed value differs (thesis, 6.4.3).

        Where it differs already and the output does not, both versions print the same text in two
        ways.  Zero and another sign are written in other ways than most numbers.
        """
        bad, good = self.facts
        for step in self.printed:
            wanted = self.differs(step)
            if wanted is None:
                continue
            kept = [*bad, *good]
            if not self._differ_now(step):
                yield self._asked(Aim.OUTPUT, kept, wanted, step)
                continue
            for other in self._other_signs(step):
                yield self._asked(Aim.OUTPUT, kept, other, step)

    def _branch_questions(self) -> Iterator[PairQuestion]:
        """One run keeps its way to a branch, the other one turns there (thesis, PropCjmp)."""
        for of, numbers in enumerate(self.differing):
            own, others = self.facts[of], self.facts[1 - of]
            for number in numbers:
                step = self.runs[of].conditions[number].step
                if self._is_after_divergence(of, step):
                    break
                other = self.counterpart(of, step)
                kept = others if other is None else others[: self._until(1 - of, other)]
                wanted = negated(own[number])
                yield self._asked(Aim.BRANCH, [*own[:number], *kept], wanted, step, of)

    def _is_after_divergence(self, of: int, step: Step) -> bool:
        """Does a step come after the runs went different ways?"""
        if self.divergence is None:
            return False
        parted: Step | None = self.bad.conditions[self.divergence].step
        if of == GOOD and parted is not None:
            parted = self.counterpart(BAD, parted)
        return parted is None or step >= parted

    def _until(self, of: int, step: Step) -> int:
        """Return the number of conditions up to a step, with those of the step."""
        return sum(one.step <= step for one in self.runs[of].conditions)

    def _infect_questions(self) -> Iterator[PairQuestion]:
        """The runs keep their ways to changed code, and it computes different values."""
        bad, good = self.facts
        for step in self.bad.changed_steps(_MAX_EXECUTIONS):
            other = self.counterpart(BAD, step)
            wanted = self.differs(step)
            if other is None or wanted is None or self._differ_now(step):
                continue
            kept = [*bad[: self.bad.before(step)], *good[: self.good.before(other)]]
            yield self._asked(Aim.INFECT, kept, wanted, step)

    def _own_branches(self) -> Iterator[PairQuestion]:
        """A branch of the changed code turns: one behind it may be what the change is about."""
        for of, run in enumerate(self.runs):
            facts, asked = self.facts[of], Counter[Op]()
            for number, condition in enumerate(run.conditions):
                op = run.flow.op_of(condition.step)
                asked[op] += op in run.targets
                if 0 < asked[op] <= _MAX_TURNED and op in run.targets:
                    wanted = negated(facts[number])
                    yield self._asked(Aim.TURN, facts[:number], wanted, condition.step, of)

    def flips(self) -> Iterator[tuple[int | None, PairQuestion]]:
        """Yield, for each condition after the change, the question that turns it.

        What the pair has achieved is kept.  The number says how directly the condition decides
        what is printed.
        """
        bad, _ = self.facts
        levels = deciding_steps(self.bad.flow, self.printed)
        start = self.bad.first if self.bad.first is not None else Step(0)
        for number, condition in enumerate(self.bad.conditions):
            is_before = self.divergence is not None and number <= self.divergence
            if condition.step >= start and not is_before:
                kept = [*self.guard, *bad[:number]]
                asked = self._asked(Aim.FLIP, kept, negated(bad[number]), condition.step)
                yield levels.get(condition.step), asked

    def changed_deciders(self) -> Iterator[tuple[int, PairQuestion]]:
        """Yield the questions that turn a branch which decides what changed code computes.

        The number says how directly.
        """
        for of, run in enumerate(self.runs):
            facts = self.facts[of]
            for turned in run.deciding(run.changed_steps(2)):
                wanted, step = negated(facts[turned.number]), run.conditions[turned.number].step
                kept = facts[: turned.number]
                yield turned.distance, self._asked(Aim.FLIP, kept, wanted, step, of)

    # --- values ----------------------------------------------------------------------------------

    def differs(self, step: Step) -> Fact | None:
        """Return that a step has another value than its counterpart; None: it cannot."""
        other = self.counterpart(BAD, step)
        if other is None:
            return None
        own, theirs = self._term(BAD, step), self._term(GOOD, other)
        if own is None or theirs is None or own.unknowns == theirs.unknowns == 0:
            return None
        return self.unequal(own, theirs)

    def _differ_now(self, step: Step) -> bool:
        """Does a step have another value than its counterpart in these runs?"""
        return not self.comparison.is_same(step)

    def _other_signs(self, step: Step) -> Iterator[Fact]:
        """Yield, for the signs that a printed number does not have, that it has that sign."""
        other = self.counterpart(BAD, step)
        assert other is not None, "only what both versions print is compared"
        for of, at in ((BAD, step), (GOOD, other)):
            term, known = self._term(of, at), self.runs[of].flow.value(at)
            if term is None or not term.unknowns or not isinstance(known, int):
                continue
            if not (z3.is_bv(term.formula) or z3.is_int(term.formula)):
                continue
            if z3.is_bv(term.formula):
                known = z3.BitVecVal(known, term.formula.size()).as_signed_long()
            for formula, is_now in (
                (term.formula == 0, known == 0),
                (term.formula < 0, known < 0),
                (term.formula > 0, known > 0),
            ):
                if not is_now:
                    yield Fact(formula, term.unknowns)

    def operand_term(self, of: int, operand: Operand) -> Fact | None:
        """Return the value of an operand; a plain number if no input counts, None: unknown."""
        if isinstance(operand, Constant):
            return Fact(operand.value, 0) if isinstance(operand.value, int) else None
        if isinstance(operand, StoredBits):
            whole = self._term(of, operand.step)
            if whole is None or not whole.unknowns:
                value = self.runs[of].flow.value_of(operand)
                return None if value is None else Fact(value, 0)
            high = operand.low + operand.width - 1
            return Fact(z3.Extract(high, operand.low, whole.formula), whole.unknowns)
        return self._term(of, operand) if isinstance(operand, int) else None

    def is_same_origin(self, own: Operand, theirs: Operand) -> bool:
        """Are two operands pointers or other values that were computed in the same way?"""
        if isinstance(own, int) and isinstance(theirs, int):
            return self.counterpart(BAD, own) == theirs and self.comparison.is_same(own)
        return type(own) is type(theirs) and not isinstance(own, Constant)

    @staticmethod
    def unequal(own: Fact, theirs: Fact) -> Fact | None:
        """Return that two values differ; None if they are the same formula."""
        return _unequal(own, theirs)

    def _term(self, of: int, step: Step) -> Fact | None:
        """Return the value of a step over the joint unknowns; a plain number if no input counts."""
        run = self.runs[of]
        found = run.run.path.terms.get(_behind_call(run.flow, step))
        if found is not None:
            return self.joint.fact(of, Fact(found.term, found.unknowns))
        is_plain = run.flow.compared_as(step) is Comparable.PLAIN
        value = run.flow.value(step) if is_plain else None
        return Fact(value, 0) if isinstance(value, int) else None

    @cached_property
    def printed(self) -> list[Step]:
        """Return the steps whose values the bad run printed or returned."""
        flow = self.bad.flow
        thread, found = flow.thread, dict[Step, None]()
        effects = thread.stream.effects
        for row in thread._outputs().tolist()[:_MAX_PRINTED]:
            operands: list[Operand] = list(byte_sources(flow, row, 0, int(effects[row]["len"])))
            operands += call_arguments(flow, Step(int(effects[row]["step"])))
            found.update(dict.fromkeys(one for one in operands if isinstance(one, int)))
        ending = thread.ending("exit")
        found.update(dict.fromkeys(ending.criteria if ending else ()))
        return list(found)[:_MAX_PRINTED]


def _behind_call(flow: Flow, step: Step) -> Step:
    """Return the step whose value a recorded function returned, if `step` called one."""
    while flow.is_call(step) and (returned := flow.returned(step)):
        operands = flow.node(returned).operands
        if len(operands) != 1 or not isinstance(operands[0], int):
            break
        step = operands[0]
    return step


def _unequal(own: Fact, theirs: Fact) -> Fact | None:
    """Return that two values differ; None if they are the same formula or cannot be compared."""
    a, b = own.formula, theirs.formula
    if z3.is_expr(a) and z3.is_expr(b) and (a.sort() != b.sort() or a.eq(b)):
        return None
    formula = z3.simplify(a != b)
    if z3.is_false(formula):
        return None
    return Fact(formula, own.unknowns | theirs.unknowns)
