"""What does the arithmetic of Python say about ints, bools and texts?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from whence.frontend.python.values import UNKNOWN
from whence.logic.python.cases import Cases, Rules
from whence.logic.python.terms import (
    PythonTerm,
    are_numbers,
    are_texts,
    bool_term,
    constant_of,
    int_term,
    number_of,
    str_term,
)
from whence.program.operations import Operation, PyOp


def _arithmetic(compute: Callable[..., Any]) -> Callable[..., PythonTerm | None]:
    def rule(_: Operation, *terms: PythonTerm) -> PythonTerm | None:
        return int_term(compute(*map(number_of, terms))) if are_numbers(*terms) else None

    return rule


def _add(_: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    if are_texts(a, b):
        return str_term(z3.Concat(a.z3, b.z3))
    if a.sort == b.sort == "tuple":
        return PythonTerm("tuple", UNKNOWN, None, a.parts + b.parts)
    return int_term(number_of(a) + number_of(b)) if are_numbers(a, b) else None


def _floor(a: Any, b: Any) -> Any:
    return z3.If(b > 0, a / b, (-a) / (-b))


def _remainder(a: Any, b: Any) -> Any:
    return z3.If(b > 0, a % b, -((-a) % (-b)))


def _dividing(compute: Callable[[Any, Any], Any] | None) -> Callable[..., Cases | None]:
    def rule(_: Operation, a: PythonTerm, b: PythonTerm) -> Cases | None:
        if not are_numbers(a, b):
            return None
        x, y = number_of(a), number_of(b)
        cases: list[tuple[Any, PythonTerm]] = [(None, int_term(compute(x, y)))] if compute else []
        return Cases(cases, y == 0, "ZeroDivisionError")

    return rule


def _power(_: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    exponent = constant_of(b)
    if exponent is None or not 0 <= exponent <= 3 or not are_numbers(a):
        return None
    found = z3.IntVal(1)
    for _time in range(exponent):
        found = found * number_of(a)
    return int_term(found)


def _shift(operation: Operation, a: PythonTerm, n: PythonTerm) -> PythonTerm | None:
    places = constant_of(n)
    if places is None or not 0 <= places <= 256 or not are_numbers(a):
        return None
    x, by = number_of(a), z3.IntVal(1 << places)
    return int_term(x * by if operation.op is PyOp.SHL else x / by)


def _bitwise(operation: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    if a.sort != "bool" or b.sort != "bool":
        return None
    compute = {PyOp.BITAND: z3.And, PyOp.BITOR: z3.Or, PyOp.BITXOR: z3.Xor}
    return bool_term(compute[operation.op](a.z3, b.z3))  # type: ignore[index]


NUMBER_RULES: Rules = {
    PyOp.ADD: _add,
    PyOp.SUB: _arithmetic(lambda a, b: a - b),
    PyOp.MUL: _arithmetic(lambda a, b: a * b),
    PyOp.TRUEDIV: _dividing(None),
    PyOp.FLOORDIV: _dividing(_floor),
    PyOp.MOD: _dividing(_remainder),
    PyOp.POW: _power,
    PyOp.SHL: _shift,
    PyOp.SHR: _shift,
    **dict.fromkeys((PyOp.BITAND, PyOp.BITOR, PyOp.BITXOR), _bitwise),
    PyOp.NEG: _arithmetic(lambda a: -a),
    PyOp.POS: _arithmetic(lambda a: a),
    PyOp.INVERT: _arithmetic(lambda a: -a - 1),
}
