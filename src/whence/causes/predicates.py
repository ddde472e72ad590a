"""Which predicates are critical for a proof: what else had to hold so that its steps ran so?

Direct influence: a branch that decided that a step of the proof ran.  Indirect influence: a branch
that, gone the other way, could have redefined what a step read, printed what is missing, or ended
the run.  Address: a load or a store went to the place that it went to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from whence.causes.cancellation import Cancellation
from whence.causes.open_questions import OpenQuestions, QuestionFinder, Raised, Steps, sampled
from whence.causes.questions import Question, silence_of
from whence.model import Influence
from whence.program.ids import Activation, Block, Instance, Step, Stretch
from whence.trace.columns import BRANCH, whole
from whence.trace.conditions import Conditions
from whence.trace.flow import Flow, Left, Operand, StoredBits
from whence.trace.positions import step_chunks
from whence.trace.queries import Part
from whence.trace.relevance import Relevance

_MAX_STORES = 8  # limit on executions of one store that are examined for one load; guessed
_MAX_CONTROLLING = 100  # limit on controlling branches around one step; guessed


class CriticalPredicates(QuestionFinder):
    """Finds the critical predicates of proofs in one run."""

    def __init__(
        self,
        flow: Flow,
        conditions: Conditions,
        relevance: Relevance | None,
        hidden: Collection[Activation],
        cancellation: Cancellation | None = None,
    ) -> None:
        """`hidden`: the activations of functions that are taken as a whole, and inside them."""
        super().__init__(flow, conditions, hidden, cancellation)
        self.relevance = relevance

    def of(
        self, steps: Iterable[Step], question: Question, premises: Iterable[Step] = ()
    ) -> OpenQuestions:
        ordered = sorted(steps, reverse=True)
        loads = [step for step in ordered if self._is_analysed_load(step)]
        return self._gathered((
            (Raised(Influence.PREMISE, branch, question.about) for branch in premises),
            self._direct(ordered, question),
            self._addresses(ordered),
            self._indirect(loads),
            self._withheld(ordered),
            self._guards(ordered),
            self._unprinted(question),
            self._elsewhere(loads),
        ))  # fmt: skip

    # --- direct influence and addresses --------------------------------------------------------

    def _direct(self, steps: Iterable[Step], question: Question) -> Iterator[Raised]:
        own = self._own_branches(question)
        for branch, about in self.controlling(steps, question).items():
            if branch not in own:
                yield Raised(Influence.DIRECT, branch, about)

    def _addresses(self, steps: Iterable[Step]) -> Iterator[Raised]:
        for step in steps:
            pointers = self.flow.node(step).pointers
            if not self.is_hidden(step) and not all(map(self._is_fixed, pointers)):
                yield Raised(Influence.ADDRESS, step, step)

    def _elsewhere(self, loads: Iterable[Step]) -> Iterator[Raised]:
        """Yield stores that could have written what a load read, had they gone there."""
        if self.relevance is None:
            return
        for load in loads:
            since = None
            for op in self.relevance.writers_for(self.flow.op_of(load)):
                steps = self.executions(op)
                if not len(steps):
                    continue
                since = self._first_definition(load) if since is None else since
                low, high = steps.before(since + 1), steps.before(load)
                for store in steps[max(low, high - _MAX_STORES) : high].tolist():
                    pointer = self.flow.node(store).pointer
                    if pointer is None or self.is_hidden(store) or self._is_fixed(pointer):
                        continue
                    yield Raised(Influence.ADDRESS, store, load, is_elsewhere=True)

    # --- indirect influence --------------------------------------------------------------------

    def _is_analysed_load(self, step: Step) -> bool:
        """Does the static analysis know what could redefine the memory that a step read?"""
        if self.relevance is None or self.is_hidden(step):
            return False
        potential = self.relevance.potential
        return int(potential.class_of_op[self.flow.op_of(step)]) < len(potential.class_start) - 1

    def _indirect(self, loads: Iterable[Step]) -> Iterator[Raised]:
        if self.relevance is None:
            return
        potential = self.relevance.potential
        by_class: dict[int, list[Step]] = {}
        for step in loads:
            by_class.setdefault(int(potential.class_of_op[self.flow.op_of(step)]), []).append(step)
        for number, of_class in sorted(by_class.items()):
            first, last = (int(potential.class_start[number + k]) for k in (0, 1))
            if first < last:
                yield from self._redefining(sorted(of_class), potential.class_edge[first:last])

    def _redefining(self, loads: list[Step], edges: npt.NDArray[np.uint32]) -> Iterator[Raised]:
        """Yield the branches between definitions and loads that could have redefined a value."""
        assert self.relevance is not None
        potential = self.relevance.potential
        # An instance ends before a step if it comes before the instance of the step.
        since = self._instances_at(self._first_definition(load) + 1 for load in loads)
        until = self._instances_at(loads)
        is_private = [bool(potential.is_private[self.flow.op_of(load)]) for load in loads]
        own = {self.flow.activation_of(load) for load in loads} if all(is_private) else None
        rows = np.column_stack([potential.edge_stretch[edges], potential.edge_block[edges]])
        for stretch, block in rows.tolist():
            instances = self.flow.queries.instances_of(stretch)
            low = np.asarray(instances.searchsorted(since), np.int64)
            high = np.asarray(instances.searchsorted(until), np.int64)
            if not np.any(low < high):
                continue
            for at in sampled(_Places(low, high)):
                instance = Instance(int(instances[at]))
                if own is not None and self.flow.activation(instance) not in own:
                    continue
                # The last load that the branch lies before, after the definition of what it read.
                reader = int(np.flatnonzero((low <= at) & (at < high))[-1])
                load, branch = loads[reader], self._end(instance)
                if not self._went_elsewhere(instance, block) or self._controls(branch, load):
                    continue
                shown = self.visible(branch)
                if shown is not None:
                    yield Raised(Influence.INDIRECT, shown, load)

    def _withheld(self, steps: Iterable[Step]) -> Iterator[Raised]:
        """Yield the branches that could have put more into an object that a step read."""
        for step in steps if self.relevance is not None else ():
            for branch in () if self.is_hidden(step) else self.flow.withheld(step):
                shown = self.visible(branch)
                if shown is not None and not self._controls(branch, step):
                    yield Raised(Influence.INDIRECT, shown, step)

    def _controls(self, branch: Step, step: Step) -> bool:
        """Did the branch decide, directly or through others, that the step ran?

        If so, it could not have given the step something else to read by going the other way.
        """
        found = self.flow.controlling_branch(step)
        for _ in range(_MAX_CONTROLLING):
            if found is None or found <= branch:
                break
            found = self.flow.controlling_branch(found)
        return found == branch

    def _went_elsewhere(self, instance: Instance, block: Block) -> bool:
        after = Instance(instance + 1)
        return after < self.flow.instances and self.flow.block(after) != block

    def _unprinted(self, question: Question) -> Iterator[Raised]:
        """Yield the branches that could have printed something where nothing was printed."""
        silence = silence_of(question)
        if self.relevance is None or silence is None:
            return
        for stretch, block in self.relevance.printing.tolist():
            instances = self.flow.queries.instances_of(stretch)
            low = self._ends_before(stretch, (silence.after or 0) + 1)
            high = self._ends_before(stretch, silence.until)
            for at in sampled(range(low, high)):
                instance = Instance(int(instances[at]))
                shown = self.visible(self._end(instance))
                if shown is not None and self._went_elsewhere(instance, block):
                    yield Raised(Influence.INDIRECT, shown, question.about)

    def _guards(self, steps: Iterable[Step]) -> Iterator[Raised]:
        """Yield the branches that could have ended the run before a step.

        Only branches in the same activation and with the same controlling step count.
        """
        last: dict[tuple[Activation, Step | None], Step] = {}  # by activation and controlling step
        for step in steps:
            place = self.flow.region_of(step)
            last[place] = max(step, last.get(place, step))
        for (activation, controlling), step in last.items():
            if self.relevance is None:
                continue
            if self.flow.thread.stream.sections is None:
                guards = self._guards_at.get((activation, controlling), [])
            else:
                guards = self._guards_in(activation, controlling, step)
            for branch in guards:
                if branch < step:
                    shown = self.visible(branch)
                    if shown is not None:
                        yield Raised(Influence.INDIRECT, shown, step)

    @cached_property
    def _guards_at(self) -> dict[tuple[Activation, Step | None], list[Step]]:
        """The branches that could have ended the run, by activation and controlling step."""
        found: dict[tuple[Activation, Step | None], list[Step]] = {}
        if self.relevance is None:
            return found
        stream, code = self.flow.thread.stream, self.flow.thread.image.code
        stretch, first = whole(stream.stretch), whole(stream.first)
        instances = np.flatnonzero(self.relevance.guards[stretch[:-1]])
        stretches = stretch[instances]
        ends = first[instances + 1].astype(np.int64) - 1
        ops = code.stretch_first_op[stretches] + (ends - first[instances])
        kept = code.kind[ops] == BRANCH
        columns = (stream.activation[instances], stream.control[instances], ends)
        for activation, control, branch in zip(*(c[kept].tolist() for c in columns), strict=True):
            found.setdefault((activation, control or None), []).append(branch)
        return found

    def _guards_in(
        self, activation: Activation, controlling: Step | None, until: Step
    ) -> list[Step]:
        """Return the guards of an activation with this controlling step, up to a step.

        This is the same as an entry of `_guards_at`, for a long run: only sections are read in
        which a guard of the function ran between these steps.
        """
        assert self.relevance is not None
        stream, code = self.flow.thread.stream, self.flow.thread.image.code
        row = stream.activations[activation]
        function = int(row["function"])
        since = int(row["first_instance"])
        if controlling is not None:
            since = max(since, self.flow.instance_of(controlling))
        found: list[Step] = []
        for stretch in self._guard_stretches.get(function, ()):
            instances = self.flow.queries.instances_of(stretch)
            low = int(instances.searchsorted(np.uint32(since)))
            high = int(instances.searchsorted(np.uint32(self.flow.instance_of(until))))
            for part in step_chunks(low, high):
                near = np.asarray(instances[part], np.int64)
                own = np.asarray(stream.activation[near]) == activation
                own &= np.asarray(stream.control[near]) == (controlling or 0)
                ends = (self.flow.queries.last_step(Instance(i)) for i in near[own].tolist())
                found += [end for end in ends if code.kind[self.flow.op_of(end)] == BRANCH]
        return sorted(found)

    @cached_property
    def _guard_stretches(self) -> dict[int, list[Stretch]]:
        """The stretches that end with a guard, by function."""
        assert self.relevance is not None
        code = self.flow.thread.image.code
        found: dict[int, list[Stretch]] = {}
        for stretch in np.flatnonzero(self.relevance.guards).tolist():
            function = int(code.block_function[code.stretch_block[stretch]])
            found.setdefault(function, []).append(Stretch(stretch))
        return found

    def _first_definition(self, load: Step) -> int:
        """Return the earliest step that defined a part of what a load read.

        It is 0 if a part was there before the run.
        """
        if self.flow.is_call(load):
            found = self.flow.queries.definitions(load, Part.ARGUMENTS)
            return min((part.step or 0 for part in found if part.kind == "memory"), default=0)
        return min(map(_defining_step, self.flow.node(load).operands), default=0)


def _defining_step(operand: Operand) -> int:
    if isinstance(operand, int):
        return operand
    return operand.step if isinstance(operand, StoredBits | Left) else 0


class _Places(Sequence[int]):
    """The numbers that lie in at least one of several ranges, in order."""

    def __init__(self, low: Steps, high: Steps) -> None:
        cuts = np.unique(np.concatenate([low, high]))
        inside = [bool(((low <= cut) & (cut < high)).any()) for cut in cuts[:-1].tolist()]
        self._low = cuts[:-1][inside]
        sizes = cuts[1:][inside] - self._low
        self._before = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])

    def __len__(self) -> int:
        return int(self._before[-1])

    @overload
    def __getitem__(self, key: int) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> list[int]: ...
    def __getitem__(self, key: int | slice) -> int | list[int]:
        if isinstance(key, slice):
            return [self[at] for at in range(*key.indices(len(self)))]
        if not 0 <= key < len(self):
            raise IndexError(key)
        part = int(np.searchsorted(self._before, key, "right")) - 1
        return int(self._low[part] + key - self._before[part])
