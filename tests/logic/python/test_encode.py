"""Do the constraints of Python operations allow the result, and no other?"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.logic.python.recorded import (
    BINARY,
    UNARY,
    bools,
    dicts,
    ints,
    is_exception,
    lists,
    plain,
    recorded,
    sets,
    strs,
    tuples,
)
from whence.frontend.python.values import UNKNOWN, Obj, Value
from whence.logic.python.encode import encode
from whence.logic.python.evaluate import agrees, evaluate
from whence.logic.python.terms import (
    PythonTerm,
    differs,
    equal,
    python_literal,
    sort_of,
    variable_term,
)
from whence.program.operations import COp, Operation, PyOp

small_ints = st.integers(-3, 5) | ints
simple = st.one_of(st.none(), bools, small_ints, strs)
simple_tuples = st.lists(simple, max_size=3).map(tuple)
operand = st.one_of(plain, simple_tuples, tuples, lists, dicts, sets)
WRONG: dict[str, st.SearchStrategy[Any]] = {
    "int": small_ints, "bool": bools, "str": strs, "other": plain, "tuple": simple_tuples,
    "exception": st.sampled_from([KeyError("k"), IndexError(), ZeroDivisionError("x")]),
}  # fmt: skip


def holds(operation: Operation, values: list[Value], result: Value, *, vary: bool) -> bool | None:
    """Can the constraint be satisfied with these values?  None if there is no constraint."""
    solver = z3.Solver()
    solver.set("timeout", 5000)
    terms = [python_literal(one) for one in values]
    if vary:
        terms = [
            python_literal(one) if one is None else variable_term(f"v{at}", one)
            for at, one in enumerate(values)
        ]
        solver.add(
            *(equal(term, python_literal(one)) for term, one in zip(terms, values, strict=True))
        )
    constraint = encode(operation, terms, python_literal(result))
    if constraint is None:
        return None
    solver.add(constraint)
    found = solver.check()
    assert found != z3.unknown
    return bool(found == z3.sat)


def sorts(term: PythonTerm) -> tuple[Any, ...]:
    return term.sort, tuple(map(sorts, term.parts))


def check_formula(
    data: st.DataObject, op: PyOp, operands: list[Any], extra: tuple[Any, ...] = ()
) -> bool:
    """Check that the constraint allows the result and no other; False if there is none."""
    operation, values = Operation(op, extra=extra), [recorded(one) for one in operands]
    result = evaluate(operation, values)
    assume(result is not UNKNOWN)
    if isinstance(result, Obj) and result.type == "list":
        return False
    for vary in (False, True):
        found = holds(operation, values, result, vary=vary)
        if found is None:
            return False
        assert found, f"{operation} of {values} is {result!r}"
    wrong = recorded(data.draw(WRONG[sort_of(result)]))
    if not agrees(wrong, result) and sorts(python_literal(wrong)) == sorts(python_literal(result)):
        is_allowed = holds(operation, values, wrong, vary=False)
        assert not is_allowed, f"{operation} of {values} is {result!r}, not {wrong!r}"
    return True


OPS = sorted({*BINARY} - {PyOp.MATMUL}, key=str)


@settings(deadline=None)
@given(data=st.data(), op=st.sampled_from(OPS), a=operand, b=operand)
def test_binary_operations(data: st.DataObject, op: PyOp, a: Any, b: Any) -> None:
    check_formula(data, op, [a, b])


@settings(deadline=None)
@given(data=st.data(), op=st.sampled_from(OPS), kind=st.sampled_from([small_ints, strs, bools]))
def test_operands_of_one_type(data: st.DataObject, op: PyOp, kind: Any) -> None:
    check_formula(data, op, [data.draw(kind), data.draw(kind)])


@settings(deadline=None)
@given(data=st.data(), op=st.sampled_from(sorted(UNARY, key=str)), a=operand)
def test_unary_operations(data: st.DataObject, op: PyOp, a: Any) -> None:
    check_formula(data, op, [a])


@settings(deadline=None)
@given(
    data=st.data(),
    whole=st.one_of(strs, simple_tuples, lists, dicts, st.lists(small_ints, max_size=3)),
    at=st.integers(-5, 5) | simple,
)
def test_items_and_members(data: st.DataObject, whole: Any, at: Any) -> None:
    check_formula(data, PyOp.ITEM, [whole, at])
    check_formula(data, PyOp.IN, [at, whole])
    if isinstance(whole, dict):
        check_formula(data, PyOp.METHOD, [whole, at, None], ("get",))
        check_formula(data, PyOp.METHOD, [whole, at], ("get",))


def allows(op: PyOp, operands: tuple[Any, ...], result: Value) -> bool | None:
    """Does the constraint hold for these literals?  None if there is no constraint."""
    constraint = encode(
        Operation(op), [python_literal(recorded(one)) for one in operands], python_literal(result)
    )
    if constraint is None:
        return None
    found = z3.simplify(constraint)
    assert z3.is_true(found) or z3.is_false(found)
    return bool(z3.is_true(found))


NUMBER_OPS = [
    PyOp.ADD, PyOp.SUB, PyOp.MUL, PyOp.FLOORDIV, PyOp.MOD, PyOp.POW, PyOp.SHL, PyOp.SHR,
]  # fmt: skip


@pytest.mark.parametrize("op", NUMBER_OPS, ids=lambda op: op.name)
def test_all_small_numbers(op: PyOp) -> None:
    for a, b in product([*range(-7, 8), True], [*range(-4, 5), False]):
        result = evaluate(Operation(op), [a, b])
        found = allows(op, (a, b), result)
        if isinstance(result, int):
            assert found in (True, None)
            assert allows(op, (a, b), result + 1) in (False, None)
            assert (found is None) == (op is PyOp.POW and b > 3)
        elif op in (PyOp.FLOORDIV, PyOp.MOD):
            assert found is True
            assert allows(op, (a, b), recorded(KeyError())) is False


@pytest.mark.parametrize("whole", [(5, 6, 7, 8), [5, 6, 7, 8], "abcd", {-1: 5, 0: 6, 2: 7}])
def test_all_places(whole: Any) -> None:
    results = [5, 6, 7, 8, "a", "b", "c", "d", IndexError(), KeyError()]
    for at in range(-6, 6):
        right = evaluate(Operation(PyOp.ITEM), [recorded(whole), at])
        is_raised = is_exception(right)
        assert allows(PyOp.ITEM, (whole, at), right) is True
        for wrong in map(recorded, results):
            if not agrees(wrong, right) and sort_of(wrong) == sort_of(right):
                assert allows(PyOp.ITEM, (whole, at), wrong) is False
        assert is_raised or sort_of(right) in ("int", "str")


bound = st.none() | st.integers(-5, 5)


@settings(deadline=None)
@given(data=st.data(), whole=strs, lower=bound, upper=bound, step=st.sampled_from([None, 1, 2]))
def test_slices(data: st.DataObject, whole: str, lower: Any, upper: Any, step: Any) -> None:
    is_checked = check_formula(data, PyOp.SLICE, [whole, lower, upper, step])
    assert is_checked or step is not None or sort_of(whole) == "other"


@settings(deadline=None)
@given(data=st.data(), a=simple, b=simple, c=simple)
def test_chains(data: st.DataObject, a: Any, b: Any, c: Any) -> None:
    check_formula(data, PyOp.CHAIN, [a, b, c], (PyOp.LE, PyOp.LT))


@settings(deadline=None)
@given(data=st.data(), values=st.lists(plain | lists, max_size=3))
def test_tuples(data: st.DataObject, values: list[Any]) -> None:
    check_formula(data, PyOp.TUPLE, values)


@settings(deadline=None)
@given(data=st.data(), a=simple, b=simple)
def test_f_strings(data: st.DataObject, a: Any, b: Any) -> None:
    check_formula(data, PyOp.FORMAT, [a, b], ("x=", None, "\\", None))


CALLS = ["abs", "bool", "int", "len", "max", "min", "ord", "str"]


@settings(deadline=None)
@given(data=st.data(), name=st.sampled_from(CALLS), values=st.lists(operand, max_size=3))
def test_builtins(data: st.DataObject, name: str, values: list[Any]) -> None:
    check_formula(data, PyOp.BUILTIN, values, (name,))


@settings(deadline=None)
@given(
    data=st.data(),
    name=st.sampled_from(["startswith", "endswith", "find", "index"]),
    whole=st.text("ab", max_size=4),
    part=st.text("ab", max_size=2) | st.lists(st.text("ab", max_size=2), max_size=2).map(tuple),
)
def test_methods(data: st.DataObject, name: str, whole: str, part: Any) -> None:
    is_checked = check_formula(data, PyOp.METHOD, [whole, part], (name,))
    assert is_checked or not isinstance(part, str)


@settings(deadline=None)
@given(value=operand)
def test_a_literal_is_itself_and_nothing_else(value: Any) -> None:
    picture = recorded(value)
    assert z3.is_true(z3.simplify(equal(python_literal(picture), python_literal(picture))))
    assert z3.is_false(z3.simplify(differs(python_literal(picture), picture)))
    assert z3.is_false(
        z3.simplify(equal(python_literal(picture), python_literal(recorded(object()))))
    )


@settings(deadline=None)
@given(a=plain, b=plain)
def test_literals_of_different_values_differ(a: Any, b: Any) -> None:
    is_same = z3.is_true(z3.simplify(equal(python_literal(a), python_literal(b))))
    assert is_same is agrees(a, b)


@pytest.mark.parametrize("text", ["\\u{41}", "\\x41", "é\U0001f600\n\0", "\ud800", "\\"])
def test_texts_are_not_read_as_escapes(text: str) -> None:
    assert z3.simplify(z3.Length(python_literal(text).z3)).as_long() == len(text)
    codes = [
        z3.simplify(z3.StrToCode(z3.SubString(python_literal(text).z3, at, 1))) for at in range(2)
    ]
    assert [one.as_long() for one in codes][: len(text)] == [ord(one) for one in text[:2]]


def test_operations_that_ask_for_a_type_have_no_constraint() -> None:
    """A constraint would force the result only because the value had that type in the run."""
    for op, b in [(PyOp.IS, None), (PyOp.EQ, "x"), (PyOp.EQ, None), (PyOp.EQ, (1, 2))]:
        terms = [variable_term("x", 5), python_literal(recorded(b))]
        assert encode(Operation(op), terms, variable_term("r", False)) is None
    nothing = variable_term("x", None)
    constraint = encode(
        Operation(PyOp.IS), [nothing, python_literal(None)], variable_term("r", True)
    )
    assert constraint is not None
    solver = z3.Solver()
    solver.add(constraint, differs(variable_term("r", True), True))
    assert solver.check() == z3.sat  # it could have been another value


def test_an_exception_is_identified_by_its_type() -> None:
    """`d[k]` raises a KeyError exactly if k is none of the keys."""
    whole, at = recorded({"a": 1, "b": 2}), variable_term("k", "c")
    raised = recorded(KeyError("c"))
    assert is_exception(raised)
    constraint = encode(
        Operation(PyOp.ITEM), [python_literal(whole), at], variable_term("r", raised)
    )
    solver = z3.Solver()
    solver.add(constraint, differs(variable_term("r", raised), raised))
    assert solver.check() == z3.sat
    solver.add(at.z3 != "a", at.z3 != "b")
    assert solver.check() == z3.unsat


def test_an_opaque_operation_has_no_constraint() -> None:
    assert encode(Operation(COp.OPAQUE), [variable_term("x", 1)], variable_term("r", 1)) is None
    assert (
        encode(Operation(PyOp.ATTR, extra=("x",)), [python_literal(None)], variable_term("r", 1))
        is None
    )
