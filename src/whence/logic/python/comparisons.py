"""When does a comparison or a truth test of Python hold?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from whence.logic.python.cases import Rules
from whence.logic.python.terms import (
    PythonTerm,
    are_numbers,
    are_texts,
    bool_term,
    is_true,
    number_of,
)
from whence.program.operations import Operation, PyOp


def equals(a: PythonTerm, b: PythonTerm) -> Any:
    """Return the constraint that Python's `==` holds, or None if unknown."""
    if are_numbers(a, b):
        return a.z3 == b.z3 if a.sort == b.sort else number_of(a) == number_of(b)
    if are_texts(a, b):
        return a.z3 == b.z3
    if a.sort != "tuple" or b.sort != "tuple" or len(a.parts) != len(b.parts):
        return None
    return all_of([equals(one, other) for one, other in zip(a.parts, b.parts, strict=True)])


def all_of(found: Sequence[Any]) -> Any:
    """Return the conjunction of constraints, or None if one of them is unknown."""
    return None if any(constraint is None for constraint in found) else z3.And(list(found))


ORDER: dict[PyOp, Callable[[Any, Any], Any]] = {
    PyOp.LT: lambda a, b: a < b,
    PyOp.LE: lambda a, b: a <= b,
    PyOp.GT: lambda a, b: b < a,
    PyOp.GE: lambda a, b: b <= a,
}


def holds(op: PyOp, a: PythonTerm, b: PythonTerm) -> Any:
    """Return the constraint that a comparison holds, or None if unknown."""
    if op in ORDER:
        if are_numbers(a, b):
            return ORDER[op](number_of(a), number_of(b))
        return ORDER[op](a.z3, b.z3) if are_texts(a, b) else None
    if op in (PyOp.EQ, PyOp.NE):
        found = equals(a, b)
    elif op in (PyOp.IS, PyOp.ISNOT):
        found = _is(a, b)
    else:
        found = z3.Contains(b.z3, a.z3) if are_texts(a, b) else None
    return z3.Not(found) if found is not None and op in _NEGATED else found


_NEGATED = (PyOp.NE, PyOp.ISNOT, PyOp.NOTIN)


def _is(a: PythonTerm, b: PythonTerm) -> Any:
    if a.sort == b.sort == "bool":
        return a.z3 == b.z3
    if a.sort == b.sort == "other" and any(
        term.value is None and z3.is_bv_value(term.z3) for term in (a, b)
    ):
        return a.z3 == b.z3
    return None


def compare_terms(operation: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    assert isinstance(operation.op, PyOp)
    return bool_term(holds(operation.op, a, b))


def _chain(operation: Operation, *terms: PythonTerm) -> PythonTerm | None:
    pairs = zip(operation.extra, terms, terms[1:], strict=False)
    return bool_term(all_of([holds(op, a, b) for op, a, b in pairs]))


def _truth(operation: Operation, a: PythonTerm) -> PythonTerm | None:
    found = is_true(a)
    return bool_term(z3.Not(found) if found is not None and operation.op is PyOp.NOT else found)


COMPARISON_RULES: Rules = {
    PyOp.NOT: _truth,
    PyOp.TRUTH: _truth,
    **dict.fromkeys((*ORDER, PyOp.EQ, PyOp.NE, PyOp.IS, PyOp.ISNOT), compare_terms),
    PyOp.CHAIN: _chain,
}
