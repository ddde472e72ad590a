"""What does a recorded run show about a change: was it reached, and what kept it away?"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from whence.augment.changed_code import ChangedCode
from whence.augment.deciders import deciding_steps
from whence.augment.distance import CallGraph, Distances
from whence.explain.meeting.version_index import Ids
from whence.inputs import InputSource
from whence.languages import flow_of
from whence.paths.conditions import Condition
from whence.paths.program import Contents, InputProgram, PathRun
from whence.program.ids import Block, Op, Step
from whence.subject.command import Ended
from whence.trace.flow import Flow

_MAX_AFTER = 8  # steps between a comparison of texts and the branch that it decides; guessed
_MAX_KEPT_STEPS = 100_000  # of all runs that are kept in memory; guessed
_MAX_UNDECIDED = 12  # branches of a run that inputs do not decide and that are followed; guessed

Identity = tuple[tuple[InputSource, bytes], ...]


def inputs_key(contents: Contents, free: Collection[InputSource]) -> Identity:
    """Return the inputs that may change."""
    return tuple(sorted((source, contents[source]) for source in free))


@dataclass
class VersionRuns:
    """One version of the program, run again and again with other inputs."""

    program: InputProgram
    code: ChangedCode
    recorded: int = 0  # number of runs so far
    plain: int = 0

    def __post_init__(self) -> None:
        self._graphs: dict[str, CallGraph] = {}
        self._kept: OrderedDict[Identity, PathRun] = OrderedDict()  # the latest last

    def run(self, contents: Contents, changes: Ids) -> SeenRun:
        """Run the program, recorded."""
        run = self._recorded(contents)
        image = run.thread.image
        graph = self._graphs.setdefault(image.key, CallGraph(image))
        graph.add_run(run.thread)
        return SeenRun(run, self.code.operations(image, changes), graph)

    def again(self, seen: SeenRun, changes: Ids) -> SeenRun:
        """Return a run that was recorded before, seen from other changes."""
        image = seen.run.thread.image
        return SeenRun(seen.run, self.code.operations(image, changes), seen.calls)

    def _recorded(self, contents: Contents) -> PathRun:
        key = inputs_key(contents, self.program.free)
        if key not in self._kept:
            self.recorded += 1
            self._keep(key, self.program.run(contents))
        self._kept.move_to_end(key)
        return self._kept[key]

    def _keep(self, key: Identity, run: PathRun) -> None:
        """Keep a run, and as many of the latest ones as their size allows."""
        self._kept[key] = run
        sizes = [one.path.thread.stream.steps for one in self._kept.values()]
        while len(self._kept) > 1 and sum(sizes) > _MAX_KEPT_STEPS:
            self._kept.popitem(last=False)
            sizes.pop(0)

    def run_plain(self, contents: Contents, seconds: float | None = None) -> Ended:
        """Return how the program ends with these inputs; `seconds` limits the run.

        Where most of a run is its start, it is recorded right away: it may be needed.
        """
        if self.program.starts_slowly:
            return self._recorded(contents).ended
        self.plain += 1
        return self.program.run_plain(contents, seconds)


@dataclass(frozen=True)
class TurnedBranch:
    """A condition whose other side leads nearer to a place."""

    number: int  # of the condition in its run
    distance: int


class SeenRun:
    """A recorded run, seen from a change; `targets` are the operations that the change alters."""

    def __init__(self, run: PathRun, targets: frozenset[Op], calls: CallGraph) -> None:
        self.run, self.targets, self.calls = run, targets, calls

    @property
    def conditions(self) -> Sequence[Condition]:
        return self.run.path.conditions

    @property
    def contents(self) -> Contents:
        return self.run.contents

    @cached_property
    def flow(self) -> Flow:
        return flow_of(self.run.thread)

    @cached_property
    def first(self) -> Step | None:
        """The first step that executed changed code; None: the change was not reached."""
        found = [steps[0] for op in self.targets if len(steps := self.flow.executions(op)[:1])]
        return Step(int(min(found))) if found else None

    @cached_property
    def to_change(self) -> Distances:
        return Distances(self.calls, self.targets)

    @property
    def may_lead_there(self) -> bool:
        """Does some code that ran decide whether the change runs, or call what does?"""
        thread = self.flow.thread
        blocks = thread.image.code.stretch_block[np.unique(thread.stream.stretch)]
        return not self.to_change.blocks.keys().isdisjoint(blocks.tolist())

    def before(self, step: Step) -> int:
        """Return how many conditions stand before a step."""
        return sum(condition.step < step for condition in self.conditions)

    def rank(self, step: Step) -> int:
        """Return how often the operation of a step was executed before it."""
        return int(np.searchsorted(self.flow.executions(self.flow.op_of(step))[:], step))

    # --- branches that lead nearer ---------------------------------------------------------------

    def turned(self, to: Distances) -> Iterator[TurnedBranch]:
        """Yield the conditions whose other side leads to a place, with the distance from there."""
        for number, condition in enumerate(self.conditions):
            distance = self.other_side(condition.step, to)
            if distance is not None:
                yield TurnedBranch(number, distance)

    def turned_indirectly(self, to: Distances) -> Iterator[TurnedBranch]:
        """Yield the conditions that decide a branch which inputs do not decide directly.

        Such a branch tests what other branches set (thesis, 4.3.3).
        """
        for step, distance in self._undecided(to):
            for turned in self.deciding([step]):
                yield TurnedBranch(turned.number, distance + 1 + turned.distance)

    def deciding(self, seeds: Sequence[Step]) -> Iterator[TurnedBranch]:
        """Yield the conditions behind some steps: first those in their values, then branches."""
        behind = deciding_steps(self.flow, seeds)
        for number, condition in enumerate(self.conditions):
            if condition.step in behind:
                yield TurnedBranch(number, behind[condition.step])

    def branch_after(self, step: Step) -> Step | None:
        """Return the branch that follows a comparison closely: it decides by the result."""
        last = min(step + _MAX_AFTER, self.flow.thread.stream.steps)
        return next(
            (at for at in map(Step, range(step, last + 1)) if self.flow.is_branch(at)), None
        )

    def other_side(self, step: Step, to: Distances) -> int | None:
        """Return the distance of a place from the other sides of a branch."""
        if not self.flow.is_branch(step):
            return None
        block, taken = self.flow.block(self.flow.instance_of(step)), self.flow.side_of(step)
        image = self.flow.thread.image
        function = int(image.code.block_function[block])
        sides = image.branching(function).following.get(block, [])
        found = [to.of_edge((block, side)) for side in sides if side != taken]
        return min((distance for distance in found if distance is not None), default=None)

    def branches_towards(self, to: Distances) -> list[Step]:
        """Return the executions of branches whose other side leads to a place, in order."""
        found: set[int] = set()
        for branch in {block for block, _ in to.edges}:
            found.update(self._ends_of(branch))
        return sorted(Step(step) for step in found if self.other_side(Step(step), to) is not None)

    def _ends_of(self, block: Block) -> list[int]:
        """Return the executions of the last operation of a block."""
        code = self.flow.thread.image.code
        stretch = int(code.block_first_stretch[block]) + int(code.block_stretches[block]) - 1
        last = int(code.stretch_first_op[stretch]) + int(code.stretch_ops[stretch]) - 1
        found: list[int] = self.flow.executions(Op(last))[:].tolist()
        return found

    def _undecided(self, to: Distances) -> Iterator[tuple[Step, int]]:
        """Yield the last executions of branches that lead there and that no input decides."""
        decided = {condition.step for condition in self.conditions}
        count = 0
        for (block, _), distance in sorted(to.edges.items(), key=lambda item: item[1]):
            for step in map(Step, self._ends_of(block)[-1:]):
                is_aside = self.other_side(step, to) is not None
                if is_aside and step not in decided and count < _MAX_UNDECIDED:
                    count += 1
                    yield step, distance

    def changed_steps(self, limit: int) -> list[Step]:
        """Return the first `limit` executions of each changed operation, in order."""
        found: list[Step] = []
        for op in sorted(self.targets):
            found += [Step(int(step)) for step in self.flow.executions(op)[:limit]]
        return sorted(found)
