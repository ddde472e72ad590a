"""How does the failure follow from the root, by dependences?  FIC's Algorithm 2.

The search goes back from the failure.  It holds a target: the steps whose faulty values are still
to be explained.  A faulty value stays what it is from its definition on (FIC, Property 2), so the
set changes only where its last definition was made.  The search jumps there, and finds the smallest
set of faulty values at the point before it that brings the definition about.  A definition that
comes about although every faulty value that it reads is put right is the root: its own code is at
fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from whence.causes.observed_failure import ObservedFailure
from whence.causes.questions import FailedCondition
from whence.chain.causality import CausalityTests, OutOfReruns
from whence.chain.faulty import FaultyState, FaultyValue
from whence.chain.minimal import Induced, minimal_set
from whence.program.ids import Op, Step
from whence.trace.rerunning import Alteration

_MAX_ELEMENTS = 400  # limit on definitions of a chain; guessed
_MAX_ALIKE = 2  # so often the same transition is tested; further iterations follow it; guessed


@dataclass(frozen=True, slots=True)
class FaultyStep:
    """One definition or branch of the chain, with the set that brings it about."""

    value: FaultyValue | None  # None: the failure
    causes: tuple[FaultyValue, ...]  # its failure-inducing set; empty: it is a root
    is_proved: bool  # did reruns show that the set is needed, and that it is enough?
    is_tested: bool = True  # False: it follows two iterations of its loop that were tested
    unmapped: int = 0  # faulty values that could not be put right
    runs: int = 0  # reruns that tested it

    @property
    def step(self) -> Step | None:
        return None if self.value is None else self.value.step


@dataclass
class ChainSearch:
    """Holds the chain found so far; `run` completes it."""

    failure: ObservedFailure
    state: FaultyState
    tests: CausalityTests
    say: Callable[[str], None] = lambda _: None
    found: list[FaultyStep] = field(default_factory=list)  # the failure first
    notes: list[str] = field(default_factory=list)
    _alike: dict[Op, list[tuple[Op, ...]]] = field(default_factory=dict)

    def run(self) -> None:
        """Go back from the failure until no faulty value is left to explain."""
        try:
            self._run()
        except OutOfReruns:
            self.notes.append("the limit on reruns was reached: the chain begins in the middle")

    def _run(self) -> None:
        values = failure_values(self.failure, self.state)
        first = self._inducing(None, values, self.tests.failure, frozenset())
        self.found.append(first)
        target = {value.step: value for value in first.causes}
        while target:
            if len(self.found) > _MAX_ELEMENTS:
                self.notes.append(f"the chain has over {_MAX_ELEMENTS} steps: its start is missing")
                return
            value = target.pop(max(target))
            self.say(f"{len(self.found)} steps back, {self.tests.runs} reruns")
            element = self._explained(value, frozenset(target))
            self.found.append(element)
            for cause in element.causes:
                target.setdefault(cause.step, cause)

    def _explained(self, value: FaultyValue, others: frozenset[Step]) -> FaultyStep:
        """Return a step of the target with the set that brings it about."""
        step = value.step
        if value.is_kept:
            return FaultyStep(value, (), is_proved=True)
        values = [each for each in self.state.behind(step) if each.step < step]
        alike = self._followed(value, values)
        if alike is not None:
            return alike
        if not self.tests.rerunner.can_watch(step):
            return self._inducing(value, values, self.tests.failure, others)
        return self._inducing(value, values, lambda a: self.tests.step(a, step), others)

    def _inducing(
        self,
        target: FaultyValue | None,
        values: Sequence[FaultyValue],
        test: Callable[[Sequence[Alteration]], Induced],
        others: frozenset[Step],
    ) -> FaultyStep:
        """Find the smallest set that brings a step about; members of `others` are preferred."""
        before = self.tests.runs + self.tests.cached
        settable = [value for value in values if self._can_set(value)]
        unmapped = [value for value in values if value not in settable]

        def induces(kept: Sequence[FaultyValue]) -> Induced:
            altered = [value.alteration for value in settable if value not in kept]
            return test([each for each in altered if each is not None])

        without = induces([]) if settable else Induced.YES
        if without is Induced.YES:
            # All that can be put right is right: what is left is the step's own code, or what
            # could not be put right.
            is_proved = not unmapped
            runs = self.tests.runs + self.tests.cached - before
            return FaultyStep(target, tuple(unmapped), is_proved, True, len(unmapped), runs)
        first = [value for value in settable if value.step in others]
        chosen = minimal_set([*settable], induces) if len(settable) > 1 else settable
        if first and any(value not in chosen for value in first):
            chosen = self._with_kept(settable, first, induces, chosen)
        self._remember(target, chosen)
        is_proved = without is Induced.NO
        runs = self.tests.runs + self.tests.cached - before
        return FaultyStep(target, tuple(chosen), is_proved, True, len(unmapped), runs)

    def _with_kept(
        self,
        settable: Sequence[FaultyValue],
        kept: Sequence[FaultyValue],
        induces: Callable[[Sequence[FaultyValue]], Induced],
        otherwise: list[FaultyValue],
    ) -> list[FaultyValue]:
        """Prefer a set of values that the target has already: the chain then has fewer steps."""
        if induces(kept) is not Induced.YES:
            return otherwise
        rest = [value for value in settable if value in kept]
        return minimal_set(rest, induces) if len(rest) > 1 else rest

    def _can_set(self, value: FaultyValue) -> bool:
        return value.alteration is not None and self.tests.rerunner.can(value.alteration)

    # --- loops -----------------------------------------------------------------------------------

    def _remember(self, target: FaultyValue | None, chosen: Sequence[FaultyValue]) -> None:
        if target is not None:
            op_of = self.failure.flow.op_of
            ops = tuple(sorted(op_of(value.step) for value in chosen))
            self._alike.setdefault(op_of(target.step), []).append(ops)

    def _followed(self, target: FaultyValue, values: Sequence[FaultyValue]) -> FaultyStep | None:
        """Return what iterations before showed, if they all showed the same."""
        op_of = self.failure.flow.op_of
        known = self._alike.get(op_of(target.step), [])
        if len(known) < _MAX_ALIKE or len(set(known)) != 1:
            return None
        by_op = {op_of(value.step): value for value in reversed(values)}
        chosen = [by_op[op] for op in known[0] if op in by_op]
        if len(chosen) != len(known[0]):
            return None
        return FaultyStep(target, tuple(chosen), is_proved=True, is_tested=False)


def failure_values(failure: ObservedFailure, state: FaultyState) -> list[FaultyValue]:
    """Return the faulty values that the failure itself comes from."""
    question = failure.question
    if isinstance(question, FailedCondition):
        found = dict.fromkeys(state.behind(question.branch))
        found |= dict.fromkeys(state.deciding(question.branch))
        silence = question.silence
    else:
        operands = [operand for operand, _ in question.seeds]
        found = dict.fromkeys(state.behind_operands(question.step, operands))
        found |= dict.fromkeys(state.deciding(question.step))
        if not found:  # the call that printed is known, and not which of its arguments is wrong
            found |= dict.fromkeys(state.behind(question.step))
        silence = question.silence
    if silence is not None:
        about = question.about
        for passing in silence.missing or ():
            found |= dict.fromkeys(state.missing(passing, about))
        if not found:
            found |= dict.fromkeys(state.unprinted(silence.after, about))
    return sorted(found, reverse=True, key=lambda value: value.step)
