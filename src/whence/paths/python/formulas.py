"""How are formulas joined, so that those which inputs do not decide stay plain truth values?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3

Formula = Any  # a bool, or a term of the sort Bool


def every(parts: Iterable[Formula]) -> Formula:
    """Return that all parts hold."""
    open_parts = []
    for part in parts:
        if part is False:
            return False
        if part is not True:
            open_parts.append(part)
    return z3.And(open_parts) if len(open_parts) > 1 else open_parts[0] if open_parts else True


def some(parts: Iterable[Formula]) -> Formula:
    """Return that at least one part holds."""
    return no(every(no(part) for part in parts))


def no(part: Formula) -> Formula:
    """Return that a part does not hold."""
    if isinstance(part, bool):
        return not part
    return part.arg(0) if z3.is_not(part) else z3.Not(part)


def same_numbers(a: Any, b: Any) -> Formula:
    """Return that two characters or numbers are equal."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return a == b if not isinstance(a, int) else b == a


def same_texts(a: Sequence[Any], b: Sequence[Any]) -> Formula:
    """Return that two texts have the same characters."""
    if len(a) != len(b):
        return False
    return every(same_numbers(one, other) for one, other in zip(a, b, strict=True))


def choice(condition: Formula, yes: Any, other: Any) -> Any:
    """Return `yes` where the condition holds, and `other` elsewhere."""
    if isinstance(condition, bool):
        return yes if condition else other
    return z3.If(condition, yes, other)


def in_ranges(char: Any, *ranges: tuple[int, int]) -> Formula:
    """Return that a character lies in one of some ranges, bounds included."""
    if isinstance(char, int):
        return any(low <= char <= high for low, high in ranges)
    return some(
        char == low if low == high else z3.And(char >= low, char <= high) for low, high in ranges
    )


def precedes(a: Sequence[Any], b: Sequence[Any], *, or_equal: bool) -> Formula:
    """Return that a text comes before another one in the order of characters."""
    found: Formula = len(a) < len(b) or (or_equal and len(a) == len(b))
    for one, other in reversed(list(zip(a, b, strict=False))):
        is_less = one < other
        found = choice(same_numbers(one, other), found, is_less)
    return found
