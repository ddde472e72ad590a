"""Is a question that contains known contradictions not asked again?"""

from __future__ import annotations

import z3

from whence.augment.questions import InputQuestion, QuestionAsker
from whence.inputs import argument
from whence.paths.solver import Solver, Verdict
from whence.paths.terms import Fact, NumberText, Unknowns


def numbers(count: int) -> tuple[Unknowns, list[Fact]]:
    """Return the unknowns of a run with so many numbers as arguments, and the numbers."""
    unknowns = Unknowns(lambda _: ord("1"))
    found = [
        unknowns.number(NumberText(argument(at + 1), 0, 1), 64, 1) for at in range(count)
    ]  # fmt: skip
    return unknowns, [Fact(one.term, one.unknowns) for one in found]


def relation(formula: z3.BoolRef, *of: Fact) -> Fact:
    members = 0
    for one in of:
        members |= one.unknowns
    return Fact(formula, members)


def test_branches_that_are_correlated_through_others_are_recognised() -> None:
    """x is y, and y is z: then no input turns a test of z the other way than one of x."""
    asker = QuestionAsker(Solver())
    for aside in (0, 1):  # a second run, with one condition more
        unknowns, (x, y, z, w) = numbers(4)
        contents = {argument(at): b"1" for at in (1, 2, 3, 4)}
        kept = [
            *[relation(w.formula == 1, w)] * aside,
            relation(x.formula == y.formula, x, y),
            relation(y.formula == z.formula, y, z),
            relation(x.formula < 5, x),
        ]
        wanted = relation(z.formula >= 5, z)
        answer = asker.ask(InputQuestion(unknowns, kept, wanted, contents))
        assert answer.verdict is Verdict.INFEASIBLE
        assert answer.core == tuple(aside + at for at in range(3))
        assert asker.skipped == aside
    assert asker.solver.calls > 0


def test_a_question_without_one_of_the_contradicting_conditions_is_asked() -> None:
    asker = QuestionAsker(Solver())
    unknowns, (x, y) = numbers(2)
    contents = {argument(1): b"1", argument(2): b"1"}
    kept = [relation(x.formula == y.formula, x, y), relation(x.formula < 5, x)]
    question = InputQuestion(unknowns, kept, relation(y.formula >= 5, y), contents)
    answer = asker.ask(question)
    assert answer.core == (0, 1)
    answer = asker.ask(question.without([1]))
    assert answer.verdict is Verdict.FEASIBLE
    assert answer.contents is not None
    assert int(answer.contents[argument(2)]) >= 5
