"""Which bytes came into a run from outside, and when are two of them the same input?

An input byte is identified by its source and its number in that source.  No address, step or
descriptor number is part of the identity: a byte that is read twice, or in recordings of two
versions, is one input.  Files inside the tree are named relative to it, for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import groupby
from typing import NamedTuple


class SourceKind(IntEnum):
    """What an input byte was read from.  Reports list the kinds in this order."""

    ARGUMENT = 0  # of the command line; `number` counts from 0, the name of the program
    VARIABLE = 1  # of the environment, by `name`; its bytes are those of the value
    STDIN = 2
    FILE = 3  # `name` is its path, relative to the tree if it is inside
    STREAM = 4  # a pipe, a socket, a terminal; `number` tells several of one name apart
    LITERAL = 5  # in a Python test: `name` is FILE::FUNCTION, `number` counts the literals in it


class InputSource(NamedTuple):
    """A source of input bytes."""

    kind: SourceKind
    name: str = ""
    number: int = 0

    @property
    def words(self) -> str:
        """What a user calls the source."""
        if self.kind is SourceKind.ARGUMENT:
            return f"argument {self.number}" if self.number else "the name it was called by"
        if self.kind is SourceKind.VARIABLE:
            return f"${self.name}" if self.name else "an environment variable"
        if self.kind is SourceKind.STDIN:
            return "stdin"
        if self.kind is SourceKind.LITERAL:
            return f"literal {self.number} of {self.name}"
        return f"{self.name} ({self.number})" if self.number else self.name


def argument(number: int) -> InputSource:
    return InputSource(SourceKind.ARGUMENT, number=number)


def variable(name: str) -> InputSource:
    return InputSource(SourceKind.VARIABLE, name)


STDIN = InputSource(SourceKind.STDIN)


class InputByte(NamedTuple):
    """One byte that came from outside."""

    source: InputSource
    offset: int

    @property
    def width(self) -> int:
        """The number of bits."""
        return 8


class InputRange(NamedTuple):
    """Bytes start..stop of a source.

    An empty range says that only the presence of the source was looked at, as by
    `if (argv[2])`, or that it is not known which of its bytes were read.
    """

    source: InputSource
    start: int
    stop: int

    @property
    def width(self) -> int:
        """The number of bits."""
        return 8 * (self.stop - self.start)

    def bytes(self) -> Iterator[InputByte]:
        return (InputByte(self.source, offset) for offset in range(self.start, self.stop))

    def part(self, start: int, stop: int) -> InputRange:
        """Return the bytes start..stop of these, counted from the first."""
        return InputRange(self.source, self.start + start, min(self.start + stop, self.stop))


class InputPointer(NamedTuple):
    """The pointer to an argument or a variable: argv[i], environ[i].

    The program did not make it, and its value is not comparable between runs.
    """

    source: InputSource

    @property
    def width(self) -> int:
        """The number of bits."""
        return 64


def merged(ranges: Iterable[InputRange]) -> tuple[InputRange, ...]:
    """Return the same bytes as disjoint ranges, by source and offset.

    An empty range is left out if its source has another one.
    """
    found: list[InputRange] = []
    for source, group in groupby(sorted(set(ranges)), key=lambda one: one.source):
        own = list(group)
        filled = [one for one in own if one.stop > one.start] or own[:1]
        last = filled[0]
        for one in filled[1:]:
            if one.start > last.stop:
                found.append(last)
                last = one
            else:
                last = InputRange(source, last.start, max(last.stop, one.stop))
        found.append(last)
    return tuple(found)
