"""Do the operands that `justify` returns force the result, and is each of them needed?"""

from __future__ import annotations

from itertools import chain, combinations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.logic.c.applying import (
    BINARY,
    COMPARISONS,
    COUNTS,
    FUNNELS,
    UNARY,
    Applied,
    apply,
    integers,
    numbers,
    on_floats,
    on_integers,
)
from whence.logic.c.evaluate import evaluate
from whence.logic.c.floats import FORMATS
from whence.logic.c.justify import alternatives, decisive
from whence.program.operations import COp, Operation

Sets = tuple[tuple[int, ...], ...]

SMALL = [
    *(Operation(op, 3, (3, 3)) for op in BINARY),
    *(Operation(op, 1, (3, 3)) for op in COMPARISONS),
    *(Operation(op, 3, (3,)) for op in UNARY),
    *(Operation(op, 3, (3,), (zero,)) for op in COUNTS for zero in (0, 1)),
    *(Operation(op, width, (width,) * 3) for op in FUNNELS for width in (2, 3)),
    *(Operation(COp.OVERFLOW, 1, (3, 3), (kind,)) for kind in range(6)),
    Operation(COp.SELECT, 3, (1, 3, 3)),
    Operation(COp.CONCAT, 5, (3, 2)),
    Operation(COp.EXTRACT, 2, (4,), (1,)),
    Operation(COp.SWITCH, 32, (3,), (2, 6)),
    Operation(COp.SWITCH, 32, (3,)),
    Operation(COp.ADDRESS, 4, (4, 2, 3), (3, 0, 1)),
]


def subsets(count: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(count), n) for n in range(count + 1)))


def all_forcing(operation: Operation) -> dict[tuple[int, ...], Sets]:
    """Return the minimal forcing sets for all operands of a small operation, by trying all."""
    results = {
        operands: evaluate(operation, operands)
        for operands in product(*(range(1 << width) for width in operation.widths))
    }
    outcomes: dict[tuple[tuple[int, ...], tuple[int, ...]], set[int]] = {}
    choices = subsets(len(operation.widths))
    for operands, result in results.items():
        for chosen in choices:
            seen = outcomes.setdefault((chosen, tuple(operands[i] for i in chosen)), set())
            seen |= {result} - {None}  # type: ignore[arg-type]  # removes None
    return {
        operands: minimal(
            [c for c in choices if len(outcomes[c, tuple(operands[i] for i in c)]) == 1]
        )
        for operands, result in results.items()
        if result is not None
    }


def minimal(sets: list[tuple[int, ...]]) -> Sets:
    return tuple(c for c in sets if not any(set(other) < set(c) for other in sets))


@pytest.mark.parametrize("operation", SMALL, ids=lambda o: f"{o.op.name}{o.width}{o.extra}")
def test_all_minimal_sets_are_found_and_no_others(operation: Operation) -> None:
    for operands, expected in all_forcing(operation).items():
        result = evaluate(operation, operands)
        assert result is not None
        assert alternatives(operation, operands, result) == expected, operands
        assert decisive(operation, operands, result) == expected[0]


def forced_alike(operation: Operation, a: int, b: int) -> bool:
    """Are two results the same, or both NaNs?"""
    f = FORMATS.get(operation.width)
    return a == b or (f is not None and f.is_nan(a) and f.is_nan(b))


@settings(max_examples=300, deadline=None)
@given(applied=st.one_of(on_integers(), on_floats()), data=st.data())
def test_the_other_operands_do_not_change_a_forced_result(
    applied: Applied, data: st.DataObject
) -> None:
    operation, operands = applied
    result = evaluate(operation, operands)
    assume(result is not None)
    assert result is not None
    for chosen in alternatives(operation, operands, result):
        changed = list(operands)
        for index, width in enumerate(operation.widths):
            if index not in chosen:
                some = [integers(width)] + ([numbers(width)] if width in FORMATS else [])
                changed[index] = data.draw(st.one_of(some))
        found = evaluate(operation, changed)
        assert found is None or forced_alike(operation, found, result), changed


F = FORMATS[64]
ONE, LARGEST, INFINITY, NAN = 0x3FF0000000000000, F.infinity - 1, F.infinity, F.nan


@pytest.mark.parametrize(
    ("applied", "expected"),
    [
        (apply(COp.MUL, 32, (32, 7), (32, 0)), ((1,),)),
        (apply(COp.MUL, 32, (32, 0), (32, 0)), ((0,), (1,))),
        (apply(COp.SWITCH, 32, (32, 5), extra=(77, 78)), ((0,),)),
        (apply(COp.AND, 32, (32, 12), (32, 3)), ((0, 1),)),
        (apply(COp.OR, 1, (1, 0), (1, 1)), ((1,),)),
        (apply(COp.SELECT, 8, (1, 0), (8, 4), (8, 5)), ((0, 2),)),
        (apply(COp.SELECT, 8, (1, 0), (8, 5), (8, 5)), ((0, 2), (1, 2))),
        (apply(COp.ULT, 1, (32, 9), (32, 0)), ((1,),)),
        (apply(COp.SREM, 32, (32, 9), (32, 1)), ((1,),)),
        (apply(COp.ASHR, 32, (32, 2**32 - 1), (32, 5)), ((0,),)),
        (apply(COp.FADD, 64, (64, ONE), (64, NAN)), ((1,),)),
        (apply(COp.FMUL, 64, (64, 0), (64, ONE)), ((0, 1),)),
        (apply(COp.FMA, 64, (64, INFINITY), (64, 0), (64, ONE)), ((0, 1),)),
        (apply(COp.FCMP, 1, (64, NAN), (64, ONE), extra=(4,)), ((0,),)),
        (apply(COp.FCMP, 1, (64, ONE), (64, INFINITY), extra=(2,)), ((1,),)),
        (apply(COp.FCMP, 1, (64, ONE), (64, LARGEST), extra=(2,)), ((0, 1),)),
        (apply(COp.FCMP, 1, (64, ONE), (64, ONE), extra=(15,)), ((),)),
        (apply(COp.FPCLASS, 1, (64, ONE), extra=(8,)), ((0,),)),
        (apply(COp.FREM, 64, (64, ONE), (64, 0)), ((1,),)),
        (apply(COp.ADDRESS, 64, (64, 16), (32, 0), extra=(4, 0)), ((0, 1),)),
    ],
)
def test_what_forces_some_well_known_results(applied: Applied, expected: Sets) -> None:
    result = evaluate(*applied)
    assert result is not None
    assert alternatives(*applied, result) == expected


def test_all_operands_count_if_the_result_is_not_the_computed_one() -> None:
    operation, operands = apply(COp.MUL, 32, (32, 0), (32, 7))
    assert decisive(operation, operands, 3) == (0, 1)
    operation, operands = apply(COp.SHL, 32, (32, 0), (32, 77))
    assert decisive(operation, operands, 0) == (0, 1)
    operation, operands = apply(COp.OPAQUE, 32, (32, 0), (32, 7), (32, 1))
    assert decisive(operation, operands, 0) == (0, 1, 2)
