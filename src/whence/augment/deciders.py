"""Which conditions decide the value of a step, and how directly?

A value that inputs do not decide directly may rest on branches that they do: `y = x > 0 ? 1 : 0`
(thesis, 4.3.3).  The branch that chose the value is nearer than the one that chose whether that
branch ran.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np

from whence.program.ids import Instance, Step, Stretch
from whence.trace.flow import Flow, Left, Operand, StoredBits

_MAX_STEPS = 3000  # steps that are followed back; guessed
_MAX_SIDES = 64  # sides of branches that may set what one load reads; guessed
_MAX_BEFORE = 2  # executions of such a branch that count; guessed


def deciding_steps(flow: Flow, seeds: Iterable[Step]) -> dict[Step, int]:
    """Return the branches behind some steps, each with the number of branches between.

    A branch is behind a step if it chose a value that the step rests on, decided that it ran, or
    kept another value from being set.
    """
    found: dict[Step, int] = {}
    seen: dict[Step, int] = {}
    work = deque((seed, 0) for seed in seeds)
    while work and len(seen) < _MAX_STEPS:
        step, level = work.popleft()
        if seen.get(step, level + 1) <= level:
            continue
        seen[step] = level
        node = flow.node(step)
        operands = (*node.operands, *node.pointers, *node.through, _returned(flow, step))
        work.extendleft((each, level) for each in _steps_of(operands))
        around = node.chosen_by, flow.controlling_step(step), *flow.withheld(step)
        for branch in (*around, *_not_redefining(flow, step)):
            if branch is not None:
                is_call = flow.is_call(branch)
                if not is_call:
                    found[branch] = min(level, found.get(branch, level))
                work.append((branch, level + (not is_call)))
    return found


def _not_redefining(flow: Flow, load: Step) -> Iterator[Step]:
    """Yield the branches before a load whose other side may set what it reads."""
    potential = flow.thread.image.relevance().potential
    number = int(potential.class_of_op[flow.op_of(load)])
    if not flow.is_load(load) or number >= len(potential.class_start) - 1:
        return
    low, high = (int(potential.class_start[number + k]) for k in (0, 1))
    for edge in potential.class_edge[low:high][:_MAX_SIDES].tolist():
        instances = flow.queries.instances_of(Stretch(int(potential.edge_stretch[edge])))
        before = int(instances.searchsorted(np.uint32(flow.instance_of(load))))
        for instance in map(int, instances[max(0, before - _MAX_BEFORE) : before]):
            branch = flow.queries.last_step(Instance(instance))
            if flow.side_of(branch) != int(potential.edge_block[edge]):
                yield branch


def _returned(flow: Flow, step: Step) -> Step | None:
    return flow.returned(step) if flow.is_call(step) else None


def _steps_of(operands: Iterable[Operand | None]) -> Iterable[Step]:
    for operand in operands:
        if isinstance(operand, int):
            yield operand
        elif isinstance(operand, StoredBits | Left):
            yield operand.step
