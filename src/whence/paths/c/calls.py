"""What does a call of a function that is not recorded get, read and return?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from whence.inputs import InputByte
from whence.paths.c.values import RunValues, Value
from whence.paths.compared import compared_text
from whence.paths.conditions import ConditionKind
from whence.paths.terms import Fact, Term
from whence.program.ids import Step

_CHUNK = 8  # bytes of a string that are read first; twice as many are read each next time
MAX_STRING = 2048  # bytes of a string with a formula; guessed


class LibraryCall:
    """A call of a function that is not recorded."""

    def __init__(self, of: RunValues, step: Step, name: str) -> None:
        self.of, self.flow, self.step, self.name = of, of.flow, step, name

    def argument(self, number: int) -> Value:
        operand = self.flow.argument(self.step, number)
        return None if operand is None else self.of.of(operand)

    def recorded(self, number: int) -> int:
        """Return the recorded value of an argument; one that inputs decide gets pinned."""
        operand = self.flow.argument(self.step, number)
        assert operand is not None
        value, found = self.of.of(operand), self.flow.value_of(operand)
        if isinstance(value, Term):
            self.of.pin(self.step, value, found or 0)
        return self.address_of(operand) if found is None else found

    def address_of(self, operand: Any) -> int:
        """Return the value of a constant that the linker chose: an address of memory read."""
        value = self.of.of(operand)
        if isinstance(value, int):
            return value
        number = next(
            k for k in range(self.flow.arguments(self.step))
            if self.flow.argument(self.step, k) == operand
        )  # fmt: skip
        return self.flow.given(self.step, number)

    def notes_text(
        self, own: Sequence[Value], other: Sequence[Value], *, ends_with_zero: bool
    ) -> None:
        """Note that input was compared with a constant text, if it was."""
        constant = [value for value in other if isinstance(value, int)]
        if len(constant) != len(other) or not any(isinstance(value, Term) for value in own):
            return
        text = bytes(value & 255 for value in constant)
        if ends_with_zero:
            text = text.partition(b"\0")[0]
        characters = [value.unknowns if isinstance(value, Term) else 0 for value in own]
        ends = {source: len(contents) for source, contents in self.of.contents.items()}
        found = compared_text(self.step, self.of.unknowns, characters, text, ends)
        if found is not None:
            self.of.compared.append(found)

    @property
    def result(self) -> int:
        return self.flow.value(self.step)

    @property
    def width(self) -> int:
        return self.flow.node(self.step).operation.width

    def memory(self, address: int, size: int) -> list[Value]:
        """Return the bytes of memory that the call may read."""
        self.of.looks_at(address, size, self.step)
        return self.of.memory(address, size, self.step)

    def string(self, address: int, limit: int | None = None) -> list[Value] | None:
        """Return the bytes of a string up to the zero that surely ends it; None if unknown.

        A function that reads at most `limit` bytes needs no zero.
        """
        found: list[Value] = []
        most = MAX_STRING if limit is None else min(limit, MAX_STRING)
        is_whole = False
        while len(found) < most and not is_whole:
            size = min(max(_CHUNK, len(found)), most - len(found))
            for value in self.of.memory(address + len(found), size, self.step):
                if value is None:
                    return None
                found.append(value)
                if value == 0 or self._is_end(value):
                    is_whole = True
                    break
        self.of.looks_at(address, len(found), self.step)  # not behind its end
        return found if is_whole or most == limit else None

    def _is_end(self, value: Value) -> bool:
        """Is the byte the zero behind an argument?"""
        if not isinstance(value, Term):
            return False
        member = next(self.of.unknowns.members(value.unknowns))
        what = member.what
        is_end = isinstance(what, InputByte) and len(self.of.contents[what.source]) == what.offset
        return is_end and value.unknowns.bit_count() == 1

    def returns(self, value: Value) -> bool:
        self.of.result(self.step, value)
        return True

    def shape(self, facts: Sequence[Fact]) -> None:
        """Add the condition that the call reads its input in the way that it did."""
        unknowns = 0
        for fact in facts:
            unknowns |= fact.unknowns
        if unknowns:
            formula = z3.And([fact.formula for fact in facts])
            shape = tuple(one.recorded for one in self.of.unknowns.members(unknowns))
            self.of.add(self.step, ConditionKind.SHAPE, Fact(formula, unknowns), shape)


def bits(value: Value, width: int) -> Any:
    """Return a value as a bit-vector, filled up with zeros."""
    assert value is not None
    if isinstance(value, Term):
        more = width - value.term.size()
        return z3.ZeroExt(more, value.term) if more else value.term
    return z3.BitVecVal(value, width)


def unknowns_of(values: Sequence[Value]) -> int:
    found = 0
    for value in values:
        found |= value.unknowns if isinstance(value, Term) else 0
    return found
