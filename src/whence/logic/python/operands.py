"""Which operands of a Python step, and which of their items, force its result?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.logic.logic import ALL
from whence.logic.python.evaluate import agrees
from whence.logic.python.justify import alternatives, items_needed
from whence.program.ids import Step
from whence.program.operations import COp, PyOp
from whence.trace.flow import Constant, Flow, FlowNode, Operand


def needed(flow: Flow, node: FlowNode, step: Step, mask: int) -> Sequence[tuple[Operand, int]]:
    """Return the operands, each with a mask of items, that force some items of a step's result.

    Only tuples have items: the mask of every other value is ALL.
    """
    operation, operands = node.operation, node.operands
    if operation.op is PyOp.TUPLE:
        return [(operand, ALL) for at, operand in enumerate(operands) if mask >> at & 1]
    values = [flow.value_of(operand) for operand in operands]
    if operation.op in (COp.COPY, PyOp.EITHER):
        # If the value came out of a container, its items are not those of the operand.
        is_same = mask == ALL or agrees(values[0], flow.value(step))
        return [(operand, mask if is_same else ALL) for operand in operands[:1]]
    sets = alternatives(operation, values, flow.value(step))
    best = min(sets, key=lambda chosen: sum(not isinstance(operands[i], Constant) for i in chosen))
    return [(operands[i], items_needed(operation, values, i)) for i in best]
