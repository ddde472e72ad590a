"""What can the cause search ask?

A question is a predicate together with the steps at which it held: why did it hold?  There are
four kinds: a condition or an address that a proof leaves open, and the two kinds of failure that
a search starts from.  `seeds` are the operands, each with a mask, whose values are to be proved.
A question without seeds asks for the outcome of the condition that its steps belong to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from whence.model import Influence
from whence.program.ids import Block, Op, Step
from whence.trace.flow import Operand

Seeds = frozenset[tuple[Operand, int]]
Identity = tuple[bool, int, int]  # is it about an address, the operation, the side


class Silence(NamedTuple):
    """Two steps between which the run may have printed too little."""

    after: Step | None  # None: from the start of the run on
    until: Step
    # Steps of the passing run that the failing run lacks and that wrote what is missing; None: they
    # are not known, so the first output after `after` that has no counterpart is taken.
    missing: tuple[Step, ...] | None = None
    # Steps that wrote the differing byte, and that wrote another place in the passing run.
    moved: tuple[Step, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConditionQuestion:
    """Why did a condition of the source come out as it did?"""

    influence: Influence  # DIRECT, INDIRECT or PREMISE
    op: Op  # its first branch
    side: Block  # the block that it led to
    steps: frozenset[Step]  # its last branch, each time that the condition was evaluated
    about: Step  # the last step that it bears on
    bears_on: frozenset[Step]  # all steps that it bears on
    times: int = 1  # how often it held; `steps` may be a sample
    raised_for: frozenset[Step] = frozenset()  # the branches that raised this question
    seeds: ClassVar[Seeds] = frozenset()

    @property
    def identity(self) -> Identity:
        """Equal for questions about the same predicate, in whichever iteration of a loop."""
        return False, self.op, self.side


@dataclass(frozen=True, kw_only=True)
class AddressQuestion:
    """Why did a load, a store or a call go to the place that it went to?"""

    op: Op
    steps: frozenset[Step]
    about: Step  # the last step that it bears on
    bears_on: frozenset[Step]  # all steps that it bears on
    seeds: Seeds = frozenset()  # the pointers, or the arguments of calls
    is_elsewhere: bool = False  # a store that went elsewhere: the last resort of a search
    times: int = 1  # how often it held; `steps` may be a sample
    raised_for: frozenset[Step] = frozenset()  # the loads, stores or calls that raised it
    influence: ClassVar[Influence] = Influence.ADDRESS
    side: ClassVar[int] = 0

    @property
    def identity(self) -> Identity:
        """Equal for questions about the same operation, in whichever iteration of a loop."""
        return True, self.op, 0


@dataclass(frozen=True, kw_only=True)
class FailedCondition:
    """Why did the condition come out so that the run failed?"""

    op: Op  # its branch
    side: Block  # the block that it led to
    branch: Step  # the step that executed the branch
    about: Step  # the step that failed: a call of abort, a raise
    bears_on: frozenset[Step]  # the failed step and the calls that lead to it
    silence: Silence | None = None
    influence: ClassVar[Influence] = Influence.FAILURE
    seeds: ClassVar[Seeds] = frozenset()
    times: ClassVar[int] = 1

    @property
    def steps(self) -> frozenset[Step]:
        return frozenset({self.branch})

    @property
    def identity(self) -> Identity:
        return False, self.op, self.side


@dataclass(frozen=True, kw_only=True)
class FailedValue:
    """Why did the failed step have these operands: a wild pointer, a wrong status, wrong output?"""

    op: Op
    step: Step
    seeds: Seeds
    controlling: tuple[Step, ...] = ()  # branches that decided that the step ran
    bears_on: frozenset[Step] = frozenset()  # further steps that belong to the failure
    silence: Silence | None = None
    influence: ClassVar[Influence] = Influence.FAILURE
    side: ClassVar[int] = 0
    times: ClassVar[int] = 1

    @property
    def about(self) -> Step:
        return self.step

    @property
    def steps(self) -> frozenset[Step]:
        return frozenset({self.step})

    @property
    def identity(self) -> Identity:
        return False, self.op, 0


FailureQuestion = FailedCondition | FailedValue
OpenQuestion = ConditionQuestion | AddressQuestion
Question = FailureQuestion | OpenQuestion


def controlling_branches(question: Question) -> tuple[Step, ...]:
    """Return the branches that are known to have decided about a failed step."""
    return question.controlling if isinstance(question, FailedValue) else ()


def silence_of(question: Question) -> Silence | None:
    """Return where output may be missing, if that is part of the question."""
    return question.silence if isinstance(question, FailedCondition | FailedValue) else None
