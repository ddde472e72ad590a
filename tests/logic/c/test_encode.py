"""Do the constraints for the solver allow the result of an operation, and no other?"""

from __future__ import annotations

import struct

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.logic.c.applying import Applied, apply, converting, on_floats, on_integers
from whence.logic.c.encode import encode
from whence.logic.c.evaluate import evaluate
from whence.logic.c.floats import FORMATS
from whence.program.operations import COp, Operation

UNCONSTRAINED = (COp.FREM, COp.OPAQUE)


def check(applied: Applied, guess: int) -> None:
    """Check that the constraint allows only the result, or any value if it is undefined.

    `guess` is an arbitrary value.
    """
    operation, operands = applied
    variables = [z3.BitVec(f"x{i}", width) for i, width in enumerate(operation.widths)]
    result = z3.BitVec("result", operation.width)
    constraint = encode(operation, variables, result)
    expected = evaluate(operation, operands)
    if constraint is None:
        assert expected is None or operation.op in UNCONSTRAINED
        return
    solver = z3.Solver()
    solver.add(constraint, *(x == value for x, value in zip(variables, operands, strict=True)))
    if expected is None:
        guess %= 1 << operation.width
        assert can_be(solver, result == guess) or must_be_a_nan(operation, guess)
        return
    assert can_be(solver, result == expected)
    if not is_nan(operation, expected):
        assert not can_be(solver, result != expected)


def can_be(solver: z3.Solver, condition: z3.BoolRef) -> bool:
    found = solver.check(condition)
    assert found != z3.unknown
    return bool(found == z3.sat)


def is_nan(operation: Operation, bits: int) -> bool:
    """Is the result a NaN?  Then it may be any NaN."""
    f = FORMATS.get(operation.width)
    return f is not None and operation.op.name.startswith(FLOATS) and f.is_nan(bits)


FLOATS = ("F", "SQRT", "CEIL", "TRUNCF", "RINT", "ROUND")


def must_be_a_nan(operation: Operation, guess: int) -> bool:
    """Is an undefined result still known to be a NaN, so that `guess` is not allowed?"""
    kinds = (COp.FLOOR, COp.CEIL, COp.TRUNCF, COp.RINT, COp.ROUND, COp.FMA)
    return operation.op in kinds and not is_nan(operation, guess)


@settings(max_examples=150, deadline=None)
@given(applied=on_integers(), guess=st.integers(0, 2**128 - 1))
def test_constraints_on_integers_allow_only_the_result(applied: Applied, guess: int) -> None:
    check(applied, guess)


@settings(max_examples=80, deadline=None)
@given(applied=st.one_of(on_floats(), converting()), guess=st.integers(0, 2**64 - 1))
def test_constraints_on_floats_allow_only_the_result(applied: Applied, guess: int) -> None:
    check(applied, guess)


def bits(number: float) -> int:
    return int.from_bytes(struct.pack("<d", number), "little")


NEGATIVE_ZERO, SIGNALLING = 1 << 63, FORMATS[64].infinity + 1


@pytest.mark.parametrize(
    "applied",
    [
        apply(COp.SDIV, 32, (32, 1 << 31), (32, 2**32 - 1)),
        apply(COp.SREM, 32, (32, 1 << 31), (32, 2**32 - 1)),
        apply(COp.ROUND, 64, (64, bits(2.5))),
        apply(COp.RINT, 64, (64, bits(2.5))),
        apply(COp.FMIN, 64, (64, 0), (64, NEGATIVE_ZERO)),
        apply(COp.FMAX, 64, (64, bits(1)), (64, SIGNALLING)),
        apply(COp.FMIN, 64, (64, bits(1)), (64, FORMATS[64].nan)),
        *(
            apply(op, width, (64, bits(number)))
            for op in (COp.FPTOSI, COp.FPTOUI)
            for width in (32, 64)
            for edge in (-(2.0**63), -(2.0**31), 0.0, 2.0**31, 2.0**32, 2.0**63, 2.0**64)
            for number in (edge, edge - 1, edge - 0.5, edge + 0.5, edge + 1, 1.001 * edge)
        ),
    ],
    ids=str,
)
def test_operands_next_to_an_undefined_result(applied: Applied) -> None:
    check(applied, 0x123456789ABCDEF)


@pytest.mark.parametrize("op", [COp.SDIV, COp.UREM, COp.SHL, COp.ASHR])
@pytest.mark.parametrize("value", [0, 1, 3, 31, 32, 255])
def test_an_operand_may_be_a_constant(op: COp, value: int) -> None:
    operation, operands = apply(op, 32, (32, 1000), (32, value))
    result = z3.BitVec("result", 32)
    solver = z3.Solver()
    solver.add(encode(operation, [z3.BitVecVal(v, 32) for v in operands], result))
    expected = evaluate(operation, operands)
    if expected is None:
        assert can_be(solver, result == 77)
    else:
        assert not can_be(solver, result != expected)
        assert can_be(solver, result == expected)


@pytest.mark.parametrize("op", [COp.FADD, COp.SQRT, COp.FCMP, COp.FPTOSI, COp.SITOFP, COp.FPEXT])
def test_unknown_float_formats_have_no_constraint(op: COp) -> None:
    width = 1 if op is COp.FCMP else 80
    operation = Operation(op, width, (80, 80), (1,))
    operands = [z3.BitVec("a", 80), z3.BitVec("b", 80)]
    assert encode(operation, operands, z3.BitVec("result", width)) is None


def test_a_known_result_constrains_the_operands() -> None:
    """If x times 6 is 42, x can be 7 and nothing smaller."""
    x, result = z3.BitVec("x", 8), z3.BitVec("result", 8)
    operation, _ = apply(COp.MUL, 8, (8, 0), (8, 0))
    constraint = encode(operation, (x, z3.BitVecVal(6, 8)), result)
    solver = z3.Solver()
    solver.add(constraint, result == 42)
    assert can_be(solver, x == 7)
    assert not can_be(solver, z3.ULT(x, 7))
