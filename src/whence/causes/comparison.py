"""Which values of the failing run differ from those of a passing run?

Only what differs between two aligned runs can carry the damage: a step with the same value in both
runs needs no explanation, and a branch that went the same way is not critical.  So the causes stay
few, and each of them lies between the point where the runs diverge and the failure.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from whence.program.ids import Block, Instance, Op, Step
from whence.program.operations import NEGATED, COp
from whence.trace.alignment import Alignment
from whence.trace.flow import Constant, Flow, Left, Operand, StoredBits
from whence.trace.recording import Comparable

_MAX_DEPTH = 60  # limit on operations behind a pointer that are compared; guessed
_MAX_COMPARED = 500  # limit on steps that are compared to compare one pointer; guessed
_MAX_FOLLOWED = 256  # limit on instances after a branch that are looked at; guessed
_MAX_ORIGINS = 20_000  # limit on steps behind a pointer that is known to have gone astray; guessed


class Comparison:
    """The values of a failing run, compared with those of a passing run."""

    def __init__(self, alignment: Alignment) -> None:
        self.alignment = alignment
        self.failing, self.passing = alignment.failing, alignment.passing
        self._same: dict[int, bool] = {}
        self.revision = 0  # changes when a value that counted as the same no longer does
        self._left = 0  # steps that may still be compared for the step in question
        self._guesses = 0  # pointers that count as the same because a limit was reached
        self._guessed_at: dict[int, int] = {}  # the least depth at which a pointer was such a guess
        self._inverted: dict[Op, bool] = {}  # by branch of the bad version
        self._negated: dict[Op, bool] = {}  # by operation of the bad version
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

    def is_noise(self, step: Step, other: Step) -> bool:
        """Does the value of a step differ from its counterpart's only by noise?

        That is a difference that a second run of the passing version shows, too.
        """
        return other in self._noise and self.passing.is_only_noise(other, self.failing.value(step))

    def needs_no_reason(self, value: Step | StoredBits) -> bool:
        """Is the value of a step, or a part of it, the same in the passing run?"""
        return self._is_same_part(*value) if isinstance(value, StoredBits) else self.is_same(value)

    def _is_same_part(self, step: Step, low: int, width: int) -> bool:
        other = self.counterpart(step)
        if other is None or self.failing.compared_as(step) is not Comparable.PLAIN:
            return self.is_same(step)
        if self.is_noise(step, other):
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
        if self.is_noise(step, other):
            return True
        kind = self.failing.compared_as(step)
        if kind is Comparable.PLAIN:
            values = self.failing.comparable_value(step), self.passing.comparable_value(other)
            return bool(values[0] == values[1]) != self._is_negated(step, other)
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

    def _is_negated(self, step: Step, other: Step) -> bool:
        """Does a step test the negation of what its counterpart tests: `!p` for `p == NULL`?"""
        op = self.failing.op_of(step)
        found = self._negated.get(op)
        if found is None:
            own, theirs = self.failing.node(step).operation, self.passing.node(other).operation
            found = own.op in NEGATED and theirs.op is NEGATED[own.op]
            self._negated[op] = found
        return found

    def _has_same_origin(self, step: Step, other: Step, depth: int) -> bool:
        """Were two matching steps computed by the same operation from the same operands?"""
        pairs = self._paired_operands(step, other)
        return (
            pairs is not None
            and all(self._is_same_operand(own, theirs, depth) for own, theirs in pairs)
            and self._is_same_copy(step, other)
            and self._is_same_element(step, other)
        )

    def _is_same_element(self, step: Step, other: Step) -> bool:
        """Did two matching steps read a pointer that the same step had stored before a sort?"""
        own = self.failing.stored_by(step)
        theirs = None if own is None else self.passing.stored_by(other)
        return own is None or theirs is None or self.counterpart(own) == theirs

    def _is_same_copy(self, step: Step, other: Step) -> bool:
        """Did the same copies bring bytes that no step set to where two matching steps read them?

        `day = days[0]` and `day = days[1]` leave other bytes of a table in a variable.
        """
        node = self.failing.node(step)
        if not node.through or any(isinstance(each, int | StoredBits) for each in node.operands):
            return True
        copies = [each for each in node.through if self.failing.queries.is_copy(each)]
        theirs = self.passing.node(other).through
        return {self.counterpart(each) for each in copies} <= {*theirs}

    def _paired_operands(
        self, step: Step, other: Step
    ) -> list[tuple[Operand | None, Operand | None]] | None:
        """Return the operands of two matching steps in pairs; None if the operations differ."""
        failing, passing = self.failing.node(step), self.passing.node(other)
        if failing.operation.op is not passing.operation.op:
            return None
        if len(failing.operands) != len(passing.operands):
            return None
        own = (*failing.operands, failing.pointer, failing.base)
        return list(zip(own, (*passing.operands, passing.pointer, passing.base), strict=True))

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

    def went_elsewhere(self, step: Step) -> bool:
        """Did a step access another place than its counterpart, however far back that began?

        Ask only if the step read or wrote something else than its counterpart: then the steps
        behind its pointers that differ count as different from now on.
        """
        other = self.counterpart(step)
        if other is None:
            return False
        failing, passing = self.failing, self.passing
        pairs: list[tuple[Operand | None, Operand | None]]
        pairs = list(zip(failing.node(step).pointers, passing.node(other).pointers, strict=False))
        if failing.thread.image.is_plain_call(failing.op_of(step)):
            count = min(failing.arguments(step), passing.arguments(other))
            pairs = [(failing.argument(step, n), passing.argument(other, n)) for n in range(count)]
        return any(
            isinstance(own, int)
            and isinstance(theirs, int)
            and (self.counterpart(own) != theirs or not self.has_same_origins(own))
            for own, theirs in pairs
        )

    def has_same_origins(self, step: Step) -> bool:
        """Is a step the same as its counterpart, with all steps that its value came from?"""
        same: dict[Step, bool] = {}
        work = [step]
        while work and len(same) < _MAX_ORIGINS:
            at = work[-1]
            behind = self._origins(at)
            if isinstance(behind, bool):
                same[at] = behind
            elif all(same.get(each, True) for each in behind):
                unknown = [each for each in behind if each not in same]
                if unknown:
                    work.append(unknown[0])
                    continue
                same[at] = True
            else:
                same[at] = False
            work.pop()
        if not same.get(step, True):
            others = [each for each, is_same in same.items() if not is_same]
            self.revision += any(self._same.get(each) for each in others)
            self._same.update(dict.fromkeys(others, False))
        return same.get(step, True)

    def _origins(self, step: Step) -> bool | list[Step]:
        """Return whether a step is the same as its counterpart, or the steps that decide this."""
        other = self.counterpart(step)
        if other is None or self.failing.compared_as(step) is Comparable.PLAIN:
            return self.is_same(step)
        if self.is_noise(step, other):
            return True
        pairs = self._paired_operands(step, other)
        if self.failing.is_given(step):
            # A call may return a part of an object that it was given, such as strchr.
            pairs = [pair for pair in pairs or () if self._is_pointer(pair[0])]
        if pairs is None:
            return False
        found = []
        for own, theirs in pairs:
            if isinstance(own, int) and isinstance(theirs, int):
                if self.counterpart(own) != theirs:
                    return False
                found.append(own)
            elif not self._is_same_operand(own, theirs, 0):
                return False
        return found

    def _is_pointer(self, operand: Operand | None) -> bool:
        return isinstance(operand, int) and (
            self.failing.compared_as(operand) is Comparable.POINTER
        )

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
        if isinstance(failing, int) and isinstance(passing, int):
            return self.counterpart(failing) != passing or not self.is_same(failing)
        return not self._is_same_operand(failing, passing, 0)

    def side_differs(self, branch: Step) -> bool:
        """Did a branch go another way in the passing run, or not run there at all?"""
        other = self.counterpart(branch)
        if other is None:
            return True
        is_other: bool = self.failing.decision(branch) != self.passing.decision(other)
        op, opcode = self.failing.op_of(branch), self._opcode(branch)
        if opcode == "br":
            # `if (!p)` for `if (p == NULL)` leads to the same code with the other truth value.
            if is_other != self._is_inverted(op, self.passing.op_of(other)):
                return True
            return not is_other and self._ends_elsewhere(branch, other)
        return is_other or (opcode == "switch" and self._leads_elsewhere(branch, other))

    def _opcode(self, branch: Step) -> str:
        return self.failing.thread.image.sort(self.failing.op_of(branch)).opcode

    def _is_inverted(self, op: Op, good_op: Op) -> bool:
        """Does a condition lead with its truth values to the sides of its negation before?"""
        found = self._inverted.get(op)
        if found is None:
            sides, passing_sides = sides_of(self.failing, op), sides_of(self.passing, good_op)
            found = False
            if len(sides) == len(passing_sides) == 2:
                paired = [self._paired_block(side) for side in sides]
                is_straight = any(map(operator.eq, paired, passing_sides))
                found = not is_straight and any(map(operator.eq, paired, reversed(passing_sides)))
            self._inverted[op] = found
        return found

    def _paired_block(self, block: Block) -> Block | None:
        """Return the block of the good version that holds the code of a block."""
        for op in self.failing.thread.image.ops_of_block(block):
            paired = self.alignment.pairing.good_op(op)
            if paired is not None:
                return block_of(self.passing, paired)
        return None

    def _ends_elsewhere(self, branch: Step, other: Step) -> bool:
        """Did two branches with the same truth value lead to different code all the same?

        Of `if (p || q)` that became `if (r)`, `p` may be paired with `r`.  In the good version, `q`
        comes after `p`, and decides.
        """
        side, passing_side = self.failing.side_of(branch), self.passing.side_of(other)
        if side is None or passing_side is None:
            return False
        paired = self._paired_block(side)
        if paired is None or paired == passing_side:
            return False
        sides = sides_of(self.failing, self.failing.op_of(branch))
        avoided = {self._paired_block(each) for each in sides if each != side} - {paired}
        activation = self.passing.activation_of(other)
        first = Instance(self.passing.instance_of(other) + 1)
        for at in range(first, min(first + _MAX_FOLLOWED, self.passing.instances)):
            if self.passing.activation(Instance(at)) == activation:
                block = self.passing.block(Instance(at))
                if block == paired or block in avoided:
                    return block != paired
        return False

    def _leads_elsewhere(self, branch: Step, other: Step) -> bool:
        """Does the same value of a `switch` lead to another case than in the passing version?"""
        side, passing_side = self.failing.side_of(branch), self.passing.side_of(other)
        if side is None or passing_side is None:
            return False
        paired = self._paired_block(side)
        return paired is not None and paired != passing_side

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


def sides_of(flow: Flow, branch: Op) -> list[Block]:
    """Return the blocks that a branch can lead to."""
    block, image = block_of(flow, branch), flow.thread.image
    return image.branching(int(image.code.block_function[block])).following.get(block, [])


def block_of(flow: Flow, op: Op) -> Block:
    """Return the block of an operation."""
    code = flow.thread.image.code
    return Block(int(code.stretch_block[code.op_stretch[op]]))


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
