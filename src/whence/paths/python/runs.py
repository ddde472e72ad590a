"""Which conditions does one recorded run of a Python program fulfil?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from whence.errors import UserError
from whence.frontend.recorded_run import RUN
from whence.inputs import InputSource
from whence.paths.conditions import Condition, ConditionKind, PathCondition
from whence.paths.python.observing import HELPER
from whence.paths.python.relevant import PythonSlices, other_sides
from whence.paths.python.walk import PythonPath
from whence.paths.python.words import shape_words
from whence.paths.terms import Unknowns
from whence.paths.words import branch_words, result_words
from whence.program.ids import Op, Step
from whence.subject.command import Ended
from whence.trace.points import find
from whence.trace.python.endings import uncaught
from whence.trace.python.flow import PythonFlow
from whence.trace.python.recording import PythonRecording, PythonThread
from whence.trace.recording import Thread


class PythonRun:
    """One recorded run; its conditions are all of them, in the order of its steps."""

    def __init__(
        self, contents: Mapping[InputSource, bytes], ended: Ended, recording: PythonRecording,
        flow: PythonFlow, find: Callable[[], PythonPath],
    ) -> None:  # fmt: skip
        """`find` finds the conditions of the run."""
        self.contents, self.ended = contents, ended
        self._recording, self._flow, self._find = recording, flow, find

    @property
    def thread(self) -> Thread:
        return self._flow.thread

    @cached_property
    def _found(self) -> PythonPath:
        """The conditions of the run; to find them takes longer than to record it."""
        return self._find()

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(one): at for at, one in enumerate(self._found.condition.conditions)}

    @property
    def path(self) -> PathCondition:
        return self._found.condition

    @property
    def unknowns(self) -> Unknowns:
        return self.path.unknowns

    @cached_property
    def conditions(self) -> Sequence[Condition]:
        return without_repeats(self.path.conditions)

    @cached_property
    def ways(self) -> Sequence[object]:
        return [self.way(one) for one in self.conditions]

    def way(self, condition: Condition) -> object:
        """Return where a condition of this run stands and which way the run went there."""
        op = self._flow.op_of(condition.step)
        return condition.kind, op, self._found.ways[self._numbers[id(condition)]]

    def slice_conditions(self, at: str) -> Sequence[Condition]:
        """Return the conditions in the relevant slice of a point, in the order for negating."""
        try:
            criteria = criteria_at(self._recording, self._flow, at)
        except UserError:
            return self.conditions  # the run does not get there: any branch may be the reason
        return without_repeats(self._slices.chosen(criteria, self.path.conditions))

    @cached_property
    def _slices(self) -> PythonSlices:
        conditions = self.path.conditions
        raising = {conditions[at].step for at in self._found.raising}
        decided = {one.step for one in conditions}
        return PythonSlices(self._flow, decided, raising, self._found.reads)

    def only_writes(self, condition: Condition) -> bool:
        """Does a condition only tell how a number is written as a text?"""
        return self._numbers[id(condition)] in self._found.written

    def words(self, condition: Condition) -> str:
        """Return what a condition says, in the words of the source."""
        text = self._flow.python.text(condition.step)
        way = self._found.ways[self._numbers[id(condition)]]
        if condition.kind is ConditionKind.BRANCH:
            return self._branch_words(condition, text, bool(way))
        if condition.kind in (ConditionKind.DEFINED, ConditionKind.BOUNDS):
            return f"{text} raises {way}" if way else f"{text} raises nothing"
        if way == "raised":
            return f"{text} raises ValueError"
        return shape_words(text, self._flow.value(condition.step))

    def _branch_words(self, condition: Condition, text: str, is_true: bool) -> str:
        if self._flow.opcode(condition.step) != "next":
            return branch_words(text, is_true=is_true, negation="not")
        return f"another round over {text}" if is_true else f"no more of {text}"

    def is_own(self, condition: Condition) -> bool:  # noqa: ARG002 - libraries are not recorded
        """Does a condition belong to the program, and not to a library?"""
        return True

    def result_words(self) -> str:
        """Return how the run ended, in the words of the source."""
        return result_words(self.ended)

    def release(self) -> None:
        """Delete what was recorded."""
        _ = self.ways
        shutil.rmtree(self._recording.folder, ignore_errors=True)


def without_repeats(conditions: Sequence[Condition]) -> list[Condition]:
    """Return the conditions without those that repeat an earlier one."""
    found: list[Condition] = []
    seen: set[tuple[int, int]] = set()
    for one in conditions:
        key = one.fact.formula.get_id(), one.fact.unknowns
        if key not in seen:
            seen.add(key)
            found.append(one)
    return found


def criteria_at(recording: PythonRecording, flow: PythonFlow, at: str) -> list[Step]:
    """Return the steps that a point of the run stands for; `output` is all that it printed."""
    if at.startswith("return:"):
        return _returned(flow, at.removeprefix("return:"))
    if at != "output":
        return [one for one in find(recording, at).criteria if isinstance(one, int)]
    raised = [step for step, _ in uncaught(flow.run)]
    could_print = other_sides(flow, flow.python.image.relevance().printing)
    return [*flow.run.prints, *_seen(flow), *could_print, *raised]


def _returned(flow: PythonFlow, name: str) -> list[Step]:
    """Return the steps by which a function returned, in all its calls."""
    found: list[Step] = []
    for number, function in enumerate(flow.program.functions):
        if name in (function.name, function.name.rpartition(".")[2]):
            for op in flow.program.function_ops(number):
                if flow.program.opcode[op] == "return":
                    found += map(Step, flow.executions(op)[:].tolist())
    if not found:
        raise UserError(f"The function {name} did not return.", slug="line-not-executed")
    return sorted(found)


def _seen(flow: PythonFlow) -> Iterator[Step]:
    """Yield the calls that note what an assertion saw."""
    program = flow.program
    for op, opcode in enumerate(program.opcode):
        callee = program.uses[op][0] if opcode == "call" and program.uses[op] else None
        if callee is not None and callee >= 0 and program.name[callee] == HELPER:
            yield from map(Step, flow.executions(Op(op))[:].tolist())


def opened(out: Path) -> PythonRecording:
    """Return the run that was recorded into a folder."""
    return PythonRecording(out, json.loads((out / RUN).read_text("utf-8")))


def main_thread(recording: PythonRecording, number: int) -> PythonThread:
    """Return the main thread of a process."""
    process = recording.processes[number]
    return recording.thread(recording.image(process), process.logs[0])
