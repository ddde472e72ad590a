"""How is a C program run with given inputs, and which conditions does that run fulfil?"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from whence.frontend.c.process import CProcess
from whence.frontend.c.rerun_inputs import InputRerunner, ProgramInputs, inputs_of_process
from whence.frontend.recorded_run import RUN
from whence.inputs import STDIN, InputSource, SourceKind, argument, variable
from whence.paths.c.terms import path_condition
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


@dataclass(frozen=True)
class CRun:
    """One recorded run, with its conditions in the order in which they are negated."""

    contents: Mapping[InputSource, bytes]
    ended: Ended
    path: PathCondition
    conditions: Sequence[Condition]

    @property
    def unknowns(self) -> Unknowns:
        return self.path.unknowns

    @cached_property
    def ways(self) -> Sequence[object]:
        flow = CAnalysis().flow(self.path.thread)
        return [(one.kind, flow.op_of(one.step), _way(flow, one)) for one in self.conditions]


def _way(flow: CFlow, condition: Condition) -> object:
    """Return which way a run went at a condition."""
    if condition.kind is ConditionKind.ADDRESS:
        return flow.address(condition.step)
    if condition.kind not in (ConditionKind.BRANCH, ConditionKind.CASE):
        return True
    node = flow.node(condition.step)
    is_choice = node.operation.op is COp.SELECT
    return flow.value_of(node.operands[0]) if is_choice else flow.value(condition.step)


class CRuns:
    """Runs a built program with any inputs.

    `at` is the point whose relevant slice counts; None: all conditions do.
    """

    def __init__(
        self, rerunner: InputRerunner, folder: Path, free: Collection[InputSource], at: str | None
    ) -> None:
        self._rerunner, self._folder, self.free, self._at = rerunner, folder, free, at
        self._start: ProgramInputs | None = None

    def first(self, stdin: bytes | None = None) -> Mapping[InputSource, bytes]:
        """Run the test as it is; return the inputs of the program in it."""
        with tempfile.TemporaryDirectory(dir=self._folder) as out:
            self._rerunner.run_test(Path(out))
            recording = _opened(Path(out))
            process = recording.processes[0]
            self._start = replace(inputs_of_process(process), stdin=stdin)
            return _contents(process, stdin)

    def inputs(self, contents: Mapping[InputSource, bytes]) -> ProgramInputs:
        """Return how the program is started with these inputs."""
        assert self._start is not None, "first() comes before run()"
        arguments, variables = list(self._start.arguments), dict(self._start.variables)
        files: dict[str, bytes] = {}
        stdin = self._start.stdin
        for source in self.free:
            if source.kind is SourceKind.ARGUMENT and source.number < len(arguments):
                arguments[source.number] = os.fsdecode(contents[source])
            elif source.kind is SourceKind.VARIABLE:
                variables[source.name] = os.fsdecode(contents[source])
            elif source.kind is SourceKind.STDIN:
                stdin = contents[source]
            elif source.kind is SourceKind.FILE:
                files[source.name] = contents[source]
        return replace(
            self._start, arguments=tuple(arguments), variables=variables, stdin=stdin, files=files
        )

    def run(self, contents: Mapping[InputSource, bytes]) -> CRun:
        """Run the program with these inputs, recorded, and return its conditions."""
        out = Path(tempfile.mkdtemp(dir=self._folder))
        ended = self._rerunner.run(self.inputs(contents), out)
        recording = _opened(out)
        process = recording.processes[0]
        thread = recording.thread(recording.image(process), process.logs[0])
        assert isinstance(thread, ReplayedLog)
        path = path_condition(CAnalysis().flow(thread), contents, self.free)
        return CRun(contents, ended, path, self._chosen(recording, thread, path))

    def _chosen(
        self, recording: CRecording, thread: ReplayedLog, path: PathCondition
    ) -> Sequence[Condition]:
        """Return the conditions that count, in the order in which they are negated."""
        if self._at is None:
            return path.conditions
        criteria = criteria_at(recording, thread, self._at)
        members = set(_slice(thread, criteria))
        own = [one for one in path.conditions if one.step in members]
        slices = {one.step: set(_slice(thread, [one.step])) for one in own}
        return reorder(own, lambda a, b: a.step in slices[b.step])


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


def _opened(out: Path) -> CRecording:
    return CRecording(out, json.loads((out / RUN).read_text("utf-8")))


def _contents(process: CProcess, stdin: bytes | None) -> dict[InputSource, bytes]:
    found = {argument(number): os.fsencode(text) for number, text in enumerate(process.arguments)}
    for text in process.facts.get("env", []):
        name, _, value = text.partition("=")
        found[variable(name)] = os.fsencode(value)
    if stdin is not None:
        found[STDIN] = stdin
    return found
