"""Where do the failing and the passing run diverge, and what did the failing run lose there?

The region of a step is the branch or call around it that both versions have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from whence.causes.comparison import Comparison, is_on_closing_line
from whence.program.ids import Block, Op, Step
from whence.program.rows import OUTPUT
from whence.trace.alignment import PairedOp
from whence.trace.flow import Flow

_MAX_NESTING = 8  # limit on regions around a jump, and on calls around a step; guessed
_MAX_DISTANCE = 4000  # limit on steps between a step and a neighbour with a counterpart; guessed


@dataclass(frozen=True)
class Lost:
    """A step that only the passing run has, and whose effect the failing run lacks."""

    passing: Step  # the step of the passing run
    after: Step | None  # the last step of the failing run before the place where it would have run
    about: Step  # the step of the failing run that read something else because of this
    definition: Step  # the step of the passing run that should have been read; `passing` led to it
    jump: Step | None = None  # the added jump of the failing run that avoided it


class DivergencePoints:
    """Finds the points where a failing run diverges from a passing run."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison, self.alignment = comparison, comparison.alignment
        self.failing, self.passing = comparison.failing, comparison.passing

    def diverging_branches(self, step: Step, walked: set[Step]) -> tuple[list[Step], bool]:
        """Return the branches that explain why a step has no counterpart.

        These are its region, the branches around it that only the bad version has, and the
        branch that went another way in the passing run.  `walked` are the regions that earlier
        calls came through: the branches around them are not returned again.  The second result
        is True if the walk ended at such a region.
        """
        flow, counterpart = self.failing, self.comparison.counterpart
        found: list[Step] = []
        at = step
        while counterpart(at) is None:
            region = self.alignment.failing_region(at)
            found += self._branches_within(at, region)
            if region is None:
                break
            is_shared = counterpart(region) is not None
            # Code that only the bad version has may run in a region that both runs entered.
            is_added = self.alignment.pairing.good_op(flow.op_of(at)) is None
            if (
                flow.is_branch(region)
                and (at == step or is_shared)
                and not (is_added and is_shared)
            ):
                found.append(region)
            if is_shared:
                break
            if region in walked:
                return found, True
            walked.add(region)
            at = region
        return found, False

    def _branches_within(self, step: Step, region: Step | None) -> Iterator[Step]:
        """Yield the branches around a step, out to its region, that only the bad version has."""
        controlling = self.failing.controlling_step(step)
        while controlling is not None and controlling != region:
            if self.failing.is_branch(controlling):
                yield controlling
            controlling = self.failing.controlling_step(controlling)

    def entered_by(self, step: Step) -> Iterator[Step]:
        """Yield the added calls that lead to a step without a counterpart.

        If unrecorded code called the function of the step, yield the step that made the function.
        """
        flow, at = self.failing, step
        for _ in range(_MAX_NESTING):
            if self.comparison.counterpart(at) is not None:
                return
            maker = flow.made_at(at)
            if maker:
                yield maker
            call = flow.call_of(at)
            if not call:
                return
            if self.alignment.pairing.good_op(flow.op_of(call)) is None:
                yield call
            at = call

    def lost(self, definition: Step, load: Step) -> tuple[Lost | None, Step | None]:
        """Return why a step of the passing run has no counterpart.

        Either the step, or one that leads to it, was removed; or a branch went another way, and
        the second result is this branch of the failing run.
        """
        alignment = self.alignment
        at, removed = definition, None
        while alignment.failing_counterpart(at) is None:
            removed = removed or self._removed(at)
            region = alignment.passing_region(at)
            own = None if region is None else alignment.failing_counterpart(region)
            if region is None or own is not None:
                step = removed or at
                lost = Lost(step, self._place_of(step, own), load, definition)
                is_branch = own is not None and self.failing.is_branch(own)
                return lost, own if removed is None and is_branch else None
            at = region
        return None, None

    def _removed(self, step: Step) -> Step | None:
        """Return a step of the passing run whose operation was removed, around or at `step`.

        The search ends at the region.  It prefers the outermost call, because everything that
        the call did went with it; otherwise the innermost step.
        """
        bad_op, flow = self.alignment.pairing.bad_op, self.passing
        region = self.alignment.passing_region(step)
        at: Step | None = step
        found = None
        while at is not None and at != region:
            if bad_op(flow.op_of(at)) is None and (found is None or flow.is_call(at)):
                found = at
            at = flow.controlling_step(at)
        return found

    def is_kept(self, step: Step) -> bool:
        """Does the bad version still have the operation of a step of the passing run?"""
        return self.alignment.pairing.bad_op(self.passing.op_of(step)) is not None

    def lost_jump(self, step: Step) -> Lost | None:
        """Return the removed jump by which the passing run avoided a step."""
        at = step
        while self.comparison.counterpart(at) is None:
            region = self.alignment.failing_region(at)
            other = None if region is None else self.comparison.counterpart(region)
            if region is None or other is not None:
                region_of, paired = self.alignment.passing_region, self.alignment.pairing.bad_op
                jump = _last_unpaired(self.passing, region_of, paired, other)
                if jump is None:
                    return None
                return Lost(jump, self._place_of(jump, region), step, jump)
            at = region
        return None

    def added_jump(self, missing: Step) -> tuple[Step | None, Step | None]:
        """Return the branch to added code by which the failing run avoided a step.

        `missing` is that step, of the passing run.  The second result is the jump out of the added
        code, such as a `continue`; None if there is none.
        """
        alignment = self.alignment
        at = missing
        while alignment.failing_counterpart(at) is None:
            region = alignment.passing_region(at)
            own = None if region is None else alignment.failing_counterpart(region)
            if region is None or own is not None:
                region_of, paired = alignment.failing_region, alignment.pairing.good_op
                jump = _last_unpaired(self.failing, region_of, paired, own)
                jump = jump or _last_unpaired(self.failing, region_of, self._same_jump, own)
                branch = jump
                while branch is not None and not self.failing.is_branch(branch):
                    branch = self.failing.controlling_branch(branch)
                if jump is None or branch is None or branch <= (own or 0):
                    return None, None
                return branch, jump if self._avoids(jump, missing, own) else None
            at = region
        return None, None

    def _avoids(self, jump: Step, missing: Step, region: Step | None) -> bool:
        """Does a jump without a condition lead past the operation of a missing step?

        What runs after the region is entered again, as by the next iteration, does not count.
        """
        flow = self.failing
        op = self.alignment.pairing.bad_op(self.passing.op_of(missing))
        target = _only_target(flow, flow.op_of(jump))
        if op is None or target is None:
            return False
        function = flow.thread.image.function_of(op)
        following = flow.thread.image.branching(function).following
        end = None if region is None else _block_of(flow, flow.op_of(region))
        reached: set[Block] = set()
        work = [target]
        while work:
            block = work.pop()
            if block != end and block not in reached:
                reached.add(block)
                work += following.get(block, ())
        return _block_of(flow, op) not in reached

    def _same_jump(self, op: Op) -> Op | None:
        """Return the counterpart of an operation; None for a jump that leads to other code now.

        A `continue` in the place of another statement is such a jump.
        """
        paired = self.alignment.pairing.good_op(op)
        target = None if paired is None else _only_target(self.failing, op)
        passing_target = None if paired is None else _only_target(self.passing, paired)
        if target is None or passing_target is None:
            return paired
        pairing = self.alignment.pairing
        targeted = {*self.passing.thread.image.ops_of_block(passing_target)}
        own = self.failing.thread.image.ops_of_block(target)
        counterparts = {pairing.good_op(each) for each in own} - {None}
        is_known = counterparts and any(pairing.bad_op(each) is not None for each in targeted)
        return None if is_known and not counterparts & targeted else paired

    def unprinted(self, since: Step | None) -> Step | None:
        """Return the first output of the passing run, after `since`, that has no counterpart.

        `since` is a step of the failing run; None: from the start.
        """
        start = self.comparison.counterpart(since) or 0 if since else 0
        effects = self.passing.thread.stream.effects
        steps = np.unique(effects["step"][effects["kind"] == OUTPUT])
        outputs: list[Step] = steps[steps > start].tolist()
        return next((s for s in outputs if self.alignment.failing_counterpart(s) is None), None)

    def _place_of(self, step: Step, region: Step | None) -> Step | None:
        """Return the step of the failing run after which a step of the passing run belongs."""
        flow = self.passing
        activation = flow.activation_of(step)
        for at in map(Step, range(step - 1, max(0, step - _MAX_DISTANCE), -1)):
            if flow.activation_of(at) == activation:
                own = self.alignment.failing_counterpart(at)
                if own is not None:
                    return own
        return region


def _only_target(flow: Flow, op: Op) -> Block | None:
    """Return the block that a jump without a condition leads to; None for another operation."""
    block = _block_of(flow, op)
    last = max(flow.thread.image.ops_of_block(block), default=None)
    image = flow.thread.image
    following = image.branching(int(image.code.block_function[block])).following.get(block, [])
    return following[0] if op == last and len(following) == 1 else None


def _block_of(flow: Flow, op: Op) -> Block:
    code = flow.thread.image.code
    return Block(int(code.stretch_block[code.op_stretch[op]]))


def _last_unpaired(
    flow: Flow, region_of: Callable[[Step], Step | None], paired: PairedOp, region: Step | None
) -> Step | None:
    """Return the last step inside a region, near its start, that the other version lacks."""
    rows = flow.thread.image.rows
    start = region or 0
    steps = range(min(start + _MAX_DISTANCE, flow.thread.stream.steps), start, -1)
    for step in map(Step, steps):
        op = flow.op_of(step)
        if not rows[op] or paired(op) is not None or is_on_closing_line(flow, step):
            continue
        above = region_of(step)
        for _ in range(_MAX_NESTING):
            if above is None or above <= start:
                break
            above = region_of(above)
        if above == region:
            return step
    return None
