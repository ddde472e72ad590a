"""Where in the structure of its run does a step lie, and which step of a run lies there?

The execution index of a step is the path from the start of the run down to the step: at each
level a branch or call that controls the next level, and how many steps of the same operation the
level above controlled before it.  Each step of a run has its own index.  A step of one run
corresponds to the step of another run that has the same index.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from whence.program.ids import Activation, Op, Step
from whence.trace.positions import Executions, step_chunks

Steps = npt.NDArray[np.int64]

_MAX_CONTROLLING = 1000  # limit on controlling steps between a step and a region; guessed


class RunStructure(Protocol):
    """What an execution index is made from; `Flow` and `Queries` both provide it."""

    def op_of(self, step: Step) -> Op:
        """Return the operation that `step` executed."""

    def controlling_step(self, step: Step) -> Step | None:
        """Return the branch or call that decided that `step` ran; None at the outermost level."""

    def activation_of(self, step: Step) -> Activation:
        """Return the activation that `step` ran in."""

    def executions(self, op: Op) -> Executions:
        """Return the steps that executed `op`, in order."""

    def controlling_steps(self, steps: Steps) -> Steps:
        """Return the controlling step of each of `steps`; 0 at the outermost level."""


class Level(NamedTuple):
    """One or more adjacent levels of an execution index.

    `rank` is the number of steps of `op` that the level above controlled before this one.
    `times` levels in a row have this operation and rank: in a loop, the branch of each iteration
    controls the branch of the next.
    """

    op: Op
    rank: int
    times: int


ExecutionIndex = tuple[Level, ...]  # the outermost level first, the step itself last


class ExecutionIndexes:
    """The execution indexes of one run.

    The indexes may leave out branches and calls: `is_level` says which operations count.  What an
    operation that does not count controls belongs to the next controlling step around it.
    """

    def __init__(self, run: RunStructure, is_level: Callable[[Op], bool] = lambda _: True) -> None:
        self._run = run
        self._is_level = is_level
        self._known_levels: dict[Op, bool] = {}
        self._known_executions: dict[Op, Executions] = {}
        self._groups: dict[Op, dict[Step | None, list[Step]]] = {}

    def index_of(self, step: Step) -> ExecutionIndex:
        """Return the execution index of `step`."""
        path: list[tuple[Op, int]] = []
        at: Step | None = step
        while at is not None:
            region = self.region(at)
            path.append((self._run.op_of(at), self.rank(at, region)))
            at = region
        groups = itertools.groupby(reversed(path))
        return tuple(Level(op, rank, len(list(same))) for (op, rank), same in groups)

    def step_at(self, index: ExecutionIndex) -> Step | None:
        """Return the step whose execution index is `index`; None if this run has none."""
        step: Step | None = None
        for level in index:
            for _ in range(level.times):
                step = self.at(level.op, step, level.rank)
                if step is None:
                    return None
        return step

    def region(self, step: Step) -> Step | None:
        """Return the nearest controlling step that counts; None at the outermost level."""
        found = self._run.controlling_step(step)
        while found is not None and not self._counts(self._run.op_of(found)):
            found = self._run.controlling_step(found)
        return found

    def rank(self, step: Step, region: Step | None) -> int:
        """Return the number of steps of the same operation and region that come before `step`."""
        op = self._run.op_of(step)
        if not self._executions(op).is_long:
            return bisect_left(self._group(op).get(region, []), step)
        # All of them come after the region.
        low, high = (self._executions(op).before(each) for each in (region or 0, step))
        near = (self._executions(op)[part] for part in step_chunks(low, high))
        return sum(self.region(Step(each)) == region for part in near for each in part.tolist())

    def at(self, op: Op, region: Step | None, rank: int) -> Step | None:
        """Return the step of `op` with this region and rank, if there is one."""
        executions = self._executions(op)
        if not executions.is_long:
            steps = self._group(op).get(region, [])
            return steps[rank] if rank < len(steps) else None
        for part in step_chunks(executions.before((region or 0) + 1), len(executions)):
            for step in executions[part].tolist():
                if self.region(step) == region:
                    if not rank:
                        return Step(step)
                    rank -= 1
                elif region is not None and self._is_after(step, region):
                    return None
        return None

    def iterations_to(self, step: Step, count: int) -> Steps:
        """Return up to `count` steps of a loop's branch up to `step`; each controls the next.

        They are executions of one operation with no other execution of it between them.  So the
        rank of each is 0, except that of the first.  None are returned if `step` is no branch that
        controls its own next execution.
        """
        if not self._is_loop(step):
            return np.zeros(0, np.int64)
        executions = self._executions(self._run.op_of(step))
        end = executions.before(step) + 1
        steps = executions[max(end - count, 0) : end]
        return steps[len(steps) - self._linked(steps[::-1]) :]

    def iterations_from(self, step: Step, count: int) -> Steps:
        """Return `step` and up to `count` steps of the same kind after it."""
        executions = self._executions(self._run.op_of(step))
        start = executions.before(step)
        steps = executions[start : start + 1 + count]
        return steps[: self._linked(steps)] if self._counts(self._run.op_of(step)) else steps[:1]

    def _is_loop(self, step: Step) -> bool:
        op, before = self._run.op_of(step), self._run.controlling_step(step)
        return before is not None and self._run.op_of(before) == op and self._counts(op)

    def _linked(self, steps: Steps) -> int:
        """Return how many of `steps`, in or against their order, control one another in a row."""
        if len(steps) < 2:
            return len(steps)
        before, after = (steps[:-1], steps[1:]) if steps[0] < steps[1] else (steps[1:], steps[:-1])
        apart = np.flatnonzero(self._run.controlling_steps(after) != before)
        return int(apart[0]) + 1 if len(apart) else len(steps)

    def _is_after(self, step: Step, region: Step) -> bool:
        """Has the branch or call `region` nothing more to control when `step` runs?

        The steps in effect that control something are a stack.  A branch leaves it for good when
        its activation executes the same branch again.
        """
        run, op = self._run, self._run.op_of(region)
        at: Step | None = step
        for _ in range(_MAX_CONTROLLING):
            at = run.controlling_step(at) if at else None
            if at is None or at <= region:
                return at != region
            if run.op_of(at) == op and run.activation_of(at) == run.activation_of(region):
                return True
        return False

    def _executions(self, op: Op) -> Executions:
        found = self._known_executions.get(op)
        if found is None:
            found = self._known_executions[op] = self._run.executions(op)
        return found

    def _counts(self, op: Op) -> bool:
        found = self._known_levels.get(op)
        if found is None:
            found = self._known_levels[op] = self._is_level(op)
        return found

    def _group(self, op: Op) -> dict[Step | None, list[Step]]:
        """Return the steps of an operation, in order, by their region."""
        found = self._groups.get(op)
        if found is None:
            steps: list[Step] = self._run.executions(op)[:].tolist()
            by_region: dict[Step | None, list[Step]] = defaultdict(list)
            for step in steps:
                by_region[self.region(step)].append(step)
            found = self._groups[op] = dict(by_region)
        return found
