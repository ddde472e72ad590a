"""Which conditions keep a number in the input from having more digits?

A number that a piece of the input spells may be any number.  But code that looked at its digits
before, such as the one that cut a line into words, fixes each byte.  Most of these conditions hold
for all digits (no digit is a space).  Without them the number may have another length, and what
stands behind it moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from whence.inputs import InputByte
from whence.paths.terms import Fact, Matched, NumberText, Unknowns, UnknownValue, bytes_of

_DIGITS = range(ord("0"), ord("9") + 1)


class WideNumbers:
    """Leaves out the conditions that numbers fulfil, whatever their length."""

    def __init__(self) -> None:
        self._for_digits: dict[int, bool] = {}  # does a formula hold for all digits?
        self._alive: list[z3.ExprRef] = []  # numbers are given again otherwise

    def loosened(self, unknowns: Unknowns, kept: Sequence[Fact], wanted: Fact) -> list[Fact]:
        """Return the facts without those that any number fulfils."""
        digits, behind = _bytes_of_numbers(unknowns, wanted)
        found: list[Fact] = []
        for fact in kept:
            if fact.unknowns & (digits | behind):
                found += self._without_digits(unknowns, fact, digits, behind)
            else:
                found.append(fact)
        return found

    def _without_digits(
        self, unknowns: Unknowns, fact: Fact, digits: int, behind: int
    ) -> Iterator[Fact]:
        for part in _parts(fact.formula):
            own = unknowns.read_by(part) if part is not fact.formula else fact.unknowns
            if own & ~(digits | behind) or not own:
                yield Fact(part, own)
            elif own & ~behind == 0:
                continue  # the byte behind a number stays as it is
            elif own.bit_count() > 1 or not self._holds(next(unknowns.members(own)), part):
                yield Fact(part, own)

    def _holds(self, byte: UnknownValue, formula: z3.ExprRef) -> bool:
        """Does a formula about a byte hold for all digits?"""
        number = int(formula.get_id())
        if number not in self._for_digits:
            self._alive.append(formula)
            self._for_digits[number] = all(
                z3.is_true(z3.simplify(z3.substitute(formula, (byte.term, _value(byte, digit)))))
                for digit in _DIGITS
            )
        return self._for_digits[number]


def spelling_bytes(unknowns: Unknowns, members: int) -> int:
    """Return the bytes and pieces that change with the numbers in a set."""
    numbers = [one.what for one in unknowns.members(members) if isinstance(one.what, NumberText)]
    places = {byte for what in numbers for byte in bytes_of(what)}
    found = 0
    for at, one in enumerate(unknowns.all):
        own = bytes_of(one.what) if isinstance(one.what, Matched) else [one.what]
        if any(byte in places for byte in own):
            found |= 1 << at
    return found


def _bytes_of_numbers(unknowns: Unknowns, wanted: Fact) -> tuple[int, int]:
    """Return the digits of all numbers, and the bytes behind them, that nothing is wanted of."""
    digits: set[InputByte] = set()
    behind: set[InputByte] = set()
    for one in unknowns.all:
        if isinstance(one.what, NumberText):
            digits.update(InputByte(one.what.source, at) for at in range(*one.what[1:]))
            behind.add(InputByte(one.what.source, one.what.stop))
    found = [0, 0]
    for at, one in enumerate(unknowns.all):
        is_open = isinstance(one.what, InputByte) and not wanted.unknowns >> at & 1
        if is_open and one.what in digits:
            is_digit = isinstance(one.recorded, int) and one.recorded in _DIGITS
            found[0] |= is_digit << at
        elif is_open and one.what in behind:
            found[1] |= 1 << at
    return found[0], found[1]


def _parts(formula: z3.ExprRef) -> Iterator[z3.ExprRef]:
    """Yield the parts of a conjunction."""
    if not z3.is_and(formula):
        yield formula
        return
    for part in formula.children():
        yield from _parts(part)


def _value(byte: UnknownValue, value: int) -> z3.ExprRef:
    if z3.is_bv(byte.term):
        return z3.BitVecVal(value, byte.term.size())
    return z3.IntVal(value)
