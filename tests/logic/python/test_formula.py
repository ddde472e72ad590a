"""Which earlier conditions force a predicate of a Python run?"""

from __future__ import annotations

from typing import Any, cast

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.logic.python.recorded import BINARY, plain, recorded
from tests.logic.python.running import Run, constant
from whence.frontend.python.values import STOP, UNKNOWN, same
from whence.logic.python.formula import PythonFormula
from whence.logic.python.terms import equal, python_literal
from whence.logic.python.witness import candidate_values
from whence.program.ids import Step
from whence.program.operations import COp, PyOp
from whence.trace.flow import Flow


def test_a_product_with_zero_forces_all_that_follows() -> None:
    run = Run()
    x = run.load(run.input(7))
    nothing = run.do(PyOp.MUL, x, constant(0))
    total = run.do(PyOp.ADD, nothing, constant(1))
    is_large = run.do(PyOp.GT, total, constant(5))
    branch = run.do(PyOp.TRUTH, is_large)
    assert x not in run.proof(branch).steps  # the constant zero forces the product
    y = run.load(run.input(0))
    product = run.do(PyOp.MUL, x, y)
    assert run.proof(product).steps == {product, y, y - 1}


def test_an_earlier_condition_forces_a_later_one() -> None:
    """After `if x > 10`, the condition x > 5 must hold."""
    run = Run()
    x = run.variable(20)
    first = run.do(PyOp.TRUTH, run.do(PyOp.GT, run.load(x), constant(10)))
    second = run.do(PyOp.TRUTH, run.do(PyOp.GT, run.load(x), constant(5)))
    core = run.core(second)
    assert core is not None
    assert core.premises == (first,)
    assert x - 1 not in core.steps  # the definition of x does not matter


def test_an_earlier_condition_does_not_force_a_stronger_one() -> None:
    run = Run()
    x = run.variable(20)
    run.do(PyOp.TRUTH, run.do(PyOp.GT, run.load(x), constant(10)))
    second = run.do(PyOp.TRUTH, run.do(PyOp.GT, run.load(x), constant(15)))
    assert run.core(second) is None


@pytest.mark.parametrize("question", ["has an a", "is not empty", "is longer than 1"])
def test_a_text_that_starts_with_ab(question: str) -> None:
    run = Run()
    text = run.variable("abc")
    starts = run.do(PyOp.METHOD, run.load(text), constant("ab"), extra=("startswith",))
    first = run.do(PyOp.TRUTH, starts)
    if question == "has an a":
        asked = run.do(PyOp.IN, constant("a"), run.load(text))
    elif question == "is not empty":
        asked = run.do(PyOp.NE, run.load(text), constant(""))
    else:
        length = run.do(PyOp.BUILTIN, run.load(text), extra=("len",))
        asked = run.do(PyOp.GT, length, constant(1))
    core = run.core(run.do(PyOp.TRUTH, asked))
    assert core is not None
    assert core.premises == (first,)


def test_the_operand_of_an_or_counts_by_its_truth() -> None:
    run = Run()
    x = run.variable("name")
    first = run.do(PyOp.EITHER, run.load(x))
    same_question = run.do(PyOp.TRUTH, run.do(PyOp.NE, run.load(x), constant("")))
    core = run.core(same_question)
    assert core is not None
    assert core.premises == (first,)
    other = run.do(PyOp.TRUTH, run.do(PyOp.EQ, run.load(x), constant("name")))
    assert run.core(other) is None  # `or` assumes only the truth of the value, not the value


def test_a_loop_that_goes_on_says_nothing_about_the_item() -> None:
    run = Run()
    run.do(PyOp.NEXT, run.input(UNKNOWN), value="x")
    asked = run.do(PyOp.TRUTH, run.do(PyOp.EQ, run.load(Step(2)), constant("x")))
    assert run.core(asked) is None
    done = run.do(PyOp.NEXT, constant(1), value=STOP)
    formula = PythonFormula(cast("Flow", run))
    assert z3.is_true(formula.outcome(Step(2)))
    assert not z3.is_true(formula.outcome(done))


def test_a_test_for_a_missing_key_forces_the_key_error() -> None:
    run = Run()
    key, whole = run.variable("c"), constant({"a": 1, "b": 2})
    first = run.do(PyOp.TRUTH, run.do(PyOp.NOTIN, run.load(key), whole))
    looked = run.do(PyOp.ITEM, whole, run.load(key))
    assert same(run.value(looked), recorded(KeyError("c")))
    core = run.core(looked)
    assert core is not None
    assert core.premises == (first,)


def test_another_dict_may_have_the_key() -> None:
    run = Run()
    key, whole = run.variable("c"), run.variable(recorded({"a": 1, "b": 2}))
    run.do(PyOp.TRUTH, run.do(PyOp.EQ, run.load(key), constant("c")))
    assert run.core(run.do(PyOp.ITEM, run.load(whole), run.load(key))) is None


def test_the_recorded_contents_of_a_changed_list_are_not_used() -> None:
    """The recorded contents are from before the `append`."""
    run = Run()
    whole = run.input(recorded([1]))
    found = run.do(PyOp.IN, constant(2), run.load(whole), value=True)
    branch = run.do(PyOp.TRUTH, found)
    assert {whole, found} <= run.proof(branch).steps
    assert consistent(run)


def test_an_opaque_result_is_forced_by_its_operands() -> None:
    """With the same operand it gives the same result, so a known operand forces it."""
    run = Run()
    x = run.variable(3)
    first = run.do(PyOp.TRUTH, run.do(PyOp.EQ, run.load(x), constant(3)))
    called = run.do(COp.OPAQUE, run.load(x), value=8)
    core = run.core(run.do(PyOp.TRUTH, run.do(PyOp.GT, called, constant(5))))
    assert core is not None
    assert core.premises == (first,)


def test_none_could_have_been_another_value() -> None:
    run = Run()
    x = run.load(run.load(run.input(None)))
    asked = run.do(PyOp.TRUTH, run.do(PyOp.IS, x, constant(None)))
    assert run.core(asked) is None
    y = run.load(run.load(run.input(5)))
    assert run.core(run.do(PyOp.TRUTH, run.do(PyOp.IS, y, constant(None)))) is None


def test_items_of_tuples() -> None:
    """If one item of a pair is used, the other does not belong to the proof."""
    run = Run()
    a, b = run.input(1), run.input("x")
    pair = run.load(run.do(PyOp.TUPLE, a, b))
    taken = run.do(PyOp.ITEM, pair, constant(0))
    assert a in run.proof(taken).steps
    assert b not in run.proof(taken).steps
    assert {a, b} <= run.proof(pair).steps


def test_a_value_from_a_tuple_has_its_own_items() -> None:
    """A step that takes an item out of a tuple is not a copy of the tuple."""
    run = Run()
    a, b = run.input(1), run.input("x")
    made = run.do(PyOp.TUPLE, a, b)
    inside = run.load(made, value=("y", 2))
    taken = run.do(PyOp.ITEM, inside, constant(0))
    assert {a, b} <= run.proof(taken).steps


def consistent(run: Run) -> bool:
    """Do all definitions hold under the recorded values?"""
    formula = PythonFormula(cast("Flow", run))
    solver = z3.Solver()
    solver.set("timeout", 5000)
    for step in run.nodes:
        solver.add(*formula._definition(step))
        if run.is_branch(step):
            solver.add(formula.outcome(step))
        value = run.value(step)
        if value is not UNKNOWN:
            solver.add(equal(formula.term(step), python_literal(value)))
    found = solver.check()
    assert found != z3.unknown
    return bool(found == z3.sat)


OPS = sorted({*BINARY} - {PyOp.MATMUL}, key=str)


@settings(max_examples=50, deadline=None)
@given(data=st.data(), values=st.lists(plain, min_size=2, max_size=4))
def test_every_formula_holds_under_the_recorded_values(
    data: st.DataObject, values: list[Any]
) -> None:
    run = Run()
    steps = [run.input(value) for value in values]
    for _ in range(4):
        op = data.draw(st.sampled_from(OPS))
        operands = [run.load(data.draw(st.sampled_from(steps))) for _ in range(2)]
        try:
            steps.append(run.do(op, *operands))
        except AssertionError:  # the result is unknown: any value will do
            steps.append(run.do(op, *operands, value=data.draw(plain)))
    assert consistent(run)


@settings(deadline=None)
@given(value=plain)
def test_candidates_are_other_values_of_the_same_type(value: Any) -> None:
    for candidate in candidate_values(value, [1, "a", None]):
        assert not same(candidate, value)
        assert type(candidate) is type(value) or value is None


@pytest.mark.parametrize("value", [True, 5, 1.5, "ab", b"ab", None, (1, "a")])
def test_there_are_candidates(value: Any) -> None:
    assert candidate_values(recorded(value), [])
