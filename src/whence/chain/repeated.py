"""Which executions of one branch or one step, altered together, make the failing run pass?

A fault that ran several times did its damage at several places: no single branch or value mends
that.  What is printed tells whether an alteration is on the way: fewer words are wrong, or what was
wrong first is right.  So the executions of one operation are altered one after another, in the
order of the run, and each that brings the output nearer to what is expected is kept.  An alteration
may change the way of the run: the altered run is recorded, and its next executions are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from whence.causes.tree import CauseSearch
from whence.chain.causality import CausalityTests, OutOfReruns
from whence.chain.values import ValueSearch
from whence.model import Outcome
from whence.program.ids import Op, Step
from whence.trace.alignment import Alignment
from whence.trace.flow import Flow
from whence.trace.rerunning import Alteration, Assign, Force

_MAX_OPERATIONS = 6  # operations whose executions are altered together; guessed
_MAX_EXECUTIONS = 20  # executions that are tried after one that is altered; guessed
_MAX_ALTERED = 12  # executions that are altered together; guessed
_MAX_RUNS = 60  # reruns for one operation after which no other execution is altered; guessed
_MAX_RUNS_OF_ALL = 300  # reruns for all operations; guessed

# Records a run with alterations, and returns the tests of it; None if nothing was recorded.
Again = Callable[[CausalityTests, Sequence[Alteration]], CausalityTests | None]


@dataclass(frozen=True, slots=True)
class Repair:
    """Alterations that make the test pass."""

    tests: CausalityTests  # of the run that the alterations name steps of
    alterations: tuple[Alteration, ...]


def passing_repair(
    tree: CauseSearch, tests: CausalityTests, again: Again, say: Callable[[str], None]
) -> Repair | None:
    """Return several alterations of one operation that make the test pass; None if none do."""
    flow = tree.failure.flow
    values = ValueSearch(tree, tests)
    values.steps()  # they have the texts and numbers of the run
    last = tests.runs + _MAX_RUNS_OF_ALL
    try:
        for op, start in _starts(values, tests.nearer()):
            say(f"looking for several alterations that make the test pass: {tests.runs} reruns")
            found = _Repeated(values, flow, op, again).found(start)
            if found is not None or tests.runs > last:
                return found
    except OutOfReruns:
        return None
    return None


def _starts(values: ValueSearch, known: Sequence[Alteration]) -> list[tuple[Op, Step]]:
    """Return the operations that ran more than once, with the executions that are tried first.

    A branch that helps may do so because of what it tests: then that is altered.
    """
    flow, first = values.tree.failure.flow, dict[Op, Step]()
    for each in known:
        behind = values.tested_by(each.branch) if isinstance(each, Force) else []
        for step in (_altered_step(each), *behind):
            if len(flow.executions(flow.op_of(step))) > 1:
                first.setdefault(flow.op_of(step), step)
    chosen = [*first.items()][:_MAX_OPERATIONS]
    return [*chosen, *((op, Step(1)) for op, _ in chosen)]


def _altered_step(alteration: Alteration) -> Step:
    return alteration.branch if isinstance(alteration, Force) else alteration.definition


class _Repeated:
    """Alters executions of one operation, one after another."""

    def __init__(self, values: ValueSearch, failing: Flow, op: Op, again: Again) -> None:
        self._values, self._failing, self._op, self._again = values, failing, op, again
        self._is_branch = failing.is_branch(Step(int(failing.executions(op)[:1][0])))

    def found(self, start: Step) -> Repair | None:
        """Return the alterations from a step on that make the test pass."""
        tests, altered = self._values.tests, tuple[Alteration, ...]()
        left = _MAX_RUNS
        while len(altered) < _MAX_ALTERED and left > 0:
            before = tests.runs
            last = _altered_step(altered[-1]) if altered else Step(start - 1)
            better = self._better(tests, altered, last)
            ran = tests.runs - before
            left -= ran
            if tests is not self._values.tests:
                self._values.tests.runs += ran
            if better is None or tests.outcome([*altered, better]) is Outcome.PASS:
                return None if better is None else Repair(tests, (*altered, better))
            altered = (*altered, better)
            following = self._again(tests, altered)
            if following is None:
                return None
            tests = following
        return None

    def _better(
        self, tests: CausalityTests, altered: tuple[Alteration, ...], last: Step
    ) -> Alteration | None:
        """Return an alteration after `last` with which the test passes, or the output is nearer.

        Fewer words are wrong, or the first wrong one is right.  It is the first execution for
        which there is one, and the best for that execution.
        """
        least = tests.wrong(altered)
        better: Alteration | None = None
        for step in self._executions(tests.rerunner.failing, last):
            for tried in self._tries(tests, altered, step):
                if tests.outcome([*altered, tried]) is Outcome.PASS:
                    return tried
                wrong = tests.wrong([*altered, tried])
                if least is None or wrong is None:
                    continue
                if wrong < least:
                    better, least = tried, wrong
                elif better is None and tests.mends([*altered, tried]):
                    better = tried
            if better is not None:
                break
        return better

    def _executions(self, flow: Flow, last: Step) -> list[Step]:
        """Return the next executions of the operation in a run."""
        op = self._op
        if flow is not self._failing:
            paired = Alignment(self._failing, flow).pairing.good_op(op)
            if paired is None:
                return []
            op = paired
        executions = flow.executions(op)
        start = executions.before(Step(last + 1))
        return [Step(each) for each in executions[start : start + _MAX_EXECUTIONS].tolist()]

    def _tries(
        self, tests: CausalityTests, altered: tuple[Alteration, ...], step: Step
    ) -> Iterator[Force | Assign]:
        if self._is_branch:
            yield from filter(tests.rerunner.can, [Force(step)])
        else:
            yield from self._values.tries(step, tests, altered)
