"""Which values of the failing run differ from those of a passing run?

Only what differs between two aligned runs can carry the damage: a step with the same value in both
runs needs no explanation, and a branch that went the same way is not critical.  So the causes stay
few, and each of them lies between the point where the runs diverge and the failure.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.program.ids import Op, Step
from whence.program.operations import COp
from whence.trace.alignment import Alignment
from whence.trace.flow import Constant, Flow, Left, Operand, StoredBits
from whence.trace.recording import Comparable

_MAX_DEPTH = 60  # limit on operations behind a pointer that are compared; guessed
_MAX_COMPARED = 500  # limit on steps that are compared to compare one pointer; guessed


class Comparison:
    """The values of a failing run, compared with those of a passing run."""

    def __init__(self, alignment: Alignment) -> None:
        self.alignment = alignment
        self.failing, self.passing = alignment.failing, alignment.passing
        self._same: dict[int, bool] = {}
        self._left = 0  # steps that may still be compared for the step in question
        self._guesses = 0  # pointers that count as the same because a limit was reached
        self._guessed_at: dict[int, int] = {}  # the least depth at which a pointer was such a guess
        self._noise = self.passing.thread.noise

    def counterpart(self, step: Step) -> Step | None:
        """Return the matching step of the passing run."""
        return self.alignment.passing_counterpart(step)

    def is_same(self, step: Step) -> bool:
        """Does the step have a counterpart with the same value?"""
        found = self._same.get(step)
        if found is None:
            self._left = _MAX_COMPARED
            found = self._same[step] = self._compare(step, 0)
        return found

    def is_noise(self, passing: Step) -> bool:
        """Did a step of the passing run have another value in a second run of its version?"""
        return passing in self._noise

    def needs_no_reason(self, value: Step | StoredBits) -> bool:
        """Is the value of a step, or a part of it, the same in the passing run?"""
        return self._is_same_part(*value) if isinstance(value, StoredBits) else self.is_same(value)

    def _is_same_part(self, step: Step, low: int, width: int) -> bool:
        other = self.counterpart(step)
        if other is None or self.failing.compared_as(step) is not Comparable.PLAIN:
            return self.is_same(step)
        if other in self._noise:
            return True
        mask = (1 << width) - 1
        value, passing = self.failing.value(step), self.passing.value(other)
        return bool(value >> low & mask == passing >> low & mask)

    def _compare(self, step: Step, depth: int) -> bool:
        guesses = self._guesses
        copies: list[Step] = []  # steps that pass on the value of `step`
        while (known := self._same.get(step)) is None:
            copies.append(step)
            if depth >= self._guessed_at.get(step, _MAX_DEPTH):
                self._guesses += 1
                known = True
                break
            other = self.counterpart(step)
            origin = None if other is None else self._copied_from(step, other)
            if origin is None:
                known = other is not None and self._compare_origins(step, other, depth)
                break
            step = origin
        if not known or guesses == self._guesses:
            self._same.update(dict.fromkeys(copies, known))
        else:  # a comparison that starts nearer may find a difference
            self._guessed_at.update(dict.fromkeys(copies, depth))
        return known

    def _copied_from(self, step: Step, other: Step) -> Step | None:
        """Return the step that an address was copied from in both runs; None if there is none.

        A value passes many copies on its way through the functions of a library.
        """
        if self.failing.compared_as(step) is not Comparable.POINTER or other in self._noise:
            return None
        if self.failing.is_given(step):
            return None
        own, theirs = self.failing.node(step), self.passing.node(other)
        if any(isinstance(each, int) for each in (*own.pointers, *theirs.pointers)):
            return None
        if len(own.operands) != 1 or len(theirs.operands) != 1:
            return None
        if own.operation.op is not COp.COPY or theirs.operation.op is not COp.COPY:
            return None
        origin, passing = own.operands[0], theirs.operands[0]
        if not isinstance(origin, int) or self.counterpart(origin) != passing:
            return None
        return origin

    def _compare_origins(self, step: Step, other: Step, depth: int) -> bool:
        if other in self._noise:
            return True
        kind = self.failing.compared_as(step)
        if kind is Comparable.PLAIN:
            values = self.failing.comparable_value(step), self.passing.comparable_value(other)
            return bool(values[0] == values[1])
        if kind is Comparable.WIDE:  # only a part of the value is known
            return depth < _MAX_DEPTH and self._has_same_origin(step, other, depth + 1)
        if self.failing.comparable_part(step) != self.passing.comparable_part(other):
            return False
        # The number of an address means nothing: it is the same if it was computed the same way.
        if self.failing.is_given(step):
            return True
        self._left -= 1
        if depth >= _MAX_DEPTH or self._left < 0:
            self._guesses += 1
            return True
        return self._has_same_origin(step, other, depth + 1)

    def _has_same_origin(self, step: Step, other: Step, depth: int) -> bool:
        """Were two matching steps computed by the same operation from the same operands?"""
        failing, passing = self.failing.node(step), self.passing.node(other)
        if failing.operation.op is not passing.operation.op:
            return False
        if len(failing.operands) != len(passing.operands):
            return False
        pairs = zip(
            (*failing.operands, failing.pointer, failing.base),
            (*passing.operands, passing.pointer, passing.base),
            strict=True,
        )
        return all(self._is_same_operand(own, theirs, depth) for own, theirs in pairs)

    def _is_same_operand(
        self, failing: Operand | None, passing: Operand | None, depth: int
    ) -> bool:
        if isinstance(failing, int) and isinstance(passing, int):
            if self.counterpart(failing) != passing:
                return False
            return self._compare(failing, depth)
        if isinstance(failing, StoredBits | Left) and isinstance(passing, StoredBits | Left):
            return self.counterpart(failing.step) == passing.step
        return type(failing) is type(passing)

    def other_arguments(self, call: Step) -> list[Operand | None]:
        """Return the arguments of a call, such as memcpy, that differ from the passing run."""
        other = self.counterpart(call)
        failing, passing = self.failing, self.passing
        if other is None or not failing.thread.image.is_plain_call(failing.op_of(call)):
            return []
        count = min(failing.arguments(call), passing.arguments(other))
        pairs = ((failing.argument(call, n), passing.argument(other, n)) for n in range(count))
        return [own for own, theirs in pairs if self._differs(own, theirs)]

    def _differs(self, failing: Operand | None, passing: Operand | None) -> bool:
        if isinstance(failing, Constant) and isinstance(passing, Constant):
            return failing.value != passing.value
        return not self._is_same_operand(failing, passing, 0)

    def side_differs(self, branch: Step) -> bool:
        """Did a branch go another way in the passing run, or not run there at all?"""
        other = self.counterpart(branch)
        if other is None:
            return True
        if self.failing.decision(branch) != self.passing.decision(other):
            return True
        op = self.failing.op_of(branch)
        is_switch = self.failing.thread.image.sort(op).opcode == "switch"
        return is_switch and self._leads_elsewhere(branch, other)

    def _leads_elsewhere(self, branch: Step, other: Step) -> bool:
        """Does the same value of a `switch` lead to another case than in the passing version?"""
        side, passing_side = self.failing.side_of(branch), self.passing.side_of(other)
        code, passing_code = self.failing.thread.image.code, self.passing.thread.image.code
        if side is None or passing_side is None:
            return False
        stretch = int(code.block_first_stretch[side])
        first = int(code.stretch_first_op[stretch])
        for op in range(first, first + int(code.stretch_ops[stretch])):
            paired = self.alignment.pairing.good_op(Op(op))
            if paired is not None:
                block = int(passing_code.stretch_block[passing_code.op_stretch[paired]])
                return block != passing_side
        return False

    def read_instead(self, load: Step) -> Iterator[Step]:
        """Yield the definitions that the passing run's load read and the failing run's did not."""
        other = self.counterpart(load)
        if other is None:
            return
        failing, passing = self.failing.node(load), self.passing.node(other)
        known = {*map(_step_of, failing.operands), *failing.through}
        for definition in (*map(_step_of, passing.operands), *passing.through):
            if definition is None:
                continue
            own = self.alignment.failing_counterpart(definition)
            if own is None or own not in known:
                yield _behind_return(self.passing, definition)


def _behind_return(flow: Flow, step: Step) -> Step:
    """Return the definition behind a step on a line that only ends a function."""
    while (operands := flow.node(step).operands) and is_on_closing_line(flow, step):
        following = _step_of(operands[0])
        if len(operands) > 1 or not following:
            break
        step = following
    return step


def is_on_closing_line(flow: Flow, step: Step) -> bool:
    """Does a step lie on a line that only ends a block or a function?"""
    place = flow.thread.image.place(flow.op_of(step))
    if place is None:
        return False
    return flow.thread.is_closing(place.file, place.line)


def _step_of(operand: Operand) -> Step | None:
    if isinstance(operand, int):
        return operand
    return operand.step if isinstance(operand, StoredBits | Left) else None
