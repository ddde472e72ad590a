"""Which conditions does one recorded run of a C program fulfil?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from whence.errors import UserError
from whence.frontend.recorded_run import RUN
from whence.inputs import InputSource
from whence.paths.c.terms import PathPass
from whence.paths.c.words import CRunWords
from whence.paths.conditions import Condition, ConditionKind
from whence.paths.reorder import reorder
from whence.paths.terms import Unknowns
from whence.paths.words import result_words
from whence.program.ids import Instance, Step
from whence.program.operations import COp
from whence.subject.command import Ended
from whence.trace.c.analysis import CAnalysis
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CRecording
from whence.trace.c.replayed import ReplayedLog
from whence.trace.points import find
from whence.trace.slicer import ByteRange

# Slugs of errors that say that a run did not get to a point.
_NOT_REACHED = ("no-such-end", "no-such-byte", "line-not-executed")


class CRun:
    """One recorded run; its conditions are all of them, in the order of its steps."""

    def __init__(self, ended: Ended, recording: CRecording, values: PathPass) -> None:
        self.ended, self._recording = ended, recording
        self.contents: Mapping[InputSource, bytes] = values.contents
        self.path = values.run()
        self._flow = values.flow
        self._words = CRunWords(values, values.terms)

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
        members = set(_slice(thread, criteria))
        own = [one for one in self.conditions if one.step in members]
        slices = {one.step: set(_slice(thread, [one.step])) for one in own}
        return reorder(own, lambda a, b: a.step in slices[b.step])

    def words(self, condition: Condition) -> str:
        """Return what a condition says, in the words of the source."""
        value = _way(self._flow, condition)
        return self._words.condition(condition, is_true=isinstance(value, int) and bool(value & 1))

    def result_words(self) -> str:
        """Return how the run ended, in the words of the source."""
        return result_words(self.ended, self._words.printed())

    def release(self) -> None:
        """Delete what was recorded."""
        _ = self.ways
        shutil.rmtree(self._recording.folder, ignore_errors=True)


def _way(flow: CFlow, condition: Condition) -> object:
    """Return which way a run went at a condition."""
    if condition.kind is ConditionKind.ADDRESS:
        return flow.address(condition.step)
    if condition.kind not in (ConditionKind.BRANCH, ConditionKind.CASE):
        return True
    node = flow.node(condition.step)
    if node.operation.op is COp.SWITCH:
        value = flow.value_of(node.operands[0])
        return value if value in node.operation.extra else "default"
    is_choice = node.operation.op is COp.SELECT
    return flow.value_of(node.operands[0]) if is_choice else flow.value(condition.step)


def criteria_at(recording: CRecording, thread: ReplayedLog, at: str) -> Sequence[Step | ByteRange]:
    """Return the steps that a point of the run stands for; `output` is all that it printed."""
    if at == "output":
        return [*_printed(thread), *_other_sides(thread)]
    if at.startswith("return:"):
        return _returned(thread, at.removeprefix("return:"))
    return find(recording, at).criteria


def _printed(thread: ReplayedLog) -> list[ByteRange]:
    lengths = thread.stream.effects["len"]
    return [ByteRange(row, 0, int(lengths[row])) for row in thread._outputs().tolist()]


def _other_sides(thread: ReplayedLog) -> Iterator[Step]:
    """Yield the branches that could have printed more by going the other way."""
    stream, code = thread.stream, thread.image.code
    sides: dict[int, set[int]] = {}
    for stretch, block in thread.image.relevance().printing.tolist():
        sides.setdefault(stretch, set()).add(block)
    stretches = np.asarray(stream.stretch)
    for instance in np.flatnonzero(np.isin(stretches, list(sides))).tolist():
        following = instance + 1
        if following >= len(stretches):
            continue
        taken = int(code.stretch_block[stretches[following]])
        if sides[int(stretches[instance])] - {taken}:
            yield thread.queries.last_step(Instance(instance))


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


def _slice(thread: ReplayedLog, criteria: Sequence[Step | ByteRange]) -> list[int]:
    found: list[int] = CAnalysis().slice(thread, criteria, thread.image.relevance(), None).tolist()
    return found


def opened(out: Path) -> CRecording:
    """Return the run that was recorded into a folder."""
    return CRecording(out, json.loads((out / RUN).read_text("utf-8")))
