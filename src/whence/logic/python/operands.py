"""Which operands of a Python step, and which items of them, does its result rest on?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.logic.python.evaluate import agrees
from whence.logic.python.justify import ALL, alternatives, items_needed
from whence.program.operations import COp, PyOp
from whence.trace.flow import Constant, Flow, FlowNode, Operand


def needed(flow: Flow, node: FlowNode, step: int, mask: int) -> Sequence[tuple[Operand, int]]:
    """The operands that these items of a step's result, if it is a tuple, rest on; and of each,
    if it is a tuple, the items."""
    operation, operands = node.operation, node.operands
    if operation.op is PyOp.TUPLE:
        return [(operand, ALL) for at, operand in enumerate(operands) if mask >> at & 1]
    values = [flow.value_of(operand) for operand in operands]
    if operation.op in (COp.COPY, PyOp.EITHER):
        # What came out of something that another step made has items of its own.
        is_it = mask == ALL or agrees(values[0], flow.value(step))
        return [(operand, mask if is_it else ALL) for operand in operands[:1]]
    sets = alternatives(operation, values, flow.value(step))
    best = min(sets, key=lambda one: sum(not isinstance(operands[i], Constant) for i in one))
    return [(operands[i], items_needed(operation, values, i)) for i in best]
