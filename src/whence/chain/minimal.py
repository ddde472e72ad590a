"""Which of some faulty values have to be kept for the next set, or the failure, to come about?

This is delta debugging over a state difference.  A test keeps some of the values and gives all
others their passing value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeVar

_MAX_ONE_BY_ONE = 6  # so few values are left out one by one; guessed
Item = TypeVar("Item")


class Induced(Enum):
    """Did the kept values bring about what they were tested for?"""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"  # another failure, or a point that was not reached


Induces = Callable[[Sequence[Item]], Induced]  # a test that keeps these values
Ahead = Callable[[Sequence[Sequence[Item]]], None]  # these tests may be asked next


def minimal_set(
    items: Sequence[Item], induces: Induces[Item], ahead: Ahead[Item] = lambda _: None
) -> list[Item]:
    """Return a subset of `items` that induces, and none of which can be left out alone.

    All items together must induce.  UNCLEAR counts as not inducing.
    """
    kept = list(items)
    size = len(kept) // 2 if len(kept) > _MAX_ONE_BY_ONE else 1
    while size:
        ahead([kept[:start] + kept[start + size :] for start in range(0, len(kept), size)])
        kept, has_shrunk = _without_parts(kept, size, induces)
        # Leaving out one item can make another one superfluous: repeat until nothing goes.
        if not (has_shrunk and size == 1):
            size //= 2
    return kept


def _without_parts(kept: list[Item], size: int, induces: Induces[Item]) -> tuple[list[Item], bool]:
    """Leave out each part of `size` items that is not needed."""
    has_shrunk = False
    start = 0
    while start < len(kept) and len(kept) > 1:
        rest = kept[:start] + kept[start + size :]
        if rest and induces(rest) is Induced.YES:
            kept, has_shrunk = rest, True
        else:
            start += size
    return kept, has_shrunk
