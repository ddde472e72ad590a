"""Do operations give the results that Python gives?"""

from __future__ import annotations

import math
from functools import partial
from operator import getitem
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.logic.python.recorded import (
    BINARY,
    UNARY,
    Odd,
    Word,
    anything,
    byte_strings,
    dicts,
    ints,
    is_exception,
    lists,
    outcome,
    plain,
    recorded,
    sets,
    strs,
    tuples,
)
from whence.frontend.python.values import UNKNOWN, Obj, Value
from whence.logic.python.evaluate import BUILTINS, METHODS, agrees, evaluate
from whence.program.operations import COp, Operation, PyOp

CALLED = sorted(BUILTINS)
OWN = sorted((kind.__name__, name) for kind, names in METHODS.items() for name in names)
OF = {
    "str": strs, "bytes": byte_strings, "int": ints, "float": st.floats(), "list": lists,
    "tuple": tuples, "dict": dicts, "set": sets.map(set), "frozenset": sets.map(frozenset),
}  # fmt: skip


def of(op: PyOp, operands: tuple[Any, ...], *extra: Any) -> Value:
    return evaluate(Operation(op, extra=extra), [recorded(one) for one in operands])


def is_small(op: PyOp, a: Any, b: Any) -> bool:
    """Are the operands small enough to compute the operation quickly?"""
    numbers = [one for one in (a, b) if isinstance(one, int)]
    return op not in (PyOp.MUL, PyOp.POW, PyOp.SHL, PyOp.MOD) or all(
        abs(one) < 1000 for one in numbers
    )


def check(found: Value, expected: Value) -> None:
    assert found is UNKNOWN or agrees(found, expected), f"{found!r} is not {expected!r}"


@settings(deadline=None)
@given(op=st.sampled_from(sorted(BINARY, key=str)), a=anything, b=anything)
def test_binary_operations(op: PyOp, a: Any, b: Any) -> None:
    assume(is_small(op, a, b))
    check(of(op, (a, b)), outcome(lambda: BINARY[op](a, b)))


@settings(deadline=None)
@given(op=st.sampled_from(sorted(BINARY, key=str)), a=plain, b=plain)
def test_results_on_plain_operands_are_known(op: PyOp, a: Any, b: Any) -> None:
    assume(is_small(op, a, b))
    expected = outcome(lambda: BINARY[op](a, b))
    found = of(op, (a, b))
    if found is UNKNOWN:  # it is unknown whether two equal numbers are the same object
        assert op in (PyOp.IS, PyOp.ISNOT)
    else:
        assert agrees(found, expected)


@settings(deadline=None)
@given(op=st.sampled_from(sorted(UNARY, key=str)), a=anything)
def test_unary_operations(op: PyOp, a: Any) -> None:
    check(of(op, (a,)), outcome(lambda: UNARY[op](a)))


@settings(deadline=None)
@given(a=anything, container=st.one_of(tuples, lists, sets, dicts))
def test_items_and_members(a: Any, container: Any) -> None:
    check(of(PyOp.IN, (a, container)), outcome(lambda: a in container))
    check(of(PyOp.ITEM, (container, a)), outcome(lambda: container[a]))
    for member in list(container)[:2]:
        check(of(PyOp.IN, (member, container)), recorded(True))
        check(of(PyOp.ITEM, (container, member)), outcome(partial(getitem, container, member)))


bound = st.none() | st.integers(-5, 15) | st.just("x")


@settings(deadline=None)
@given(whole=strs | lists | tuples | plain, lower=bound, upper=bound, step=bound)
def test_slices(whole: Any, lower: Any, upper: Any, step: Any) -> None:
    found = of(PyOp.SLICE, (whole, lower, upper, step))
    check(found, outcome(lambda: whole[lower:upper:step]))


@settings(deadline=None)
@given(a=anything, b=anything, c=anything)
def test_chains_stop_at_the_first_false_comparison(a: Any, b: Any, c: Any) -> None:
    found = of(PyOp.CHAIN, (a, b, c), PyOp.LE, PyOp.NE)
    check(found, outcome(lambda: a <= b != c))
    check(of(PyOp.CHAIN, (a, b, c), PyOp.IS, PyOp.IN), outcome(lambda: a is b in c))


@settings(deadline=None)
@given(values=st.lists(anything, max_size=14))
def test_displays(values: list[Any]) -> None:
    given_ = tuple(values)
    check(of(PyOp.LIST, given_), recorded(values))
    check(of(PyOp.TUPLE, given_), recorded(given_))
    check(of(PyOp.SET, given_), outcome(lambda: {*values}))
    pairs = list(zip(values[::2], values[1::2], strict=False))
    flat = tuple(one for pair in pairs for one in pair)
    check(of(PyOp.DICT, flat), outcome(lambda: {k: v for k, v in pairs}))  # noqa: C416


@settings(deadline=None)
@given(a=anything, b=anything)
def test_f_strings(a: Any, b: Any) -> None:
    check(of(PyOp.FORMAT, (a, b), "x=", None, None, "!"), outcome(lambda: f"x={a}{b}!"))


@settings(deadline=None)
@given(name=st.sampled_from(CALLED), arguments=st.lists(anything, max_size=3))
def test_builtins(name: str, arguments: list[Any]) -> None:
    assume(name != "type" or len(arguments) == 1)
    expected = outcome(lambda: BUILTINS[name](*arguments))
    check(of(PyOp.BUILTIN, tuple(arguments), name), expected)


@pytest.mark.parametrize("name", CALLED)
def test_every_builtin_is_computed(name: str) -> None:
    """Each builtin gives a known result for at least one of these arguments."""
    tries: list[tuple[Any, ...]] = [(4,), ([1, 2],), ("a",), (7, 2), (1, int), ({1: 2},)]
    found = [of(PyOp.BUILTIN, one, name) for one in tries]
    assert any(one is not UNKNOWN and not is_exception(one) for one in found)


@settings(deadline=None)
@given(data=st.data(), which=st.sampled_from(OWN))
def test_methods(data: st.DataObject, which: tuple[str, str]) -> None:
    kind, name = which
    own = data.draw(OF[kind])
    argument = st.one_of(anything, *[OF[kind]] * 3, st.integers(-3, 30))
    arguments = data.draw(st.lists(argument, max_size=3))
    assume(all(abs(one) < 1000 for one in arguments if isinstance(one, int)))
    expected = outcome(lambda: getattr(own, name)(*arguments))
    check(of(PyOp.METHOD, (own, *arguments), name), expected)


def test_keyword_arguments_come_last() -> None:
    assert agrees(of(PyOp.METHOD, ("a b c", 1), "split", "maxsplit"), recorded(["a", "b c"]))
    assert agrees(of(PyOp.BUILTIN, ([1, 3, 2], True), "sorted", "reverse"), recorded([3, 2, 1]))
    assert of(PyOp.BUILTIN, ([1, 3], abs), "sorted", "key") is UNKNOWN


def test_missing_attributes() -> None:
    missing = of(PyOp.ATTR, (None,), "name")
    assert isinstance(missing, Obj)
    assert missing.type == "AttributeError"
    assert of(PyOp.ATTR, ("x",), "upper") is UNKNOWN
    assert of(PyOp.ATTR, (Odd(),), "name") is UNKNOWN
    assert agrees(of(PyOp.METHOD, (None,), "strip"), missing)


def test_unrecorded_items_can_be_passed_on_but_not_used() -> None:
    long = recorded(list(range(20)))
    assert evaluate(Operation(PyOp.BUILTIN, extra=("len",)), [long]) == 20
    assert evaluate(Operation(PyOp.ITEM), [long, 3]) == 3
    assert evaluate(Operation(PyOp.ITEM), [long, 15]) is UNKNOWN
    assert agrees(evaluate(Operation(PyOp.ITEM), [long, 20]), recorded(IndexError()))
    assert evaluate(Operation(PyOp.IN), [3, long]) is True
    assert evaluate(Operation(PyOp.IN), [15, long]) is UNKNOWN
    inner = [1, 2]
    assert agrees(of(PyOp.ITEM, ({"a": inner}, "a")), recorded(inner))
    assert of(PyOp.METHOD, (Word("a"), "b"), "startswith") is UNKNOWN
    assert of(PyOp.METHOD, ("a", Word("b")), "startswith") is UNKNOWN
    nan = math.nan
    assert of(PyOp.IN, (nan, [nan])) is UNKNOWN  # Python finds it by its identity


def test_constants_have_the_contents_of_their_items() -> None:
    def whole(inside: int) -> Obj:
        pair = Obj(0, "tuple", "tuple", (1, (inside,)))
        return Obj(0, "tuple", "tuple", (1, (pair,)))

    assert agrees(whole(5), recorded(((5,),)))
    assert not agrees(whole(5), recorded(((5, 6),)))


def test_slow_operations_are_not_computed() -> None:
    for op, a, b in [
        (PyOp.POW, 10, 10**8), (PyOp.SHL, 1, 10**9), (PyOp.MUL, "ab", 10**9),
        (PyOp.MOD, "%999999999d", 1), (PyOp.POW, 10**1000, 10**3),
    ]:  # fmt: skip
        assert of(op, (a, b)) is UNKNOWN
    assert of(PyOp.METHOD, ("a", 10**9), "ljust") is UNKNOWN
    assert of(PyOp.METHOD, ("{:999999999}", 1), "format") is UNKNOWN


def test_sets_have_no_order() -> None:
    letters = {"a", "b"}
    assert of(PyOp.BUILTIN, (letters,), "list") is UNKNOWN
    assert of(PyOp.METHOD, ("", letters), "join") is UNKNOWN
    assert agrees(of(PyOp.BUILTIN, (letters,), "sorted"), recorded(["a", "b"]))


def test_isinstance_and_type_use_the_recorded_types() -> None:
    assert of(PyOp.BUILTIN, (True, int), "isinstance") is True
    assert of(PyOp.BUILTIN, (None, (int, str)), "isinstance") is False
    assert of(PyOp.BUILTIN, (Word("a"), str), "isinstance") is True
    assert of(PyOp.BUILTIN, (Word("a"), int), "isinstance") is UNKNOWN
    assert of(PyOp.BUILTIN, (1, Odd), "isinstance") is UNKNOWN
    assert agrees(of(PyOp.BUILTIN, ([],), "type"), recorded(list))


@settings(deadline=None)
@given(value=anything)
def test_a_copy_is_known_and_an_opaque_result_is_not(value: Any) -> None:
    picture = recorded(value)
    assert evaluate(Operation(COp.COPY), [picture]) is picture
    assert evaluate(Operation(PyOp.EITHER), [picture]) is picture
    assert evaluate(Operation(COp.OPAQUE), [picture]) is UNKNOWN
