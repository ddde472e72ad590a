"""Which memory of a function can no other code see?

A stack variable is *private* if its address is only loaded from, stored to and offset by constants,
and if it is set before it is read.  A replay knows its contents from the stores alone, so accesses
to it need not be logged.  At -O0 this is most of the memory traffic.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from whence.frontend.c.ir import Function, Global, Instruction, Int, Local, Type
from whence.frontend.c.layout import Layout
from whence.frontend.c.unset import maybe_unset

# Intrinsics that do not let a pointer escape.
HARMLESS = ("llvm.lifetime.", "llvm.dbg.", "llvm.fake.use")


@dataclass(frozen=True, slots=True)
class StackPlace:
    """A place in private memory: byte `offset` of the private bytes of a frame."""

    offset: int
    room: int  # bytes from here to the end of the variable


@dataclass(frozen=True, slots=True)
class Private:
    """The private memory of one function: the places that its registers point to."""

    places: dict[str, StackPlace]
    allocas: frozenset[str]
    size: int


def private_memory(function: Function, layout: Layout) -> Private:
    """Return the variables of `function` that only its own loads and stores can reach."""
    pointers = _Pointers(function, layout)
    pointers.bad |= maybe_unset(function, layout, pointers.rooms, pointers.spot)
    escaped = pointers.escaped()
    places: dict[str, StackPlace] = {}
    size = 0
    starts: dict[str, int] = {}
    for name, room in pointers.rooms.items():
        if name not in escaped:
            size = (size + 7) & ~7  # one slot each, so that wide accesses stay aligned
            starts[name] = size
            size += room
    for name, (variable, offset) in pointers.base.items():
        if variable in starts:
            places[name] = StackPlace(starts[variable] + offset, pointers.rooms[variable] - offset)
    return Private(places, frozenset(starts), (size + 7) & ~7)


class _Pointers:
    """Registers that hold the address of a fixed place in a stack variable."""

    def __init__(self, function: Function, layout: Layout) -> None:
        self.layout = layout
        self.rooms: dict[str, int] = {}
        self.base: dict[str, tuple[str, int]] = {}
        self.bad: set[str] = set()
        # variable -> variables copied into it
        self.copied_from: dict[str, set[str]] = defaultdict(set)
        # twice, because a block may be written before a block that runs before it
        for _ in range(2):
            for block in function.blocks:
                for instruction in block.instructions:
                    self._look(instruction)

    def escaped(self) -> set[str]:
        """Return the escaped variables, and those whose contents come from escaped ones."""
        escaped = set(self.bad)
        changed = True
        while changed:
            changed = False
            for target, sources in self.copied_from.items():
                if target not in escaped and sources & escaped:
                    escaped.add(target)
                    changed = True
        return escaped

    def _look(self, instruction: Instruction) -> None:
        opcode = instruction.opcode
        if opcode == "alloca":
            self._alloca(instruction)
        elif opcode == "load":
            self._access(instruction.operands[0].value, instruction.type, instruction)
        elif opcode == "store":
            self._escape(instruction.operands[0].value)
            self._access(instruction.operands[1].value, instruction.operands[0].type, instruction)
        elif opcode == "getelementptr":
            self._offset(instruction)
        elif opcode == "call" and isinstance(instruction.callee, Global):
            self._call(instruction, instruction.callee.name)
        else:
            if isinstance(instruction.callee, Local):
                self._escape(instruction.callee)
            for operand in instruction.operands:
                self._escape(operand.value)

    def _alloca(self, instruction: Instruction) -> None:
        count = instruction.operands[0].value
        if instruction.result is None or instruction.element is None or count != Int(1):
            return
        self.rooms[instruction.result] = self.layout.size(instruction.element)
        self.base[instruction.result] = (instruction.result, 0)

    def _offset(self, instruction: Instruction) -> None:
        pointer, *indices = instruction.operands
        spot = self.base.get(pointer.value.name) if isinstance(pointer.value, Local) else None
        for index in indices:
            self._escape(index.value)
        if spot is None or instruction.element is None or instruction.result is None:
            return
        offset, variable = self.layout.gep(instruction.element, indices)
        if variable or not 0 <= spot[1] + offset <= self.rooms[spot[0]]:
            self.bad.add(spot[0])
        else:
            self.base[instruction.result] = (spot[0], spot[1] + offset)

    def _access(self, pointer: object, accessed: Type, instruction: Instruction) -> None:
        spot = self.base.get(pointer.name) if isinstance(pointer, Local) else None
        if spot is None:
            return
        end = spot[1] + self.layout.store_size(accessed)
        if instruction.volatile or instruction.atomic or end > self.rooms[spot[0]]:
            self.bad.add(spot[0])

    def _call(self, instruction: Instruction, callee: str) -> None:
        if callee.startswith(HARMLESS):
            return
        operands = instruction.operands
        spots = [self.spot(operand.value) for operand in operands]
        if callee.startswith(("llvm.memcpy.", "llvm.memmove.")) and self._fits(instruction, 2):
            target, source = spots[0], spots[1]
            if target is not None and source is not None:
                self.copied_from[target[0]].add(source[0])
            elif target is not None:  # filled from memory whose contents are not tracked
                self.bad.add(target[0])
        elif callee.startswith("llvm.memset.") and self._fits(instruction, 2):
            return
        else:
            self.bad.update(spot[0] for spot in spots if spot)

    def _fits(self, instruction: Instruction, length_at: int) -> bool:
        """Is the length constant, and within the variables that it is applied to?"""
        length = instruction.operands[length_at].value
        if not isinstance(length, Int) or instruction.operands[-1].value == Int(1):
            return False
        spots = (self.spot(operand.value) for operand in instruction.operands[:length_at])
        return all(spot is None or spot[1] + length.value <= self.rooms[spot[0]] for spot in spots)

    def spot(self, value: object) -> tuple[str, int] | None:
        """Return the variable and the offset that a value points to, if they are known."""
        return self.base.get(value.name) if isinstance(value, Local) else None

    def _escape(self, value: object) -> None:
        spot = self.spot(value)
        if spot is not None:
            self.bad.add(spot[0])
