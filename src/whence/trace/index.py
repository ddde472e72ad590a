"""Where in the structure of the run does a step lie, and which step lies there?

The structural execution index of a step is the path from the start of the run down to it: each
branch and call that decided that the next one ran, and the side it took.  Points of two runs
with the same index correspond.  Within a run indexes and steps correspond one to one, and
comparing indexes compares steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whence.program.ids import Instance
from whence.trace.columns import CALL
from whence.trace.queries import Queries, step_chunks

NO_SIDE = -1  # of a call, and of an index's last element, the step itself


class Element(NamedTuple):
    """One level of the structure.

    `place`: how many instances the element above decided before this one.  What one side of a
    branch decides always runs in the same order, so this is the same in every run; it counts
    what else can run again: callbacks of one call, a loop that only an exit leaves.
    `side`: the block that a branch entered.  Of a call the op below says whom it entered; it may
    be several, called back one after the other.
    `turns`: so many times one after the other, each deciding the next: the turns of a loop.
    """

    place: int
    op: int
    side: int
    turns: int


Index = tuple[Element, ...]


def index_of(queries: Queries, step: int) -> Index:
    """The structural execution index of `step`."""
    instance = queries.instance_of(step)
    path = [Element(int(queries.place[instance]), queries.op_of(step), NO_SIDE, 0)]
    while decider := int(queries.stream.control[instance]):
        element, at = _level(queries, decider)
        path.append(element)
        instance = Instance(at)
    return tuple(reversed(path))


def step_at(queries: Queries, index: Index) -> int | None:
    """The step whose structural execution index is `index`; None if this run has none."""
    step = 0
    for place, op, _, turns in index:
        decided = queries.decided_by(step)
        if place >= len(decided):
            return None
        instance = _later(queries, int(decided[place]), turns - 1)
        found = None if instance is None else queries.step_of(instance, op)
        if found is None:
            return None
        step = found
    # What we did not look at on the way, sides and the turns between, must agree too.
    return step if step and index_of(queries, step) == index else None


def _level(queries: Queries, decider: int) -> tuple[Element, int]:
    """The element of `decider` and the first instance it stands for."""
    instance, op = queries.instance_of(decider), queries.op_of(decider)
    place = int(queries.place[instance])
    if queries.code.kind[op] == CALL:
        return Element(place, op, NO_SIDE, 1), instance
    side = queries.block_of(instance + 1)
    turns, start = _turns(queries, instance, side, place)
    return Element(place, op, side, turns), start


def _turns(queries: Queries, instance: int, side: int, place: int) -> tuple[int, int]:
    """How many times the branch of `instance` ran, each deciding the next alike; the first."""
    stream, code = queries.stream, queries.code
    count, first = 1, instance
    above = int(stream.control[instance])
    stretch = int(stream.stretch[instance])
    if not above or stream.stretch[queries.instance_of(above)] != stretch:
        return count, first
    activation = stream.activation[instance]
    found = queries.instances_of(stretch)
    low, high = np.searchsorted(
        found, np.array([stream.activations["first_instance"][activation], instance], np.uint32)
    )
    for part in step_chunks(int(high), int(low)):
        near = found[part][stream.activation[found[part]] == activation].astype(np.int64)
        if not len(near):
            continue
        ends = stream.first[near] + code.stretch_ops[stretch] - np.uint32(1)
        alike = stream.control[np.append(near[1:], first)] == ends
        alike &= code.stretch_block[stream.stretch[near + 1]] == side
        alike &= queries.place[near] == place
        broken = np.flatnonzero(~alike)
        turns = near[int(broken[-1]) + 1 if len(broken) else 0 :]
        if len(turns):
            count, first = count + len(turns), int(turns[0])
        if len(broken):
            break
    return count, first


def _later(queries: Queries, instance: int, count: int) -> int | None:
    """The instance of the same stretch and activation, `count` of them after `instance`."""
    if count <= 0:
        return instance
    activation = queries.stream.activation[instance]
    found = queries.instances_of(int(queries.stream.stretch[instance]))
    start = int(np.searchsorted(found, np.uint32(instance), "right"))
    for part in step_chunks(start, len(found)):
        near = found[part][queries.stream.activation[found[part]] == activation]
        if count <= len(near):
            return int(near[count - 1])
        count -= len(near)
    return None
