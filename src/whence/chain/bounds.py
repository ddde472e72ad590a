"""Did a condition compare two numbers at the bound between its two outcomes?

A fault is in the code, and the code is the same each time that it runs.  A comparison such as
`a < b` that should be `a <= b`, or whose bound is one too large, comes out wrong where its operands
are equal or one apart, and nowhere else.  So a branch that is at its bound may be the fault itself.
Another one went a wrong way more likely because of the values that it compared.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from whence.program.ids import Step
from whence.program.operations import COp, PyOp
from whence.trace.flow import Flow

_MAX_HOPS = 20  # operations between a branch and its comparison that are followed; guessed
_Compare = Callable[[Any, Any], bool]
_SIGNED: dict[COp | PyOp, _Compare] = {
    COp.SLT: operator.lt, COp.SLE: operator.le, COp.SGT: operator.gt, COp.SGE: operator.ge,
}  # fmt: skip
_ORDERS: dict[COp | PyOp, _Compare] = _SIGNED | {
    COp.ULT: operator.lt, COp.ULE: operator.le, COp.UGT: operator.gt, COp.UGE: operator.ge,
    PyOp.LT: operator.lt, PyOp.LE: operator.le, PyOp.GT: operator.gt, PyOp.GE: operator.ge,
}  # fmt: skip


def is_at_bound(flow: Flow, branch: Step) -> bool:
    """Would a branch go the other way if one of its numbers were one larger or smaller?"""
    at = branch
    for _ in range(_MAX_HOPS):
        node = flow.node(at)
        compare = _ORDERS.get(node.operation.op)
        if compare is not None and len(node.operands) == 2:
            values = [flow.value_of(operand) for operand in node.operands]
            if node.operation.op in _SIGNED:
                values = [
                    _signed(*each) for each in zip(values, node.operation.widths, strict=True)
                ]
            return _changes(compare, *values)
        if not node.operands or not isinstance(node.operands[0], int):
            return False
        at = node.operands[0]
    return False


def _changes(compare: _Compare, one: object, other: object) -> bool:
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return False
    if isinstance(one, float) or isinstance(other, float):
        return one == other
    came = compare(one, other)
    return any(compare(one + by, other) != came for by in (-1, 1))


def _signed(value: object, width: int) -> object:
    if not isinstance(value, int) or not width:
        return value
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value
