"""Which functions only pass on fresh memory from an allocator such as malloc?

The memory that such a function returns is distinguished by the place of the call.  Otherwise a
program that allocates everything through xmalloc would have a single heap object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whence.frontend.c.flow import CALLS as _CALLS
from whence.frontend.c.ir import (
    Expression,
    Function,
    Global,
    Instruction,
    Local,
    Module,
    PointerType,
    Value,
)
from whence.frontend.c.summaries import library_summary

FunctionId = tuple[int, str]  # module, name
# returns the bodies that a name means in a module
Bodies = Callable[[int, str], Sequence[FunctionId]]


def allocators(modules: Sequence[Module], bodies: Bodies) -> dict[FunctionId, set[int]]:
    """Return the functions that only return memory which they get from an allocator.

    Each is mapped to the numbers of the parameters that it may return instead, as realloc does.
    """
    found: dict[FunctionId, set[int]] = {}
    candidates = [
        (m, function)
        for m, module in enumerate(modules)
        for function in module.functions.values()
        if isinstance(function.type.result, PointerType)
    ]
    grown = True
    while grown:
        grown = False
        for m, function in candidates:
            if (m, function.name) not in found:
                returned = _Fresh(bodies, found, m, function).parameters()
                if returned is not None:
                    found[m, function.name] = returned
                    grown = True
    return found


# Functions that do not change where the memory is reachable from.
_HARMLESS = ("free", "memset", "realloc", "llvm.memset")


class _Fresh:
    """Finds out where a function gets the pointer that it returns."""

    def __init__(
        self, bodies: Bodies, known: dict[FunctionId, set[int]], m: int, function: Function
    ) -> None:
        self.bodies = bodies
        self.known = known
        self.m = m
        self.numbers = {p.name: i for i, p in enumerate(function.parameters)}
        self.ops = [op for block in function.blocks for op in block.instructions]
        self.made = {op.result: op for op in self.ops if op.result is not None}

    def parameters(self) -> set[int] | None:
        """Return the parameters that may be returned instead of fresh memory; None: all may."""
        returned: set[int] = set()
        fresh = False
        traced: set[str] = set()
        work: list[Value] = [op.operands[0].value for op in self.ops if op.opcode == "ret"]
        while work:
            value = work.pop()
            if not isinstance(value, Local):
                if isinstance(value, Global | Expression):
                    return None
                continue
            if value.name in traced:
                continue
            traced.add(value.name)
            if value.name in self.numbers:
                returned.add(self.numbers[value.name])
                continue
            op = self.made[value.name]
            sources = self._sources(op)
            if sources is None:
                return None
            fresh = fresh or op.opcode in _CALLS
            work.extend(sources)
        if not fresh or not all(self._harmless(op, traced) for op in self.ops):
            return None
        return returned

    def _sources(self, op: Instruction) -> list[Value] | None:
        """Return the values that the result of `op` may be; None if they cannot be traced."""
        if op.opcode == "load":
            place = op.operands[0].value
            if isinstance(place, Local) and place.name in self.made:
                home = self.made[place.name]
                return [place] if home.opcode == "alloca" else None
            return None
        if op.opcode == "alloca":
            return [
                store.operands[0].value
                for store in self.ops
                if store.opcode == "store" and store.operands[1].value == Local(op.result or "")
            ]
        if op.opcode in ("phi", "select"):
            skip = 1 if op.opcode == "select" else 0
            return [o.value for o in op.operands[skip:] if isinstance(o.type, PointerType)]
        if op.opcode in _CALLS:
            returned = self._allocates(op)
            return None if returned is None else [op.operands[i].value for i in returned]
        return None

    def _allocates(self, op: Instruction) -> set[int] | None:
        """Return the arguments that an allocating call may return instead; None for other calls."""
        if not isinstance(op.callee, Global):
            return None
        for fid in self.bodies(self.m, op.callee.name):
            return self.known.get(fid)
        words = library_summary(op.callee.name) or ()
        return {int(word[1]) for word in words if word[0] == "="} if "new" in words else None

    def _harmless(self, op: Instruction, traced: set[str]) -> bool:
        """Does `op` leave the traced pointers and what they point to unchanged?"""
        used = {o.value.name for o in op.operands if isinstance(o.value, Local)} & traced
        if not used or op.opcode in ("icmp", "ret", "phi", "select"):
            return True
        if op.opcode == "load":
            return op.result in traced or self._unused(op, traced)
        if op.opcode == "store":
            where = op.operands[1].value
            home = self.made.get(where.name) if isinstance(where, Local) else None
            return home is not None and home.opcode == "alloca" and home.result in traced
        if op.opcode in _CALLS and isinstance(op.callee, Global):
            return op.callee.name.startswith(_HARMLESS) or self._allocates(op) is not None
        return False

    def _unused(self, load: Instruction, traced: set[str]) -> bool:
        """Is the loaded value only compared, or passed to harmless functions?"""
        name = load.result or ""
        users = [op for op in self.ops if any(o.value == Local(name) for o in op.operands)]
        return all(self._harmless(op, {*traced, name}) for op in users)
