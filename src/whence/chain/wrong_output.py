"""What is the first wrong word of an output, how many are, and what does a number lack?"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass

_WORD = re.compile(rb"[\w.]*")
_TOKEN = re.compile(rb"\w+(?:\.\w+)?|\n|[^\w\s]")
_MAX_TOKENS = 2000  # of an output whose wrong words are counted; guessed
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class RightBeginning:
    """What another output must begin with, for the first wrong word or number to be right there."""

    text: bytes
    is_all: bool  # must it be the whole output?

    def is_in(self, printed: bytes) -> bool:
        """Is the first wrong word or number right in another output?"""
        return printed == self.text if self.is_all else printed.startswith(self.text)


def right_beginning(printed: bytes, expected: bytes) -> RightBeginning:
    """Return the expected output up to the end of the word or number that is the first wrong one.

    What follows that word belongs to it: 15 is not the right number if 1 is expected.
    """
    at = len(os.path.commonprefix([printed, expected]))
    end = _WORD.match(expected, at)
    assert end is not None
    return RightBeginning(expected[: end.end() + 1], end.end() >= len(expected))


def wrong_words(printed: bytes, expected: bytes) -> int | None:
    """Return how many words, numbers and signs are wrong, missing or too many.

    None: the outputs are too long to be compared.
    """
    own, wanted = _TOKEN.findall(printed), _TOKEN.findall(expected)
    if max(len(own), len(wanted)) > _MAX_TOKENS:
        return None
    steps = difflib.SequenceMatcher(None, own, wanted, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in steps if tag != "equal")


@dataclass(frozen=True, slots=True)
class WrongNumber:
    """A number in an output that is not the expected one."""

    line: int  # counted from 0
    place: int  # how many numbers come before it in the line
    wanted: float

    def lacking(self, printed: bytes) -> float | None:
        """Return what the number in another output lacks; None if there is none."""
        lines = printed.split(b"\n")
        numbers = _numbers(lines[self.line]) if self.line < len(lines) else []
        return self.wanted - numbers[self.place] if self.place < len(numbers) else None


def wrong_number(printed: bytes, expected: bytes) -> WrongNumber | None:
    """Return the first number that is wrong; None if what differs is no number."""
    pairs = zip(printed.split(b"\n"), expected.split(b"\n"), strict=False)
    for line, (own, wanted) in enumerate(pairs):
        if own != wanted:
            numbers = zip(_numbers(own), _numbers(wanted), strict=False)
            places = (place for place, (one, other) in enumerate(numbers) if one != other)
            place = next(places, None)
            return None if place is None else WrongNumber(line, place, _numbers(wanted)[place])
    return None


def _numbers(line: bytes) -> list[float]:
    """Return the numbers of a line; a whole number is an int, which has no limit."""
    found = _NUMBER.findall(line)
    return [int(each) if each.lstrip(b"-").isdigit() else float(each) for each in found]
