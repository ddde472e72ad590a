"""How is a cause described: its predicate, its statements, and a sentence that says why?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.passing_values import PassingValues
from whence.causes.questions import AddressQuestion, ConditionQuestion, Question
from whence.inputs import InputByte, InputPointer, InputRange, SourceKind
from whence.model import Influence, Predicate, Statement
from whence.program.ids import Op, Step
from whence.program.source import NamedValue
from whence.trace.conditions import Conditions
from whence.trace.flow import External, Flow, Left, Operand, StoredBits
from whence.trace.statements import Line

Steps = npt.NDArray[np.uint32]
_MAX_VALUES = 6  # limit on values in one sentence; guessed
_MAX_EXPRESSION = 200  # limit on steps of one condition; guessed


@dataclass(frozen=True)
class CauseDescription:
    """A cause in words."""

    predicate: Predicate
    because: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class _Read:
    """A variable that a predicate read."""

    name: str
    value: str
    step: Step  # the load


class CauseDescriber:
    """Describes the causes of one run."""

    def __init__(
        self, flow: Flow, conditions: Conditions, comparison: Comparison | None = None
    ) -> None:
        self.flow, self.conditions = flow, conditions
        self.steps = flow.describer()
        self.passing = PassingValues(comparison, self.steps) if comparison else None
        self._names = self.steps.names

    def describe(
        self, question: Question, steps: Steps, failure: ObservedFailure
    ) -> CauseDescription:
        """Describe the cause that answers a question; `steps` is its proof."""
        lines = self.steps.lines(steps)
        own = [line for line in lines if self._is_own(line)] or lines
        # The lines are ordered by their last steps, the latest first.
        statements = tuple(self._statement(line, steps) for line in reversed(own))
        reads = self._reads(question)
        predicate = self._predicate(question, reads, failure)
        because = self._because(question, predicate, reads, failure)
        return CauseDescription(predicate, because, statements)

    def file_and_line(self, step: Step) -> tuple[str, int] | None:
        """Return the file and the line of a step; None if it has none."""
        place = self._names.place(step)
        return (place.file, place.line) if place else None

    def _is_own(self, line: Line) -> bool:
        """Is the line in the tree, or in a test outside the tree that calls into it?"""
        image = self.flow.thread.image
        return not line.is_outside or bool(
            image.is_outside[image.function_of(Op(int(line.ops[-1])))]
        )

    def _statement(self, line: Line, steps: Steps) -> Statement:
        statement = self.steps.describe_line(line, steps)
        if self.passing is None:
            return statement
        return replace(statement, passing=self.passing.values(line))

    # --- predicates ----------------------------------------------------------------------------

    def _predicate(
        self, question: Question, reads: Sequence[_Read], failure: ObservedFailure
    ) -> Predicate:
        step = max(question.steps)
        place = self._names.place(step)
        passing: str | None = None  # the outcome in the passing run
        other: NamedValue | None = None  # the condition of the passing run
        if isinstance(question, AddressQuestion):
            text, outcome = self._names.accessed(step)
            passing = self.passing.accessed(step) if self.passing else None
        elif question.seeds or not self.flow.is_branch(step):
            text, outcome = failure.subject or failure.words, failure.outcome
        else:
            text, outcome = self._condition(step)
            other = self.passing.condition(step) if self.passing else None
            passing = other.value if other else None
        return Predicate(
            file=place.file if place else "",
            line=place.line if place else 0,
            function=self._names.function(step),
            text=text,
            outcome=outcome,
            values={read.name: read.value for read in reads},
            passing=passing if passing != outcome else None,
            passing_text=self._passing_text(step, other),
        )

    def _passing_text(self, step: Step, passing: NamedValue | None) -> str | None:
        """Return the text of a condition in the passing version, if it differs."""
        if passing is None or passing.name == self._names.condition(step).name:
            return None
        return passing.name

    def _condition(self, step: Step) -> tuple[str, str]:
        """Return the evaluated part of a condition as source text, and its outcome."""
        branches = self.conditions.executed(step)
        parts = [self._names.condition(branch) for branch in branches]
        text = parts[0].name
        both, either = self._names.connectives
        for before, after in itertools.pairwise(parts):
            text += f" {both if before.value == self._names.truths[0] else either} {after.name}"
        return text, parts[-1].value

    def _reads(self, question: Question) -> list[_Read]:
        """Return the variables that the predicate was computed from, each once."""
        seeds: list[Operand] = [operand for operand, _ in question.seeds]
        if not question.seeds:
            seeds = list(self.conditions.settled_by(max(question.steps)))
        elif isinstance(question, AddressQuestion):
            pointer = self.flow.node(max(question.steps)).pointer
            seeds = [] if pointer is None else [pointer]
        found: dict[str, _Read] = {}
        for load in self._loads(seeds):
            named = self._names.loaded(load)
            if named is not None:
                found.setdefault(named.name, _Read(named.name, named.value, load))
        return list(found.values())

    def _loads(self, seeds: Sequence[Operand]) -> Iterator[Step]:
        """Yield the loads and calls whose values an expression uses."""
        seen: set[Operand] = set()
        work = list(reversed(seeds))
        while work and len(seen) < _MAX_EXPRESSION:
            operand = work.pop()
            if operand in seen or not isinstance(operand, int):
                continue
            seen.add(operand)
            if self.flow.is_load(operand) or self.flow.is_call(operand):
                yield operand
                continue
            work += reversed(self.flow.node(operand).operands)

    # --- sentences -----------------------------------------------------------------------------

    def _because(
        self,
        question: Question,
        predicate: Predicate,
        reads: Sequence[_Read],
        failure: ObservedFailure,
    ) -> str:
        head = self._head(question, predicate, failure)
        known = reads[:_MAX_VALUES]
        values = [f"{read.name} = {read.value}" for read in known if read.name != predicate.text]
        if values and not isinstance(question, AddressQuestion):
            head += f" with {', '.join(values)}"
        return ". ".join([head, *self._origins(known)]) + "."

    def _head(self, question: Question, predicate: Predicate, failure: ObservedFailure) -> str:
        """Return the first sentence: the predicate and what it brought about."""
        if isinstance(question, ConditionQuestion):
            return self._condition_head(question, predicate)
        if isinstance(question, AddressQuestion):
            return self._address_head(question, predicate)
        words = f"{failure.words[:1].upper()}{failure.words[1:]}"
        if self.flow.is_branch(max(question.steps)) and not question.seeds:
            return f"{words}: `{predicate.text}` was {predicate.outcome}"
        return words

    def _condition_head(self, question: ConditionQuestion, predicate: Predicate) -> str:
        about = self._names.line(question.about)
        held = f"`{predicate.text}` was {predicate.outcome}{_times(question.times)}"
        if question.influence is Influence.PREMISE:
            return f"The proof assumes that {held}"
        if question.influence is Influence.DIRECT:
            return f"{about} ran because {held}"
        is_load = self.flow.is_load(question.about)
        read = self._names.loaded(question.about) if is_load else None
        if read is not None:
            return f"`{read.name}` kept its value until {about} because {held}"
        if self.flow.withheld(question.about):
            return f"{about} read no further items because {held}"
        return f"{about} came next because {held}"

    def _address_head(self, question: AddressQuestion, predicate: Predicate) -> str:
        about = self._names.line(question.about)
        where = f"`{predicate.text}`" if predicate.text else "memory"
        target = f" as `{predicate.outcome}`" if predicate.outcome != predicate.text else ""
        return f"{about} went to {where}{target}{_times(question.times)}"

    def _origins(self, reads: Sequence[_Read]) -> Iterator[str]:
        """Yield a sentence for each variable that says which line set it."""
        for read in reads:
            node = self.flow.node(read.step)
            if self.flow.is_call(read.step) or not node.operands:
                continue
            definition = node.operands[0]
            value = f"`{read.name}` was {read.value}"
            if node.through:
                yield f"{value} because {self._setter(node.through[0])}"
            elif isinstance(definition, InputByte | InputRange | InputPointer):
                yield f"{value}: it came from {_input_words(definition)}"
            elif isinstance(definition, External):
                yield f"{value}: no recorded step set it"
            elif isinstance(definition, int | StoredBits | Left):
                step = definition if isinstance(definition, int) else definition.step
                yield f"{value} because {self._setter(step)}"

    def _setter(self, step: Step) -> str:
        """Describe what set a variable; a parameter is set where its function is called."""
        if self._names.place(step) is not None:
            return f"{self._names.line(step)} set it"
        call = self.flow.call_of(step)
        return f"{self._names.line(call)} passed it" if call else "it was passed"


def _times(times: int) -> str:
    return f" ({times:,} times)" if times > 1 else ""


def _input_words(found: InputByte | InputRange | InputPointer) -> str:
    """Return what a user calls the place that an input came from."""
    if not isinstance(found, InputPointer):
        return found.source.words
    is_argument = found.source.kind is SourceKind.ARGUMENT
    return "the command line" if is_argument else "the environment"
