"""Where does one program compute another value than the other one, from equal values?

A fault in an assignment may change no branch.  Then the predicate is that a value is equal to the
value that the other program computed at the same place (thesis, 5.2.3: equality at assignments, and
returned values).  It is a condition over the inputs of both runs, computed from the traces; the
programs stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from whence.causes.comparison import Comparison
from whence.languages import flow_of
from whence.paths.program import PathRun
from whence.program.ids import Step
from whence.trace.alignment import Alignment
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

    def __init__(self, bad: PathRun, good: PathRun) -> None:
        self._bad, self._good = bad.path, good.path
        self.flow = flow_of(bad.path.thread)
        self._comparison = Comparison(Alignment(self.flow, flow_of(good.path.thread)))

    def origins(self) -> Iterator[ValueOrigin]:
        """Yield the steps at which values begin to differ, in the order of the run."""
        for step in sorted(self._bad.terms)[:_MAX_STEPS]:
            other = self._comparison.counterpart(step)
            if other is None or other not in self._good.terms or self.flow.is_branch(step):
                continue
            if not self._comparison.is_same(step):
                inside = self._own_steps(step)
                if inside is not None:
                    yield ValueOrigin(step, other, tuple(inside))

    def _own_steps(self, step: Step) -> list[Step] | None:
        """Return the steps of an expression that only this version has, the nearest first.

        None: something that the expression reads differs already.
        """
        own: list[Step] = []
        work = list(operand_steps(self.flow.node(step).operands))
        while work:
            at = work.pop(0)
            if self._comparison.counterpart(at) is not None:
                if not self._comparison.is_same(at):
                    return None
            elif len(own) >= _MAX_EXPRESSION:
                return None
            else:
                own.append(at)
                work += operand_steps(self.flow.node(at).operands)
        return own


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
