"""Which memory may an instruction read or write, in any run of the program?

All modules of the program are analysed together, linked by the names of their symbols.  If an
instruction names the memory itself (`x = 1`, `s.a[i] = 2`), the instruction tells which memory it
is; for all other accesses `unify` finds what pointers may point to.

Memory consists of objects: variables, parameters passed by value, heap memory by the place where
it is allocated, and everything outside the program.  We assume what C demands: no access leaves
its object, and arithmetic on a pointer into an array does not leave the array.  The analysis
misses pointers that are split into integers narrower than 64 bits and put together again (except
copies byte by byte).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from whence.frontend.c.allocators import FunctionId
from whence.frontend.c.ir import Instruction, Module
from whence.frontend.c.pointer_objects import Held
from whence.frontend.c.pointers import Pointers
from whence.frontend.c.unify import FAR, Target
from whence.frontend.c.walk import PointerWalk


class Cell(NamedTuple):
    """`size` bytes of an object from `offset` on; somewhere in the object if `offset` is None."""

    object: int
    offset: int | None
    size: int


class Access(NamedTuple):
    """What is read or written, in terms of a root class of the Unifier.

    Two accesses that name an object overlap only if it is the same object.  The access covers
    `size` bytes at `offset`, plus any multiple of `stride`, between `low` and `high`.
    """

    cls: int
    object: int  # -1: any object
    offset: int
    size: int
    stride: int
    low: int
    high: int


class Aliases:
    """Answers for one program; `objects[number]` describes an object."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._program = Pointers(modules)
        for m, module in enumerate(modules):
            for function in module.functions.values():
                PointerWalk(self._program, m, function).run()
        self._program.solve()
        self.objects = self._program.objects
        self._cells: dict[Access, frozenset[Cell]] = {}

    # --- questions

    def may_write(self, module: int, function: str, op: Instruction) -> frozenset[Cell]:
        """Return the cells that the instruction itself may write.

        What a called function of the program writes is not included; see `called`.
        """
        found = self.writes(module, function, op)
        return frozenset().union(*(self.cells(access) for access in found))

    def may_read(self, module: int, function: str, op: Instruction) -> frozenset[Cell]:
        """Return the cells that the instruction itself may read."""
        found = self.reads(module, function, op)
        return frozenset().union(*(self.cells(access) for access in found))

    def called(self, module: int, function: str, op: Instruction) -> frozenset[FunctionId]:
        """Return the functions of the program that a call may run, also through a library."""
        place = (module, function, op.line)
        found = self._program.callees.get(place, set())
        return frozenset(
            found | self._program.escaped if place in self._program.outcalls else found
        )

    def writes(self, module: int, function: str, op: Instruction) -> list[Access]:
        """Return what `may_write` returns, in a form that is quick to compare."""
        return self._accesses(self._program.writes.get((module, function, op.line), ()))

    def reads(self, module: int, function: str, op: Instruction) -> list[Access]:
        """Return what `may_read` returns, in a form that is quick to compare."""
        return self._accesses(self._program.reads.get((module, function, op.line), ()))

    def is_private(self, number: int) -> bool:
        """Is the object a local one that only its own activation can access?"""
        kind = self.objects[number].kind
        return kind in ("local", "parameter") and number not in self._program.exposed

    def cells(self, access: Access) -> frozenset[Cell]:
        """Return the bytes of objects that an access may touch."""
        if access not in self._cells:
            members = self._program.unifier.members[access.cls]
            self._cells[access] = frozenset(
                cell
                for number, shift in members
                if access.object in (-1, number)
                for cell in self._cell(number, shift, access)
            )
        return self._cells[access]

    def _accesses(self, found: Iterable[tuple[Held, int]]) -> list[Access]:
        result = []
        for held, size in found:
            # A pointer of unknown origin comes from outside.
            at = self._program.resolved(held) or self._program.resolved(self._program.outside)
            if at is not None:
                number = held.cls if isinstance(held, Target) else -1
                low, high = (at.low, at.high) if at.stride else (at.offset, at.offset + size)
                result.append(Access(at.cls, number, at.offset, size, at.stride, low, high))
        return result

    def _cell(self, number: int, shift: int, access: Access) -> Iterator[Cell]:
        """Yield the bytes of one object, which starts `shift` bytes into its class."""
        thing = self.objects[number]
        if thing.kind == "function":
            return
        end = FAR if thing.size is None else thing.size
        low, high = access.low - shift, access.high - shift
        if not access.stride:
            if low >= 0 and high <= end:
                yield Cell(number, low, access.size)
        elif low < end and high > 0:
            if (low > 0 or high < end) and high - low < FAR:
                yield Cell(number, max(low, 0), min(high, end) - max(low, 0))
            else:
                yield Cell(number, None, 0 if end == FAR else end)
