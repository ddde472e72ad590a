"""Which questions does a proof leave open, and what is common to all ways of finding them?

A finder raises predicates: branches, loads, stores and calls, each with the step that it bears on.
Here they become questions: branches of one source condition are joined, many iterations of a loop
are one question, and a predicate that was raised before is only reported as repeated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from whence.causes.cancellation import Cancellation
from whence.causes.divergence_points import Lost
from whence.causes.questions import (
    AddressQuestion,
    ConditionQuestion,
    OpenQuestion,
    Question,
    controlling_branches,
)
from whence.logic.logic import ALL
from whence.model import Influence
from whence.program.ids import Activation, Block, Instance, Op, Step, Stretch
from whence.trace.conditions import Conditions
from whence.trace.flow import Constant, Flow, Operand
from whence.trace.positions import Executions

Steps = npt.NDArray[np.int64]
_Number = TypeVar("_Number", bound=int)
_MAX_ITERATIONS = 1 << 20  # limit on earlier iterations of a loop that are looked at; guessed
MAX_SAMPLE = 48  # limit on steps of one predicate that are examined; guessed


class Raised(NamedTuple):
    """A predicate that a proof leaves open."""

    influence: Influence
    step: Step  # a branch; for an address, the step that went there
    about: Step  # the step that it bears on
    is_elsewhere: bool = False  # a store that went elsewhere: the last resort of a search


@dataclass(frozen=True)
class OpenQuestions:
    """What a proof leaves open."""

    questions: list[OpenQuestion]  # those that were not raised before, the most important first
    repeated: frozenset[tuple[bool, int]]  # (is it an address, step) of those that were
    lost: tuple[Lost, ...] = ()  # steps of the passing run that the failing run lacks


_Key = tuple[Influence, bool, Op, Block]  # influence, is elsewhere, operation, side


@dataclass
class _Gathered:
    """The steps of one question, each with the last step that it bears on."""

    steps: dict[Step, Step] = field(default_factory=dict)
    raised_for: set[Step] = field(default_factory=set)
    times: int = 0

    def add(self, step: Step, about: Step) -> None:
        self.steps[step] = max(about, self.steps.get(step, about))


class QuestionFinder(ABC):
    """Finds the questions that proofs leave open."""

    def __init__(
        self,
        flow: Flow,
        conditions: Conditions,
        hidden: Collection[Activation],
        cancellation: Cancellation | None = None,
    ) -> None:
        """`hidden`: the activations of functions that are taken as a whole, and inside them."""
        self.flow, self.conditions, self.hidden = flow, conditions, hidden
        self.raised_before: set[tuple[bool, int]] = set()  # (is it an address, step)
        self._cancellation = cancellation or Cancellation()
        self._keys: dict[Step, tuple[Op, Block]] = {}
        self._executions: dict[Op, Executions] = {}

    @abstractmethod
    def of(
        self, steps: Iterable[Step], question: Question, premises: Iterable[Step] = ()
    ) -> OpenQuestions:
        """Return the questions that the proof of a question leaves open.

        `steps` are the steps of the proof that no proof had before, and `premises` its premises.
        """

    # --- gathering -----------------------------------------------------------------------------

    def _gathered(
        self, raised: Iterable[Iterable[Raised]], lost: Iterable[Lost] = ()
    ) -> OpenQuestions:
        """Return all predicates that were not raised before as questions.

        `lost` may be filled while `raised` is consumed.
        """
        near: dict[_Key, _Gathered] = {}
        repeated = set()
        for predicates in raised:
            for influence, step, about, is_elsewhere in predicates:
                self._cancellation.check()
                is_address = influence is Influence.ADDRESS
                if (is_address, step) in self.raised_before:
                    repeated.add((is_address, step))
                    continue
                side = Block(0) if is_address else self.flow.side_of(step) or Block(0)
                key = (influence, is_elsewhere, self.flow.op_of(step), side)
                near.setdefault(key, _Gathered()).add(step, about)
        return OpenQuestions(self._questions(near), frozenset(repeated), tuple(lost))

    def _questions(self, near: dict[_Key, _Gathered]) -> list[OpenQuestion]:
        """Return questions about source conditions; of many iterations only a sample is used."""
        found: dict[_Key, _Gathered] = {}
        for (influence, is_elsewhere, op, _side), gathered in near.items():
            is_address = influence is Influence.ADDRESS
            self.raised_before.update((is_address, step) for step in gathered.steps)
            for number, step in enumerate(sampled(sorted(gathered.steps))):
                # A premise is one branch: in `a && b`, b may decide and a be the premise.
                is_alone = is_address or influence is Influence.PREMISE
                end = step if is_alone else self.conditions.settled(step)
                if influence is Influence.DIRECT and gathered.steps[step] < end:
                    end = step  # the branch decided about a step inside the condition
                key = (influence, is_elsewhere, *((op, Block(0)) if is_address else self._key(end)))
                other = found.setdefault(key, _Gathered())
                other.add(end, gathered.steps[step])
                if number == 0:
                    other.raised_for |= gathered.steps.keys()
                    other.times += len(gathered.steps)
        questions = (self._question(key, gathered) for key, gathered in found.items())
        return sorted(questions, key=_most_important_first)

    def _question(self, key: _Key, gathered: _Gathered) -> OpenQuestion:
        influence, is_elsewhere, op, side = key
        steps = frozenset(gathered.steps)
        bears_on = frozenset(gathered.steps.values())
        times = max(gathered.times, len(gathered.steps))
        raised_for = frozenset(gathered.raised_for)
        if influence is not Influence.ADDRESS:
            return ConditionQuestion(
                influence=influence, op=op, side=side, steps=steps, about=max(bears_on),
                bears_on=bears_on, times=times, raised_for=raised_for,
            )  # fmt: skip
        question = AddressQuestion(
            op=op, steps=steps, about=max(bears_on), bears_on=bears_on,
            is_elsewhere=is_elsewhere, times=times, raised_for=raised_for,
        )  # fmt: skip
        return self.narrowed(question, steps)

    def narrowed(self, question: OpenQuestion, steps: frozenset[Step]) -> OpenQuestion:
        """Return the question about these steps alone."""
        if isinstance(question, ConditionQuestion):
            return replace(question, steps=steps)
        seeds = frozenset((pointer, ALL) for pointer in self._address_operands(steps))
        return replace(question, steps=steps, seeds=seeds)

    def _address_operands(self, steps: frozenset[Step]) -> Iterable[Operand]:
        """Yield the operands that say where steps went."""
        for step in steps:
            yield from self.flow.node(step).pointers

    def _key(self, branch: Step) -> tuple[Op, Block]:
        found = self._keys.get(branch)
        if found is None:
            side = self.flow.side_of(branch) or Block(0)
            found = self._keys[branch] = self.conditions.head(branch), side
        return found

    # --- iterations ----------------------------------------------------------------------------

    def is_same(self, question: Question, branch: Step) -> bool:
        """Is a branch another evaluation of the condition that a question is about?"""
        if not isinstance(question, ConditionQuestion):
            return False
        return self._key(branch) == (question.op, question.side)

    def iterations(self, branches: Iterable[Step]) -> set[Step]:
        """Return these branches and those of the earlier iterations of their loops.

        An earlier iteration is the same branch in the same activation, going the same way.
        """
        found: set[Step] = set()
        for branch in sorted(branches, reverse=True):
            if branch in found:
                continue
            found.add(branch)
            code = self.flow.thread.image.code
            stretch = Stretch(int(code.op_stretch[self.flow.op_of(branch)]))
            side = self.flow.side_of(branch)
            if side is None:
                continue
            for instance in self._earlier(stretch, branch).tolist():
                if self.flow.block(Instance(instance + 1)) == side:
                    found.add(self._end(Instance(instance)))
        return found

    def _earlier(self, stretch: Stretch, branch: Step) -> Steps:
        """Return the instances of a stretch before a branch, in the activation of the branch."""
        stream, instances = self.flow.thread.stream, self.flow.queries.instances_of(stretch)
        activation = self.flow.activation_of(branch)
        start = np.uint32(stream.activations["first_instance"][activation])
        high = int(instances.searchsorted(np.uint32(self.flow.instance_of(branch))))
        low = max(int(instances.searchsorted(start)), high - _MAX_ITERATIONS)
        near = np.asarray(instances[low:high], np.int64)
        own: Steps = near[np.asarray(stream.activation[near]) == activation]
        return own

    def _end(self, instance: Instance) -> Step:
        """Return the last step of an instance that ran to the end of its stretch."""
        stream, code = self.flow.thread.stream, self.flow.thread.image.code
        operations = int(code.stretch_ops[stream.stretch[instance]])
        return Step(int(stream.first[instance]) + operations - 1)

    def _instances_at(self, steps: Iterable[int]) -> npt.NDArray[np.uint32]:
        """Return the instances of steps; for a step after the run, the number of instances."""
        last = self.flow.thread.stream.steps
        found = (
            self.flow.instance_of(Step(step)) if step <= last else self.flow.instances
            for step in steps
        )
        return np.fromiter(found, np.uint32)

    def _ends_before(self, stretch: Stretch, step: int) -> int:
        """Return how many instances of a stretch end before a step."""
        instances = self.flow.queries.instances_of(stretch)
        if step > self.flow.thread.stream.steps:
            return len(instances)
        return int(instances.searchsorted(np.uint32(self.flow.instance_of(Step(max(step, 1))))))

    def executions(self, op: Op) -> Executions:
        """Return the steps that executed an operation."""
        if op not in self._executions:
            self._executions[op] = self.flow.executions(op)
        return self._executions[op]

    # --- control and visibility ----------------------------------------------------------------

    def controlling(self, steps: Iterable[Step], question: Question) -> dict[Step, Step]:
        """Return the controlling branches of steps, each with a step that it controls."""
        found = dict.fromkeys(controlling_branches(question), question.about)
        seen: set[Instance] = set()
        for step in steps:
            instance = self.flow.instance_of(step)
            if instance not in seen:
                seen.add(instance)
                branch = self.visible(self.flow.controlling_branch(step))
                if branch is not None:
                    found.setdefault(branch, step)
        return found

    def _own_branches(self, question: Question) -> set[Step]:
        """Return the branches of the condition that a question is about."""
        if question.seeds:
            return set()
        return {branch for step in question.steps for branch in self.conditions.executed(step)}

    def visible(self, branch: Step | None) -> Step | None:
        """Return a branch, or the next controlling branch outwards that can be shown.

        A branch cannot be shown if it is hidden, or if the compiler made it and it has no line.
        """
        rows = self.flow.thread.image.rows
        while branch is not None and (self.is_hidden(branch) or not rows[self.flow.op_of(branch)]):
            branch = self.flow.controlling_branch(branch)
        if branch is None or not self.flow.is_branch(branch):
            return None  # a call that could have thrown is no branch of this program
        return branch

    def is_hidden(self, step: Step) -> bool:
        """Is the step inside a function that is taken as a whole?"""
        return bool(self.hidden) and self.flow.activation_of(step) in self.hidden

    def _is_fixed(self, operand: Operand) -> bool:
        """Is an operand the address of a variable or of a part of it, so never another one?"""
        while isinstance(operand, int):
            node = self.flow.node(operand)
            if not node.operands:
                return True
            if self.flow.is_load(operand) or len(node.operands) > 1:
                return False
            operand = node.operands[0]
        return isinstance(operand, Constant)


def sampled(steps: Sequence[_Number]) -> list[_Number]:
    """Return all steps, or of many steps the first, the last and some between them."""
    count = len(steps)
    if count <= MAX_SAMPLE:
        return list(steps)
    last, first = 2 * MAX_SAMPLE // 3, MAX_SAMPLE // 12
    every = -(-(count - first - last) // (MAX_SAMPLE // 4))
    places = [*range(first), *range(first, count - last, every), *range(count - last, count)]
    return [steps[place] for place in places]


_ORDER = (Influence.PREMISE, Influence.DIRECT, Influence.ADDRESS, Influence.INDIRECT)


def _most_important_first(question: OpenQuestion) -> tuple[int, int, int]:
    is_elsewhere = isinstance(question, AddressQuestion) and question.is_elsewhere
    rank = len(_ORDER) if is_elsewhere else _ORDER.index(question.influence)
    return rank, -max(question.steps), question.op
