"""Where does one program compute another value than the other one, from equal values?

A fault in an assignment may change no branch.  Then the predicate is that a value is equal to the
value that the other program computed at the same place (thesis, 5.2.3: equality at assignments, and
returned values).  It is a condition over the inputs of both runs, computed from the traces; the
programs stay as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from whence.causes.comparison import Comparison
from whence.paths.program import PathRun
from whence.program.ids import Step
from whence.program.operations import COp
from whence.trace.flow import Flow, Operand, StoredBits

_MAX_STEPS = 20_000  # of a run, whose values are compared; guessed
_MAX_EXPRESSION = 40  # steps of one expression that only one version has; guessed
_MAX_BEHIND = 4000  # steps that a condition is computed from; guessed


@dataclass(frozen=True)
class ValueOrigin:
    """A step that computes another value than its counterpart, from equal values."""

    step: Step  # of the failing program
    counterpart: Step  # of the reference
    inside: tuple[Step, ...] = ()  # steps of the expression that only the failing program has


class ValueComparison:
    """The values of the failing program, compared with those of the reference."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.flow = comparison.failing

    def of_inputs(self, bad: PathRun, good: PathRun) -> Iterator[ValueOrigin]:
        """Yield the steps that inputs reach at which values begin to differ, in order."""
        for step in sorted(bad.path.terms)[:_MAX_STEPS]:
            origin = self.origin(step)
            if origin is not None and origin.counterpart in good.path.terms:
                yield origin

    def origin(self, step: Step) -> ValueOrigin | None:
        """Return how the value of a step begins to differ there; None if it does not."""
        other = self.comparison.counterpart(step)
        if other is None or self.flow.is_branch(step) or self.comparison.is_same(step):
            return None
        kinds = self.flow.compared_as(step), self.comparison.passing.compared_as(other)
        if kinds[0] is not kinds[1] or self._is_from_elsewhere(step):
            return None
        inside = self._own_steps(step)
        return None if inside is None else ValueOrigin(step, other, tuple(inside))

    def of_branch(self, branch: Step) -> ValueOrigin | None:
        """Return how what a branch tests begins to differ there; None if it does not.

        Such a branch went another way than its counterpart, from equal values.
        """
        other = self.comparison.counterpart(branch)
        if other is None or not self.comparison.side_differs(branch):
            return None
        inside = self._own_steps(branch)
        if inside is not None:
            return ValueOrigin(branch, other, tuple(inside))
        return self._behind(branch)

    def _behind(self, step: Step) -> ValueOrigin | None:
        """Return the nearest place behind a step where the values that it reads begin to differ."""
        work, seen = deque(self._read_by(step)), {step}
        while work and len(seen) < _MAX_EXPRESSION:
            at = work.popleft()
            if at in seen or self.comparison.counterpart(at) is None or self.comparison.is_same(at):
                continue
            seen.add(at)
            origin = self.origin(at)
            if origin is not None:
                return origin
            work += self._read_by(at)
        return None

    def begins_at(self, branch: Step) -> bool:
        """Does a branch test something else than its counterpart, if it has one?

        If not, it went the same way, or another way only because of the values that it read.
        """
        if self.comparison.counterpart(branch) is None:
            return self._is_own_code(branch)
        return self.comparison.side_differs(branch) and self._own_steps(branch) is not None

    def is_shared(self, branch: Step | None) -> bool:
        """Did a branch of the failing program go the same way in the reference?"""
        has_both = branch is not None and self.comparison.counterpart(branch) is not None
        return has_both and not self.comparison.side_differs(Step(branch or 0))

    def _is_from_elsewhere(self, step: Step) -> bool:
        """Did other code than in the reference store the value of a step, or a branch choose it?

        It did not if both runs have all these stores: then the step reads another variable.  Code
        that replaced other code is an expression of the step.
        """
        node = self.flow.node(step)
        branch = node.chosen_by
        if branch is not None and self.comparison.counterpart(branch) is not None:
            return self.comparison.side_differs(branch)
        instead = list(self.comparison.read_instead(step))
        if node.operation.op is not COp.COPY or not instead:
            return False
        alignment, passing = self.comparison.alignment, self.comparison.passing
        read = list(operand_steps(node.operands))
        if any(alignment.pairing.bad_op(passing.op_of(each)) is not None for each in instead):
            has_all = all(self.comparison.counterpart(each) is not None for each in read) and all(
                alignment.failing_counterpart(each) is not None for each in instead
            )
            return not (read and has_all) or self._reads_same_place(step)
        return not (read and all(map(self._is_own_code, read)))

    def _reads_same_place(self, step: Step) -> bool:
        """Does a step read by the same pointers as its counterpart?  A local variable has none."""
        return has_same_pointers(step, self.comparison)

    def _is_own_code(self, step: Step) -> bool:
        """Does the reference lack the operation of a step?"""
        return self.comparison.alignment.pairing.good_op(self.flow.op_of(step)) is None

    def _own_steps(self, step: Step) -> list[Step] | None:
        """Return the steps of an expression that only this version has, the nearest first.

        None: something that the expression reads differs already.
        """
        own: list[Step] = []
        work = self._read_by(step)
        while work:
            at = work.pop(0)
            if self.comparison.counterpart(at) is not None:
                if not self.comparison.is_same(at):
                    return None
            elif len(own) >= _MAX_EXPRESSION or not self._is_own_code(at):
                return None  # too long, or both have this code, and only one of them ran it
            else:
                own.append(at)
                work += self._read_by(at)
        return own

    def _read_by(self, step: Step) -> list[Step]:
        """Return the steps that a step reads; where it reads is a part of that."""
        node = self.flow.node(step)
        return list(operand_steps((*node.operands, *node.pointers)))


def has_same_pointers(step: Step, comparison: Comparison) -> bool:
    """Does a step read or write by the same pointers as its counterpart, at least by one?

    A pointer that only one of them computes is not the same: `a[0]` and `a[i]`.
    """
    other = comparison.counterpart(step)
    pointers = comparison.failing.node(step).pointers
    if other is None or not pointers:
        return False
    computed = list(operand_steps(pointers))
    instead = list(operand_steps(comparison.passing.node(other).pointers))
    return bool(computed) == bool(instead) and all(map(comparison.is_same, computed))


def operand_steps(operands: Iterable[Operand]) -> Iterator[Step]:
    """Yield the steps that operands stand for."""
    for operand in operands:
        if isinstance(operand, StoredBits):
            yield operand.step
        elif isinstance(operand, int):
            yield operand


def computed_from(flow: Flow, steps: Iterable[Step]) -> set[Step]:
    """Return the steps that some steps are computed from, and these."""
    found: set[Step] = set()
    work = list(steps)
    while work and len(found) < _MAX_BEHIND:
        at = work.pop()
        if at not in found:
            found.add(at)
            work += operand_steps(flow.node(at).operands)
    return found
