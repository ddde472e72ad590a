"""Which conditions does one recorded run of a C program fulfil?"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from whence.errors import UserError
from whence.frontend.c.tables import OpCode, OpKind
from whence.frontend.recorded_run import RUN
from whence.inputs import InputSource
from whence.paths.c.relevant import RelevantSlices, other_sides
from whence.paths.c.terms import PathPass
from whence.paths.c.words import CRunWords
from whence.paths.conditions import Condition, ConditionKind, PathCondition
from whence.paths.reorder import reorder
from whence.paths.terms import Unknowns
from whence.paths.words import result_words
from whence.program.ids import Step
from whence.program.operations import COp
from whence.subject.command import Ended
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CRecording
from whence.trace.c.replayed import ReplayedLog
from whence.trace.flow import Constant, Operand
from whence.trace.points import find, last_execution
from whence.trace.recording import Thread
from whence.trace.slicer import ByteRange

# Functions of the C++ library that write: of std::ostream, std::num_put, and what they call.
_WRITERS = (
    "_ZNSo", "_ZNKSt7num_put", "_ZSt13__int_to_char", "_ZSt16__ostream", "_ZSt14__ostream",
    "_ZStls",
)  # fmt: skip
_MAX_ORDERED = 300  # steps of a slice that are ordered although inputs do not decide them; guessed
# Slugs of errors that say that a run did not get to a point.
_NOT_REACHED = ("no-such-end", "no-such-byte", "line-not-executed")


class CRun:
    """One recorded run; its conditions are all of them, in the order of its steps."""

    def __init__(self, ended: Ended, recording: CRecording, values: PathPass) -> None:
        self.ended, self._recording = ended, recording
        self.contents: Mapping[InputSource, bytes] = values.contents
        self._values, self._flow = values, values.flow
        self._words = CRunWords(values, values.terms)

    @property
    def thread(self) -> Thread:
        return self._flow.thread

    @cached_property
    def path(self) -> PathCondition:
        """The conditions of the run; to find them takes much longer than to record it."""
        return self._values.run()

    @property
    def unknowns(self) -> Unknowns:
        return self.path.unknowns

    @property
    def conditions(self) -> Sequence[Condition]:
        return self.path.conditions

    @cached_property
    def ways(self) -> Sequence[object]:
        return [self.way(one) for one in self.conditions]

    def way(self, condition: Condition) -> object:
        """Return where a condition of this run stands and which way the run went there."""
        op = self._flow.op_of(condition.step)
        return condition.kind, op, _way(self._flow, condition)

    def slice_conditions(self, at: str) -> Sequence[Condition]:
        """Return the conditions in the relevant slice of a point, in the order for negating."""
        thread = self.path.thread
        assert isinstance(thread, ReplayedLog)
        try:
            criteria = criteria_at(self._recording, thread, at)
        except UserError as error:
            if error.slug not in _NOT_REACHED:
                raise
            return self.conditions  # the run does not get there: any branch may be the reason
        members = self._slices.of(criteria)
        own: dict[Step, list[Condition]] = {}
        for one in self.conditions:
            if one.step in members:
                own.setdefault(one.step, []).append(one)
        slices: dict[Step, set[int]] = {}

        def is_behind(a: Step, b: Step) -> bool:
            if b not in slices:
                slices[b] = self._slices.of([b])
            return a in slices[b]

        steps = sorted({*own, *self._undecided(members)})
        return [one for step in reorder(steps, is_behind) for one in own.get(step, [])]

    def _undecided(self, members: set[int]) -> list[Step]:
        """Return the steps of a slice that are no conditions here, but may be in another run.

        What decides that one of them counts comes before it, as for the others.  If there are too
        many, only the branches are returned, and if these are too many, none is.
        """
        flow = self._flow
        found = [Step(step) for step in members if self._may_decide(Step(step))]
        if len(found) > _MAX_ORDERED:
            found = [step for step in found if flow.kind(step) == OpKind.BRANCH]
        return found if len(found) <= _MAX_ORDERED else []

    def _may_decide(self, step: Step) -> bool:
        """Is a step a condition if inputs decide its operands?"""
        kind, node = self._flow.kind(step), self._flow.node(step)
        if kind == OpKind.BRANCH:
            return bool(node.operands)
        if kind == OpKind.CALL:
            return node.operation.op is COp.OPAQUE
        if node.pointer is not None:
            return self._is_indexed(node.pointer)
        return node.operation.op is COp.SELECT

    def _is_indexed(self, pointer: Operand) -> bool:
        """Does an address have an index that the program computes?"""
        while isinstance(pointer, int) and not isinstance(pointer, Constant):
            node = self._flow.node(pointer)
            if node.operation.op not in (COp.COPY, COp.ADDRESS) or not node.operands:
                return False
            if any(not isinstance(index, Constant) for index in node.operands[1:]):
                return True
            pointer = node.operands[0]
        return False

    @cached_property
    def _slices(self) -> RelevantSlices:
        thread = self.path.thread
        assert isinstance(thread, ReplayedLog)
        stores = [
            one.step for one in self.conditions
            if one.kind is ConditionKind.ADDRESS and self._flow.node(one.step).pointer is not None
        ]  # fmt: skip
        return RelevantSlices(thread, self._values.looked_at, stores)

    def only_writes(self, condition: Condition) -> bool:
        """Does a condition only tell how a number is written: is it one of std::ostream's?"""
        image = self.path.thread.image
        number = image.function_of(self._flow.op_of(condition.step))
        return image.function_names[number].startswith(_WRITERS)

    def words(self, condition: Condition) -> str:
        """Return what a condition says, in the words of the source."""
        value = _way(self._flow, condition)
        return self._words.condition(condition, is_true=isinstance(value, int) and bool(value & 1))

    def is_own(self, condition: Condition) -> bool:
        """Does a condition belong to the program, and not to a header of the system?"""
        return not self._words.place(condition.step).startswith("/")

    def result_words(self) -> str:
        """Return how the run ended, in the words of the source."""
        return result_words(self.ended, self._words.printed())

    def release(self) -> None:
        """Delete what was recorded."""
        _ = self.ways
        shutil.rmtree(self._recording.folder, ignore_errors=True)


_WITH_VALUE = frozenset({
    ConditionKind.ADDRESS, ConditionKind.CALLEE, ConditionKind.SHAPE, ConditionKind.ORDER,
})  # fmt: skip


def _way(flow: CFlow, condition: Condition) -> object:
    """Return which way a run went at a condition."""
    if condition.kind in _WITH_VALUE:
        return condition.value
    if condition.kind not in (ConditionKind.BRANCH, ConditionKind.CASE):
        return condition.value or True
    node = flow.node(condition.step)
    if node.operation.op is COp.SWITCH:
        value = flow.value_of(node.operands[0])
        return value if value in node.operation.extra else "default"
    is_choice = node.operation.op is COp.SELECT
    return flow.value_of(node.operands[0]) if is_choice else flow.value(condition.step)


def criteria_at(recording: CRecording, thread: ReplayedLog, at: str) -> Sequence[Step | ByteRange]:
    """Return the steps that a point of the run stands for; `output` is all that it printed."""
    if at == "output":
        could_print = other_sides(thread, thread.image.relevance().printing)
        return [*_printed(thread), *map(Step, could_print.tolist())]
    if at.startswith("return:"):
        return _returned(thread, at.removeprefix("return:"))
    point = find(recording, at)
    return [*point.criteria, *_loads_at(thread, at, point.criteria)]


def _loads_at(thread: ReplayedLog, at: str, criteria: Sequence[Step | ByteRange]) -> Iterator[Step]:
    """Yield the loads that FILE:LINE:VARIABLE stands for: other branches could have set it."""
    match = re.fullmatch(r"(.+):(\d+):(\w+)", at)
    if match is None:
        return
    image, line = thread.image, int(match[2])
    definers = {step for step in criteria if isinstance(step, int)}
    for step in last_execution(thread, np.flatnonzero(image.rows == line)):
        code = image.program.ops["code"][thread.queries.op_of(step)]
        if code not in (OpCode.LOAD, OpCode.LLOAD):
            continue
        if any(found.step in definers for found in thread.queries.definitions(step)):
            yield step


def _printed(thread: ReplayedLog) -> list[ByteRange]:
    lengths = thread.stream.effects["len"]
    return [ByteRange(row, 0, int(lengths[row])) for row in thread._outputs().tolist()]


def _returned(thread: ReplayedLog, function: str) -> list[Step]:
    """Return the step with which the last call of a function returned."""
    image, activations = thread.image, thread.stream.activations
    if function not in (*image.function_names, *image.spoken_names):
        raise UserError(
            f"--at return:{function}: the program has no such function.\n"
            "Name a function as the source does.",
            slug="no-such-function",
        )
    ends = activations["ret"][activations["ret"] > 0]
    for step in np.sort(ends)[::-1].tolist():
        number = image.function_of(thread.queries.op_of(Step(step)))
        if function in (image.function_names[number], image.spoken_names[number]):
            return [Step(step)]
    raise UserError(f"{function} did not return in this run.", slug="line-not-executed")


def opened(out: Path) -> CRecording:
    """Return the run that was recorded into a folder."""
    return CRecording(out, json.loads((out / RUN).read_text("utf-8")))
