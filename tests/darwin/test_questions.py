"""Do the steps that simplify a question keep its meaning?"""

from __future__ import annotations

from itertools import product

import z3
from hypothesis import given
from hypothesis import strategies as st

from whence.darwin.joint import Joint
from whence.darwin.questions import QuestionCounts, QuestionPart, Questions, narrowed
from whence.inputs import InputByte, argument
from whence.paths.solver import Solver
from whence.paths.terms import Fact, Pinned, Unknowns
from whence.program.ids import Step

SOURCE = argument(1)
RECORDED = b"abcd"


def unknowns_of(*offsets: int) -> Unknowns:
    """Return the unknowns of a run that reads some bytes of the argument, in this order."""
    found = Unknowns(lambda byte: RECORDED[byte.offset])
    for offset in offsets:
        found.byte(InputByte(SOURCE, offset))
    return found


def compared_byte(unknowns: Unknowns, offset: int, least: int) -> Fact:
    """Return the fact that a byte is on the side of `least` on which it was recorded."""
    term = unknowns.byte(InputByte(SOURCE, offset))
    is_above = RECORDED[offset] >= least
    formula = z3.UGE(term.term, least) if is_above else z3.ULT(term.term, least)
    return Fact(formula, term.unknowns)


def test_a_byte_is_one_unknown_of_both_runs_whatever_its_number() -> None:
    first, second = unknowns_of(0, 1), unknowns_of(1, 0)
    joint = Joint([first, second])
    assert len(joint.unknowns.all) == 2
    facts = [joint.fact(run, compared_byte(of, 1, 50)) for run, of in ((0, first), (1, second))]
    assert facts[0].formula.eq(facts[1].formula)
    assert facts[0].unknowns == facts[1].unknowns


def test_what_code_without_a_formula_made_belongs_to_one_run() -> None:
    runs = [unknowns_of(), unknowns_of()]
    for own in runs:
        own.pinned(Pinned(Step(7), "qsort"), z3.BitVecSort(8), 3)
    assert len(Joint(runs).unknowns.all) == 2


conditions = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 255)), min_size=1, max_size=6)


@given(kept=conditions, own=conditions)
def test_an_answer_keeps_one_run_and_leaves_the_other_at_the_condition(
    kept: list[tuple[int, int]], own: list[tuple[int, int]]
) -> None:
    """Brute force over the one byte that can leave says the same as the steps together."""
    first, second = unknowns_of(0, 1, 2, 3), unknowns_of(3, 2, 1, 0)
    joint = Joint([first, second])
    kept_facts = [joint.fact(0, compared_byte(first, *one)) for one in kept]
    own_facts = [joint.fact(1, compared_byte(second, *one)) for one in own]
    counts = QuestionCounts()
    contents = {SOURCE: RECORDED}
    questions = Questions(joint, kept_facts, own_facts, contents, Solver(), counts)
    for number in range(len(own)):
        answer = questions.ask(number)
        assert (answer.contents is not None) == _exists(kept, own, number)
        if answer.contents is not None:
            text = answer.contents[SOURCE]
            assert all(_holds(text, *one) for one in [*kept, *own[:number]])
            assert not _holds(text, *own[number])
            smaller = questions.smaller(number, answer).contents
            assert smaller is not None
            changed = sum(a != b for a, b in zip(smaller[SOURCE], RECORDED, strict=True))
            assert changed == 1
    assert sum(counts.ended.values()) == len(own)


SMALL = bytes([1, 2, 0])
sums = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 7)), min_size=1, max_size=5
)


def _compared_sum(unknowns: Unknowns, one: int, other: int, least: int) -> Fact:
    """Return the fact that a sum is on the side of `least` on which it was recorded."""
    terms = [unknowns.byte(InputByte(SOURCE, offset)) for offset in (one, other)]
    total = terms[0].term + terms[1].term
    is_above = SMALL[one] + SMALL[other] >= least
    formula = z3.UGE(total, least) if is_above else z3.ULT(total, least)
    return Fact(formula, terms[0].unknowns | terms[1].unknowns)


@given(kept=sums, own=sums)
def test_an_answer_about_several_bytes_is_that_of_trying_all_texts(
    kept: list[tuple[int, int, int]], own: list[tuple[int, int, int]]
) -> None:
    """The solver that keeps the conditions between the questions says no where there is no text."""
    runs = [Unknowns(lambda byte: SMALL[byte.offset]) for _ in range(2)]
    for unknowns in runs:
        for offset in range(3):
            term = unknowns.byte(InputByte(SOURCE, offset))
            unknowns.add_fact(InputByte(SOURCE, offset), Fact(z3.ULT(term.term, 4), term.unknowns))
    joint = Joint(runs)
    kept_facts = [joint.fact(0, _compared_sum(runs[0], *one)) for one in kept]
    own_facts = [joint.fact(1, _compared_sum(runs[1], *one)) for one in own]
    contents = {SOURCE: SMALL}
    questions = Questions(joint, kept_facts, own_facts, contents, Solver(), QuestionCounts())

    def holds(text: bytes, one: int, other: int, least: int) -> bool:
        return (text[one] + text[other] >= least) == (SMALL[one] + SMALL[other] >= least)

    for number in range(len(own)):
        rest = [*kept, *own[:number]]
        answer = questions.ask(number)
        fitting = [
            text
            for text in map(bytes, product(range(4), repeat=3))
            if all(holds(text, *each) for each in rest) and not holds(text, *own[number])
        ]
        if answer.contents is None:
            assert not fitting
        else:
            assert answer.contents[SOURCE] in fitting


def _holds(text: bytes, offset: int, least: int) -> bool:
    return (text[offset] >= least) == (RECORDED[offset] >= least)


def _exists(kept: list[tuple[int, int]], own: list[tuple[int, int]], number: int) -> bool:
    offset = own[number][0]
    texts = (RECORDED[:offset] + bytes([value]) + RECORDED[offset + 1 :] for value in range(256))
    return any(
        all(_holds(text, *one) for one in [*kept, *own[:number]]) and not _holds(text, *own[number])
        for text in texts
    )


def test_an_equal_condition_needs_no_solver() -> None:
    own = unknowns_of(0)
    joint = Joint([own, own])
    fact = compared_byte(own, 0, 98)
    solver, counts = Solver(), QuestionCounts()
    facts = [joint.fact(0, fact)], [joint.fact(1, fact)]
    questions = Questions(joint, *facts, {SOURCE: RECORDED}, solver, counts)
    assert questions.ask(0).contents is None
    assert solver.calls == 0
    assert counts.ended[QuestionPart.EQUAL] == 1


def test_bytes_that_a_condition_does_not_read_are_constants() -> None:
    unknowns = unknowns_of(0, 1)
    terms = [unknowns.byte(InputByte(SOURCE, offset)) for offset in (0, 1)]
    both = Fact(z3.ULT(terms[0].term, terms[1].term), terms[0].unknowns | terms[1].unknowns)
    (found,) = narrowed(unknowns, [both], terms[0].unknowns)
    assert found.unknowns == terms[0].unknowns
    assert z3.simplify(found.formula == z3.ULT(terms[0].term, ord("b"))).eq(z3.BoolVal(True)) or (
        z3.Solver().check(found.formula != z3.ULT(terms[0].term, ord("b"))) == z3.unsat
    )
