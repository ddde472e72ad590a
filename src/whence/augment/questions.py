"""Which inputs answer a question, and which questions need not be asked?

A question without an answer has a core: conditions that contradict each other.  Each core is kept.
A later question that contains one has no answer either, through however many assignments its
branches are correlated (thesis, 4.3.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import z3

from whence.augment.wide_numbers import WideNumbers, spelling_bytes
from whence.paths.program import Contents
from whence.paths.solver import LIMIT, Solver, SolverAnswer, Verdict
from whence.paths.terms import Fact, NumberText, Pinned, Unknowns

_LARGE = 1 << 16  # numbers above this are tried last; guessed
_MAX_SINGLE = 8  # numbers of a question that are tried one by one; guessed
_MAX_UNKNOWN = 2  # attempts of one question without an answer; then it is given up; guessed
_MAX_CORE = 400  # conditions of a question whose core is looked for; guessed


@dataclass(frozen=True)
class InputQuestion:
    """Inputs are sought for which the facts `kept` hold, and `wanted` does too."""

    unknowns: Unknowns
    kept: Sequence[Fact]
    wanted: Fact
    contents: Contents  # of the run that the facts are from

    def without(self, numbers: Sequence[int]) -> InputQuestion:
        """Return the question without some of the kept facts and those that say the same."""
        given_up = {self.kept[number].formula.get_id() for number in numbers}
        kept = [fact for fact in self.kept if fact.formula.get_id() not in given_up]
        return replace(self, kept=kept)


@dataclass(frozen=True)
class QuestionAnswer:
    """The answer; `core` are the numbers of the kept facts that make it infeasible."""

    verdict: Verdict
    contents: Contents | None = None
    core: tuple[int, ...] = ()


class QuestionAsker:
    """Asks the solver, and remembers which conditions contradict each other."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.skipped = 0
        self._wide = WideNumbers()
        self._cores: list[frozenset[int]] = []  # of the numbers of formulas
        self._formulas: list[z3.ExprRef] = []  # kept alive: numbers are given again otherwise

    def ask(self, question: InputQuestion) -> QuestionAnswer:
        """Return inputs that answer a question."""
        unknowns, wanted = question.unknowns, question.wanted
        connected = set(map(id, unknowns.connected(wanted.unknowns, question.kept)))
        numbers = [at for at, fact in enumerate(question.kept) if id(fact) in connected]
        facts = [wanted, *(question.kept[at] for at in numbers)]
        known = self._known_core(self._keys(unknowns, facts))
        if known is not None:
            self.skipped += 1
            own = [at for at in numbers if self._key(unknowns, question.kept[at]) in known]
            return QuestionAnswer(Verdict.INFEASIBLE, None, tuple(own))
        answer = self._solve(question)
        if answer.verdict is not Verdict.INFEASIBLE or len(numbers) > _MAX_CORE:
            return QuestionAnswer(answer.verdict, answer.contents)
        core = self._core(question, numbers)
        self._cores.append(self._keys(unknowns, [wanted, *(facts[1 + at] for at in core)]))
        return QuestionAnswer(answer.verdict, None, tuple(numbers[at] for at in core))

    def _known_core(self, keys: frozenset[int]) -> frozenset[int] | None:
        return next((core for core in self._cores if core <= keys), None)

    def _keys(self, unknowns: Unknowns, facts: Sequence[Fact]) -> frozenset[int]:
        """Return the numbers of some facts and of what is known about their unknowns."""
        members = 0
        for fact in facts:
            members |= fact.unknowns
        _, given = unknowns.closed(members)
        return frozenset(self._key(unknowns, fact) for fact in (*facts, *given))

    def _solve(self, question: InputQuestion) -> SolverAnswer:
        """Ask with all inputs free, then with one number, with a few inputs, with small numbers.

        If there is no answer with all of them, there is none.  The others make a smaller edit of
        the test, and are easier.
        """
        unknowns, wanted = question.unknowns, question.wanted
        kept = self._wide.loosened(unknowns, question.kept, wanted)
        whole = self.solver.solve(unknowns, kept, wanted, question.contents, LIMIT // 8)
        if whole.verdict is Verdict.INFEASIBLE:
            return whole
        single = [_others_as_recorded(unknowns, one) for one in _numbers_of(question)]
        few = _others_as_recorded(unknowns, wanted.unknowns)
        unknown = int(whole.verdict is Verdict.UNKNOWN)
        for more in (*single, few, _small(unknowns)):
            limit = LIMIT // 16
            answer = self.solver.solve(unknowns, [*kept, *more], wanted, question.contents, limit)
            unknown += answer.verdict is Verdict.UNKNOWN
            if answer.verdict is Verdict.FEASIBLE or unknown > _MAX_UNKNOWN:
                return answer if answer.verdict is Verdict.FEASIBLE else whole
        return whole

    def _core(self, question: InputQuestion, numbers: Sequence[int]) -> list[int]:
        """Return which of the kept facts contradict what is wanted, by their place in `numbers`."""
        solver = z3.Solver()
        solver.set("rlimit", LIMIT // 8)
        marks = [z3.Bool(f"kept{at}") for at in range(len(numbers))]
        members = question.wanted.unknowns
        for mark, number in zip(marks, numbers, strict=True):
            solver.add(z3.Implies(mark, question.kept[number].formula))
            members |= question.kept[number].unknowns
        _, given = question.unknowns.closed(members)
        solver.add(question.wanted.formula, *(fact.formula for fact in given))
        if solver.check(*marks) != z3.unsat:
            return list(range(len(numbers)))
        core = {str(mark) for mark in solver.unsat_core()}
        return [at for at, mark in enumerate(marks) if str(mark) in core]

    def _key(self, unknowns: Unknowns, fact: Fact) -> int:
        """Return a number that equal facts of all runs share."""
        pairs = [
            (one.term, z3.Const(repr(one.what), one.term.sort()))
            for one in unknowns.members(fact.unknowns)
        ]
        formula = z3.substitute(fact.formula, *pairs)
        self._formulas.append(formula)
        return int(formula.get_id())


def _numbers_of(question: InputQuestion) -> list[int]:
    """Return the numbers that a question is about, each as a set of unknowns, if they are few."""
    unknowns, members = question.unknowns, question.wanted.unknowns
    found = [
        1 << at
        for at, one in enumerate(unknowns.all)
        if members >> at & 1 and isinstance(one.what, NumberText)
    ]
    is_more = members.bit_count() > 1
    return found if is_more and len(found) <= _MAX_SINGLE else []


def _others_as_recorded(unknowns: Unknowns, members: int) -> list[Fact]:
    """Return that all unknowns that are not among some are as recorded."""
    free, _ = unknowns.closed(members)
    free |= spelling_bytes(unknowns, free)
    return [
        Fact(one.term == one.recorded, 1 << number)
        for number, one in enumerate(unknowns.all)
        if not free >> number & 1 and not isinstance(one.what, Pinned)
    ]


def _small(unknowns: Unknowns) -> list[Fact]:
    """Return that numbers are not large."""
    return [
        Fact(z3.And(one.term >= -_LARGE, one.term <= _LARGE), 1 << number)
        for number, one in enumerate(unknowns.all)
        if isinstance(one.what, NumberText) and (z3.is_bv(one.term) or z3.is_int(one.term))
    ]
