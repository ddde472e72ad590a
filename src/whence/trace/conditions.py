"""Which branches are one condition of the source, and which of them settled it?

`a && (b || c)` is three branches; a user wrote one condition and thinks of it as one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from whence.trace.flow import Flow


class Conditions:
    """The conditions that one thread came to."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.queries = flow.queries
        self._known: set[int] = set()  # functions that were looked at
        self._regions: dict[int, frozenset[int]] = {}  # by block: those of the same condition
        self._following: dict[int, list[int]] = {}  # by block

    def executed(self, step: int) -> tuple[int, ...]:
        """The branches of the condition that the branch `step` belongs to, up to it, in order."""
        found = [step]
        region = self._region(step)
        while len(region) > 1:
            before = self._leaving_before(found[0])
            if before is None or self._block(before) not in region:
                break
            found.insert(0, before)
            if self._block(before) == min(region):  # the first; there is no way back to it
                break
        return tuple(found)

    def settled_by(self, step: int) -> tuple[int, ...]:
        """Those branches without which the condition would have come out otherwise.

        Where `a && b` was false it is b alone: that a held did not make it so.
        """
        branches = self.executed(step)
        side = self.flow.side_of(step)
        went = {self._block(branch): self.flow.side_of(branch) for branch in branches}
        return tuple(
            branch for branch in branches if branch == step or self._other_way(branch, went) != side
        )

    def _other_way(self, branch: int, went: Mapping[int, int | None]) -> int | None:
        """Where the condition would have led, had one branch gone the other way; None if that
        rests on a branch that did not run."""
        block = self._block(branch)
        others = [after for after in self._following[block] if after != went[block]]
        at: int | None = others[0] if len(others) == 1 else None
        region = self._regions[block]
        while at in region:
            at = went.get(at)
        return at

    def settled(self, step: int) -> int:
        """The branch with which the condition that `step` belongs to was settled."""
        while True:
            side = self.flow.side_of(step)
            if side is None or side not in self._region(step):
                return step
            after = self._leaving(side, self.flow.instance_of(step) + 1)
            if after is None:
                return step
            step = after

    def _leaving(self, block: int, instance: int) -> int | None:
        """The step with which control left the block that was entered with `instance`."""
        code = self.flow.thread.image.code
        last = int(code.block_first_stretch[block]) + int(code.block_stretches[block]) - 1
        activation = self.flow.activation(instance)
        found = self.queries.instances_of(last)
        for at in range(int(np.searchsorted(found, np.uint32(instance))), len(found)):
            if self.flow.activation(int(found[at])) == activation:
                return self.queries.last_step(int(found[at]))
        return None

    def head(self, step: int) -> int:
        """The op of the first branch of the condition that `step` belongs to."""
        return self.flow.op_of(self.executed(step)[0])

    def _block(self, step: int) -> int:
        return self.flow.block(self.flow.instance_of(step))

    def _leaving_before(self, step: int) -> int | None:
        """The last step of the block that ran before the block of `step`, in its activation."""
        block = self._block(step)
        instance: int | None = self.flow.instance_of(step)
        while instance is not None and self.flow.block(instance) == block:
            instance = self.flow.previous_instance(instance)
        return None if instance is None else self.queries.last_step(instance)

    def _region(self, step: int) -> frozenset[int]:
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
