"""What is a value of a Python run, if inputs may decide it?

A value that inputs do not decide is what the recorder logged (see frontend.python.values).  One
that they decide is *symbolic*: a number or a truth value as a term of the solver, a text as a tuple
of characters, each a number or a term.  The length of a text is that of the run, and so is the
shape of a container.  `unknowns` of a symbolic value may name more than its term does: what is
taken as recorded rests on unknowns, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

from whence.frontend.python.values import Obj, Value
from whence.inputs import InputRange

Char = Any  # an int, or a term of the sort Int
AnyValue = Any  # symbolic, or a value that inputs do not decide


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """An int."""

    term: Any  # of the sort Int
    unknowns: int
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A bool."""

    term: Any  # of the sort Bool
    unknowns: int
    value: bool


@dataclass(frozen=True, slots=True, eq=False)
class Real:
    """A float."""

    term: Any  # of the sort Real: arithmetic is taken as exact
    unknowns: int
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A str or bytes."""

    chars: tuple[Char, ...]
    unknowns: int
    value: Any  # a str or bytes

    def part(self, start: int, stop: int) -> Text:
        return Text(self.chars[start:stop], self.unknowns, self.value[start:stop])


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A value without a formula, as recorded."""

    unknowns: int
    value: Value


@dataclass(slots=True, eq=False)
class Held:
    """What a container holds.  The items of a dict are key, value, key, value, ..."""

    kind: str  # "list", "tuple", "set" or "dict"
    items: list[AnyValue] = field(default_factory=list)
    names: tuple[str, ...] = ()  # of the items of a NamedTuple

    @property
    def unknowns(self) -> int:
        return unknowns_of(self.items)

    @property
    def value(self) -> Obj:
        items = tuple(map(recorded_value, self.items))
        size = len(items) // 2 if self.kind == "dict" else len(items)
        return Obj(0, self.kind, self.kind, (size, items))


@dataclass(slots=True, eq=False)
class Record:
    """An instance of a dataclass; fields without an argument are unknown."""

    names: tuple[str, ...]
    items: list[AnyValue]
    value: Obj
    is_equal: bool  # are two of them equal if their fields are?
    is_ordered: bool  # are they ordered by their fields?

    @property
    def type(self) -> str:
        return self.value.type

    @property
    def unknowns(self) -> int:
        return unknowns_of(self.items)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The numbers of a range whose bounds inputs decide."""

    start: Number
    stop: Number
    step: int
    value: Value

    @property
    def unknowns(self) -> int:
        return self.start.unknowns | self.stop.unknowns


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a search for a regular expression in a text found."""

    pattern: Any  # of the module re
    how: str  # "match", "fullmatch" or "search"
    text: Text
    value: Value

    @property
    def unknowns(self) -> int:
        return self.text.unknowns


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """What a parser made of the arguments; `made` is the unknown that stands for the parser."""

    unknowns: int
    value: Value
    read: tuple[InputRange, ...]  # the arguments
    made: int


SYMBOLIC = (Number, Truth, Real, Text, Taken, Held, Record, Counted, Found, Options)


def unknowns_of(values: Iterable[AnyValue]) -> int:
    """Return the unknowns of all these values."""
    found = 0
    for value in values:
        if isinstance(value, SYMBOLIC):
            found |= value.unknowns
    return found


def is_symbolic(value: AnyValue) -> bool:
    """Do inputs decide the value, or a part of it?"""
    return isinstance(value, SYMBOLIC) and value.unknowns != 0


def recorded_value(value: AnyValue) -> Any:
    """Return what a value was in the run."""
    return value.value if isinstance(value, SYMBOLIC) else value


def as_number(value: AnyValue) -> Number | None:
    """Return an int or a bool as a number; None for any other value."""
    if isinstance(value, Number):
        return value
    if isinstance(value, Truth):
        return Number(z3.If(value.term, 1, 0), value.unknowns, int(value.value))
    if isinstance(value, Taken) and isinstance(value.value, int):
        return Number(z3.IntVal(int(value.value)), value.unknowns, int(value.value))
    return Number(z3.IntVal(int(value)), 0, int(value)) if isinstance(value, int) else None


def as_real(value: AnyValue) -> Real | None:
    """Return a number as a float; None for any other value, an infinity or a NaN."""
    if isinstance(value, Real):
        return value
    known = as_number(value)
    if known is not None:
        return Real(z3.ToReal(known.term), known.unknowns, known.value)
    plain, unknowns = (value.value, value.unknowns) if isinstance(value, Taken) else (value, 0)
    if not isinstance(plain, float) or not math.isfinite(plain):
        return None
    return Real(exact(plain), unknowns, plain)


def exact(value: float) -> Any:
    """Return a float as a fraction of the solver."""
    return z3.Q(*value.as_integer_ratio())


def text_of(value: AnyValue) -> Text | None:
    """Return a str or bytes as a text; None for any other value."""
    if isinstance(value, Text):
        return value
    plain, unknowns = (value.value, value.unknowns) if isinstance(value, Taken) else (value, 0)
    if isinstance(plain, str):
        return Text(tuple(map(ord, plain)), unknowns, plain)
    return Text(tuple(plain), unknowns, plain) if isinstance(plain, bytes) else None


def taken(value: Any, unknowns: int) -> AnyValue:
    """Return a recorded value that rests on unknowns."""
    if isinstance(value, bool):
        return Truth(z3.BoolVal(value), unknowns, value)
    if isinstance(value, int):
        return Number(z3.IntVal(value), unknowns, value)
    if isinstance(value, float):
        return (
            Real(exact(value), unknowns, value) if math.isfinite(value) else Taken(unknowns, value)
        )
    if isinstance(value, str | bytes):
        return Text(tuple(value if isinstance(value, bytes) else map(ord, value)), unknowns, value)
    return Taken(unknowns, value)
