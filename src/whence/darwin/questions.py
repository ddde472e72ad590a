"""Which input keeps all conditions of one run, and leaves the path of another run at one branch?

For condition i of the run to leave, the question is: kept run AND conditions 1..i-1 AND NOT
condition i.  The recorded inputs fulfil everything but the last part.  The whole question is asked
last (thesis, 5.2.2): most questions end before.

1. An equal condition is known to hold: there is no such input.
2. Without the kept run: if there is no input, there is none with it.
3. Only inputs that the condition reads are free, all others are as recorded.
4. The whole question.

The conditions before a branch become more from question to question.  A solver that keeps them is
asked first, since most questions have no answer; the small question of 3 makes readable inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import z3

from whence.darwin.joint import Joint
from whence.inputs import InputByte, InputSource
from whence.paths.explore import negated
from whence.paths.solver import LIMIT, Solver, SolverAnswer, Verdict
from whence.paths.terms import Fact, NumberText, Pinned, Unknowns, UnknownValue

SHORT_LIMIT = LIMIT // 10  # of a question without the kept run; guessed
_MAX_PINS = 12  # unknowns that are kept as they were if that is possible; guessed
_NEAR = (1, 10)  # how far a number may be from what it was; guessed


class QuestionPart(Enum):
    """The part of a question that was enough; a clause that fits after "it ended because"."""

    EQUAL = "an equal condition is known to hold"
    ALONE = "the conditions before it imply it"
    NARROW = "only the inputs that it reads were free"
    WHOLE = "the whole question was asked"


@dataclass
class QuestionCounts:
    """How many questions ended with each part, and how they were answered."""

    ended: dict[QuestionPart, int] = field(default_factory=lambda: dict.fromkeys(QuestionPart, 0))
    feasible: int = 0
    unknown: int = 0

    def add(self, part: QuestionPart, verdict: Verdict) -> None:
        self.ended[part] += 1
        self.feasible += verdict is Verdict.FEASIBLE
        self.unknown += verdict is Verdict.UNKNOWN


class Questions:
    """The questions about the conditions of one run, with the conditions of another run kept."""

    def __init__(
        self,
        joint: Joint,
        kept: Sequence[Fact],
        own: Sequence[Fact],
        contents: Mapping[InputSource, bytes],
        solver: Solver,
        counts: QuestionCounts,
    ) -> None:
        self._unknowns, self._contents, self._solver = joint.unknowns, contents, solver
        self._kept, self._own = distinct(kept), own
        self._known = {fact.formula.get_id() for fact in self._kept}
        self._alone_known: set[int] = set()
        self._before = 0  # the conditions before this one are known
        given = [fact for one in self._unknowns.all for fact in one.facts]
        self._alone = solver.growing(given)
        self._all = solver.growing([*given, *self._kept])
        self.counts = counts

    def ask(self, number: int) -> SolverAnswer:
        """Return inputs that break condition `number` of the run; ask in the order of numbers."""
        while self._before < number:
            self._go_behind(self._own[self._before])
            self._before += 1
        part, answer = self._asked(number, self._own[number])
        self.counts.add(part, answer.verdict)
        return answer

    def _go_behind(self, fact: Fact) -> None:
        """Note a condition of the run as one before those that are asked about next."""
        if fact.formula.get_id() not in self._alone_known:
            self._alone_known.add(fact.formula.get_id())
            self._alone.add(fact)
        if fact.formula.get_id() not in self._known:
            self._known.add(fact.formula.get_id())
            self._all.add(fact)

    def _asked(self, number: int, fact: Fact) -> tuple[QuestionPart, SolverAnswer]:
        if fact.formula.get_id() in self._known:
            return QuestionPart.EQUAL, SolverAnswer(Verdict.INFEASIBLE)
        before, broken = distinct(self._own[:number]), negated(fact)
        if self._is_excluded_alone(before, broken):
            return QuestionPart.ALONE, SolverAnswer(Verdict.INFEASIBLE)
        if self._all.excludes(broken):
            return QuestionPart.WHOLE, SolverAnswer(Verdict.INFEASIBLE)
        everything = distinct([*self._kept, *before])
        free, _ = self._unknowns.closed(broken.unknowns)
        narrow = self._solve(narrowed(self._unknowns, everything, free), broken)
        if narrow.verdict is Verdict.FEASIBLE:
            return QuestionPart.NARROW, narrow
        return QuestionPart.WHOLE, self._solve(everything, broken)

    def _is_excluded_alone(self, before: list[Fact], broken: Fact) -> bool:
        """Do the conditions before one imply it, without the kept run?"""
        tried = self._solver.by_trying(self._unknowns, before, broken, self._contents)
        if tried is not None:
            return tried.verdict is Verdict.INFEASIBLE
        known = self._alone.excludes(broken)
        if known is not None:
            return known
        alone = self._solver.solve(
            self._unknowns, before, broken, self._contents, SHORT_LIMIT, is_readable=False
        )
        return alone.verdict is Verdict.INFEASIBLE

    def smaller(self, number: int, answer: SolverAnswer) -> SolverAnswer:
        """Return inputs that break the same condition with a smaller edit of the recorded ones.

        Only unknowns that the answer edits stay free; of these, one after another gets its recorded
        value, as far as that is possible.  Numbers that must differ are kept near to what they
        were.
        """
        broken = negated(self._own[number])
        facts = distinct([*self._kept, *self._own[:number]])
        free = self._edited(answer)
        for without in [0, *(1 << at for at in _places(free)[:_MAX_PINS])]:
            found = self._within(facts, broken, free & ~without)
            if found.verdict is Verdict.FEASIBLE:
                answer, free = found, self._edited(found) & free & ~without
        for at in _places(free):
            for formula in _nearer(self._unknowns.all[at]):
                fact = Fact(formula, 1 << at)
                found = self._within([*facts, fact], broken, free)
                if found.verdict is Verdict.FEASIBLE:
                    facts.append(fact)
                    answer = found
                    break
        return answer

    def _within(self, facts: Sequence[Fact], broken: Fact, free: int) -> SolverAnswer:
        """Ask with all unknowns but some as recorded."""
        if not broken.unknowns & free:
            return SolverAnswer(Verdict.INFEASIBLE)
        closed, _ = self._unknowns.closed(broken.unknowns | free)
        as_recorded = [
            Fact(self._unknowns.all[at].term == _value(self._unknowns.all[at]), 1 << at)
            for at in _places(closed & ~free)
        ]
        return self._solve([*narrowed(self._unknowns, facts, closed), *as_recorded], broken)

    def _edited(self, answer: SolverAnswer) -> int:
        """Return the unknowns that differ in an answer; where lengths differ, some more."""
        assert answer.contents is not None
        found = 0
        for at, one in enumerate(self._unknowns.all):
            if isinstance(one.what, Pinned):
                continue
            source = one.what.source
            old, new = self._contents[source], answer.contents[source]
            if isinstance(one.what, InputByte):
                part = slice(one.what.offset, one.what.offset + 1)
            else:
                part = slice(one.what.start, one.what.stop)
            if old != new and (len(old) != len(new) or old[part] != new[part]):
                found |= 1 << at
        return found

    def _solve(self, kept: Sequence[Fact], broken: Fact) -> SolverAnswer:
        return self._solver.solve(self._unknowns, kept, broken, self._contents)


def narrowed(unknowns: Unknowns, facts: Iterable[Fact], free: int) -> list[Fact]:
    """Return facts with the recorded value in place of each unknown that is not free."""
    found: list[Fact] = []
    for fact in facts:
        if not fact.unknowns & free:
            continue  # it holds for the recorded values
        pairs = [(one.term, _value(one)) for one in unknowns.members(fact.unknowns & ~free)]
        formula = z3.simplify(z3.substitute(fact.formula, *pairs)) if pairs else fact.formula
        if not z3.is_true(formula):
            found.append(Fact(formula, fact.unknowns & free))
    return found


def distinct(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts, each formula once."""
    return list({fact.formula.get_id(): fact for fact in facts}.values())


def _places(unknowns: int) -> list[int]:
    """Return the numbers of the members of a set."""
    return [at for at in range(unknowns.bit_length()) if unknowns >> at & 1]


def _nearer(one: UnknownValue) -> list[z3.BoolRef]:
    """Return what keeps a number near to its recorded value."""
    if not isinstance(one.what, NumberText):
        return []
    value = _value(one)
    return [z3.And(one.term >= value - by, one.term <= value + by) for by in _NEAR]


def _value(one: UnknownValue) -> z3.ExprRef:
    """Return the recorded value of an unknown as a term."""
    if isinstance(one.recorded, z3.ExprRef):
        return one.recorded
    if z3.is_fp(one.term):
        return z3.FPVal(one.recorded, one.term.sort())
    if z3.is_bv(one.term):
        return z3.BitVecVal(one.recorded, one.term.size())
    if z3.is_int(one.term):
        return z3.IntVal(one.recorded)
    if z3.is_bool(one.term):
        return z3.BoolVal(one.recorded)
    return z3.RealVal(one.recorded) if z3.is_real(one.term) else z3.StringVal(one.recorded)
