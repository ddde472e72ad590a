"""Which predicates are critical for a proof: what else had to hold for it to come about?

A branch that decided that one of its steps ran (direct influence); a branch that, gone the other
way, could have redefined what one of its steps read (indirect influence); and that a load or a
store went where it went.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from whence.model import Influence
from whence.semantics.proof import ALL, Proof
from whence.trace.conditions import Conditions
from whence.trace.flow import Constant, Flow, Left, Operand, Outside, Piece
from whence.trace.queries import Part
from whence.trace.relevance import Relevance

Steps = npt.NDArray[np.int64]
_MOST_ELSEWHERE = 8  # executions of one store that are asked about
_SEEDS = frozenset[tuple[Operand, int]]


@dataclass(frozen=True)
class Question:
    """Something that held in the run, maybe many times, and wants a reason.

    Of a condition: `op` is its first branch, `side` the block that it went to, and `steps` the
    last branch of it each time that it was settled.  Of an address: the op that went there and
    the steps that did.  `about` is a step that it bears on.
    """

    influence: Influence
    op: int
    side: int
    steps: frozenset[int]
    about: int
    seeds: _SEEDS = frozenset()  # what is to be shown, if it is no condition
    deciders: tuple[int, ...] = ()  # branches that decided that it came to this
    is_far: bool = False  # of a store that went elsewhere: the last that one would ask about
    silence: tuple[int, int] | None = None  # steps between which something may be missing in print

    @property
    def identity(self) -> tuple[bool, int, int]:
        """Equal for those that ask the same of the program, whichever turn of a loop it is."""
        return self.influence is Influence.ADDRESS, self.op, self.side


class Critical:
    """Finds the critical predicates of proofs."""

    def __init__(
        self, flow: Flow, conditions: Conditions, relevance: Relevance | None, hidden: set[int]
    ) -> None:
        """`hidden`: the activations of functions that are taken as a whole, and all in them."""
        self.flow, self.conditions, self.relevance = flow, conditions, relevance
        self.hidden = hidden

    def of(self, proof: Proof, question: Question) -> list[Question]:
        """The questions that a proof leaves open, the nearest to its end first."""
        found: dict[tuple[Influence, int, int], Question] = {}
        for one in (
            *self._direct(proof, question),
            *self._addresses(proof),
            *self._indirect(proof),
            *self._guards(proof),
            *self._unprinted(question),
            *self._elsewhere(proof),
        ):
            key = (one.influence, one.op, one.side)
            known = found.get(key)
            if known is not None:
                about = max(known.about, one.about)
                one = replace(one, steps=known.steps | one.steps, about=about)
            found[key] = one
        return sorted(found.values(), key=_nearest_first)

    # --- direct --------------------------------------------------------------------------------

    def _direct(self, proof: Proof, question: Question) -> Iterator[Question]:
        own = {step for one in question.steps for step in self.conditions.executed(one)} \
            if not question.seeds else set()  # fmt: skip
        deciders: dict[int, int] = dict.fromkeys(question.deciders, question.about)
        seen: set[int] = set()
        for step in sorted(proof.steps, reverse=True):
            instance = self.flow.instance_of(step)
            if instance in seen:
                continue
            seen.add(instance)
            decided = self.visible(self.flow.deciding(step))
            if decided is not None and decided not in own:
                deciders.setdefault(decided, step)
        for decided, about in deciders.items():
            yield self.condition(Influence.DIRECT, decided, about)

    def visible(self, branch: int | None) -> int | None:
        """A branch as it is, or if it is hidden the one that decided about the call around it."""
        while branch is not None and self.flow.activation_of(branch) in self.hidden:
            branch = self.flow.deciding(branch)
        return branch

    def condition(self, influence: Influence, branch: int, about: int) -> Question:
        side = self.flow.queries.side_of(branch)
        return Question(
            influence, self.conditions.head(branch), side or 0, frozenset({branch}), about
        )

    # --- addresses -----------------------------------------------------------------------------

    def _addresses(self, proof: Proof) -> Iterator[Question]:
        for step, pointer in proof.pointers.items():
            if self.flow.activation_of(step) in self.hidden or self._is_fixed(pointer):
                continue
            yield Question(
                Influence.ADDRESS,
                self.flow.op_of(step),
                0,
                frozenset({step}),
                step,
                frozenset({(pointer, ALL)}),
            )

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

    # --- indirect ------------------------------------------------------------------------------

    def _indirect(self, proof: Proof) -> Iterator[Question]:
        if self.relevance is None:
            return
        potential = self.relevance.potential
        by_class: dict[int, list[int]] = {}
        for step in proof.loads:
            number = int(potential.class_of_op[self.flow.op_of(step)])
            if number < len(potential.class_start) - 1 and not self._is_hidden(step):
                by_class.setdefault(number, []).append(step)
        for number, loads in sorted(by_class.items()):
            first, last = (int(potential.class_start[number + k]) for k in (0, 1))
            if first < last:
                edges = potential.class_edge[first:last]
                yield from self._redefining(sorted(loads), edges)

    def _is_hidden(self, step: int) -> bool:
        return self.flow.activation_of(step) in self.hidden

    def _redefining(self, loads: list[int], edges: npt.NDArray[np.uint32]) -> Iterator[Question]:
        """The branches between the definitions of what some loads read and these loads."""
        assert self.relevance is not None
        potential, queries = self.relevance.potential, self.flow.queries
        steps = np.array(loads, np.int64)
        since = np.array([self._defined(load) for load in loads], np.int64)
        private = {
            self.flow.activation_of(load)
            for load in loads
            if potential.is_private[self.flow.op_of(load)]
        }
        only_private = all(potential.is_private[self.flow.op_of(load)] for load in loads)
        stream, code = self.flow.thread.stream, self.flow.thread.image.code
        for edge in edges:
            stretch, block = int(potential.edge_stretch[edge]), int(potential.edge_block[edge])
            instances = queries.instances_of(stretch).astype(np.int64)
            if not len(instances):
                continue
            ends = stream.first[instances].astype(np.int64) + int(code.stretch_ops[stretch]) - 1
            low, high = np.searchsorted(ends, since + 1), np.searchsorted(ends, steps)
            reader = _covering(low, high, len(ends))
            for at in np.flatnonzero(reader >= 0).tolist():
                instance, branch = int(instances[at]), int(ends[at])
                if only_private and int(stream.activation[instance]) not in private:
                    continue
                if instance + 1 >= len(stream.first) or queries.block_of(instance + 1) == block:
                    continue
                seen = self.visible(branch)
                if seen is not None:
                    yield self.condition(Influence.INDIRECT, seen, loads[int(reader[at])])

    def _unprinted(self, question: Question) -> Iterator[Question]:
        """Branches that could have printed something where nothing was printed."""
        if self.relevance is None or question.silence is None:
            return
        since, until = question.silence
        for branch in self._passed(self.relevance.printing, since, until):
            seen = self.visible(branch)
            if seen is not None:
                yield self.condition(Influence.INDIRECT, seen, question.about)

    def _passed(self, edges: npt.NDArray[np.uint32], since: int, until: int) -> Iterator[int]:
        """The branches between two steps that did not go these ways."""
        stream, queries = self.flow.thread.stream, self.flow.queries
        for stretch, block in edges.tolist():
            instances = queries.instances_of(stretch).astype(np.int64)
            last = int(self.flow.thread.image.code.stretch_ops[stretch]) - 1
            ends = stream.first[instances].astype(np.int64) + last
            low, high = np.searchsorted(ends, [since + 1, until])
            for at in range(int(low), int(high)):
                after = int(instances[at]) + 1
                if after < len(stream.first) and queries.block_of(after) != block:
                    yield int(ends[at])

    def _guards(self, proof: Proof) -> Iterator[Question]:
        """Branches, beside a step of the proof and before it, that could have ended the run."""
        if self.relevance is None:
            return
        stream, guards = self.flow.thread.stream, self.relevance.guards
        last: dict[tuple[int, int], int] = {}  # by activation and what decided in it
        for step in proof.steps:
            instance = self.flow.instance_of(step)
            place = int(stream.activation[instance]), int(stream.control[instance])
            last[place] = max(step, last.get(place, 0))
        for (activation, decider), step in sorted(last.items()):
            beside = self.flow.queries.decided_by(decider)
            for instance in beside[guards[stream.stretch[beside]]].tolist():
                branch = self.flow.queries.last_step(instance)
                if branch >= step or int(stream.activation[instance]) != activation:
                    continue
                seen = self.visible(branch)
                if seen is not None and self.flow.is_branch(seen):
                    yield self.condition(Influence.INDIRECT, seen, step)

    def _elsewhere(self, proof: Proof) -> Iterator[Question]:
        """Stores that could have written what a load read, had they gone there."""
        if self.relevance is None:
            return
        queries, stream = self.flow.queries, self.flow.thread.stream
        code = self.flow.thread.image.code
        for load in sorted(proof.loads):
            if self._is_hidden(load):
                continue
            since = self._defined(load)
            for op in self.relevance.writers_for(self.flow.op_of(load)):
                stretch = int(code.op_stretch[op])
                instances = queries.instances_of(stretch).astype(np.int64)
                inside = op - int(code.stretch_first_op[stretch])
                steps = stream.first[instances].astype(np.int64) + inside
                low, high = np.searchsorted(steps, [since + 1, load])
                for store in steps[max(low, high - _MOST_ELSEWHERE) : high].tolist():
                    pointer = self.flow.node(store).pointer
                    if pointer is None or self._is_hidden(store) or self._is_fixed(pointer):
                        continue
                    seeds = frozenset({(pointer, ALL)})
                    yield Question(
                        Influence.ADDRESS, op, 0, frozenset({store}), load, seeds, is_far=True
                    )

    def _defined(self, load: int) -> int:
        """The earliest step that made what a load read; 0 if it was there before the run."""
        if self.flow.is_call(load):
            found = self.flow.queries.definitions(load, Part.ARGUMENTS)
            return min((one.step for one in found if one.kind == "memory"), default=0)
        steps = []
        for operand in self.flow.node(load).operands:
            if isinstance(operand, Piece | Left):
                steps.append(operand.step)
            elif isinstance(operand, int):
                steps.append(operand)
            elif isinstance(operand, Outside):
                steps.append(operand.step if operand.step != load else 0)
        return min(steps, default=0)


def _covering(low: Steps, high: Steps, count: int) -> Steps:
    """For each of `count` places, the number of the last range low..high that holds it, or -1."""
    found = np.full(count, -1, np.int64)
    for number, (start, stop) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if start < stop:
            found[start:stop] = number
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
