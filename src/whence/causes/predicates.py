"""Which predicates are critical for a proof: what else had to hold for it to come about?

A branch that decided that one of its steps ran (direct influence); a branch that, gone the other
way, could have redefined what one of its steps read, could have printed what is missing, or
could have ended the run (indirect influence); and that a load or a store went where it went.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from whence.causes.cancellation import Cancellation
from whence.logic.logic import ALL
from whence.model import Influence
from whence.trace.columns import BRANCH
from whence.trace.conditions import Conditions
from whence.trace.flow import Constant, Flow, Left, Operand, StoredBits
from whence.trace.queries import Part
from whence.trace.relevance import Relevance

Steps = npt.NDArray[np.int64]
_MOST_ELSEWHERE = 8  # executions of one store that are asked about for one load
_MOST_DECIDERS = 100  # around one step that are looked at
MOST_TURNS = 48  # of one condition that are asked about; the others are like them


@dataclass(frozen=True)
class Question:
    """Something that held in the run, maybe many times, and wants a reason.

    Of a condition: `op` is its first branch, `side` the block that it went to, and `steps` the
    last branch of it each time that it was settled.  Of an address: the op that went there and
    the steps that did.
    """

    influence: Influence
    op: int
    side: int
    steps: frozenset[int]
    about: int  # a step that it bears on, the last
    bears_on: frozenset[int] = frozenset()  # all of them
    seeds: frozenset[tuple[Operand, int]] = frozenset()  # what is to be shown, if no condition
    deciders: tuple[int, ...] = ()  # branches that decided that it came to this
    silence: tuple[int, int] | None = None  # steps between which something may be missing in print
    is_far: bool = False  # a store that went elsewhere: the last that one would ask about
    turns: int = 1  # how often it held; of many, `steps` has some
    raw: frozenset[int] = frozenset()  # the branches, loads or stores that it was raised for

    @property
    def identity(self) -> tuple[bool, int, int]:
        """Equal for those that ask the same of the program, whichever turn of a loop it is."""
        return self.influence is Influence.ADDRESS, self.op, self.side


class CriticalPredicates:
    """Finds the critical predicates of proofs."""

    def __init__(
        self, flow: Flow, conditions: Conditions, relevance: Relevance | None, hidden: set[int]
    ) -> None:
        """`hidden`: the activations of functions that are taken as a whole, and all in them."""
        self.flow, self.conditions, self.relevance = flow, conditions, relevance
        self.hidden = hidden
        self._keys: dict[int, tuple[int, int]] = {}
        self._executed: dict[int, Steps] = {}
        self.cancellation = Cancellation()  # a search sets its own
        self.raised_before: set[tuple[bool, int]] = set()  # what was raised before
        self.repeated: set[tuple[bool, int]] = set()  # and again, since the owner last looked

    def of(
        self, steps: Iterable[int], question: Question, premises: Iterable[int] = ()
    ) -> list[Question]:
        """The questions that steps of a proof leave open, the nearest to its end first."""
        ordered = sorted(steps, reverse=True)
        loads = [step for step in ordered if self._reads(step)]
        raised = (
            ((Influence.PREMISE, False, branch, question.about) for branch in premises),
            self._direct(ordered, question),
            self._addresses(ordered),
            self._indirect(loads),
            self._withheld(ordered),
            self._guards(ordered),
            self._unprinted(question),
            self._elsewhere(loads),
        )
        return self._gathered(raised)

    def _gathered(self, raised: Iterable[Iterable[Raised]]) -> list[Question]:
        """What was raised and was not before, as questions."""
        near: dict[tuple[Influence, bool, int, int], _Gathered] = {}
        for some in raised:
            for influence, is_far, step, about in some:
                self.cancellation.check()
                is_address = influence is Influence.ADDRESS
                if (is_address, step) in self.raised_before:
                    self.repeated.add((is_address, step))
                    continue
                side = 0 if is_address else self.flow.side_of(step) or 0
                key = (influence, is_far, self.flow.op_of(step), side)
                near.setdefault(key, _Gathered()).add(step, about)
        return self._questions(near)

    def _questions(self, near: dict[tuple[Influence, bool, int, int], _Gathered]) -> list[Question]:
        """Questions about source conditions; of many turns only some are looked at closely."""
        found: dict[tuple[Influence, bool, int, int], _Gathered] = {}
        for (influence, is_far, op, _side), gathered in near.items():
            is_address = influence is Influence.ADDRESS
            self.raised_before.update((is_address, step) for step in gathered.steps)
            chosen = sampled(sorted(gathered.steps))
            for number, step in enumerate(chosen):
                end = step if is_address else self.conditions.settled(step)
                if influence is Influence.DIRECT and gathered.steps[step] < end:
                    end = step  # it decided about something inside the condition
                key = (influence, is_far, *((op, 0) if is_address else self._key(end)))
                other = found.setdefault(key, _Gathered())
                other.add(end, gathered.steps[step])
                if number == 0:
                    other.raw |= gathered.steps.keys()
                    other.turns += len(gathered.steps)
        return sorted(
            (self._question(key, gathered) for key, gathered in found.items()), key=_nearest_first
        )

    def _question(self, key: tuple[Influence, bool, int, int], gathered: _Gathered) -> Question:
        influence, is_far, op, side = key
        abouts = gathered.steps.values()
        question = Question(
            influence,
            op,
            side,
            frozenset(gathered.steps),
            max(abouts),
            frozenset(abouts),
            is_far=is_far,
            turns=max(gathered.turns, len(gathered.steps)),
            raw=frozenset(gathered.raw),
        )
        return self.narrowed(question, question.steps)

    def narrowed(self, question: Question, steps: frozenset[int]) -> Question:
        """The question of these steps alone."""
        if question.influence is not Influence.ADDRESS:
            return replace(question, steps=steps)
        pointers = (pointer for step in steps for pointer in self.flow.node(step).pointers)
        seeds = frozenset((pointer, ALL) for pointer in pointers)
        return replace(question, steps=steps, seeds=seeds)

    def _key(self, branch: int) -> tuple[int, int]:
        found = self._keys.get(branch)
        if found is None:
            side = self.flow.side_of(branch) or 0
            found = self._keys[branch] = self.conditions.head(branch), side
        return found

    def is_same(self, question: Question, branch: int) -> bool:
        """Is a branch another turn of the condition that a question is about?"""
        if question.influence in (Influence.ADDRESS, Influence.FAILURE):
            return False
        return self._key(branch) == (question.op, question.side)

    def turns(self, branches: Iterable[int]) -> set[int]:
        """These branches, and all turns of the loops that they are of: the same branch, in the
        same activation, before them, going the same way."""
        found: set[int] = set()
        for branch in sorted(branches, reverse=True):
            if branch in found:
                continue
            found.add(branch)
            stretch = int(self.flow.thread.image.code.op_stretch[self.flow.op_of(branch)])
            instances, ends = self._branches(stretch)
            before = slice(None, int(np.searchsorted(ends, branch)))
            activations = self.flow.thread.stream.activation[instances[before]]
            own = np.flatnonzero(activations == self.flow.activation_of(branch))
            side = self.flow.side_of(branch)
            same = (at for at in own.tolist() if self.flow.block(int(instances[at]) + 1) == side)
            found.update(int(ends[at]) for at in same)
        return found

    # --- direct --------------------------------------------------------------------------------

    def _direct(self, steps: Iterable[int], question: Question) -> Iterator[Raised]:
        own: set[int] = set()
        if not question.seeds:
            for step in question.steps:
                own.update(self.conditions.executed(step))
        for decided, about in self.deciders(steps, question).items():
            if decided not in own:
                yield Influence.DIRECT, False, decided, about

    def deciders(self, steps: Iterable[int], question: Question) -> dict[int, int]:
        """The branches that decided that some steps ran, each with one of them."""
        found = dict.fromkeys(question.deciders, question.about)
        seen: set[int] = set()
        for step in steps:
            instance = self.flow.instance_of(step)
            if instance not in seen:
                seen.add(instance)
                decided = self.visible(self.flow.controlling_branch(step))
                if decided is not None:
                    found.setdefault(decided, step)
        return found

    def visible(self, branch: int | None) -> int | None:
        """A branch as it is; if it is hidden, the one that decided about the call around it, and
        if it has no line, as the compiler made it, the one that decided about it."""
        rows = self.flow.thread.image.rows
        while branch is not None and (self.is_hidden(branch) or not rows[self.flow.op_of(branch)]):
            branch = self.flow.controlling_branch(branch)
        if branch is None or not self.flow.is_branch(branch):
            return None  # a call that could have thrown: nobody decides about that here
        return branch

    def is_hidden(self, step: int) -> bool:
        """Is the step inside a function that is taken as a whole?"""
        return bool(self.hidden) and self.flow.activation_of(step) in self.hidden

    # --- addresses -----------------------------------------------------------------------------

    def _addresses(self, steps: Iterable[int]) -> Iterator[Raised]:
        for step in steps:
            pointers = self.flow.node(step).pointers
            if not self.is_hidden(step) and not all(map(self._is_fixed, pointers)):
                yield Influence.ADDRESS, False, step, step

    def _is_fixed(self, operand: Operand) -> bool:
        """Is it the address of a variable, or of a part of it, which could be nowhere else?"""
        while isinstance(operand, int):
            node = self.flow.node(operand)
            if not node.operands:
                return True
            if self.flow.is_load(operand) or len(node.operands) > 1:
                return False
            operand = node.operands[0]
        return isinstance(operand, Constant)

    def _elsewhere(self, loads: Iterable[int]) -> Iterator[Raised]:
        """Stores that could have written what a load read, had they gone there."""
        if self.relevance is None:
            return
        for load in loads:
            since = None
            for op in self.relevance.writers_for(self.flow.op_of(load)):
                steps = self.executions(op)
                if not len(steps):
                    continue
                since = self._defined(load) if since is None else since
                low, high = (int(at) for at in np.searchsorted(steps, [since + 1, load]))
                for store in steps[max(low, high - _MOST_ELSEWHERE) : high].tolist():
                    pointer = self.flow.node(store).pointer
                    if pointer is None or self.is_hidden(store) or self._is_fixed(pointer):
                        continue
                    yield Influence.ADDRESS, True, store, load

    def executions(self, op: int) -> Steps:
        """The steps that executed an op."""
        if op not in self._executed:
            self._executed[op] = self.flow.executions(op)
        return self._executed[op]

    # --- indirect ------------------------------------------------------------------------------

    def _reads(self, step: int) -> bool:
        """Did it read memory, in a way that the analysis knows of?"""
        if self.relevance is None or self.is_hidden(step):
            return False
        potential = self.relevance.potential
        return int(potential.class_of_op[self.flow.op_of(step)]) < len(potential.class_start) - 1

    def _indirect(self, loads: Iterable[int]) -> Iterator[Raised]:
        if self.relevance is None:
            return
        potential = self.relevance.potential
        by_class: dict[int, list[int]] = {}
        for step in loads:
            by_class.setdefault(int(potential.class_of_op[self.flow.op_of(step)]), []).append(step)
        for number, of_class in sorted(by_class.items()):
            first, last = (int(potential.class_start[number + k]) for k in (0, 1))
            if first < last:
                yield from self._redefining(sorted(of_class), potential.class_edge[first:last])

    def _redefining(self, loads: list[int], edges: npt.NDArray[np.uint32]) -> Iterator[Raised]:
        """The branches between the definitions of what some loads read and these loads."""
        assert self.relevance is not None
        potential = self.relevance.potential
        since = np.array([self._defined(load) for load in loads], np.int64)
        steps = np.array(loads, np.int64)
        is_private = [bool(potential.is_private[self.flow.op_of(load)]) for load in loads]
        own = {self.flow.activation_of(load) for load in loads} if all(is_private) else None
        rows = np.column_stack([potential.edge_stretch[edges], potential.edge_block[edges]])
        for stretch, block in rows.tolist():
            instances, ends = self._branches(stretch)
            low, high = np.searchsorted(ends, since + 1), np.searchsorted(ends, steps)
            if not np.any(low < high):
                continue
            reader = _covering(low, high, len(ends))
            for at in sampled(np.flatnonzero(reader >= 0).tolist()):
                instance = int(instances[at])
                if own is not None and self.flow.activation(instance) not in own:
                    continue
                load, branch = loads[int(reader[at])], int(ends[at])
                if not self._went_elsewhere(instance, block) or self._decided(branch, load):
                    continue
                seen = self.visible(branch)
                if seen is not None:
                    yield Influence.INDIRECT, False, seen, load

    def _withheld(self, steps: Iterable[int]) -> Iterator[Raised]:
        """The branches that could have put more into what some steps read."""
        for step in steps if self.relevance is not None else ():
            for branch in () if self.is_hidden(step) else self.flow.withheld(step):
                seen = self.visible(branch)
                if seen is not None and not self._decided(branch, step):
                    yield Influence.INDIRECT, False, seen, step

    def _branches(self, stretch: int) -> tuple[Steps, Steps]:
        """The instances of a stretch, and the last step of each."""
        stream, code = self.flow.thread.stream, self.flow.thread.image.code
        instances = self.flow.queries.instances_of(stretch).astype(np.int64)
        last = int(code.stretch_ops[stretch]) - 1
        return instances, stream.first[instances].astype(np.int64) + last

    def _decided(self, branch: int, step: int) -> bool:
        """Did the branch decide that the step ran, near or far?  Then, gone the other way, it
        would not have given the step something else to read."""
        found = self.flow.controlling_branch(step)
        for _ in range(_MOST_DECIDERS):
            if found is None or found <= branch:
                break
            found = self.flow.controlling_branch(found)
        return found == branch

    def _went_elsewhere(self, instance: int, block: int) -> bool:
        after = instance + 1
        return after < self.flow.instances and self.flow.block(after) != block

    def _unprinted(self, question: Question) -> Iterator[Raised]:
        """Branches that could have printed something where nothing was printed."""
        if self.relevance is None or question.silence is None:
            return
        for stretch, block in self.relevance.printing.tolist():
            instances, ends = self._branches(stretch)
            low, high = np.searchsorted(ends, [question.silence[0] + 1, question.silence[1]])
            for at in sampled(list(range(int(low), int(high)))):
                seen = self.visible(int(ends[at]))
                if seen is not None and self._went_elsewhere(int(instances[at]), block):
                    yield Influence.INDIRECT, False, seen, question.about

    def _guards(self, steps: Iterable[int]) -> Iterator[Raised]:
        """Branches, beside a step and before it, that could have ended the run."""
        last: dict[tuple[int, int | None], int] = {}  # by activation and what decided in it
        for step in steps:
            place = self.flow.region_of(step)
            last[place] = max(step, last.get(place, 0))
        for (activation, decided), step in last.items():
            for branch in self._guards_at.get((activation, decided), ()):
                if branch < step:
                    seen = self.visible(branch)
                    if seen is not None:
                        yield Influence.INDIRECT, False, seen, step

    @cached_property
    def _guards_at(self) -> dict[tuple[int, int | None], list[int]]:
        """The branches that could have ended the run, by activation and what decided there."""
        found: dict[tuple[int, int | None], list[int]] = {}
        if self.relevance is None:
            return found
        stream, code = self.flow.thread.stream, self.flow.thread.image.code
        instances = np.flatnonzero(self.relevance.guards[stream.stretch[:-1]])
        stretches = stream.stretch[instances]
        ends = stream.first[instances + 1].astype(np.int64) - 1
        ops = code.stretch_first_op[stretches] + (ends - stream.first[instances])
        kept = code.kind[ops] == BRANCH
        columns = (stream.activation[instances], stream.control[instances], ends)
        for activation, control, branch in zip(*(c[kept].tolist() for c in columns), strict=True):
            found.setdefault((activation, control or None), []).append(branch)
        return found

    def _defined(self, load: int) -> int:
        """The earliest step that made what a load read; 0 if it was there before the run."""
        if self.flow.is_call(load):
            found = self.flow.queries.definitions(load, Part.ARGUMENTS)
            return min((one.step or 0 for one in found if one.kind == "memory"), default=0)
        return min(map(self._made, self.flow.node(load).operands), default=0)

    def _made(self, operand: Operand) -> int:
        if isinstance(operand, int):
            return operand
        return operand.step if isinstance(operand, StoredBits | Left) else 0


Raised = tuple[Influence, bool, int, int]  # influence, is it far, the step, and what about


@dataclass
class _Gathered:
    """Steps, each with one that it bears on."""

    steps: dict[int, int] = field(default_factory=dict)
    raw: set[int] = field(default_factory=set)
    turns: int = 0

    def add(self, step: int, about: int) -> None:
        self.steps[step] = max(about, self.steps.get(step, 0))


def sampled(steps: list[int]) -> list[int]:
    """Some of many steps: the last, the first, and others between them."""
    if len(steps) <= MOST_TURNS:
        return steps
    last, first = 2 * MOST_TURNS // 3, MOST_TURNS // 12
    between = steps[first:-last]
    every = -(-len(between) // (MOST_TURNS // 4))
    return [*steps[:first], *between[::every], *steps[-last:]]


def _covering(low: Steps, high: Steps, count: int) -> Steps:
    """For each of `count` places, the number of the last range low..high that holds it, or -1."""
    found = np.full(count, -1, np.int64)
    for number in np.flatnonzero(low < high).tolist():
        found[low[number] : high[number]] = number
    return found


_ORDER = (
    Influence.FAILURE,
    Influence.PREMISE,
    Influence.DIRECT,
    Influence.ADDRESS,
    Influence.INDIRECT,
)


def _nearest_first(question: Question) -> tuple[int, int, int]:
    rank = len(_ORDER) if question.is_far else _ORDER.index(question.influence)
    return rank, -max(question.steps), question.op
