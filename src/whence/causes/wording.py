"""How is a cause described: its predicate, its statements, and a sentence that says why?"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.passing_values import PassingValues
from whence.causes.questions import AddressQuestion, ConditionQuestion, Question
from whence.inputs import InputByte, InputPointer, InputRange, SourceKind
from whence.model import Influence, Predicate, Statement, StaticRead
from whence.program.ids import Op, Step
from whence.program.source import NamedValue
from whence.trace.conditions import Conditions
from whence.trace.flow import External, Flow, Initial, Left, Operand, StoredBits
from whence.trace.reads import VariableRead, variables_read
from whence.trace.statements import Line

Steps = npt.NDArray[np.uint32]
Reads = tuple[StaticRead, ...]
_MAX_VALUES = 6  # limit on values in one sentence; guessed
_MAX_COPIES = 60  # limit on the steps that pass a value on unchanged; guessed
_MAX_OBSERVED_STEPS = 5_000_000  # limit on steps of a run that is looked at as a whole; guessed
_MAX_OBSERVED_LINES = 100  # limit on lines whose values are looked at there; guessed


@dataclass(frozen=True)
class CauseDescription:
    """A cause in words."""

    predicate: Predicate
    because: str
    statements: tuple[Statement, ...]


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

    def observed(
        self, wanted: Collection[tuple[str, int]], most: int
    ) -> tuple[list[Statement], list[Statement]]:
        """Return the statements that ran on the wanted lines, and the first that differ later.

        Both are in the order of their last executions.  There are up to `most` differing ones.
        Nothing is returned for a run that is too long to look at as a whole.
        """
        count = self.flow.thread.stream.steps
        if count > _MAX_OBSERVED_STEPS:
            return [], []
        steps = np.arange(1, count + 1, dtype=np.uint32)
        lines = [line for line in reversed(self.steps.lines(steps)) if self._is_own(line)]
        own = [line for line in lines if (line.file, line.number) in wanted]
        start = int(own[0].last[-1]) if own else 0
        later = [
            line
            for line in lines
            if int(line.last[-1]) > start and (line.file, line.number) not in wanted
        ]
        differing: list[Statement] = []
        for line in later[:_MAX_OBSERVED_LINES] if self.passing else ():
            statement = self._statement(line, steps)
            differing += [statement] if statement.passing else []
            if len(differing) == most:
                break
        return [self._statement(line, steps) for line in own[:_MAX_OBSERVED_LINES]], differing

    def static_reads(self, inputs: Collection[External], shown: Container[Step]) -> Reads:
        """Return the lines that read initial values of static variables, of steps that are shown.

        `inputs` is what a proof met that no recorded step made.  Of each variable it is one line.
        """
        found: dict[str, StaticRead] = {}
        for read in inputs:
            if isinstance(read, Initial) and read.step in shown:
                name, place = (
                    self._names.static_variable(read.address),
                    self._names.place(read.step),
                )
                if name is not None and place is not None and name not in found:
                    found[name] = StaticRead(name, place.file, place.line)
        return tuple(found[name] for name in sorted(found))

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
        self, question: Question, reads: Sequence[VariableRead], failure: ObservedFailure
    ) -> Predicate:
        step = max(question.steps)
        shown = self.flow.in_tree(step)
        place = self._names.place(shown)
        passing: str | None = None  # the outcome in the passing run
        other: NamedValue | None = None  # the condition of the passing run
        if isinstance(question, AddressQuestion):
            text, outcome = self._names.accessed(step)
            passing = self.passing.accessed(step) if self.passing else None
        elif question.seeds or not self.flow.is_branch(step):
            text, outcome = failure.subject or failure.words, failure.outcome
        else:
            held = self._names.whole_condition(self.conditions.executed(step))
            text, outcome = held.name, held.value
            other = self.passing.condition(step) if self.passing else None
            passing = other.value if other else None
        return Predicate(
            file=place.file if place else "",
            line=place.line if place else 0,
            function=self._names.function(shown),
            text=text,
            outcome=outcome,
            values={read.name: read.value for read in reads},
            passing=passing if passing != outcome else None,
            passing_text=other.name if other and other.name != text else None,
            passing_values=self._passing_values(reads),
        )

    def _passing_values(self, reads: Sequence[VariableRead]) -> dict[str, str]:
        """Return the values of the variables of a predicate that differ in the passing run."""
        if self.passing is None:
            return {}
        found = {read.name: self.passing.read(read) for read in reads}
        return {
            read.name: other
            for read in reads
            if (other := found[read.name]) is not None and other != read.value
        }

    def _reads(self, question: Question) -> list[VariableRead]:
        """Return the variables that the predicate was computed from, each once."""
        seeds: list[Operand] = [operand for operand, _ in question.seeds]
        if not question.seeds:
            seeds = list(self.conditions.settled_by(max(question.steps)))
        elif isinstance(question, AddressQuestion):
            pointer = self.flow.node(max(question.steps)).pointer
            seeds = [] if pointer is None else [pointer]
        return variables_read(self.flow, self._names, seeds)

    def _line(self, step: Step) -> str:
        """Return the line of a step; for library code, the line of the program that called it."""
        own: Step | None = step
        while own is not None and (place := self._names.place(own)) and place.is_outside:
            own = self.flow.call_of(own)
        return self._names.line(step if own is None else own)

    # --- sentences -----------------------------------------------------------------------------

    def _because(
        self,
        question: Question,
        predicate: Predicate,
        reads: Sequence[VariableRead],
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
        about = self._line(question.about)
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
        about = self._line(question.about)
        where = f"`{predicate.text}`" if predicate.text else "memory"
        target = f" as `{predicate.outcome}`" if predicate.outcome != predicate.text else ""
        return f"{about} went to {where}{target}{_times(question.times)}"

    def _origins(self, reads: Sequence[VariableRead]) -> Iterator[str]:
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
            elif isinstance(definition, Initial) and (
                words := self._names.initial(definition.address)
            ):
                yield f"{value}: {words}"
            elif isinstance(definition, External):
                yield f"{value}: no recorded step set it"
            elif isinstance(definition, int | StoredBits | Left):
                step = definition if isinstance(definition, int) else definition.step
                yield f"{value} because {self._setter(step)}{self._came_from(definition)}"

    def _came_from(self, step: Operand) -> str:
        """Return a clause with the line that a value came from, if another line passed it on."""
        if not isinstance(step, int) or not self._names.follows_copies:
            return ""
        origin: Step | None = self._origin(step)
        if origin is not None and self._names.place(origin) is None:  # a parameter
            origin = self.flow.call_of(origin)
        if origin is None or self._names.place(step) is None:
            return ""
        line, first = self._line(step), self._line(origin)
        return f"; the value came from {first}" if first != line else ""

    def _origin(self, step: Step) -> Step:
        """Return the first step that had the value of `step`, before it was passed on."""
        value = self.flow.value(step)
        for _ in range(_MAX_COPIES):
            returned = self.flow.returned(step) if self.flow.is_call(step) else None
            operands = (returned,) if returned else self.flow.node(step).operands
            before = operands[0] if len(operands) == 1 else None
            if not isinstance(before, int) or self.flow.value(before) != value:
                break
            step = before
        return step

    def _setter(self, step: Step) -> str:
        """Describe what set a variable; a parameter is set where its function is called."""
        if self._names.place(step) is not None:
            return f"{self._line(step)} set it"
        call = self.flow.call_of(step)
        return f"{self._line(call)} passed it" if call else "it was passed"


def _times(times: int) -> str:
    return f" ({times:,} times)" if times > 1 else ""


def _input_words(found: InputByte | InputRange | InputPointer) -> str:
    """Return what a user calls the place that an input came from."""
    if not isinstance(found, InputPointer):
        return found.source.words
    is_argument = found.source.kind is SourceKind.ARGUMENT
    return "the command line" if is_argument else "the environment"
