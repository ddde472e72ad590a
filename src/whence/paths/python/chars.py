"""To which classes do characters belong that inputs decide?

A character that inputs decide is an ASCII character (see `sources`).  One that they do not decide
may be any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from whence.paths.python.formulas import Formula, in_ranges

DIGITS = ((48, 57),)
UPPER = ((65, 90),)
LOWER = ((97, 122),)
LETTERS = (*UPPER, *LOWER)
SPACES = ((9, 13), (28, 32))  # of a str
BYTE_SPACES = ((9, 13), (32, 32))
PRINTABLE = ((32, 126),)
LINE_ENDS = ((10, 13), (28, 30))  # of str.splitlines, with those beyond ASCII left out


def is_in(char: Any, ranges: tuple[tuple[int, int], ...], test: Callable[[str], bool]) -> Formula:
    """Return that a character is in a class; `test` decides for a known one."""
    return test(chr(char)) if isinstance(char, int) else in_ranges(char, *ranges)


def is_space(char: Any, *, in_bytes: bool = False) -> Formula:
    if in_bytes:
        return in_ranges(char, *BYTE_SPACES)
    return is_in(char, SPACES, str.isspace)


def is_digit(char: Any) -> Formula:
    return is_in(char, DIGITS, str.isdigit)


def lowered(char: Any) -> Any:
    """Return a character in lower case; None if it becomes several characters."""
    if isinstance(char, int):
        return _single(chr(char).lower())
    return z3.If(in_ranges(char, *UPPER), char + 32, char)


def raised(char: Any) -> Any:
    """Return a character in upper case; None if it becomes several characters."""
    if isinstance(char, int):
        return _single(chr(char).upper())
    return z3.If(in_ranges(char, *LOWER), char - 32, char)


def _single(text: str) -> int | None:
    return ord(text) if len(text) == 1 else None
