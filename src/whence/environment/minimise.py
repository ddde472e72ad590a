"""Which of some items does a run need to pass?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Passes = Callable[[Sequence[T]], bool]


def minimal(items: Sequence[T], passes: Passes[T]) -> list[T]:
    """Return items with which a run passes, and without any one of which it does not.

    With all items it must pass, with none it must not.  Earlier items are preferred.  It takes
    about 2k log(n/k) runs for k of n items.
    """
    found = _needed([], False, list(items), passes)
    if found and not passes(
        found
    ):  # more items can make a run fail, so what was learnt is not enough
        found = list(items)
    lap = 0
    while len(found) > 1 and lap < len(
        found
    ):  # whole laps: dropping one can make another droppable
        fewer = found[1:]
        if passes(fewer):
            found, lap = fewer, 0
        else:
            found, lap = [*fewer, found[0]], lap + 1
    return [item for item in items if item in found]


def _needed(given: list[T], is_new: bool, items: list[T], passes: Passes[T]) -> list[T]:
    """Return the items that are needed beside `given` (QuickXplain)."""
    if is_new and passes(given):
        return []
    if len(items) == 1:
        return items
    half = (len(items) + 1) // 2
    front, back = items[:half], items[half:]
    from_back = _needed([*given, *front], True, back, passes)
    from_front = _needed([*given, *from_back], bool(from_back), front, passes)
    return [*from_front, *from_back]
