"""In which order are the conditions of a relevant slice negated? (Thesis, Algorithm 6.1)"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reorder(conditions: Sequence[T], is_behind: Callable[[T, T], bool]) -> list[T]:
    """Return the conditions so that each comes after those that decide that it counts.

    `is_behind(a, b)`: is `a` in the relevant slice of `b`?  Then an input that keeps a prefix of
    the result and breaks the next condition has that prefix in its own relevant-slice condition.
    """
    found: list[T] = []
    stack: list[list[T]] = [list(conditions)]
    while stack:
        part = stack.pop()
        if len(part) <= 1:
            found += part
            continue
        *others, pivot = part
        before = [one for one in others if is_behind(one, pivot)]
        kept = set(before)
        after = [one for one in others if one not in kept]
        stack += [after, [pivot], before]
    return found
