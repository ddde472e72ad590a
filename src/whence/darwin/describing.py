"""How is a branch put into words at which a program leaves its path?

The run of the failing test and the run with the other input are of the same program, and go the
same way up to the branch.  The values at the branch are shown side by side; the alignment by
execution index says which step of the other run is the same evaluation of the branch.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.inputs import InputSource
from whence.languages import describer_of, flow_of
from whence.paths.conditions import Condition, ConditionKind
from whence.paths.program import Contents, PathRun
from whence.program.ids import Op, Step
from whence.program.source import NamedValue
from whence.subject.command import Ended
from whence.trace.alignment import Alignment
from whence.trace.conditions import Conditions
from whence.trace.reads import variables_read

_MAX_OUTPUT = 60  # characters of an output in a sentence; guessed


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

    def value(self, step: Step) -> NamedValue:
        """Return what a step computed: the name in the source, and the value."""
        op = self.flow.op_of(step)
        named = self._describer.named(step, op)
        if named is not None:
            return named
        return NamedValue("", str(self.flow.value(step)))


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


def ended_words(ended: Ended) -> str:
    """Return how a program ended: what it printed, and its exit status if that is not 0."""
    if ended.timed_out:
        return "does not end in time"
    printed = ended.stdout.decode("utf-8", "backslashreplace")
    shown = printed if len(printed) <= _MAX_OUTPUT else printed[: _MAX_OUTPUT - 1] + "…"
    words = f"prints {_quoted(shown)}" if printed else "prints nothing"
    if ended.status > 128:
        return f"{words} and is killed by signal {ended.status - 128}"
    return f"{words}, exit status {ended.status}" if ended.status else words


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
