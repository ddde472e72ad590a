"""What is a value of a C run, if inputs may decide it?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import z3

from whence.inputs import InputByte, InputSource
from whence.paths.c.option_state import OptionState
from whence.paths.compared import ComparedText
from whence.paths.conditions import ConditionKind
from whence.paths.terms import Fact, Term, Unknowns
from whence.program.ids import Step
from whence.trace.c.flow import CFlow
from whence.trace.flow import Left, Operand

Value = int | Term | None  # None: it does not depend on inputs, and is not known
MAX_WIDTH = 64  # bits of a value that the recorder keeps whole


class RunValues(ABC):
    """The values of one run up to a step."""

    flow: CFlow
    contents: Mapping[InputSource, bytes]  # of each source in the run
    free: frozenset[InputSource]
    unknowns: Unknowns
    written: dict[tuple[Step, int], int | Term]  # bytes that calls left, by call and address
    compared: list[ComparedText]  # texts that library functions compared with input
    options: OptionState | None  # how far getopt looked at the arguments
    sees_errno: bool  # does the program look at errno?
    looked_at: dict[Step, list[tuple[int, int]]]  # memory (address, size) that a step may read

    @abstractmethod
    def of(self, operand: Operand) -> Value:
        """Return the value of an operand."""

    @abstractmethod
    def left(self, left: Left, offset: int) -> Value:
        """Return one byte of what a call or an operation on memory left there."""

    @abstractmethod
    def byte(self, byte: InputByte) -> Value:
        """Return the value of an input byte."""

    @abstractmethod
    def memory(self, address: int, size: int, before: Step) -> list[Value]:
        """Return the bytes of memory just before a step."""

    @abstractmethod
    def looks_at(self, address: int, size: int, step: Step) -> None:
        """Note memory that a step may read, depending on inputs."""

    @abstractmethod
    def add(self, step: Step, kind: ConditionKind, fact: Fact, value: object = None) -> None:
        """Add a condition, unless it holds for all inputs; `value` is what it fixes."""

    @abstractmethod
    def pin(self, step: Step, value: Term, recorded: int) -> None:
        """Add the condition that an address or a size is as recorded."""

    @abstractmethod
    def result(self, step: Step, value: Value) -> None:
        """Set what a call returned."""


def joined(parts: Sequence[tuple[Value, int]], known: int | None = None) -> Value:
    """Return parts of some widths as one value, the first part lowest.

    `known` is the value of all of it in the run; without it every part must be known.
    """
    if all(isinstance(part, int) for part, _ in parts):
        total = at = 0
        for part, width in parts:
            assert isinstance(part, int)
            total |= (part & (1 << width) - 1) << at
            at += width
        return total
    terms, unknowns, at = [], 0, 0
    for part, width in parts:
        if isinstance(part, Term):
            terms.append(resized(part.term, width))
            unknowns |= part.unknowns
        elif known is not None and at < MAX_WIDTH:
            terms.append(z3.BitVecVal(known >> at, width))
        elif part is not None:
            terms.append(z3.BitVecVal(part, width))
        else:
            return None
        at += width
    if not unknowns:
        return known
    return Term(z3.Concat(*reversed(terms)) if len(terms) > 1 else terms[0], unknowns)


def resized(term: Any, width: int) -> Any:
    """Return a term cut to a width, or filled up with zeros."""
    more = width - term.size()
    if not more:
        return term
    return z3.ZeroExt(more, term) if more > 0 else z3.Extract(width - 1, 0, term)
