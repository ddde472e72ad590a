"""How is a branch put into words at which a program leaves its path?

The run of the failing test and the run with the other input are of the same program, and go the
same way up to the branch.  The values at the branch are shown side by side; the alignment by
execution index says which step of the other run is the same evaluation of the branch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from whence.inputs import InputSource
from whence.languages import describer_of, flow_of
from whence.paths.conditions import Condition, ConditionKind
from whence.paths.program import Contents, PathRun
from whence.program.ids import Op, Step
from whence.program.operations import COp
from whence.program.source import NamedValue
from whence.subject.command import Ended
from whence.trace.alignment import Alignment
from whence.trace.conditions import Conditions
from whence.trace.reads import variables_read
from whence.trace.recording import Comparable

_MAX_OUTPUT = 60  # characters of an output in a sentence; guessed
_MAX_COPIES = 3  # steps behind a value that may store it in a variable; guessed


@dataclass(frozen=True)
class BranchPlace:
    """A branch of the source."""

    file: str
    line: int
    function: str
    text: str


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of a branch: what it tested, the outcome, and the values that it read."""

    condition: str
    outcome: str
    values: dict[str, str]


class RunDescriber:
    """Describes branches of one run."""

    def __init__(self, run: PathRun) -> None:
        self.flow = flow_of(run.path.thread)
        self._describer = describer_of(run.path.thread)
        self._names = self._describer.names
        self._conditions = Conditions(self.flow)

    def branch(self, step: Step) -> Op:
        """Return the operation that stands for the branch of a step: library code has a caller."""
        return self.flow.op_of(self.flow.in_tree(step))

    def place(self, step: Step) -> BranchPlace:
        shown = self.flow.in_tree(step)
        image, op = self.flow.thread.image, self.flow.op_of(shown)
        place = image.place(op) or image.nearest_place(op)
        if place is None:
            return BranchPlace("", 0, self._names.function(shown), "")
        text = self.flow.thread.recording.lines.line(place.file, place.line)
        return BranchPlace(place.file, place.line, self._names.function(shown), text)

    def evaluation(self, step: Step, kind: ConditionKind) -> Evaluation:
        if kind is ConditionKind.ADDRESS:
            text, outcome = self._names.accessed(step)
            pointer = self.flow.node(step).pointer
            seeds = [] if pointer is None else [pointer]
        elif self.flow.is_branch(step):
            named = self._names.whole_condition(self._conditions.executed(step))
            text, outcome = named.name, named.value
            seeds = list(self._conditions.settled_by(step))
        else:
            text, outcome, seeds = self.place(step).text.strip(), "", [step]
        reads = variables_read(self.flow, self._names, seeds)
        return Evaluation(text, outcome, {read.name: read.value for read in reads})

    def decision(self, step: Step) -> Evaluation:
        """Return a comparison that no branch makes."""
        reads = variables_read(self.flow, self._names, [step])
        outcome = "true" if self.flow.value(step) else "false"
        text = self.place(step).text.strip().rstrip(";")
        return Evaluation(text, outcome, {read.name: read.value for read in reads})

    def value(self, step: Step) -> NamedValue:
        """Return what a step computed: the name in the source, and the value."""
        for at in (step, *self._copies(step)):
            named = self._describer.named(at, self.flow.op_of(at))
            if named is not None:
                return named
        is_address = self.flow.compared_as(step) is Comparable.POINTER
        return NamedValue("", "an address" if is_address else str(self.flow.value(step)))

    def _copies(self, step: Step) -> list[Step]:
        """Return the steps right behind a step that pass its value on: one may store it."""
        last = min(step + _MAX_COPIES, self.flow.thread.stream.steps)
        found = [step]
        for at in map(Step, range(step + 1, last + 1)):
            node = self.flow.node(at)
            if node.operation.op is COp.COPY and node.operands == (found[-1],):
                found.append(at)
        return found[1:]


def same_evaluation(failing: RunDescriber, alternate: RunDescriber, step: Step) -> Step | None:
    """Return the same evaluation of a branch in the run with the other input."""
    return Alignment(failing.flow, alternate.flow).passing_counterpart(step)


def both_evaluations(
    failing: RunDescriber, alternate: RunDescriber, condition: Condition
) -> tuple[Evaluation, Evaluation | None]:
    """Return an evaluation of a branch with the failing test's input, and with the other input."""
    own = failing.evaluation(condition.step, condition.kind)
    other = same_evaluation(failing, alternate, condition.step)
    return own, None if other is None else alternate.evaluation(other, condition.kind)


def both_decisions(
    failing: RunDescriber, alternate: RunDescriber, step: Step
) -> tuple[Evaluation, Evaluation | None]:
    """Return what a comparison gave with the failing test's input, and with the other input."""
    other = same_evaluation(failing, alternate, step)
    return failing.decision(step), None if other is None else alternate.decision(other)


def ended_words(ended: Ended, beside: Ended | None = None) -> str:
    """Return how a program ended: what it printed, and its exit status if that is not 0.

    Of a long output it is the beginning, or the part that differs from another one.
    """
    if ended.timed_out:
        return "does not end in time"
    printed = ended.stdout
    start = 0 if beside is None else _line_that_differs(printed, beside.stdout)
    words = f"prints {_quoted(_shown(printed, start))}" if printed else "prints nothing"
    if ended.status > 128:
        return f"{words} and is killed by signal {ended.status - 128}"
    return f"{words}, exit status {ended.status}" if ended.status else words


def both_ended_words(good: Ended, bad: Ended) -> str:
    """Return how the two programs ended."""
    return f"the good version {ended_words(good, bad)}; the bad version {ended_words(bad, good)}"


def _line_that_differs(own: bytes, other: bytes) -> int:
    """Return where the first line begins that differs, if it would not be shown anyway."""
    if len(own) <= _MAX_OUTPUT >= len(other):
        return 0
    same = len(os.path.commonprefix([own, other]))
    start = own.rfind(b"\n", 0, same) + 1
    return max(start, same - _MAX_OUTPUT // 2) if same >= _MAX_OUTPUT // 2 else 0


def _shown(printed: bytes, start: int) -> str:
    """Return a part of an output, with a mark where something is left out."""
    text = ("…" if start else "") + printed[start:].decode("utf-8", "backslashreplace")
    return text if len(text) <= _MAX_OUTPUT else text[: _MAX_OUTPUT - 1] + "…"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def edited_bytes(old: Contents, new: Contents) -> int:
    """Return how many bytes of the inputs differ, each source from both ends."""
    return sum(_differing(old.get(source, b""), new[source]) for source in _sources(old, new))


def _sources(old: Contents, new: Contents) -> list[InputSource]:
    return [source for source in new if old.get(source) != new[source]]


def _differing(old: bytes, new: bytes) -> int:
    if len(old) == len(new):
        return sum(a != b for a, b in zip(old, new, strict=True))
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return max(len(old), len(new)) - start - end
