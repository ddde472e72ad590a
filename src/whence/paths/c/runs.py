"""Which conditions does one recorded run of a C program fulfil?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from whence.errors import UserError
from whence.frontend.recorded_run import RUN
from whence.inputs import InputSource
from whence.paths.conditions import Condition, ConditionKind, PathCondition
from whence.paths.reorder import reorder
from whence.paths.terms import Unknowns
from whence.program.ids import Instance, Step
from whence.program.operations import COp
from whence.subject.command import Ended
from whence.trace.c.analysis import CAnalysis
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CRecording
from whence.trace.c.replayed import ReplayedLog
from whence.trace.points import find
from whence.trace.slicer import ByteRange


class CRun:
    """One recorded run; its conditions are all of them, in the order of its steps."""

    def __init__(
        self,
        contents: Mapping[InputSource, bytes],
        ended: Ended,
        recording: CRecording,
        path: PathCondition,
    ) -> None:
        self.contents, self.ended, self.path = contents, ended, path
        self._recording = recording

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
        flow = CAnalysis().flow(self.path.thread)
        return condition.kind, flow.op_of(condition.step), _way(flow, condition)

    def slice_conditions(self, at: str) -> Sequence[Condition]:
        """Return the conditions in the relevant slice of a point, in the order for negating."""
        thread = self.path.thread
        assert isinstance(thread, ReplayedLog)
        try:
            criteria = criteria_at(self._recording, thread, at)
        except UserError:
            return self.conditions  # the run does not get there: any branch may be the reason
        members = set(_slice(thread, criteria))
        own = [one for one in self.conditions if one.step in members]
        slices = {one.step: set(_slice(thread, [one.step])) for one in own}
        return reorder(own, lambda a, b: a.step in slices[b.step])

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
    is_choice = node.operation.op is COp.SELECT
    return flow.value_of(node.operands[0]) if is_choice else flow.value(condition.step)


def criteria_at(recording: CRecording, thread: ReplayedLog, at: str) -> Sequence[Step | ByteRange]:
    """Return the steps that a point of the run stands for; `output` is all that it printed."""
    if at != "output":
        return find(recording, at).criteria
    effects = thread.stream.effects
    rows = thread._outputs()
    criteria: list[Step | ByteRange] = [
        ByteRange(row, 0, int(effects["len"][row])) for row in rows.tolist()
    ]
    # A branch whose other side may print counts, too.
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
            criteria.append(thread.queries.last_step(Instance(instance)))
    return criteria


def _slice(thread: ReplayedLog, criteria: Sequence[Step | ByteRange]) -> list[int]:
    found: list[int] = CAnalysis().slice(thread, criteria, thread.image.relevance(), None).tolist()
    return found


def opened(out: Path) -> CRecording:
    """Return the run that was recorded into a folder."""
    return CRecording(out, json.loads((out / RUN).read_text("utf-8")))
