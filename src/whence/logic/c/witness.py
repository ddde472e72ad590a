"""Which changed bits make a predicate of a C run come out differently?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from whence.logic.c.evaluate import evaluate
from whence.logic.witness import WitnessSearch
from whence.program.operations import COp
from whence.trace.flow import FlowNode, Operand, StoredBits

_MAX_CONSTANTS = 4  # limit on constants of the program whose neighbours are tried; guessed


class CWitnessSearch(WitnessSearch):
    """Changes one bit-vector at a time."""

    unknown: ClassVar[Any] = None

    def candidates(self, operand: Operand, constants: Sequence[Any]) -> Sequence[Any]:
        recorded = self.flow.value_of(operand)
        width = max(self.flow.width_of(operand), 1)
        return _candidates(0 if recorded is None else recorded, {*constants}, width)

    def is_same(self, found: Any, expected: Any) -> bool:
        return bool(found == expected)

    def applied(self, node: FlowNode, values: Sequence[Any]) -> Any:
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not values:
            return None
        if node.operation.op in (COp.COPY, COp.SWITCH):
            return known[0] & (1 << max(node.operation.width, 1)) - 1
        return evaluate(node.operation, known)

    def bits_of(self, whole: Any, part: StoredBits) -> Any:
        return None if whole is None else whole >> part.low & (1 << part.width) - 1


def _candidates(recorded: int, constants: set[int], width: int) -> list[int]:
    """Return values that make a comparison come out differently, if any simple value does."""
    full = (1 << width) - 1
    near = [recorded + 1, recorded - 1, 0, 1, full, full >> 1, (full >> 1) + 1]
    for constant in sorted(constants)[:_MAX_CONSTANTS]:
        near += [constant, constant + 1, constant - 1]
    cut = dict.fromkeys(value & full for value in near)
    return [value for value in cut if value != recorded]
