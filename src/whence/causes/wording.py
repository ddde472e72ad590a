"""How is a cause told: its predicate, its statements, and in a sentence why?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.passing_values import PassingValues
from whence.causes.predicates import Question
from whence.inputs import InputByte, InputPointer, InputRange, SourceKind
from whence.model import Influence, Predicate, Statement
from whence.program.source import NamedValue
from whence.trace.conditions import Conditions
from whence.trace.flow import External, Flow, Left, Operand, StoredBits
from whence.trace.statements import Line

Steps = npt.NDArray[np.uint32]
_MOST_VALUES = 6  # that a sentence mentions
_FARTHEST = 200  # steps that belong to one condition


@dataclass(frozen=True)
class CauseDescription:
    predicate: Predicate
    because: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class _Read:
    """A variable that a predicate read."""

    name: str
    value: str
    step: int  # the load


class CauseDescriber:
    """Tells the causes of one run."""

    def __init__(
        self, flow: Flow, conditions: Conditions, comparison: Comparison | None = None
    ) -> None:
        self.flow, self.conditions = flow, conditions
        self.narrator = flow.describer()
        self.namer = self.narrator.names
        self.beside = PassingValues(comparison, self.narrator) if comparison else None

    def told(self, question: Question, steps: Steps, found: ObservedFailure) -> CauseDescription:
        lines = self.narrator.lines(steps)
        own = [line for line in lines if self._is_own(line)] or lines
        # The line whose last step came last is told last.
        statements = tuple(self._statement(line, steps) for line in reversed(own))
        reads = self._reads(question)
        predicate = self._predicate(question, reads, found)
        because = self._because(question, predicate, reads, found)
        return CauseDescription(predicate, because, statements)

    def _is_own(self, line: Line) -> bool:
        """Is it a line of the tree, or of a test outside of it that calls into the tree?"""
        image = self.flow.thread.image
        return not line.is_outside or bool(image.is_outside[image.function_of(int(line.ops[-1]))])

    def _statement(self, line: Line, steps: Steps) -> Statement:
        statement = self.narrator.describe_line(line, steps)
        if self.beside is None:
            return statement
        return replace(statement, passing=self.beside.values(line))

    # --- predicates ----------------------------------------------------------------------------

    def _predicate(
        self, question: Question, reads: Sequence[_Read], found: ObservedFailure
    ) -> Predicate:
        step = max(question.steps)
        place = self.namer.place(step)
        values = {read.name: read.value for read in reads}
        passing: str | None = None
        other: NamedValue | None = None  # the condition, as the passing run asked it
        if question.influence is Influence.ADDRESS:
            text, outcome = self.namer.accessed(step)
            passing = self.beside.accessed(step) if self.beside else None
        elif question.seeds or not self.flow.is_branch(step):
            text, outcome = found.subject or found.words, found.outcome
        else:
            text, outcome = self._condition(step)
            other = self.beside.condition(step) if self.beside else None
            passing = other.value if other else None
        return Predicate(
            file=place.file if place else "",
            line=place.line if place else 0,
            function=self.namer.function(step),
            text=text,
            outcome=outcome,
            values=values,
            passing=passing if passing != outcome else None,
            passing_text=self._other_text(step, other),
        )

    def _other_text(self, step: int, passing: NamedValue | None) -> str | None:
        """How the passing version writes the condition of a branch, if otherwise."""
        if passing is None or passing.name == self.namer.condition(step).name:
            return None
        return passing.name

    def _condition(self, step: int) -> tuple[str, str]:
        """A condition as the source has it, as far as it ran, and how it came out."""
        branches = self.conditions.executed(step)
        parts = [self.namer.condition(branch) for branch in branches]
        text = parts[0].name
        both, either = self.namer.connectives
        for before, after in itertools.pairwise(parts):
            text += f" {both if before.value == self.namer.truths[0] else either} {after.name}"
        return text, parts[-1].value

    def _reads(self, question: Question) -> list[_Read]:
        """The variables that the predicate was computed from, each once."""
        seeds: list[Operand] = [operand for operand, _ in question.seeds]
        if not question.seeds:
            seeds = list(self.conditions.settled_by(max(question.steps)))
        elif question.influence is Influence.ADDRESS:
            pointer = self.flow.node(max(question.steps)).pointer
            seeds = [] if pointer is None else [pointer]
        found: dict[str, _Read] = {}
        for load in self._loads(seeds):
            named = self.namer.loaded(load)
            if named is not None:
                found.setdefault(named.name, _Read(named.name, named.value, load))
        return list(found.values())

    def _loads(self, seeds: Sequence[Operand]) -> Iterator[int]:
        """The loads, calls that returned something, that an expression begins with."""
        seen: set[Operand] = set()
        work = list(reversed(seeds))
        while work and len(seen) < _FARTHEST:
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
        found: ObservedFailure,
    ) -> str:
        head = self._head(question, predicate, found)
        known = reads[:_MOST_VALUES]
        held = [f"{read.name} = {read.value}" for read in known if read.name != predicate.text]
        if held and question.influence is not Influence.ADDRESS:
            head += f" with {', '.join(held)}"
        return ". ".join([head, *self._origins(known)]) + "."

    def _head(self, question: Question, predicate: Predicate, found: ObservedFailure) -> str:
        about = self.namer.line(question.about)
        held = f"`{predicate.text}` was {predicate.outcome}"
        turns = f" (in {question.turns:,} turns)" if question.turns > 1 else ""
        if question.influence is Influence.DIRECT:
            return f"{about} ran because {held}{turns}"
        if question.influence is Influence.INDIRECT:
            is_load = self.flow.is_load(question.about)
            read = self.namer.loaded(question.about) if is_load else None
            if read is None and self.flow.withheld(question.about):
                return f"Nothing more came to {about} because {held}{turns}"
            if read is None:
                return f"{about} came next because {held}{turns}"
            return f"`{read.name}` kept its value until {about} because {held}{turns}"
        if question.influence is Influence.PREMISE:
            return f"The proof rests on this: {held}{turns}"
        if question.influence is Influence.ADDRESS:
            where = f"`{predicate.text}`" if predicate.text else "memory"
            to = f" as `{predicate.outcome}`" if predicate.outcome != predicate.text else ""
            return f"{about} went to {where}{to}{turns}"
        if self.flow.is_branch(max(question.steps)) and not question.seeds:
            return f"{found.words[:1].upper()}{found.words[1:]}: {held}"
        return f"{found.words[:1].upper()}{found.words[1:]}"

    def _origins(self, reads: Sequence[_Read]) -> Iterator[str]:
        for read in reads:
            node = self.flow.node(read.step)
            if self.flow.is_call(read.step) or not node.operands:
                continue
            made = node.operands[0]
            said = f"`{read.name}` was {read.value}"
            if node.through:
                yield f"{said} because {self._setter(node.through[0])}"
            elif isinstance(made, InputByte | InputRange | InputPointer):
                yield f"{said}: it came from {_origin(made)}"
            elif isinstance(made, External):
                yield f"{said}: nothing recorded set it"
            elif isinstance(made, int | StoredBits | Left):
                step = made if isinstance(made, int) else made.step
                yield f"{said} because {self._setter(step)}"

    def _setter(self, step: int) -> str:
        """What set a variable; a parameter is set where its function is called."""
        if self.namer.place(step) is not None:
            return f"{self.namer.line(step)} set it"
        call = self.flow.call_of(step)
        return f"{self.namer.line(call)} passed it" if call else "it was passed"


def _origin(made: InputByte | InputRange | InputPointer) -> str:
    """Return what a user calls the place that an input came from."""
    if not isinstance(made, InputPointer):
        return made.source.words
    is_argument = made.source.kind is SourceKind.ARGUMENT
    return "the command line" if is_argument else "the environment"
