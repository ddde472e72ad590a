"""Which operands of a step, and which of their bits, force its result?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.logic.c.justify import alternatives
from whence.logic.logic import ALL
from whence.program.ids import Step
from whence.program.operations import COp
from whence.trace.flow import Constant, Flow, FlowNode, Operand

# A bit of the result depends on the bits of the operands up to it.
_CARRIES_UP = frozenset({COp.ADD, COp.SUB, COp.MUL})
# One operand may force the result alone.
_MAY_BE_FORCED = frozenset({
    COp.MUL, COp.UDIV, COp.SDIV, COp.UREM, COp.SREM, COp.SHL, COp.LSHR, COp.ASHR, COp.SELECT,
    COp.SMAX, COp.SMIN, COp.UMAX, COp.UMIN, COp.FMUL, COp.FSHL, COp.FSHR,
})  # fmt: skip


def needed(flow: Flow, node: FlowNode, step: Step, mask: int) -> Sequence[tuple[Operand, int]]:
    """Return the operands, each with a mask of bits, that force some bits of a step's result."""
    operation, operands = node.operation, node.operands
    op, widths = operation.op, operation.widths
    if op is COp.COPY:
        return [(operands[0], mask)] if operands else []
    if op is COp.OPAQUE:
        return [(operand, ALL) for operand in operands]
    if op is COp.CONCAT:
        return _concatenated(operands, widths, mask)
    if op is COp.EXTRACT:
        return [(operands[0], ALL if mask == ALL else mask << operation.extra[0])]
    if op in (COp.ZEXT, COp.TRUNC):
        kept = mask & (1 << min(operation.width, widths[0])) - 1
        return [(operands[0], kept)] if kept else []
    values = [flow.value_of(operand) for operand in operands]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return [(operand, ALL) for operand in operands]
    if op in (COp.AND, COp.OR) and operation.width <= 64:
        return _bitwise(op, operands, known, mask & (1 << operation.width) - 1)
    if op in (COp.SHL, COp.LSHR) and isinstance(operands[1], Constant) and mask != ALL:
        moved = mask >> known[1] if op is COp.SHL else mask << known[1]
        return [(operands[0], moved & (1 << operation.width) - 1)] if moved else []
    best: Sequence[int] = range(len(operands))
    if op in _MAY_BE_FORCED:
        sets = alternatives(operation, known, flow.value(step))
        best = min(
            sets, key=lambda chosen: sum(not isinstance(operands[i], Constant) for i in chosen)
        )
    if op in _CARRIES_UP and mask > 0:
        mask = (1 << mask.bit_length()) - 1
    elif op is not COp.XOR:
        mask = ALL
    return [(operands[i], mask) for i in best]


def _concatenated(
    operands: Sequence[Operand], widths: Sequence[int], mask: int
) -> list[tuple[Operand, int]]:
    found = []
    for operand, width in zip(operands, widths, strict=True):
        part = mask & (1 << width) - 1
        if part:
            found.append((operand, part))
        mask >>= width
    return found


def _bitwise(
    op: COp, operands: Sequence[Operand], values: Sequence[int], mask: int
) -> list[tuple[Operand, int]]:
    """Return for each bit the operand that forces it; if both do, the constant one."""
    a, b = (value if op is COp.AND else ~value for value in values)
    either = mask & ~a & ~b  # forced by each operand alone
    both = mask & a & b
    first, second = both | mask & ~a & b, both | mask & a & ~b
    if isinstance(operands[1], Constant):
        second |= either
    else:
        first |= either
    both_masks = zip(operands, (first, second), strict=True)
    return [(operand, bits) for operand, bits in both_masks if bits]
