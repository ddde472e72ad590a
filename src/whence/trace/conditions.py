"""Which branches are one condition of the source, and which of them settled it?

`a && (b || c)` is three branches; a user wrote one condition and thinks of it as one.
"""

from __future__ import annotations

import itertools
import re

import numpy as np

from whence.frontend.c import flow as graph
from whence.frontend.c.ir import Function, Module
from whence.trace.flow import Flow

_SCOPE = re.compile(r"\bscope: (!\d+)")


class Conditions:
    """The conditions that one thread came to."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.queries = flow.queries
        self._known: dict[int, dict[int, int]] = {}  # by function: block -> the one before it
        self._following: dict[int, list[int]] = {}  # by block

    def executed(self, step: int) -> tuple[int, ...]:
        """The branches of the condition that the branch `step` belongs to, up to it, in order."""
        found = [step]
        links = self._links(step)
        block = self._block(step)
        while block in links:
            before = self._leaving_before(found[0])
            if before is None or self._block(before) != links[block]:
                break
            found.insert(0, before)
            block = links[block]
        return tuple(found)

    def settled_by(self, step: int) -> tuple[int, ...]:
        """Those branches without which the condition would have come out otherwise.

        Where `a && b` was false it is b alone: that a held did not make it so.
        """
        branches = self.executed(step)
        side = self.flow.side_of(step)
        kept = []
        for branch, after in itertools.pairwise(branches):
            others = set(self._following[self._block(branch)]) - {self._block(after)}
            if side not in others:
                kept.append(branch)
        return (*kept, step)

    def settled(self, step: int) -> int:
        """The branch with which the condition that `step` belongs to was settled."""
        while True:
            side = self.flow.side_of(step)
            if side is None or self._links(step).get(side) != self._block(step):
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

    def _links(self, step: int) -> dict[int, int]:
        code = self.flow.thread.image.code
        number = int(code.block_function[self._block(step)])
        if number not in self._known:
            source, local = self.flow.thread.image.locate(int(code.function_first_op[number]))
            first = int(code.function_first_block[number])
            function = source.function(local)
            following = graph.successors(function)
            for block, targets in enumerate(following):
                self._following[first + block] = [first + target for target in targets]
            pairs = _links(source.module, function, following)
            self._known[number] = {first + block: first + before for block, before in pairs.items()}
        return self._known[number]


def _links(module: Module, function: Function, following: list[list[int]]) -> dict[int, int]:
    """For each block that goes on with the condition of another, that other block.

    So does `b` in `if (a && b)`, and a nested `if (b)` does not, which has a scope of its own.
    """
    coming: dict[int, list[int]] = {}
    for block, targets in enumerate(following):
        for target in targets:
            coming.setdefault(target, []).append(block)
    scopes = [_scope(module, block.instructions[-1].location) for block in function.blocks]
    found = {}
    for block, targets in enumerate(following):
        if len(targets) != 2 or function.blocks[block].instructions[-1].opcode != "br":
            continue
        for after, other in (targets, targets[::-1]):
            is_branch = function.blocks[after].instructions[-1].opcode == "br"
            if (
                coming[after] == [block]
                and is_branch
                and len(following[after]) == 2
                and other in following[after]
                and scopes[block] == scopes[after]
                and after != block
            ):
                found[after] = block
    return found


def _scope(module: Module, location: int | None) -> str | None:
    match = _SCOPE.search(module.metadata.get(location, "")) if location is not None else None
    return match[1] if match else None
