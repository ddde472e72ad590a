"""Which changed values make a predicate of a Python run come out differently?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from whence.frontend.python.values import UNKNOWN, Obj, Value, items, same
from whence.logic.python.evaluate import agrees, evaluate
from whence.logic.witness import WitnessSearch
from whence.trace.flow import FlowNode, Operand

_MAX_CONSTANTS = 4  # limit on constants of the program whose neighbours are tried; guessed
_MAX_ITEMS, _MAX_PER_ITEM = 4, 2  # limits on items of a tuple, and values tried for each; guessed


class PythonWitnessSearch(WitnessSearch):
    """Changes one Python value at a time, and keeps its type."""

    unknown: ClassVar[Any] = UNKNOWN

    def candidates(self, operand: Operand, constants: Sequence[Any]) -> Sequence[Value]:
        return candidate_values(self.flow.value_of(operand), constants)

    def is_same(self, found: Any, expected: Any) -> bool:
        return agrees(found, expected)

    def applied(self, node: FlowNode, values: Sequence[Any]) -> Value:
        return evaluate(node.operation, values) if values else UNKNOWN


def candidate_values(recorded: Value, constants: Sequence[Value]) -> list[Value]:
    """Return values of the type of `recorded` that may make a comparison differ."""
    similar = [one for one in constants if type(one) is type(recorded)][:_MAX_CONSTANTS]
    near: list[Value] = []
    if isinstance(recorded, bool):
        near = [not recorded]
    elif isinstance(recorded, int | float):
        near = [recorded + 1, recorded - 1, 0, 1, -1]
        near += [number for one in similar for number in (one, one + 1, one - 1)]  # type: ignore[operator]
        near = [type(recorded)(number) for number in near]  # type: ignore[arg-type]
    elif isinstance(recorded, str | bytes):
        near = [recorded[:0], recorded[:-1], recorded * 2, recorded[1:], *similar]
        near += [recorded + "x"] if isinstance(recorded, str) else []
    elif recorded is None:
        near = [1]
    elif isinstance(recorded, Obj) and recorded.type == "tuple":
        near = _other_tuples(recorded, constants)
    return [value for value in near if not same(value, recorded)]


def _other_tuples(recorded: Obj, constants: Sequence[Value]) -> list[Value]:
    """Return copies of a tuple with one item changed."""
    inside = items(recorded) or ()
    return [
        Obj(0, "tuple", "tuple", (len(inside), (*inside[:at], other, *inside[at + 1 :])))
        for at, item in enumerate(inside[:_MAX_ITEMS])
        for other in candidate_values(item, constants)[:_MAX_PER_ITEM]
    ]
