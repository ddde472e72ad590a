"""Where do the failing and the passing run diverge, and what did the failing run lose there?

The region of a step is the branch or call around it that both versions have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from whence.causes.comparison import Comparison, block_of, is_on_closing_line, sides_of
from whence.program.ids import Block, Instance, Op, Step
from whence.program.rows import OUTPUT
from whence.trace.alignment import PairedOp
from whence.trace.columns import BRANCH
from whence.trace.flow import Flow

_MAX_NESTING = 8  # limit on regions around a jump, and on calls around a step; guessed
_MAX_DISTANCE = 4000  # limit on instances of a function before a step that are looked at; guessed
_MAX_INSTANCES = 1 << 20  # limit on instances of a region that are looked at; guessed
_MAX_TRIED = 64  # limit on the first, and on the last, executions of an operation; guessed


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
        # By region of the passing run: steps that the bad version lacks, and jumps that changed.
        self._removed_jumps: dict[Step | None, tuple[list[Step], list[Step]]] = {}
        self._added_jumps: dict[Step | None, list[Step]] = {}  # by region of the failing run
        self._new_branches: dict[int, list[Op]] = {}  # branches that the good version lacks

    def diverging_branches(self, step: Step, walked: set[Step]) -> tuple[list[Step], bool]:
        """Return the branches that explain why a step has no counterpart, or another value.

        These are its region, the branches around it that only the bad version has, and the
        branch that went another way in the passing run.  `walked` are the regions that earlier
        calls came through: the branches around them are not returned again.  The second result
        is True if the walk ended at such a region.
        """
        flow, counterpart = self.failing, self.comparison.counterpart
        found: list[Step] = []
        if counterpart(step) is not None and not self.comparison.is_same(step):
            # A branch of the bad version may choose what an expression chose in the good one.
            found += self._branches_within(step, self.alignment.failing_region(step))
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

        If unrecorded code called the function of the step, yield the step that made the function,
        and its definition or decorator if only the failing run has it.
        """
        flow, at = self.failing, step
        for _ in range(_MAX_NESTING):
            if self.comparison.counterpart(at) is not None:
                return
            maker = flow.made_at(at)
            if maker:
                yield maker
            definition = flow.defined_at(at)
            if definition is not None and self.comparison.counterpart(definition) is None:
                yield definition
            call = flow.call_of(at)
            if not call:
                return
            if self.alignment.pairing.good_op(flow.op_of(call)) is None:
                yield call
            at = call

    def generated_by(self, step: Step) -> Iterator[Step]:
        """Yield what differs in the code from which a step's methods were generated.

        The step has another value than its counterpart although it got the same.  What only the
        passing run has there is missing: then the first step of that code stands for it.
        """
        other = self.comparison.counterpart(step)
        if other is None or self.comparison.is_same(step) or not self._got_the_same(step):
            return
        own, theirs = self.failing.generated_from(step), self.passing.generated_from(other)
        differing = [each for each in own if not self.comparison.is_same(each)]
        is_lost = any(self.alignment.failing_counterpart(each) is None for each in theirs)
        yield from differing or (own[:1] if is_lost else ())

    def _got_the_same(self, step: Step) -> bool:
        operands = self.failing.node(step).operands
        return all(self.comparison.is_same(each) for each in operands if isinstance(each, int))

    def entering_call(self, step: Step) -> Step | None:
        """Return the call of both runs by which the failing run alone entered a step's function.

        None if the step or its region has a counterpart, or if no call is its region.
        """
        at = step
        while self.comparison.counterpart(at) is None:
            region = self.alignment.failing_region(at)
            if region is None:
                return None
            if self.comparison.counterpart(region) is not None:
                return region if self.failing.call_of(at) == region else None
            at = region
        return None

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

    def other_callee(self, missing: Step) -> Step | None:
        """Return the call of the failing run that may have entered another function.

        `missing` is a step of the passing run, in or below the function that only it entered.
        """
        at = missing
        while self.alignment.failing_counterpart(at) is None:
            call = self.alignment.passing_region(at)
            if call is None:
                return None
            own = self.alignment.failing_counterpart(call)
            if own is not None:
                is_callee = self.passing.call_of(at) == call
                return own if is_callee and not self._enters_counterpart(own, at) else None
            at = call
        return None

    def _enters_counterpart(self, call: Step, passing: Step) -> bool:
        """Did a call of the failing run surely enter the function of a step of the passing run?"""
        flow, first = self.failing, Step(call + 1)
        if first > flow.thread.stream.steps or flow.call_of(first) != call:
            return False
        op = self.alignment.pairing.bad_op(self.passing.op_of(passing))
        image = flow.thread.image
        return op is not None and image.function_of(op) == image.function_of(flow.op_of(first))

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
                jump = self._removed_jump(at, other)
                if jump is None:
                    return None
                return Lost(jump, self._place_of(jump, region), step, jump)
            at = region
        return None

    def _removed_jump(self, added: Step, region: Step | None) -> Step | None:
        """Return the step in a region of the passing run by which it avoided a step.

        `added` is that step, of the failing run.  The bad version lacks the step that is returned,
        or it is a jump that leads to other code there.  If no such step leads past the code of
        `added`, return the last one of the same function that the bad version lacks.
        """
        if region not in self._removed_jumps:
            region_of, paired = self.alignment.passing_region, self.alignment.pairing.bad_op
            removed = _unpaired(self.passing, region_of, paired, region)
            changed = _unpaired(self.passing, region_of, self._kept_jump, region)
            self._removed_jumps[region] = removed, changed
        removed, changed = self._removed_jumps[region]
        op = self.alignment.pairing.good_op(self.failing.op_of(added))
        if op is None:
            return (*removed, *changed, None)[0]
        image = self.passing.thread.image
        function = image.function_of(op)
        own = [s for s in removed if image.function_of(self.passing.op_of(s)) == function]
        past = (s for s in (*removed, *changed) if _leads_past(self.passing, s, op, region))
        return next(past, (*own, None)[0])

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
                jump = self._added_jump(at, own)
                branch = jump
                while branch is not None and not self.failing.is_branch(branch):
                    branch = self.failing.controlling_branch(branch)
                if jump is None:
                    return None, None
                if branch is not None and branch <= (own or 0):
                    branch = None  # the region itself led to the jump, in both versions
                return branch, jump if self._avoids(jump, at, own) else None
            at = region
        return None, None

    def _added_jump(self, missing: Step, region: Step | None) -> Step | None:
        """Return the last step in a region of the failing run that the good version lacks.

        A step that avoids the missing step comes first.
        """
        jumps = self._added_in(region)
        return next((j for j in jumps if self._avoids(j, missing, region)), (*jumps, None)[0])

    def _added_in(self, region: Step | None) -> list[Step]:
        """Return the steps in a region of the failing run that the good version lacks."""
        if region not in self._added_jumps:
            region_of, paired = self.alignment.failing_region, self.alignment.pairing.good_op
            added = _unpaired(self.failing, region_of, paired, region)
            changed = _unpaired(self.failing, region_of, self._same_jump, region)
            self._added_jumps[region] = [*added, *changed]
        return self._added_jumps[region]

    def _avoids(self, jump: Step, missing: Step, region: Step | None) -> bool:
        """Does a jump without a condition lead past the operation of a missing step?"""
        op = self.alignment.pairing.bad_op(self.passing.op_of(missing))
        return op is not None and _leads_past(self.failing, jump, op, region)

    def added_branch(self, missing: Step, *, is_kept: bool = False) -> Step | None:
        """Return the added branch by which the failing run avoided a step of the passing run.

        It stands where the good version has another condition: `if (is_wanted(p))` for `if (*p)`.
        `is_kept`: return a branch of both versions that only the failing run executed there; the
        good version has `if (is_wanted(p) || *p)`.
        """
        alignment = self.alignment
        at = missing
        while alignment.failing_counterpart(at) is None:
            region = alignment.passing_region(at)
            own = None if region is None else alignment.failing_counterpart(region)
            if region is None or own is not None:
                op = alignment.pairing.bad_op(self.passing.op_of(at))
                if op is None:
                    return None
                function = self.failing.thread.image.function_of(op)
                find = self._kept_branches if is_kept else self._added_branches
                branches = find(function, own)
                return next((b for b in branches if self._decides(b, op, own)), None)
            at = region
        return None

    def _added_branches(self, function: int, region: Step | None) -> Iterator[Step]:
        """Yield the last executions, in a region, of branches that the good version lacks."""
        if function not in self._new_branches:
            ops, paired = self._branches_of(function), self.alignment.pairing.good_op
            self._new_branches[function] = [op for op in ops if paired(op) is None]
        for op in self._new_branches[function]:
            steps = self.failing.executions(op)
            low = steps.before((region or 0) + 1)
            near: list[Step] = steps[low : low + _MAX_TRIED].tolist()
            for step in reversed(near):
                if _is_in(step, region, self.alignment.failing_region):
                    yield step
                    break

    def _kept_branches(self, function: int, region: Step | None) -> Iterator[Step]:
        """Yield executions, directly in a region, of branches that only the failing run made."""
        paired, low = self.alignment.pairing.good_op, Step((region or 0) + 1)
        for op in self._branches_of(function):
            if paired(op) is None:
                continue
            steps = self.failing.executions(op)
            near: list[Step] = steps[steps.before(low) : steps.before(low) + _MAX_TRIED].tolist()
            alone = (step for step in near if self.comparison.counterpart(step) is None)
            yield from (s for s in alone if self.alignment.failing_region(s) == region)

    def _branches_of(self, function: int) -> Iterator[Op]:
        code = self.failing.thread.image.code
        first = code.function_first_op
        end = int(first[function + 1]) if function + 1 < len(first) else len(code.kind)
        branches = np.flatnonzero(code.kind[int(first[function]) : end] == BRANCH)
        return map(Op, (branches + int(first[function])).tolist())

    def _decides(self, branch: Step, op: Op, region: Step | None) -> bool:
        """Does a branch lead past an operation, and could it have led to it?"""
        flow = self.failing
        image, side = flow.thread.image, flow.side_of(branch)
        if side is None or image.function_of(flow.op_of(branch)) != image.function_of(op):
            return False
        others = [other for other in sides_of(flow, flow.op_of(branch)) if other != side]
        return not _reaches(flow, side, op, region) and any(
            _reaches(flow, other, op, region) for other in others
        )

    def left_at(self, missing: Step) -> Step | None:
        """Return the last step before the failing run left the function of a missing step early.

        `missing` is a step of the passing run.  The function was left by an exception that it, or
        what it called, does not catch, or by longjmp or exit.
        """
        alignment, flow = self.alignment, self.failing
        at, region = missing, alignment.passing_region(missing)
        own = None if region is None else alignment.failing_counterpart(region)
        while region is not None and own is None:
            at, region = region, alignment.passing_region(region)
            own = None if region is None else alignment.failing_counterpart(region)
        if own is None:
            return None
        activation = flow.activation_of(own)
        first = Step(own + 1)
        if self.passing.call_of(at) == region:
            if first > flow.thread.stream.steps or flow.call_of(first) != own:
                return None
            activation = flow.activation_of(first)
        left = flow.left_at(activation)
        return left if left is not None and left >= own else None

    def thrown_before(self, missing: Step) -> Step | None:
        """Return the step of the passing run that threw what led to a step that only it has.

        The failing run made the same call, from which that exception came.
        """
        alignment, flow = self.alignment, self.passing
        at, region = missing, alignment.passing_region(missing)
        while region is not None and alignment.failing_counterpart(region) is None:
            at, region = region, alignment.passing_region(region)
        if region is None or not flow.is_call(region) or flow.call_of(at) == region:
            return None
        first = Step(region + 1)
        if first > flow.thread.stream.steps or flow.call_of(first) != region:
            return None
        thrown = flow.left_at(flow.activation_of(first))
        return None if thrown is None or alignment.failing_counterpart(thrown) else thrown

    def _same_jump(self, op: Op) -> Op | None:
        """Return the counterpart of an operation; None for a jump that leads to other code now.

        A `continue` in the place of another statement is such a jump.
        """
        pairing = self.alignment.pairing
        paired = pairing.good_op(op)
        is_other = paired is not None and self._leads_elsewhere(op, paired)
        return None if is_other else paired

    def _kept_jump(self, op: Op) -> Op | None:
        """Return the counterpart in the bad version; None for a jump that leads elsewhere there."""
        paired = self.alignment.pairing.bad_op(op)
        is_other = paired is not None and self._leads_elsewhere(paired, op)
        return None if is_other else paired

    def _leads_elsewhere(self, bad_op: Op, good_op: Op) -> bool:
        """Do two paired jumps without a condition lead to code that is not paired?

        A `return` in the place of another jump may lead to an end of the function that the other
        version lacks, so that nothing in it is paired.
        """
        target, passing_target = (
            _only_target(self.failing, bad_op),
            _only_target(self.passing, good_op),
        )
        if target is None or passing_target is None:
            return False
        if _ends_function(self.failing, target) != _ends_function(self.passing, passing_target):
            return True
        pairing = self.alignment.pairing
        targeted = {*self.passing.thread.image.ops_of_block(passing_target)}
        own = self.failing.thread.image.ops_of_block(target)
        counterparts = {pairing.good_op(each) for each in own} - {None}
        is_known = counterparts and any(pairing.bad_op(each) is not None for each in targeted)
        return bool(is_known and not counterparts & targeted)

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
        at = Step(step - 1)
        instance: Instance | None = self.passing.instance_of(step)
        for _ in range(_MAX_DISTANCE):
            if instance is None:
                break
            first = int(self.passing.thread.stream.first[instance])
            for before in map(Step, range(at, first - 1, -1)):
                own = self.alignment.failing_counterpart(before)
                if own is not None:
                    return own
            instance = self.passing.previous_instance(instance)
            at = self.passing.queries.last_step(instance) if instance is not None else at
        return region


def _leads_past(flow: Flow, jump: Step, op: Op, region: Step | None) -> bool:
    """Does a jump without a condition lead past an operation?

    What runs after the region is entered again, as by the next iteration, does not count.
    """
    target = _only_target(flow, flow.op_of(jump))
    function = flow.thread.image.function_of(op)
    if target is None or flow.thread.image.function_of(flow.op_of(jump)) != function:
        return False
    return not _reaches(flow, target, op, region)


def _reaches(flow: Flow, start: Block, op: Op, region: Step | None) -> bool:
    """Does a way lead from a block to an operation of its function, inside a region?"""
    image = flow.thread.image
    following = image.branching(image.function_of(op)).following
    end = None if region is None else block_of(flow, flow.op_of(region))
    reached: set[Block] = set()
    work = [start]
    while work:
        block = work.pop()
        if block != end and block not in reached:
            reached.add(block)
            work += following.get(block, ())
    return block_of(flow, op) in reached


def _only_target(flow: Flow, op: Op) -> Block | None:
    """Return the block that a jump without a condition leads to; None for another operation."""
    block, image = block_of(flow, op), flow.thread.image
    if op != max(image.ops_of_block(block), default=None):
        return None
    following = image.branching(int(image.code.block_function[block])).following.get(block, [])
    return following[0] if len(following) == 1 else None


def _ends_function(flow: Flow, block: Block) -> bool:
    """Does a function return at the end of a block?"""
    image = flow.thread.image
    return not image.branching(int(image.code.block_function[block])).following.get(block)


def _unpaired(
    flow: Flow, region_of: Callable[[Step], Step | None], paired: PairedOp, region: Step | None
) -> list[Step]:
    """Return steps inside a region that the other version lacks, the last first.

    Of each operation it is the last step inside the region.
    """
    stream, code = flow.thread.stream, flow.thread.image.code
    start = region or 0
    first = flow.instance_of(region) if region else 0
    last = min(flow.instances, first + _MAX_INSTANCES)
    found = []
    for stretch in np.unique(stream.stretch[np.arange(first, last)]).tolist():
        begin = int(code.stretch_first_op[stretch])
        for op in map(Op, range(begin, begin + int(code.stretch_ops[stretch]))):
            if flow.thread.image.rows[op] and paired(op) is None:
                steps = flow.executions(op)
                low = steps.before(start + 1)
                # Those near the start of the region lie in it, even if the run goes on for long.
                near = steps[low : low + _MAX_TRIED].tolist()
                late = steps[max(low + _MAX_TRIED, len(steps) - _MAX_TRIED) :].tolist()
                inside = (s for s in reversed(near + late) if _is_in(s, region, region_of))
                found += [step for step in [next(inside, None)] if step is not None]
    return [s for s in sorted(found, reverse=True) if not is_on_closing_line(flow, s)]


def _is_in(step: Step, region: Step | None, region_of: Callable[[Step], Step | None]) -> bool:
    """Is a step inside a region, and not nested too deeply?"""
    above = region_of(step)
    for _ in range(_MAX_NESTING):
        if above is None or above <= (region or 0):
            break
        above = region_of(above)
    return above == region
