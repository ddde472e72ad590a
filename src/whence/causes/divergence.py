"""Which predicates are critical because a failing and a passing run part there?

A branch that only the failing run took, or that went another way in it; a branch or a removed
statement that kept something from being set that the passing run's load read, or from being
printed; and loads and stores that went elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from whence.causes.comparison import Comparison, Lost
from whence.causes.predicates import CriticalPredicates, Question, Raised
from whence.logic.logic import ALL
from whence.model import Influence
from whence.trace.conditions import Conditions
from whence.trace.flow import Flow, Left, StoredBits


class DivergencePredicates(CriticalPredicates):
    """Finds the predicates that are critical because the two runs part there."""

    def __init__(
        self,
        flow: Flow,
        conditions: Conditions,
        hidden: set[int],
        comparison: Comparison,
    ) -> None:
        super().__init__(flow, conditions, None, hidden)  # what the passing run did is known
        self.comparison = comparison
        self.lost: list[Lost] = []  # since the owner last looked

    def of(
        self, steps: Iterable[int], question: Question, premises: Iterable[int] = ()
    ) -> list[Question]:
        ordered = sorted(steps, reverse=True)
        raised = (
            ((Influence.PREMISE, False, branch, question.about) for branch in premises),
            self._parted(ordered, question),
            self._moved(ordered),
            self._unwritten(ordered),
            self._silent(question),
        )
        return self._gathered(raised)

    def narrowed(self, question: Question, steps: frozenset[int]) -> Question:
        """The question of these steps alone; of calls, it is about what they were given."""
        narrowed = super().narrowed(question, steps)
        if question.influence is not Influence.ADDRESS:
            return narrowed
        given = (one for step in steps for one in self.comparison.other_arguments(step))
        seeds = frozenset((one, ALL) for one in given if isinstance(one, int | StoredBits | Left))
        return replace(narrowed, seeds=narrowed.seeds | seeds)

    def _parted(self, steps: Iterable[int], question: Question) -> Iterator[Raised]:
        own = set() if question.seeds else {
            branch for step in question.steps for branch in self.conditions.executed(step)
        }  # fmt: skip
        around = [(decider, question.about) for decider in question.deciders]
        seen: set[int] = set()
        walked: set[int] = set()
        for step in steps:
            instance = self.flow.instance_of(step)
            if instance not in seen and not self.is_hidden(step):
                seen.add(instance)
                branches, is_told = self.comparison.parted(step, walked)
                around += [(branch, step) for branch in branches]
                if not is_told and not any(map(self.comparison.side_differs, branches)):
                    jump = self.comparison.jumped(step)
                    self.lost += [jump] if jump is not None else []
        for branch, about in around:
            shown = self.visible(branch)
            if shown is not None and shown not in own and self.comparison.side_differs(shown):
                yield Influence.DIRECT, False, shown, about

    def _moved(self, steps: Iterable[int]) -> Iterator[Raised]:
        """Loads and stores that went elsewhere than in the passing run."""
        for step in steps:
            if not self.is_hidden(step) and any(
                not self._is_fixed(pointer) for pointer in self._other_pointers(step)
            ):
                yield Influence.ADDRESS, False, step, step

    def _other_pointers(self, step: int) -> Iterator[int]:
        """What led a load or a store elsewhere than in the passing run."""
        for pointer in self.flow.node(step).pointers:
            if isinstance(pointer, int) and not self.comparison.is_same(pointer):
                yield pointer

    def _unwritten(self, steps: Iterable[int]) -> Iterator[Raised]:
        """Branches that kept something from being written that the passing run's load read."""
        for step in steps:
            if not self.flow.reads(step):
                continue
            for made in self.comparison.read_instead(step):
                own = self.comparison.alignment.failing_counterpart(made)
                if own is None:
                    yield from self._lost(made, step)
                elif any(self._other_pointers(own)) or self.comparison.other_arguments(own):
                    yield Influence.ADDRESS, True, own, step

    def _silent(self, question: Question) -> Iterator[Raised]:
        """Branches that kept something from being printed that the passing run printed there."""
        if question.silence is None:
            return
        for made in self.comparison.unprinted(question.silence[0]):
            yield from self._lost(made, question.about)

    def _lost(self, made: int, about: int) -> Iterator[Raised]:
        """Why a step of the passing run did not come about here."""
        lost, branch = self.comparison.lost(made, about)
        if lost is not None:
            self.lost.append(lost)
        if branch is not None and not self.comparison.side_differs(branch):
            branch = self.comparison.jumped_here(made)
        shown = None if branch is None else self.visible(branch)
        if shown is not None:
            yield Influence.INDIRECT, False, shown, about
