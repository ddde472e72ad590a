"""Which constraint does a Python operation put on its operands and its result?

The types are those of the run (see `terms`), so operations that ask for types (`is None`,
isinstance, `==` between a str and an int) give no constraint.  A constraint never says more than
what holds in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whence.frontend.python.values import UNKNOWN
from whence.logic.python.calls import CALL_RULES
from whence.logic.python.cases import Cases, Rules
from whence.logic.python.comparisons import COMPARISON_RULES
from whence.logic.python.containers import CONTAINER_RULES
from whence.logic.python.numbers import NUMBER_RULES
from whence.logic.python.terms import (
    PythonTerm,
)
from whence.program.operations import COp, Operation, PyOp

_RULES: Rules = {
    COp.COPY: lambda _, a: a,
    PyOp.EITHER: lambda _, a: a,
    **NUMBER_RULES,
    **COMPARISON_RULES,
    **CONTAINER_RULES,
    **CALL_RULES,
}


def encode(operation: Operation, operands: Sequence[PythonTerm], result: PythonTerm) -> Any:
    """Return the constraint that `result` is what the operation gives, or None if unknown."""
    rule = _RULES.get(operation.op)
    found = rule(operation, *operands) if rule and result.value is not UNKNOWN else None
    if found is None:
        return None
    cases = found if isinstance(found, Cases) else Cases([(None, found)])
    return cases.constraint(result)
