"""Are the results of operations those of C, numpy and exact arithmetic?"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.logic.c.applying import (
    Applied,
    apply,
    converting,
    float_widths,
    integers,
    numbers,
    on_floats,
    on_integers,
    widths,
)
from whence.logic.c.evaluate import evaluate, signed
from whence.logic.c.floats import FORMATS
from whence.program.operations import COp, FloatClass, Operation

INTEGER_TYPES: dict[int, tuple[Any, Any]] = {
    8: (ctypes.c_uint8, ctypes.c_int8),
    16: (ctypes.c_uint16, ctypes.c_int16),
    32: (ctypes.c_uint32, ctypes.c_int32),
    64: (ctypes.c_uint64, ctypes.c_int64),
}
FLOAT_TYPES: dict[int, Any] = {16: np.float16, 32: np.float32, 64: np.float64}


def binary(op: COp, width: int, a: int, b: int) -> int | None:
    return evaluate(Operation(op, width, (width, width)), (a, b))


def unary(op: COp, width: int, a: int) -> int | None:
    return evaluate(Operation(op, width, (width,)), (a,))


# --- integers --------------------------------------------------------------------------------

WRAPPING: dict[COp, Callable[[int, int], int]] = {
    COp.ADD: lambda a, b: a + b,
    COp.SUB: lambda a, b: a - b,
    COp.MUL: lambda a, b: a * b,
    COp.AND: lambda a, b: a & b,
    COp.OR: lambda a, b: a | b,
    COp.XOR: lambda a, b: a ^ b,
}
COMPARING: dict[str, Callable[[int, int], bool]] = {
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
}


@given(width=st.sampled_from(sorted(INTEGER_TYPES)), data=st.data())
def test_integers_wrap_and_compare_as_those_of_c(width: int, data: st.DataObject) -> None:
    unsigned, with_sign = INTEGER_TYPES[width]
    a, b = data.draw(integers(width)), data.draw(integers(width))
    x, y = with_sign(a).value, with_sign(b).value
    for op, compute in WRAPPING.items():
        assert binary(op, width, a, b) == unsigned(compute(x, y)).value
    for name, compare in COMPARING.items():
        assert evaluate(Operation(COp["U" + name], 1, (width, width)), (a, b)) == compare(a, b)
        assert evaluate(Operation(COp["S" + name], 1, (width, width)), (a, b)) == compare(x, y)
    assert binary(COp.SMAX, width, a, b) == unsigned(max(x, y)).value
    assert binary(COp.SMIN, width, a, b) == unsigned(min(x, y)).value
    assert binary(COp.UMAX, width, a, b) == max(a, b)
    assert binary(COp.UMIN, width, a, b) == min(a, b)
    assert unary(COp.ABS, width, a) == unsigned(abs(x)).value


@given(width=widths, data=st.data())
def test_division_is_exact_and_cuts_towards_zero(width: int, data: st.DataObject) -> None:
    a, b = data.draw(integers(width)), data.draw(integers(width))
    quotient, rest = binary(COp.UDIV, width, a, b), binary(COp.UREM, width, a, b)
    if not b:
        assert quotient is rest is None
        return
    assert (quotient, rest) == divmod(a, b)
    x, y = signed(a, width), signed(b, width)
    exact = int(Fraction(x, y))  # towards zero
    quotient, rest = binary(COp.SDIV, width, a, b), binary(COp.SREM, width, a, b)
    if not -(1 << (width - 1)) <= exact < 1 << (width - 1):
        assert quotient is rest is None
    else:
        assert quotient is not None
        assert rest is not None
        assert signed(quotient, width) == exact
        assert signed(rest, width) == x - exact * y


@given(width=widths, data=st.data())
def test_shifts_are_powers_of_two(width: int, data: st.DataObject) -> None:
    a, n = data.draw(integers(width)), data.draw(integers(width))
    found = [binary(op, width, a, n) for op in (COp.SHL, COp.LSHR, COp.ASHR)]
    if n >= width:
        assert found == [None, None, None]
    else:
        shifted = signed(a, width) // 2**n
        assert found == [a * 2**n % 2**width, a // 2**n, shifted % 2**width]


@given(width=widths, data=st.data())
def test_bits_are_counted_and_reversed_as_in_their_binary_text(
    width: int, data: st.DataObject
) -> None:
    a, b, n = (data.draw(integers(width)) for _ in range(3))
    text = f"{a:0{width}b}"
    assert unary(COp.CTPOP, width, a) == text.count("1") % 2**width
    assert unary(COp.BITREVERSE, width, a) == int(text[::-1], 2)
    leading, trailing = width - len(text.lstrip("0")), width - len(text.rstrip("0"))
    for op, count in ((COp.CTLZ, leading), (COp.CTTZ, trailing)):
        assert unary(op, width, a) == count % 2**width
        found = evaluate(Operation(op, width, (width,), (1,)), (a,))
        assert found == (count % 2**width if a else None)
    both, by = text + f"{b:0{width}b}", n % width
    funnel = (width, width, width)
    left = int(both[by : by + width], 2)
    right = int(both[width - by : 2 * width - by], 2)
    assert evaluate(Operation(COp.FSHL, width, funnel), (a, b, n)) == left
    assert evaluate(Operation(COp.FSHR, width, funnel), (a, b, n)) == right


@given(width=widths, more=st.integers(1, 64), data=st.data())
def test_widening_keeps_the_number_and_cutting_undoes_it(
    width: int, more: int, data: st.DataObject
) -> None:
    a, b = data.draw(integers(width)), data.draw(integers(more))
    wide = width + more
    longer = evaluate(Operation(COp.SEXT, wide, (width,)), (a,))
    assert longer is not None
    assert signed(longer, wide) == signed(a, width)
    assert evaluate(Operation(COp.ZEXT, wide, (width,)), (a,)) == a
    assert evaluate(Operation(COp.TRUNC, width, (wide,)), (longer,)) == a
    both = evaluate(Operation(COp.CONCAT, wide, (width, more)), (a, b))
    assert both == a + (b << width)
    assert evaluate(Operation(COp.EXTRACT, width, (wide,), (0,)), (both,)) == a
    assert evaluate(Operation(COp.EXTRACT, more, (wide,), (width,)), (both,)) == b


@given(width=widths, data=st.data())
def test_an_overflow_is_a_result_that_wrapped(width: int, data: st.DataObject) -> None:
    a, b = data.draw(integers(width)), data.draw(integers(width))
    x, y = signed(a, width), signed(b, width)
    exact = (x + y, a + b, x - y, a - b, x * y, a * b)
    for kind, number in enumerate(exact):
        wrapped = number % 2**width
        fits = number == (wrapped if kind % 2 else signed(wrapped, width))
        assert evaluate(Operation(COp.OVERFLOW, 1, (width, width), (kind,)), (a, b)) == (not fits)


@pytest.mark.parametrize(
    ("applied", "result"),
    [
        (apply(COp.BSWAP, 32, (32, 0x11223344)), 0x44332211),
        (apply(COp.SWITCH, 32, (8, 7), extra=(3, 7, 9)), 1),
        (apply(COp.SWITCH, 32, (8, 8), extra=(3, 7, 9)), 3),
        (apply(COp.SELECT, 8, (1, 1), (8, 5), (8, 6)), 5),
        (apply(COp.SELECT, 8, (1, 0), (8, 5), (8, 6)), 6),
        (apply(COp.ADDRESS, 64, (64, 1000), (32, 2**32 - 3), (64, 2), extra=(8, 4, 16)), 1000),
        (apply(COp.ADDRESS, 64, (64, 8), extra=(-16,)), 2**64 - 8),
        (apply(COp.OPAQUE, 8, (8, 1)), None),
        (apply(COp.FADD, 80, (80, 0), (80, 0)), None),
    ],
)
def test_an_example_of_each_remaining_operation(applied: Applied, result: int | None) -> None:
    assert evaluate(*applied) == result


# --- floats ----------------------------------------------------------------------------------


def number(width: int, bits: int) -> Any:
    return np.frombuffer(bits.to_bytes(width // 8, "little"), FLOAT_TYPES[width])[0]


def bits_of(value: Any) -> int:
    return int.from_bytes(value.tobytes(), "little")


def same(width: int, found: int | None, expected: int) -> bool:
    """Compare all bits; compare a NaN's payload only where numpy uses the x86-64 instruction."""
    f = FORMATS[width]
    is_nan = found is not None and f.is_nan(found) and f.is_nan(expected)
    is_free = width == 16 or platform.machine() != "x86_64"
    return found == expected or (is_nan and is_free)


NUMPY_BINARY: dict[COp, Any] = {
    COp.FADD: np.add,
    COp.FSUB: np.subtract,
    COp.FMUL: np.multiply,
    COp.FDIV: np.divide,
    COp.FREM: np.fmod,
    COp.COPYSIGN: np.copysign,
}
NUMPY_UNARY: dict[COp, Any] = {
    COp.SQRT: np.sqrt,
    COp.FLOOR: np.floor,
    COp.CEIL: np.ceil,
    COp.TRUNCF: np.trunc,
    COp.RINT: np.rint,
    COp.FNEG: np.negative,
    COp.FABS: np.abs,
}
ROUNDING = (COp.FLOOR, COp.CEIL, COp.TRUNCF, COp.RINT)


@settings(max_examples=500)
@given(width=float_widths, data=st.data())
def test_floats_are_those_of_the_machine(width: int, data: st.DataObject) -> None:
    a, b = data.draw(numbers(width)), data.draw(numbers(width))
    x, y = number(width, a), number(width, b)
    with np.errstate(all="ignore"):
        for op, compute in NUMPY_BINARY.items():
            assert same(width, binary(op, width, a, b), bits_of(compute(x, y))), op
        for op, compute in NUMPY_UNARY.items():
            found = unary(op, width, a)
            if found is None:
                assert op in ROUNDING
                assert FORMATS[width].is_signalling(a)
            else:
                assert same(width, found, bits_of(compute(x))), op
        relations = (False, x == y, x > y, x >= y, x < y, x <= y, (x < y) or (x > y))
        for predicate, holds in enumerate(relations):
            ask = Operation(COp.FCMP, 1, (width, width), (predicate,))
            opposite = Operation(COp.FCMP, 1, (width, width), (15 - predicate,))
            assert evaluate(ask, (a, b)) == bool(holds)
            assert evaluate(opposite, (a, b)) == (not holds)


@given(width=st.sampled_from((32, 64)), data=st.data())
def test_a_fused_product_and_sum_is_rounded_once(width: int, data: st.DataObject) -> None:
    """No float is nearer to the exact result, and ties go to the even one."""
    f = FORMATS[width]
    a, b, c = (data.draw(numbers(width)) for _ in range(3))
    found = evaluate(Operation(COp.FMA, width, (width,) * 3), (a, b, c))
    if found is None:
        assert sum(map(f.is_nan, (a, b, c))) > 1
        return
    if any(f.is_nan(v) or f.is_infinite(v) for v in (a, b, c)):
        with np.errstate(all="ignore"):
            product = number(width, a) * number(width, b)
            expected = product + number(width, c)
        # The reference rounds the product, which may become infinite; the fused one does not.
        is_rounded = f.is_infinite(bits_of(product)) and not any(map(f.is_infinite, (a, b)))
        if not is_rounded and not f.is_infinite(bits_of(expected)):
            assert f.is_nan(found) == f.is_nan(bits_of(expected))
        return
    exact = value(width, a) * value(width, b) + value(width, c)
    if not exact:
        return
    distance = abs(value(width, found) - exact)
    for neighbour in (found - 1, found + 1):
        if 0 < neighbour & (f.sign - 1) <= f.infinity and neighbour >> width == 0:
            other = abs(value(width, neighbour) - exact)
            assert distance < other or (distance == other and not found & 1)


def value(width: int, bits: int) -> Fraction:
    """Return the exact value; infinity is the number after the largest finite one."""
    f = FORMATS[width]
    if not f.is_infinite(bits):
        return Fraction(float(number(width, bits)))
    beyond = Fraction(2 ** (2 ** (width - f.precision - 1)))
    return -beyond if bits & f.sign else beyond


@settings(max_examples=300)
@given(applied=converting())
def test_conversions_are_those_of_numpy(applied: Applied) -> None:
    operation, (a,) = applied
    found = evaluate(operation, (a,))
    (width,) = operation.widths
    if operation.op in (COp.FPTRUNC, COp.FPEXT):
        with np.errstate(all="ignore"):
            expected = bits_of(number(width, a).astype(FLOAT_TYPES[operation.width]))
        is_nan = FORMATS[width].is_nan(a)
        assert found == expected or (is_nan and FORMATS[operation.width].is_nan(found or 0))
    elif operation.op in (COp.UITOFP, COp.SITOFP):
        exact = signed(a, width) if operation.op is COp.SITOFP else a
        if operation.width == 64:  # Python rounds integers to doubles correctly
            assert found == bits_of(np.float64(float(exact)))
        elif abs(exact) < 2**53:  # numpy rounds doubles to all other formats correctly
            with np.errstate(all="ignore"):
                expected = bits_of(np.float64(exact).astype(FLOAT_TYPES[operation.width]))
            assert found == expected
    else:
        check_integer(operation, width, a, found)


def check_integer(operation: Operation, width: int, a: int, found: int | None) -> None:
    x = float(number(width, a))
    lowest = -(2 ** (operation.width - 1)) if operation.op is COp.FPTOSI else 0
    fits = np.isfinite(x) and lowest <= int(x) < lowest + 2**operation.width
    assert found == (int(x) % 2**operation.width if fits else None)


@given(width=float_widths, data=st.data())
def test_the_class_of_a_float_is_what_numpy_sees(width: int, data: st.DataObject) -> None:
    a = data.draw(numbers(width))
    x = number(width, a)
    classes = {
        kind
        for kind in FloatClass
        if evaluate(Operation(COp.FPCLASS, 1, (width,), (1 << kind.value,)), (a,))
    }
    assert len(classes) == 1
    (kind,) = classes
    assert kind.name.endswith("NAN") == bool(np.isnan(x))
    assert kind.name.endswith("INFINITY") == bool(np.isinf(x))
    assert kind.name.endswith("ZERO") == bool(x == 0)
    is_small = x != 0 and abs(x) < np.finfo(FLOAT_TYPES[width]).smallest_normal
    assert kind.name.endswith("SUBNORMAL") == bool(is_small)
    assert np.isnan(x) or kind.name.startswith("NEGATIVE") == bool(np.signbit(x))


@given(width=float_widths, data=st.data())
def test_the_smaller_of_two_is_never_a_nan_if_one_is_a_number(
    width: int, data: st.DataObject
) -> None:
    f = FORMATS[width]
    a, b = data.draw(numbers(width)), data.draw(numbers(width))
    for op, choose in ((COp.FMIN, np.fmin), (COp.FMAX, np.fmax)):
        found = binary(op, width, a, b)
        if found is None:
            both_zero = not (a | b) & ~f.sign and a != b
            assert both_zero or f.is_signalling(a) or f.is_signalling(b)
        elif not (f.is_nan(a) and f.is_nan(b)):
            assert found == bits_of(choose(number(width, a), number(width, b)))


@pytest.mark.parametrize(
    ("x", "rounded"),
    [(0.5, 1.0), (1.5, 2.0), (2.5, 3.0), (-0.5, -1.0), (0.49999999999999994, 0.0), (1e300, 1e300)],
)
def test_a_tie_is_rounded_away_from_zero_by_round(x: float, rounded: float) -> None:
    assert unary(COp.ROUND, 64, bits_of(np.float64(x))) == bits_of(np.float64(rounded))


def test_a_product_and_sum_that_is_not_fused_is_rounded_twice() -> None:
    a, b, c = (bits_of(np.float64(x)) for x in (0.1, 10.0, -1.0))
    three = (64, 64, 64)
    assert evaluate(Operation(COp.FMULADD, 64, three), (a, b, c)) == 0
    assert evaluate(Operation(COp.FMA, 64, three), (a, b, c)) == bits_of(np.float64(2.0**-54))


@settings(max_examples=300)
@given(applied=st.one_of(on_integers(), on_floats(), converting()))
def test_results_are_bits_of_their_width(applied: Applied) -> None:
    found = evaluate(*applied)
    assert found is None or 0 <= found < 2 ** applied[0].width
