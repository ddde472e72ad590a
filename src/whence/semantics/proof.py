"""Which steps, with the values that they had, force something to be as it was?

A proof walks backwards from what is to be shown and keeps of each operation only the operands
that its result rests on: one zero of a product, the arm of a select that was taken, of
`flags | option` only who set the bit that was asked for.  Conditions and addresses are left out:
what they rest on is the next level's question.  Of a Python tuple, the bits that are asked for are
its items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from whence.frontend.meaning import Op, PyOp
from whence.semantics.justify import alternatives
from whence.semantics.python import justify as python
from whence.trace.flow import Constant, Flow, Left, Node, Operand, Outside, Piece

ALL = -1  # every bit, as a mask
_UP = frozenset({Op.ADD, Op.SUB, Op.MUL})  # a bit of the result rests on those up to it
_MAY_BE_FORCED = frozenset({
    Op.MUL, Op.UDIV, Op.SDIV, Op.UREM, Op.SREM, Op.SHL, Op.LSHR, Op.ASHR, Op.SELECT,
    Op.SMAX, Op.SMIN, Op.UMAX, Op.UMIN, Op.FMUL, Op.FSHL, Op.FSHR,
})  # fmt: skip


@dataclass
class Proof:
    """The steps that force something."""

    steps: set[int] = field(default_factory=set)
    inputs: set[Outside] = field(default_factory=set)
    premises: set[int] = field(default_factory=set)  # branches that it takes as they came out


class Prover:
    """Finds proofs in one run."""

    def __init__(
        self,
        flow: Flow,
        enters: Callable[[int], bool] = lambda _: False,
        needs_none: Callable[[int | Piece], bool] | None = None,
    ) -> None:
        """`enters(step)`: is the step inside a function that is taken as a whole?
        `needs_none(made)`: is what a step came to, or a part of it, as it should be?"""
        self.flow = flow
        self.is_hidden = enters
        self.needs_none = needs_none
        self._known: dict[tuple[int, int], list[tuple[Operand, int]]] = {}

    def prove(self, seeds: Iterable[tuple[Operand, int]]) -> Proof:
        """Why the seeds have the values that they have, in the bits that are asked for."""
        found = Proof()
        asked: dict[Operand, int] = {}
        work = list(seeds)
        while work:
            operand, mask = work.pop()
            if isinstance(operand, Constant):
                continue
            known = asked.get(operand, 0)
            if mask | known == known:
                continue
            asked[operand] = mask | known
            work += self._asked(found, operand, mask)
        return found

    def _asked(self, found: Proof, operand: Operand, mask: int) -> Iterable[tuple[Operand, int]]:
        if isinstance(operand, Piece):
            bits = (1 << operand.width) - 1 if mask == ALL else mask
            return [(operand.step, bits << operand.low)]
        if isinstance(operand, Outside):
            found.inputs.add(operand)
            found.steps.update([operand.step] if operand.step else [])
            return []
        if isinstance(operand, Left):
            found.steps.add(operand.step)
            return [(made, ALL) for made in self.flow.left(operand)]
        assert isinstance(operand, int)
        return self._step(found, operand, mask)

    def _step(self, found: Proof, step: int, mask: int) -> Iterable[tuple[Operand, int]]:
        found.steps.add(step)
        node = self.flow.node(step)
        if node.through:
            found.steps.update(node.through)
        known = self._known.get((step, mask))
        if known is None:
            known = self._known[step, mask] = list(self._rests_on(step, node, mask))
        return known if self.needs_none is None else self._in_doubt(found, step, known)

    def _in_doubt(
        self, found: Proof, step: int, operands: Iterable[tuple[Operand, int]]
    ) -> Iterator[tuple[Operand, int]]:
        """The operands that want a reason.  Who set what a load read belongs to the proof, even
        if that is as it should be: then it should have been set again."""
        assert self.needs_none is not None
        for operand, mask in operands:
            if not isinstance(operand, int | Piece) or not self.needs_none(operand):
                yield operand, mask
            elif self.flow.is_load(step):
                found.steps.add(operand.step if isinstance(operand, Piece) else operand)

    def _rests_on(self, step: int, node: Node, mask: int) -> Iterator[tuple[Operand, int]]:
        for operand, bits in needed(self.flow, node, step, mask):
            if not isinstance(operand, Constant):
                yield operand, bits
        if node.chosen_by is not None:
            yield node.chosen_by, ALL
        if self.is_hidden(step):
            # Of a function that is taken as a whole, conditions count like data.
            decided = self.flow.deciding(step)
            if decided is not None and self.is_hidden(decided):
                yield decided, ALL
            if node.pointer is not None:
                yield node.pointer, ALL


def needed(flow: Flow, node: Node, step: int, mask: int) -> Sequence[tuple[Operand, int]]:
    """The operands, and the bits of them, that these bits of a step's result rest on."""
    operation, operands = node.operation, node.operands
    op, widths = operation.op, operation.widths
    if op is Op.COPY:
        return [(operands[0], mask)] if operands else []
    if op is Op.OPAQUE:
        return [(operand, ALL) for operand in operands]
    if isinstance(op, PyOp):
        return _needed_in_python(flow, node, step, mask)
    if op is Op.CONCAT:
        return _concatenated(operands, widths, mask)
    if op is Op.EXTRACT:
        return [(operands[0], ALL if mask == ALL else mask << operation.extra[0])]
    if op in (Op.ZEXT, Op.TRUNC):
        kept = mask & (1 << min(operation.width, widths[0])) - 1
        return [(operands[0], kept)] if kept else []
    values = [flow.value_of(operand) for operand in operands]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return [(operand, ALL) for operand in operands]
    if op in (Op.AND, Op.OR) and operation.width <= 64:
        return _bitwise(op, operands, known, mask & (1 << operation.width) - 1)
    if op in (Op.SHL, Op.LSHR) and isinstance(operands[1], Constant) and mask != ALL:
        moved = mask >> known[1] if op is Op.SHL else mask << known[1]
        return [(operands[0], moved & (1 << operation.width) - 1)] if moved else []
    best: Sequence[int] = range(len(operands))
    if op in _MAY_BE_FORCED:
        sets = alternatives(operation, known, flow.value(step))
        best = min(sets, key=lambda one: sum(not isinstance(operands[i], Constant) for i in one))
    if op in _UP and mask > 0:
        mask = (1 << mask.bit_length()) - 1
    elif op is not Op.XOR:
        mask = ALL
    return [(operands[i], mask) for i in best]


def _needed_in_python(
    flow: Flow, node: Node, step: int, mask: int
) -> Sequence[tuple[Operand, int]]:
    operation, operands = node.operation, node.operands
    if operation.op is PyOp.TUPLE:
        return [(operand, ALL) for at, operand in enumerate(operands) if mask >> at & 1]
    if operation.op is PyOp.EITHER:
        return [(operands[0], mask)]
    values = [flow.value_of(operand) for operand in operands]
    sets = python.alternatives(operation, values, flow.value(step))
    best = min(sets, key=lambda one: sum(not isinstance(operands[i], Constant) for i in one))
    return [(operands[i], python.items_needed(operation, values, i)) for i in best]


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
    op: Op, operands: Sequence[Operand], values: Sequence[int], mask: int
) -> list[tuple[Operand, int]]:
    """Of a bit that one operand settles, only that operand; of two that do, a constant."""
    a, b = (value if op is Op.AND else ~value for value in values)
    either = mask & ~a & ~b  # settled by each of them
    both = mask & a & b
    first, second = both | mask & ~a & b, both | mask & a & ~b
    if isinstance(operands[1], Constant):
        second |= either
    else:
        first |= either
    asked = zip(operands, (first, second), strict=True)
    return [(operand, bits) for operand, bits in asked if bits]
