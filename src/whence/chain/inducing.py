"""Which is the smallest set of faulty values that brings a step, or the failure, about?  FIC, 4.2.

A set has definitions.  A definition that is read several times is put right for all of its readers
or for none.  A definition that cannot be given the passing value, such as a pointer to an object
that only the passing run has, is put right where it comes from.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from whence.causes.observed_failure import ObservedFailure
from whence.causes.questions import FailedCondition
from whence.chain.causality import CausalityTests
from whence.chain.faulty import FaultyState, FaultyValue
from whence.chain.minimal import Induced, minimal_set
from whence.program.ids import Step
from whence.trace.rerunning import Alteration

_MAX_BACK = 6  # definitions behind one that cannot be set that are followed; guessed
_MAX_PASSED_ON = 40  # writes for another process after the first wrong one; guessed


class Test(Protocol):
    """Says whether a target comes about with some alterations."""

    def __call__(self, alterations: Sequence[Alteration], /) -> Induced: ...
    def ahead(self, alterations: Sequence[Sequence[Alteration]], /) -> None:
        """Run some tests at once that may be asked next."""


@dataclass(frozen=True, slots=True)
class InducingSet:
    """A failure-inducing set, and how far reruns showed that it is one."""

    members: tuple[FaultyValue, ...]  # one for each definition
    is_root: bool  # the target comes about with every value put right that can be
    is_proved: bool  # did reruns show that the set is needed, and that it is enough?
    unmapped: int  # faulty definitions that could not be put right
    runs: int  # reruns that tested it


@dataclass(frozen=True, slots=True)
class FaultyStep:
    """One definition or branch of the chain, with the set that brings it about."""

    value: FaultyValue | None  # None: the failure
    causes: tuple[FaultyValue, ...]  # its failure-inducing set; empty: it is a root
    is_proved: bool  # did reruns show that the set is needed, and that it is enough?
    is_tested: bool = True  # False: it follows two iterations of its loop that were tested
    unmapped: int = 0  # faulty values that could not be put right
    runs: int = 0  # reruns that tested it

    @classmethod
    def of(cls, value: FaultyValue | None, found: InducingSet) -> FaultyStep:
        """Return a step of the chain with the set that was found for it."""
        return cls(value, found.members, found.is_proved, True, found.unmapped, found.runs)

    @property
    def step(self) -> Step | None:
        return None if self.value is None else self.value.step


class InducingSets:
    """Finds failure-inducing sets by reruns."""

    def __init__(self, tests: CausalityTests, state: FaultyState) -> None:
        self._tests, self._state = tests, state

    def smallest(
        self,
        values: Sequence[FaultyValue],
        test: Test,
        preferred: frozenset[Step] = frozenset(),
        needed: frozenset[Step] = frozenset(),
    ) -> InducingSet:
        """Return the smallest set of `values` with which alone `test` says yes.

        Definitions in `preferred` are chosen if they are enough: the chain has them already.
        `needed` are kept in any case.
        """
        before = self._ran()
        known: dict[Step, list[FaultyValue]] = {}
        for value in values:
            known.setdefault(value.step, []).append(value)
        # Put right are all readers of a definition, or none.
        right = {step: self._right(group) for step, group in known.items()}
        settable = [step for step in known if right[step]]
        unmapped = tuple(group[0] for step, group in known.items() if step not in settable)
        free = [step for step in settable if step not in needed]

        def altered(kept: Sequence[Step]) -> list[Alteration]:
            left = [each for step in free if step not in kept for each in right[step]]
            return [*dict.fromkeys(left)]

        def induces(kept: Sequence[Step]) -> Induced:
            return test(altered(kept))

        def ahead(parts: Sequence[Sequence[Step]]) -> None:
            test.ahead([altered(kept) for kept in parts if kept])

        fixed = tuple(known[step][0] for step in settable if step in needed)
        without = induces([]) if free else Induced.YES
        if without is not Induced.NO and any(known[step][0].is_branch for step in free):
            # A forced branch may bring another failure, or code that reads a value which is wrong,
            # too.  Put right what it decided by instead.
            before_branches = {step: self._right(known[step], 0, True) for step in free}
            if all(before_branches.values()):
                instead = test([*dict.fromkeys(itertools.chain(*before_branches.values()))])
                if instead is Induced.NO:
                    without = instead
                    right |= before_branches
        if without is Induced.YES:
            # From another address, what was put right is not read.
            addresses = [step for step in free if all(v.is_address for v in known[step])]
            contents = [step for step in free if step not in addresses]
            for part, rest in ((contents, addresses), (addresses, contents)):
                if part and rest and induces(rest) is Induced.NO:
                    wanted = {*part, *needed}
                    left = [value for value in values if value.step in wanted]
                    smaller = self.smallest(left, test, preferred, needed)
                    return replace(smaller, runs=self._ran() - before)
        if without is Induced.YES:
            # All that can be put right is right: what is left is the step's own code, or what
            # could not be put right.
            return InducingSet(
                (*fixed, *unmapped), not fixed, not unmapped, len(unmapped), self._ran() - before
            )
        chosen = minimal_set(free, induces, ahead) if len(free) > 1 else free
        liked = [step for step in free if step in preferred]
        if any(step not in chosen for step in liked) and induces(liked) is Induced.YES:
            chosen = minimal_set(liked, induces) if len(liked) > 1 else liked
        members = (*fixed, *(known[step][0] for step in chosen))
        is_proved = without is Induced.NO
        return InducingSet(members, False, is_proved, len(unmapped), self._ran() - before)

    def _ran(self) -> int:
        return self._tests.runs + self._tests.cached

    def _possible(self, alteration: Alteration | None) -> list[Alteration]:
        can = alteration is not None and self._tests.rerunner.can(alteration)
        return [alteration] if can and alteration is not None else []

    def _right(
        self, values: Sequence[FaultyValue], depth: int = 0, is_before: bool = False
    ) -> list[Alteration]:
        """Return what puts all of some faulty values right; none if that is not possible.

        `is_before`: no branch is forced, but what it decided by is put right, or what it would
        have set.
        """
        found: list[Alteration] = []
        for value in values:
            altered = self._possible(value.instead) if is_before else []
            if not altered and not (is_before and value.is_branch and not depth):
                altered = self._possible(value.alteration)
            if altered:
                found += altered
                continue
            is_deep = depth >= _MAX_BACK or value.is_kept
            earlier = [] if is_deep else self._state.before(value.step)
            altered = self._right(earlier, depth + 1, is_before)
            if not altered:
                return []
            found += altered
        return found


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
    for step in _passed_on(failure):
        found |= dict.fromkeys(state.behind(step))
    if silence is not None:
        about = question.about
        for passing in silence.missing or ():
            found |= dict.fromkeys(state.missing(passing, about))
        if not found:
            found |= dict.fromkeys(state.unprinted(silence.after, about))
    if not found:
        found |= dict.fromkeys(state.around(question.about))
    return sorted(found, reverse=True, key=lambda value: value.step)


def _passed_on(failure: ObservedFailure) -> list[Step]:
    """Return the steps that wrote more to what another process reads, after the wrong byte.

    The test judges what that process made of all of it.
    """
    stream, about = failure.stream, failure.question.about
    if stream is None or stream.is_of_the_test:
        return []
    pieces = [each.step for each in stream.pieces if each.thread is failure.flow.thread]
    return [step for step in pieces if step > about][:_MAX_PASSED_ON]
