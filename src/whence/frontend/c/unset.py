"""Which private variables may be read before they are set?

A replay knows the contents of a private variable from the stores alone.  What a variable holds
before the first store is known only if the program logs it.  So such a variable is not private.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whence.frontend.c.flow import block_successors
from whence.frontend.c.ir import Block, Function, Global, Instruction, Int
from whence.frontend.c.layout import Layout

Spot = tuple[str, int]  # a variable, and an offset in it
Mask = int  # a bit for each byte of the variables
_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def maybe_unset(
    function: Function,
    layout: Layout,
    rooms: Mapping[str, int],
    spot: Callable[[object], Spot | None],
) -> set[str]:
    """Return the variables that a path of the function reads before it sets them.

    `rooms` has the sizes of the variables; `spot` returns the place that a value points to.  A read
    counts if its first byte may be unset: reading a struct as a number also reads its padding.
    """
    analysis = _Analysis(layout, rooms, spot)
    blocks, following = function.blocks, block_successors(function)
    at_start: list[Mask | None] = [None] * len(blocks)  # None: not reached yet
    waiting = [0] if blocks else []
    at_start[:1] = [0] * len(waiting)
    while waiting:
        number = waiting.pop()
        known = at_start[number]
        assert known is not None, "only blocks that were reached wait"
        after = analysis.through(blocks[number], known)
        for successor in following[number]:
            before = at_start[successor]
            both = after if before is None else before & after
            if both != before:
                at_start[successor] = both
                waiting.append(successor)
    found: set[str] = set()
    for block, mask in zip(blocks, at_start, strict=True):
        if mask is not None:
            analysis.through(block, mask, found)
    return found


class _Analysis:
    def __init__(
        self, layout: Layout, rooms: Mapping[str, int], spot: Callable[[object], Spot | None]
    ) -> None:
        self._layout, self._spot = layout, spot
        self._first: dict[str, int] = {}  # the bit of each variable's first byte
        size = 0
        for name, room in rooms.items():
            self._first[name], size = size, size + room

    def through(self, block: Block, known: Mask, found: set[str] | None = None) -> Mask:
        """Return which bytes are surely set after a block; add what it reads unset to `found`."""
        for instruction in block.instructions:
            if instruction.opcode == "store":
                target = instruction.operands[1].value
                size = self._layout.store_size(instruction.operands[0].type)
                known |= self._bytes(self._spot(target), size)
            elif instruction.opcode == "load" and found is not None:
                place = self._spot(instruction.operands[0].value)
                if place is not None and not known & self._bytes(place, 1):
                    found.add(place[0])
            elif instruction.opcode == "call" and isinstance(instruction.callee, Global):
                known = self._filled(instruction, instruction.callee.name, known)
        return known

    def _filled(self, call: Instruction, callee: str, known: Mask) -> Mask:
        """Return which bytes are set after memset or memcpy."""
        is_copy = callee.startswith(_COPIES)
        if not is_copy and not callee.startswith("llvm.memset."):
            return known
        length = call.operands[2].value
        target = self._spot(call.operands[0].value)
        if target is None or not isinstance(length, Int):
            return known
        source = self._spot(call.operands[1].value) if is_copy else None
        if source is None:
            return known | self._bytes(target, length.value)
        copied = known >> self._bit(source) & (1 << length.value) - 1
        return known & ~self._bytes(target, length.value) | copied << self._bit(target)

    def _bit(self, place: Spot) -> int:
        return self._first[place[0]] + place[1]

    def _bytes(self, place: Spot | None, size: int) -> Mask:
        return 0 if place is None else ((1 << size) - 1) << self._bit(place)
