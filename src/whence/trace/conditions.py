"""Which branches are one condition of the source, and which of them decided its outcome?

`a && (b || c)` is one condition for the user, but three branches of the program.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from whence.program.ids import Block, Instance, Op, Step, Stretch
from whence.trace.flow import Flow


class Conditions:
    """The conditions that one thread evaluated."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.queries = flow.queries
        self._known: set[int] = set()  # functions whose blocks are in the next two
        self._regions: dict[Block, frozenset[Block]] = {}  # for a block: all of the same condition
        self._following: dict[Block, list[Block]] = {}  # for a block: its successors

    def executed(self, step: Step) -> tuple[Step, ...]:
        """Return the branches of the condition of the branch `step`, up to it, in order."""
        found = [step]
        region = self._region(step)
        while len(region) > 1:
            before = self._leaving_before(found[0])
            if before is None or self._block(before) not in region:
                break
            found.insert(0, before)
            if self._block(before) == min(region):  # the first branch of the condition
                break
        return tuple(found)

    def settled_by(self, step: Step) -> tuple[Step, ...]:
        """Return the branches that decided the outcome of the condition of `step`.

        If `a && b` was false because of b, it is b alone: that a was true did not decide it.
        """
        branches = self.executed(step)
        side = self.flow.side_of(step)
        sides = {self._block(branch): self.flow.side_of(branch) for branch in branches}
        return tuple(
            branch for branch in branches if branch == step or self._flipped(branch, sides) != side
        )

    def _flipped(self, branch: Step, sides: Mapping[Block, Block | None]) -> Block | None:
        """Return where the condition would have led if `branch` had taken its other side.

        None: that depends on a branch that did not run.
        """
        block = self._block(branch)
        others = [after for after in self._following[block] if after != sides[block]]
        at: Block | None = others[0] if len(others) == 1 else None
        region = self._regions[block]
        while at in region:
            at = sides.get(at)
        return at

    def settled(self, step: Step) -> Step:
        """Return the last branch that ran of the condition of `step`."""
        while True:
            side = self.flow.side_of(step)
            if side is None or side not in self._region(step):
                return step
            after = self._leaving(side, Instance(self.flow.instance_of(step) + 1))
            if after is None:
                return step
            step = after

    def _leaving(self, block: Block, instance: Instance) -> Step | None:
        """Return the step with which control left `block`, which it entered with `instance`."""
        code = self.flow.thread.image.code
        last = int(code.block_first_stretch[block]) + int(code.block_stretches[block]) - 1
        activation = self.flow.activation(instance)
        found = self.queries.instances_of(Stretch(last))
        for at in range(int(found.searchsorted(np.uint32(instance))), len(found)):
            if self.flow.activation(Instance(int(found[at]))) == activation:
                return self.queries.last_step(Instance(int(found[at])))
        return None

    def head(self, step: Step) -> Op:
        """Return the operation of the first branch of the condition of `step`."""
        return self.flow.op_of(self.executed(step)[0])

    def _block(self, step: Step) -> Block:
        return self.flow.block(self.flow.instance_of(step))

    def _leaving_before(self, step: Step) -> Step | None:
        """Return the last step of the block that ran before that of `step` in its activation."""
        block = self._block(step)
        instance: Instance | None = self.flow.instance_of(step)
        while instance is not None and self.flow.block(instance) == block:
            instance = self.flow.previous_instance(instance)
        return None if instance is None else self.queries.last_step(instance)

    def _region(self, step: Step) -> frozenset[Block]:
        """Return the blocks of the condition that the block of `step` belongs to."""
        code = self.flow.thread.image.code
        block = self._block(step)
        number = int(code.block_function[block])
        if number not in self._known:
            self._known.add(number)
            branching = self.flow.thread.image.branching(number)
            self._following.update(branching.following)
            for whole in branching.conditions:
                self._regions.update(dict.fromkeys(whole, whole))
        return self._regions.get(block, frozenset({block}))
