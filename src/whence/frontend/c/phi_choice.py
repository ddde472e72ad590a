"""Which choice of the source does a phi stand for?"""

from __future__ import annotations

import re

from whence.frontend.c import ir, terms
from whence.frontend.c.bodies import target_labels
from whence.frontend.c.term_writer import TermWriter
from whence.frontend.c.terms import NAMELESS, CTerm

# clang's x86-64 code that finds the next argument of a variadic function contains this text.
_VA_ARG = re.compile(r"reg_save_area\b.* : ([^ ]+?)(?:\[0\])?(?:\.|->)overflow_arg_area$")


class PhiChoice:
    """Writes a phi as a choice between values, by the branches on the paths to it."""

    def __init__(self, writer: TermWriter, phi: ir.Instruction, label: str) -> None:
        self.writer, self.label = writer, label
        self.is_truth = phi.type == ir.IntType(1)
        pairs = zip(phi.operands[::2], phi.operands[1::2], strict=True)
        self.incoming = {
            each.value.name: value for value, each in pairs if isinstance(each.value, ir.Label)
        }
        self.head = writer.body.dominators.get(label)
        self.found: dict[str, CTerm | None] = {}

    def term(self) -> CTerm:
        term = (self._from(self.head) if self.head else None) or NAMELESS
        variadic = _VA_ARG.search(term.text)
        if variadic:
            return CTerm(f"va_arg({variadic[1]})", place=True, opaque=True)
        return term

    def _from(self, label: str) -> CTerm | None:
        """Return the phi's value if block `label` runs; None if the phi cannot follow it."""
        if label not in self.found:
            if not self.writer.enter():
                return NAMELESS
            self.found[label] = self._chosen(label)
            self.writer.depth -= 1
        return self.found[label]

    def _chosen(self, label: str) -> CTerm | None:
        ends = self._ends(label)
        block = self.writer.body.blocks[label]
        # every path from here reaches the phi from one block
        if len(ends) == 1 and ends != [label]:
            return self.writer.value(self.incoming[ends[0]])
        targets = target_labels(block)
        ways = [self._along(label, each) for each in targets]
        values = [each for each in ways if each is not None]
        if len(values) < 2 or values[0].text == values[1].text:
            return values[0] if values else None
        if block.instructions[-1].opcode != "br":
            return NAMELESS
        condition = self.writer.value(block.instructions[-1].operands[0])
        return terms.choose(condition, values[0], values[1], self.is_truth)

    def _along(self, label: str, target: str) -> CTerm | None:
        if target != self.label:
            return self._from(target) if self._ends(target) else None
        return self.writer.value(self.incoming[label]) if label in self.incoming else None

    def _ends(self, label: str) -> list[str]:
        """Return the blocks that enter the phi's block and are reachable from `label`."""
        found, seen, waiting = list[str](), {label, self.label, self.head}, [label]
        while waiting:
            block = waiting.pop()
            targets = target_labels(self.writer.body.blocks[block])
            if self.label in targets and block in self.incoming:
                found.append(block)
            fresh = [each for each in targets if each not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        return sorted(found)
