"""What does a function contain: definitions, variables, dominators?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from whence.frontend.c import ir
from whence.frontend.c.debug import Debug, DebugType
from whence.frontend.c.terms import CTerm


@dataclass(frozen=True, slots=True)
class Home:
    """The home of a variable: an alloca or parameter, or the object that this points to."""

    name: str
    type: DebugType | None
    is_pointed_to: bool  # does the alloca hold the variable's address?


class FunctionBody:
    """Facts about a function that are needed again and again."""

    def __init__(self, function: ir.Function, debug: Debug) -> None:
        self.function = function
        # register -> its instruction and block
        self.definitions: dict[str, tuple[ir.Instruction, str]] = {}
        self.stores: dict[str, list[ir.Instruction]] = {}  # register of the address -> stores to it
        self.parameters = {each.name: each for each in function.parameters}
        self.blocks = {block.label: block for block in function.blocks}
        self.returned: set[str] = set()  # registers that are returned
        for block in function.blocks:
            for each in block.instructions:
                self._note(each, block.label)
        self.homes = {
            declare.address.name: Home(
                variable.name or f"parameter {variable.arg}",
                variable.type,
                "deref" in declare.expression,
            )
            for declare in function.declares
            if isinstance(declare.address, ir.Local)
            if (variable := debug.variable(declare.variable))
        }
        self.terms: dict[str, CTerm] = {}  # expressions that do not depend on run-time values

    def _note(self, each: ir.Instruction, label: str) -> None:
        if each.result is not None:
            self.definitions[each.result] = (each, label)
        if each.opcode == "store" and isinstance(each.operands[1].value, ir.Local):
            self.stores.setdefault(each.operands[1].value.name, []).append(each)
        if each.opcode == "ret" and each.operands:
            value = each.operands[0].value
            if isinstance(value, ir.Local):
                self.returned.add(value.name)

    @cached_property
    def result_slots(self) -> frozenset[str]:
        """Return the allocas that hold the value to be returned."""
        loads = (self.definitions[name][0] for name in self.returned if name in self.definitions)
        slots = (each.operands[0].value for each in loads if each.opcode == "load")
        return frozenset(self._start(each.name) for each in slots if isinstance(each, ir.Local))

    def _start(self, name: str) -> str:
        """Return the register of the object that a getelementptr without offset points to."""
        while name in self.definitions and self.definitions[name][0].opcode == "getelementptr":
            base, *indices = self.definitions[name][0].operands
            if not isinstance(base.value, ir.Local) or any(
                each.value != ir.Int(0) for each in indices
            ):
                break
            name = base.value.name
        return name

    @cached_property
    def dominators(self) -> dict[str, str]:
        """Return the immediate dominator of each block; the entry has itself."""
        return _dominators(self.function)


def target_labels(block: ir.Block) -> list[str]:
    last = block.instructions[-1]
    named = [each.value.name for each in last.operands if isinstance(each.value, ir.Label)]
    return [*named, *last.labels]


def _dominators(function: ir.Function) -> dict[str, str]:
    """Compute dominators by Cooper, Harvey and Kennedy's algorithm."""
    following = {block.label: target_labels(block) for block in function.blocks}
    entry = function.blocks[0].label
    order, done, stack = list[str](), {entry}, [(entry, iter(following[entry]))]
    while stack:
        label, rest = stack[-1]
        fresh = next((each for each in rest if each not in done), None)
        if fresh is None:
            order.append(label)
            stack.pop()
        else:
            done.add(fresh)
            stack.append((fresh, iter(following[fresh])))
    rank = {label: index for index, label in enumerate(order)}
    before: dict[str, list[str]] = {}
    for label in order:
        for each in following[label]:
            before.setdefault(each, []).append(label)
    found = {entry: entry}
    changed = True
    while changed:
        changed = False
        for label in reversed(order[:-1]):
            ways = [each for each in before[label] if each in found]
            meet = ways[0]
            for way in ways[1:]:
                while meet != way:
                    if rank[meet] < rank[way]:
                        meet = found[meet]
                    else:
                        way = found[way]
            changed |= found.get(label) != meet
            found[label] = meet
    return found
