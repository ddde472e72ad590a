"""What do qsort and bsearch do with inputs?

What their comparison functions return are conditions.  As long as these hold, bsearch finds the
same element, and qsort moves the elements in the same way.
"""

from __future__ import annotations

from typing import Any

from whence.paths.c.calls import LibraryCall
from whence.paths.c.sorting import MAX_MOVED, Sorting, comparisons, sorting
from whence.paths.c.values import RunValues, resized
from whence.paths.conditions import ConditionKind
from whence.paths.terms import Fact, Term
from whence.program.ids import Step

_SORTS = frozenset({"qsort", "qsort_r"})
_INT = 32  # bits of what a comparison function returns


class Sorts:
    """The calls of qsort and bsearch of one run, as far as it was followed."""

    def __init__(self, of: RunValues) -> None:
        self._of = of
        self._moving: list[Sorting] = []  # the elements are elsewhere while these run
        self._returned: dict[Step, bool] = {}  # to qsort or bsearch: does only "behind" count?

    def called(self, call: LibraryCall) -> bool:
        """Follow a call of qsort or bsearch; return False if it is none, or is not known."""
        is_sort = call.name in _SORTS
        if not is_sort and call.name != "bsearch":
            return False
        at, count, size = (call.recorded(number + (not is_sort)) for number in range(3))
        made = comparisons(call.flow, call.step)
        if is_sort:
            are_kept = [_signed(call.flow.value(one.returned)) <= 0 for one in made]
            found = sorting(call.step, at, count, size, made, are_kept)
            if found is None:
                return False
            self._move(call, found, at, size)
        self._of.looks_at(at, count * size, call.step)
        self._returned.update((one.returned, is_sort) for one in made)
        return True

    def _move(self, call: LibraryCall, found: Sorting, at: int, size: int) -> None:
        held = self._of.memory(at, len(found.order) * size, call.step)
        for place, origin in enumerate(found.order):
            for offset in range(size):
                value = held[origin * size + offset]
                if value is not None:
                    self._of.written[call.step, at + place * size + offset] = value
        if size <= MAX_MOVED:
            self._moving.append(found)

    def returned(self, step: Step, value: Term | None) -> None:
        """Add the condition that qsort or bsearch goes on in the same way, if a step decides it."""
        if value is None or step not in self._returned:
            return
        recorded, number = _signed(self._of.flow.value(step)), resized(value.term, _INT)
        formula: Any
        if self._returned[step]:
            sign, formula = ("> 0", number > 0) if recorded > 0 else ("<= 0", number <= 0)
        elif recorded:
            sign, formula = ("> 0", number > 0) if recorded > 0 else ("< 0", number < 0)
        else:
            sign, formula = "== 0", number == 0
        self._of.add(step, ConditionKind.ORDER, Fact(formula, value.unknowns), sign)

    def moves(self, address: int, step: Step) -> bool:
        """Is an address at a step in an array whose elements qsort is moving?"""
        return any(one.origin(address, step) is not None for one in self._moving)

    def origin(self, address: int, step: Step) -> tuple[int, Step]:
        """Return where a byte was before qsort began to move it, and when; else as given."""
        for one in reversed(self._moving):
            origin = one.origin(address, step)
            if origin is not None:
                return origin, one.first
        return address, step


def _signed(value: int) -> int:
    """Return an int that is given by its lowest 32 bits."""
    value &= (1 << _INT) - 1
    return value - (1 << _INT) if value >> (_INT - 1) else value
