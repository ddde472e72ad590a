"""Do the operands that `justify` returns force the result?"""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.logic.python.recorded import (
    BINARY,
    bools,
    byte_strings,
    floats,
    ints,
    lists,
    plain,
    recorded,
    strs,
    tuples,
)
from whence.frontend.python.values import UNKNOWN, Obj, Value, items
from whence.logic.logic import ALL
from whence.logic.python.evaluate import agrees, evaluate
from whence.logic.python.justify import alternatives, items_needed
from whence.program.operations import Operation, PyOp

OF_TYPE: dict[type, st.SearchStrategy[Any]] = {
    bool: bools,
    int: st.integers(-4, 9),
    float: floats,
    str: strs,
    bytes: byte_strings,
    tuple: tuples,
    list: lists,
}
small = st.one_of(
    st.none(), bools, st.integers(-2, 3), floats, st.text("ab", max_size=2), byte_strings, tuples
)
OPS = [op for op in BINARY if op not in (PyOp.IS, PyOp.ISNOT, PyOp.MATMUL)]


def forced_by(op: PyOp, *operands: Any, extra: tuple[Any, ...] = ()) -> tuple[int, ...]:
    values = [recorded(one) for one in operands]
    operation = Operation(op, extra=extra)
    return alternatives(operation, values, evaluate(operation, values))[0]


def check_forces(data: st.DataObject, operation: Operation, operands: list[Any]) -> None:
    """Check that other values of the other operands, of the same types, give the same result."""
    values = [recorded(one) for one in operands]
    result = evaluate(operation, values)
    assume(result is not UNKNOWN)
    for chosen in alternatives(operation, values, result):
        others = [
            one if at in chosen else recorded(data.draw(OF_TYPE.get(type(operands[at]), plain)))
            for at, one in enumerate(values)
        ]
        found = evaluate(operation, others)
        assert found is UNKNOWN or agrees(found, result), f"{operation} of {others} is {found!r}"
    for index in range(len(values)):
        mask = items_needed(operation, values, index)
        if mask != ALL:
            changed = list(values)
            changed[index] = with_others(data, values[index], mask)
            found = evaluate(operation, changed)
            assert found is UNKNOWN or agrees(found, result), f"{operation} of {changed}"


def with_others(data: st.DataObject, whole: Value, mask: int) -> Obj:
    """Return a tuple with other items, of the same types, where the mask has no bit."""
    assert isinstance(whole, Obj)
    changed = tuple(
        one if mask >> at & 1 else recorded(data.draw(OF_TYPE.get(type(one), plain)))
        for at, one in enumerate(items(whole) or ())
    )
    return Obj(0, "tuple", "tuple", (len(changed), changed))


@settings(deadline=None)
@given(data=st.data(), op=st.sampled_from(OPS), a=small, b=small)
def test_returned_operands_force_the_result(data: st.DataObject, op: PyOp, a: Any, b: Any) -> None:
    check_forces(data, Operation(op), [a, b])


@settings(deadline=None)
@given(data=st.data(), op=st.sampled_from(OPS), kind=st.sampled_from([int, str, bool]))
def test_operands_of_one_type(data: st.DataObject, op: PyOp, kind: type) -> None:
    two = {int: st.integers(-1, 1), str: st.sampled_from(["", "a", "b"]), bool: bools}[kind]
    check_forces(data, Operation(op), [data.draw(two), data.draw(two)])


same_length = st.integers(0, 3).flatmap(
    lambda n: st.tuples(*[st.tuples(*[st.integers(0, 1) | floats] * n)] * 2)
)


@settings(deadline=None)
@given(data=st.data(), op=st.sampled_from(OPS), both=same_length)
def test_tuples(data: st.DataObject, op: PyOp, both: tuple[Any, Any]) -> None:
    check_forces(data, Operation(op), list(both))


@settings(deadline=None)
@given(data=st.data(), x=st.integers(0, 2), whole=st.lists(st.integers(0, 2), max_size=4))
def test_members_and_items(data: st.DataObject, x: int, whole: list[int]) -> None:
    check_forces(data, Operation(PyOp.IN), [x, tuple(whole)])
    check_forces(data, Operation(PyOp.ITEM), [tuple(whole), x])


@settings(deadline=None)
@given(data=st.data(), numbers=st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_chains(data: st.DataObject, numbers: list[int]) -> None:
    check_forces(data, Operation(PyOp.CHAIN, extra=(PyOp.LT, PyOp.LE)), numbers)


affix = st.sampled_from(["", "a", "b", "ab"])


@settings(deadline=None)
@given(
    data=st.data(),
    name=st.sampled_from(["startswith", "endswith"]),
    whole=affix,
    asked=affix | st.lists(affix, max_size=3).map(tuple),
)
def test_affixes(data: st.DataObject, name: str, whole: str, asked: Any) -> None:
    check_forces(data, Operation(PyOp.METHOD, extra=(name,)), [whole, asked])


@settings(deadline=None)
@given(
    data=st.data(),
    whole=st.dictionaries(st.integers(0, 3), plain, max_size=3),
    key=st.integers(0, 3),
    default=ints,
)
def test_get_of_a_present_key(
    data: st.DataObject, whole: dict[int, Any], key: int, default: int
) -> None:
    check_forces(data, Operation(PyOp.METHOD, extra=("get",)), [whole, key, default])


def test_examples() -> None:
    assert forced_by(PyOp.MUL, 0, 7) == (0,)
    assert forced_by(PyOp.MUL, 0, 7.5) == (0, 1)  # 0 times infinity is a NaN
    assert forced_by(PyOp.MUL, "ab", 0) == (1,)
    assert forced_by(PyOp.BITAND, 7, 0) == (1,)
    assert forced_by(PyOp.BITOR, True, False) == (0,)
    assert forced_by(PyOp.MOD, 7, 0) == (1,)  # raises for every dividend
    assert forced_by(PyOp.ADD, 0, 7) == (0, 1)
    assert forced_by(PyOp.CHAIN, 2, 1, 5, extra=(PyOp.LT, PyOp.LT)) == (0, 1)
    assert forced_by(PyOp.METHOD, {"a": 1}, "a", 0, extra=("get",)) == (0, 1)
    assert forced_by(PyOp.METHOD, {"a": 1}, "b", 0, extra=("get",)) == (0, 1, 2)


def test_items_that_force_the_result() -> None:
    def needed(op: PyOp, *operands: Any, index: int, extra: tuple[Any, ...] = ()) -> int:
        values = [recorded(one) for one in operands]
        return items_needed(Operation(op, extra=extra), values, index)

    assert needed(PyOp.ITEM, (1, 2, 3), -1, index=0) == 0b100
    assert needed(PyOp.ITEM, (1, 2, 3), 5, index=0) == ALL
    assert needed(PyOp.IN, 2, (1, 2, 3), index=1) == 0b010
    assert needed(PyOp.IN, 5, (1, 2, 3), index=1) == ALL
    assert needed(PyOp.IN, 2, [1, 2, 3], index=1) == ALL  # the list may have changed
    assert needed(PyOp.EQ, (1, 2, 3), (1, 5, 6), index=0) == 0b010
    assert needed(PyOp.LT, (1, 2, 3), (1, 5, 6), index=0) == 0b011
    assert needed(PyOp.EQ, (1, 2), (1, 2), index=0) == ALL
    nan = float("nan")
    assert (
        needed(PyOp.EQ, (nan, 1), (nan, 2), index=0) == 0b10
    )  # a tuple compares the same NaN as equal
    ends = needed(PyOp.METHOD, "a.py", (".c", ".py"), index=1, extra=("endswith",))
    assert ends == 0b10
