"""Where is each element of an array while qsort sorts it, and afterwards?

What a comparison function returns decides how qsort goes on.  With the same signs it moves the
elements in the same way, so these are conditions, and the elements keep their terms.  The moves are
those of a merge sort, as in the C library of GNU; which elements it compared shows whether it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from whence.frontend.c import ir
from whence.program.ids import Instance, Op, Step
from whence.trace.c.flow import CFlow
from whence.trace.columns import DIRECT

_MAX_ELEMENTS = 4096  # of an array that is followed; guessed
MAX_MOVED = 32  # bytes of an element that moves itself; of a larger one only its address moves


@dataclass(frozen=True)
class SortComparison:
    """One call of a comparison function by qsort or bsearch."""

    first: Step
    returned: Step
    left: int | None  # the addresses that it got, if the run shows them
    right: int | None


@dataclass(frozen=True)
class Sorting:
    """One call of qsort that moved elements in a known way."""

    first: Step
    last: Step
    at: int
    size: int  # of an element
    orders: tuple[tuple[Step, tuple[int, ...]], ...]  # from a step on: element by place

    @property
    def order(self) -> tuple[int, ...]:
        """Which element is at each place in the end?"""
        return self.orders[-1][1]

    def origin(self, address: int, step: Step) -> int | None:
        """Return where a byte was before the call that is at an address now; None: elsewhere."""
        place, offset = divmod(address - self.at, self.size)
        if not (self.first < step <= self.last and 0 <= place < len(self.order)):
            return None
        order = next(order for since, order in reversed(self.orders) if since <= step)
        return self.at + order[place] * self.size + offset


def comparisons(flow: CFlow, call: Step) -> list[SortComparison]:
    """Return the calls of a comparison function that a call of qsort or bsearch made, in order."""
    stream, found = flow.thread.stream, []
    instance = flow.queries.instance_of(call) + 1
    while instance < len(stream.first):
        row = stream.activations[int(stream.activation[instance])]
        if row["call"] != call or row["flags"] & DIRECT:
            break
        if row["ret"]:
            first = Step(int(stream.first[instance]))
            left, right = [*_given(flow, Instance(instance)), None, None][:2]
            found.append(SortComparison(first, Step(int(row["ret"])), left, right))
        instance = int(row["last_instance"]) + 1
    return found


def _given(flow: CFlow, instance: Instance) -> Iterator[int]:
    """Yield the first two arguments of a function: the values that it stores first."""
    first = Step(int(flow.thread.stream.first[instance]))
    for step in range(first, flow.queries.last_step(instance) + 1):
        op = flow.op_of(Step(step))
        source, local = flow.thread.image.locate(Op(op))
        instruction = source.instruction(local)
        if instruction.opcode == "store" and isinstance(instruction.operands[0].value, ir.Local):
            names = [parameter.name for parameter in source.function(local).parameters[:2]]
            if instruction.operands[0].value.name in names:
                yield flow.value(Step(step))


def sorting(
    call: Step, at: int, count: int, size: int, made: Sequence[SortComparison],
    are_kept: Sequence[bool],
) -> Sorting | None:  # fmt: skip
    """Return how a call of qsort moved the elements; None if it was no such merge sort.

    `are_kept` tells of each comparison whether the first element stays before the second one.
    """
    if not 0 < count <= _MAX_ELEMENTS or not size:
        return None
    is_direct = size <= MAX_MOVED
    order = list(range(count))
    orders = [(Step(call + 1), tuple(order))]
    step = 0

    def is_before(one: int, other: int) -> bool | None:
        """Does the element at a place stay before the one at another?  None: it was not asked."""
        nonlocal step
        if step >= len(made):
            return None
        asked = made[step]
        if is_direct and orders[-1][1] != tuple(order):
            orders.append((asked.first, tuple(order)))
        places = (one, other) if is_direct else (order[one], order[other])
        if (asked.left, asked.right) != tuple(at + place * size for place in places):
            return None
        step += 1
        return are_kept[step - 1]

    def sort(start: int, length: int) -> bool:
        if length <= 1:
            return True
        half = length // 2
        if not sort(start, half) or not sort(start + half, length - half):
            return False
        merged: list[int] = []
        one, other, middle, end = start, start + half, start + half, start + length
        while one < middle and other < end:
            is_first = is_before(one, other)
            if is_first is None:
                return False
            merged.append(order[one if is_first else other])
            one, other = one + is_first, other + (not is_first)
        order[start : start + len(merged) + middle - one] = [*merged, *order[one:middle]]
        return True

    if not sort(0, count) or step != len(made):
        return None
    last = made[-1].returned if made else call
    orders.append((Step(last + 1), tuple(order)))
    return Sorting(call, last, at, size, tuple(orders))
