"""What did the failing run do otherwise than a passing one?

Of two aligned runs only what differs can carry the damage: a step that came to the same in both
needs no reason, a condition that came out the same is not critical, and what a load could have
read instead is what the passing run's load did read.  So the causes stay few, and each of them
is on the way from where the two runs part to the failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from whence.program.rows import OUTPUT
from whence.trace.alignment import Alignment, PairedOp
from whence.trace.flow import Constant, Flow, Left, Operand, StoredBits
from whence.trace.recording import Comparable

_DEEPEST = 24  # steps behind a pointer that are compared
_NESTED = 8  # regions inside of which a jump may lie
_FARTHEST = 4000  # steps in which a neighbour with a twin is looked for


@dataclass(frozen=True)
class Lost:
    """A step that only the passing run has, and whose work the failing one lacks."""

    there: int  # the step of the passing run
    here: int  # the last step of the failing run before the place where it would have run
    about: int  # the step of the failing run that read something else for want of it
    made: int  # the step of the passing run that set what was to be read; `there` led to it


class Comparison:
    """The failing run beside a passing one."""

    def __init__(self, alignment: Alignment) -> None:
        self.alignment = alignment
        self.here, self.there = alignment.failing, alignment.passing
        self._same: dict[int, bool] = {}

    def twin(self, step: int) -> int | None:
        return self.alignment.passing_counterpart(step)

    def is_same(self, step: int) -> bool:
        """Did the passing run have the step, and did it come to the same there?"""
        found = self._same.get(step)
        if found is None:
            found = self._same[step] = self._compare(step, 0)
        return found

    def needs_no_reason(self, made: int | StoredBits) -> bool:
        """Is what a step came to, or a part of it, as in the passing run?"""
        return self._is_same_part(*made) if isinstance(made, StoredBits) else self.is_same(made)

    def _is_same_part(self, step: int, low: int, width: int) -> bool:
        twin = self.twin(step)
        if twin is None or self.here.compared_as(step) is not Comparable.PLAIN:
            return self.is_same(step)
        mask = (1 << width) - 1
        return bool(self.here.value(step) >> low & mask == self.there.value(twin) >> low & mask)

    def _compare(self, step: int, depth: int) -> bool:
        known = self._same.get(step)
        if known is not None:
            return known
        twin = self.twin(step)
        if twin is None:
            return False
        kind = self.here.compared_as(step)
        if kind is Comparable.PLAIN:
            return bool(self.here.comparable_value(step) == self.there.comparable_value(twin))
        if kind is Comparable.WIDE:  # of which the value is known only in part
            return depth < _DEEPEST and self._come_by_alike(step, twin, depth + 1)
        if self.here.comparable_part(step) != self.there.comparable_part(twin):
            return False
        # An address says nothing by itself: it is the same if it was come by in the same way.
        return (
            self.here.is_given(step)
            or depth >= _DEEPEST
            or self._come_by_alike(step, twin, depth + 1)
        )

    def _come_by_alike(self, step: int, twin: int, depth: int) -> bool:
        own, other = self.here.node(step), self.there.node(twin)
        if own.operation.op is not other.operation.op or len(own.operands) != len(other.operands):
            return False
        pairs = zip(
            (*own.operands, own.pointer, own.base),
            (*other.operands, other.pointer, other.base),
            strict=True,
        )
        return all(self._alike(a, b, depth) for a, b in pairs)

    def _alike(self, here: Operand | None, there: Operand | None, depth: int) -> bool:
        if isinstance(here, int) and isinstance(there, int):
            if self.twin(here) != there:
                return False
            return self._compare(here, depth)
        if isinstance(here, StoredBits | Left) and isinstance(there, StoredBits | Left):
            return self.twin(here.step) == there.step
        return type(here) is type(there)

    def other_arguments(self, call: int) -> list[Operand | None]:
        """The arguments of a call, such as of memcpy, that are others than in the passing run."""
        twin = self.twin(call)
        if twin is None or not self.here.thread.image.is_plain_call(self.here.op_of(call)):
            return []
        count = min(self.here.arguments(call), self.there.arguments(twin))
        pairs = ((self.here.argument(call, n), self.there.argument(twin, n)) for n in range(count))
        return [here for here, there in pairs if self._differ(here, there)]

    def _differ(self, here: Operand | None, there: Operand | None) -> bool:
        if isinstance(here, Constant) and isinstance(there, Constant):
            return here.value != there.value
        return not self._alike(here, there, 0)

    def side_differs(self, branch: int) -> bool:
        """Did a branch go another way in the passing run, or not run at all there?"""
        twin = self.twin(branch)
        if twin is None:
            return True
        return bool(self.here.decision(branch) != self.there.decision(twin))

    # --- where the runs part -------------------------------------------------------------------

    def parted(self, step: int, walked: set[int]) -> tuple[list[int], bool]:
        """Why a step has no twin: the branch around it, those that only this version has on the
        way out to the branch that went another way in the passing run, and that one.

        `walked`: regions that an earlier step came through.  What is around such a one is not
        said again, and the second part of the result tells that.
        """
        alignment, flow = self.alignment, self.here
        found: list[int] = []
        at = step
        while self.twin(at) is None:
            region = alignment.failing_region(at)
            found += self._only_here(at, region)
            if region is None:
                break
            is_parting = self.twin(region) is not None
            # Code that only this version has may run in a region that both runs entered.
            is_own = alignment.pairing.good_op(flow.op_of(at)) is None
            if (
                flow.is_branch(region)
                and (at == step or is_parting)
                and not (is_own and is_parting)
            ):
                found.append(region)
            if is_parting:
                break
            if region in walked:
                return found, True
            walked.add(region)
            at = region
        return found, False

    def _only_here(self, step: int, region: int | None) -> Iterator[int]:
        """The branches around a step, out to its region, that the other version does not have."""
        decider = self.here.controlling_step(step)
        while decider is not None and decider != region:
            if self.here.is_branch(decider):
                yield decider
            decider = self.here.controlling_step(decider)

    def entered_by(self, step: int) -> Iterator[int]:
        """The calls that only this version has, by which it came to a step that the passing run
        has not; and where functions were made that code which is not recorded then called."""
        flow, at = self.here, step
        for _ in range(_NESTED):
            if self.twin(at) is not None:
                return
            made = flow.made_at(at)
            if made:
                yield made
            call = flow.call_of(at)
            if not call:
                return
            if self.alignment.pairing.good_op(flow.op_of(call)) is None:
                yield call
            at = call

    def read_instead(self, load: int) -> Iterator[int]:
        """The steps that set what the passing run's load read, if others did here."""
        twin = self.twin(load)
        if twin is None:
            return
        own, other = self.here.node(load), self.there.node(twin)
        known = {*map(_step_of, own.operands), *own.through}
        for made in (*map(_step_of, other.operands), *other.through):
            if made and self.alignment.failing_counterpart(made) not in known:
                yield _given(self.there, made)

    def lost(self, made: int, load: int) -> tuple[Lost | None, int | None]:
        """Why a step of the passing run has no twin here: it, or what led to it, was removed; or
        a branch, which is returned, went another way."""
        alignment = self.alignment
        at, removed = made, None
        while alignment.failing_counterpart(at) is None:
            removed = removed or self._removed(at)
            region = alignment.passing_region(at)
            own = None if region is None else alignment.failing_counterpart(region)
            if region is None or own is not None:
                gone = removed or at
                lost = Lost(gone, self._place_of(gone, own), load, made)
                is_branch = own is not None and self.here.is_branch(own)
                return lost, own if removed is None and is_branch else None
            at = region
        return None, None

    def _removed(self, there: int) -> int | None:
        """What this version does not have, of a step of the passing run and what decided about
        it, out to its region: the outermost call, as all that it did went with it; else the
        innermost."""
        back, flow = self.alignment.pairing.bad_op, self.there
        region = self.alignment.passing_region(there)
        at: int | None = there
        found = None
        while at is not None and at != region:
            if back(flow.op_of(at)) is None and (found is None or flow.is_call(at)):
                found = at
            at = flow.controlling_step(at)
        return found

    def jumped(self, step: int) -> Lost | None:
        """The jump that kept the passing run from coming to a step, and that was removed here."""
        at = step
        while self.twin(at) is None:
            region = self.alignment.failing_region(at)
            twin = None if region is None else self.twin(region)
            if region is None or twin is not None:
                own = self.alignment
                jump = _last_own(self.there, own.passing_region, own.pairing.bad_op, twin)
                if jump is None:
                    return None
                return Lost(jump, self._place_of(jump, region), step, jump)
            at = region
        return None

    def jumped_here(self, made: int) -> int | None:
        """The branch that only this version has, and that kept it from coming to what the passing
        run did at a step."""
        own = self.alignment
        at = made
        while own.failing_counterpart(at) is None:
            region = own.passing_region(at)
            back = None if region is None else own.failing_counterpart(region)
            if region is None or back is not None:
                jump = _last_own(self.here, own.failing_region, own.pairing.good_op, back)
                while jump is not None and not self.here.is_branch(jump):
                    jump = self.here.controlling_branch(jump)
                return jump if jump is not None and jump > (back or 0) else None
            at = region
        return None

    def unprinted(self, since: int) -> Iterator[int]:
        """The first step of the passing run, after the twin of one here, that printed something
        which was not printed here; `since` 0: from the start."""
        start = self.twin(since) or 0 if since else 0
        effects = self.there.thread.stream.effects
        steps = np.unique(effects["step"][effects["kind"] == OUTPUT])
        for step in steps[steps > start].tolist():
            if self.alignment.failing_counterpart(step) is None:
                yield step
                return

    def _place_of(self, there: int, region: int | None) -> int:
        """The step here after which a step there would have run."""
        flow = self.there
        own = flow.activation_of(there)
        for at in range(there - 1, max(0, there - _FARTHEST), -1):
            if flow.activation_of(at) == own:
                back = self.alignment.failing_counterpart(at)
                if back is not None:
                    return back
        return region or 0


def _last_own(
    flow: Flow, region_of: Callable[[int], int | None], paired: PairedOp, region: int | None
) -> int | None:
    """The last step that a region decided about, near enough, of what the other version lacks."""
    rows = flow.thread.image.rows
    start = region or 0
    for step in range(min(start + _FARTHEST, flow.thread.stream.steps), start, -1):
        op = flow.op_of(step)
        if not rows[op] or paired(op) is not None:
            continue
        above = region_of(step)
        for _ in range(_NESTED):
            if above is None or above <= start:
                break
            above = region_of(above)
        if above == region:
            return step
    return None


def _given(flow: Flow, step: int) -> int:
    """Where a function ends and gives back what a line above has set: the step that set it."""
    while (operands := flow.node(step).operands) and _is_end(flow, step):
        following = _step_of(operands[0])
        if len(operands) > 1 or not following:
            break
        step = following
    return step


def _is_end(flow: Flow, step: int) -> bool:
    place = flow.thread.image.place(flow.op_of(step))
    if place is None:
        return False
    return flow.thread.is_closing(place.file, place.line)


def _step_of(operand: Operand) -> int:
    if isinstance(operand, int):
        return operand
    return operand.step if isinstance(operand, StoredBits | Left) else 0
