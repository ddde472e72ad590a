"""Which conditions of a Python run can change a point of it, and in which order are they negated?

1. An operation that may raise, and a branch with a side that does, decide whether anything after
   them runs.  So they belong to the relevant slice of every later step, with all that they need.
   So does one that cannot raise here, but on another value that inputs could have chosen for it.
2. The test of `a if test else b` decides its value, also where `a` and `b` are constants.
3. What a step reads of an input depends on how much was read before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from whence.paths.conditions import Condition
from whence.paths.reorder import reorder
from whence.program.ids import Instance, Op, Step
from whence.trace.columns import U32
from whence.trace.python.flow import PythonFlow
from whence.trace.python.maydefine import may_raise
from whence.trace.python.program import PythonProgram
from whence.trace.python.slicer import slice_python

_MAX_BRANCHES = 300  # in a slice, that are ordered although inputs do not decide them; guessed

_MAX_RAISING = 200  # executed operations that may raise, whose values are followed; guessed


class PythonSlices:
    """The relevant slices of one run.

    `decided` are the steps with a condition, `raising` those that inputs may make raise, `reads`
    those that read inputs in parts.
    """

    def __init__(
        self, flow: PythonFlow, decided: Collection[Step], raising: Collection[Step],
        reads: Collection[Step],
    ) -> None:  # fmt: skip
        self._flow, self._reads = flow, sorted(reads)
        self._relevance = flow.python.image.relevance()
        self._since: dict[int, Step] = {}  # by step: the first deciding step that depends on it
        self._known: set[int] = set()
        self._slices: dict[Step, set[int]] = {}
        self._deciding = sorted({*raising, *self._guards(), *self._could_raise(decided, raising)})

    def chosen(self, criteria: Sequence[Step], conditions: Sequence[Condition]) -> list[Condition]:
        """Return the conditions in the slice of some steps, in the order for negating."""
        last = max(criteria, default=Step(0))
        self._follow_deciding(last)
        members = self._slice(criteria) | self._since.keys()
        own: dict[Step, list[Condition]] = {}
        for one in conditions:
            if one.step in members:
                own.setdefault(one.step, []).append(one)
        steps = sorted({*own, *self._branches(members)})
        return [one for step in reorder(steps, self._is_behind) for one in own.get(step, [])]

    def _is_behind(self, a: Step, b: Step) -> bool:
        """Is a step in the relevant slice of a later one?"""
        if a in self._since and self._since[a] < b:
            return True
        return a in self._slice_of(b)

    def _slice_of(self, step: Step) -> set[int]:
        if step not in self._slices:
            self._slices[step] = self._slice([step])
        return self._slices[step]

    def _follow_deciding(self, last: Step) -> None:
        """Note what the deciding steps before a step depend on."""
        for step in self._deciding:
            if step > last:
                return
            if step not in self._known:
                self._known.add(step)
                for member in self._slice_of(step):
                    self._since.setdefault(member, step)

    def _slice(self, criteria: Sequence[Step]) -> set[int]:
        """Return the relevant slice, with the tests of its conditional expressions."""
        found: set[int] = set()
        todo: Collection[Step] = criteria
        while todo:
            new = slice_python(
                self._flow, sorted(todo), relevance=self._relevance, either_side=True
            ).tolist()
            chosen = [step for step in new if step not in found]
            found.update(new)
            tests = {self._test_of(Step(step)) for step in chosen}
            tests.update(*(self._read_before(Step(step)) for step in chosen))
            todo = {step for step in tests if step is not None and step not in found}
        return found

    def _read_before(self, step: Step) -> list[Step]:
        """Return the step that read before this one, and the branches that could have read since.

        There are none if the step reads nothing.
        """
        at = bisect_left(self._reads, step)
        if at == len(self._reads) or self._reads[at] != step:
            return []
        last = self._reads[at - 1] if at else Step(0)
        unread = other_sides(self._flow, self._relevance.reading)
        found = [branch for branch in unread if last < branch < step]
        return [last, *found] if last else found

    def _test_of(self, step: Step) -> Step | None:
        """Return the branch that chose the value of `a if test else b`; None if it is none.

        It ends the block before, or decides that the block before runs.
        """
        flow = self._flow
        if flow.opcode(step) != "phi":
            return None
        before = flow.previous_instance(flow.instance_of(step))
        if before is None:
            return None
        last = flow.queries.last_step(before)
        return last if flow.opcode(last) == "branch" else flow.controlling_step(last)

    def _guards(self) -> list[Step]:
        """Return the branches after which nothing more may run.

        One is also a branch with a side that may raise, whichever side it took: otherwise two runs
        that took different sides would negate their conditions in different orders.
        """
        stretches = np.asarray(self._flow.thread.stream.stretch)
        is_guard = self._relevance.guards[stretches]
        last_step = self._flow.queries.last_step
        found = [last_step(Instance(number)) for number in np.flatnonzero(is_guard).tolist()]
        return found + [branch for branch, _ in _sided(self._flow, self._relevance.raising)]

    def _could_raise(self, decided: Collection[Step], raising: Collection[Step]) -> list[Step]:
        """Return the steps that could raise on another value, which the decided steps choose.

        In the run with that value the step has a condition.  If there are too many, none counts.
        """
        flow, program = self._flow, self._flow.program
        ops = [op for op in range(len(program.opcode)) if _gets_a_value(program, op)]
        if sum(len(flow.executions(Op(op))) for op in ops) > _MAX_RAISING:
            return []
        steps = {Step(step) for op in ops for step in flow.executions(Op(op))[:].tolist()}
        return [step for step in steps - {*raising} if self._slice_of(step) & {*decided}]

    def _branches(self, members: Collection[int]) -> list[Step]:
        """Return the branches of a slice; if there are too many, none."""
        found = [Step(step) for step in members if self._flow.opcode(Step(step)) == "branch"]
        return found if len(found) <= _MAX_BRANCHES else []


def _gets_a_value(program: PythonProgram, op: int) -> bool:
    """May an operation raise, on operands that are not all constants?"""
    operands = program.uses[op][1 if program.opcode[op] == "call" else 0 :]
    return may_raise(program, op) and any(use is None or use >= 0 for use in operands)


def other_sides(flow: PythonFlow, sides: U32) -> list[Step]:
    """Return the branches of a run that did not take one of these sides.

    `sides` are rows of stretch and block.
    """
    return [branch for branch, is_other in _sided(flow, sides) if is_other]


def _sided(flow: PythonFlow, sides: U32) -> Iterator[tuple[Step, bool]]:
    """Yield the branches of a run that have one of these sides, and whether they left one out."""
    blocks_of: dict[int, set[int]] = {}
    for stretch, block in sides.tolist():
        blocks_of.setdefault(stretch, set()).add(block)
    stream, code = flow.thread.stream, flow.thread.image.code
    stretches = np.asarray(stream.stretch)
    for instance in np.flatnonzero(np.isin(stretches[:-1], list(blocks_of))).tolist():
        went = int(code.stretch_block[stretches[instance + 1]])
        is_other = bool(blocks_of[int(stretches[instance])] - {went})
        yield flow.queries.last_step(Instance(instance)), is_other
