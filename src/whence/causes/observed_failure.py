"""What is a failure, as the first thing to explain?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whence.causes.questions import FailedCondition, FailureQuestion
from whence.program.ids import Activation, Block, Step
from whence.program.source import Place
from whence.trace.flow import Flow
from whence.trace.recursion import EndlessRecursion
from whence.trace.unfinished import UnfinishedLoop
from whence.trace.written import WrittenStream


@dataclass(frozen=True)
class ObservedFailure:
    """The failure of a run, with the first question of the cause search."""

    flow: Flow  # the run of the thread that failed
    question: FailureQuestion
    words: str  # such as "the failed assertion at shape.c:22"
    outcome: str  # in a word, such as "false", "SIGSEGV", "exit status 3"
    notes: tuple[str, ...] = ()
    subject: str = ""  # what had this outcome, such as "the output from byte 5 on"; empty: `words`
    stream: WrittenStream | None = None  # the stream whose bytes are wrong, if that is the failure
    # The loop or the recursion that did not end, if that is the failure:
    endless: UnfinishedLoop | EndlessRecursion | None = None

    @property
    def place(self) -> Place | None:
        """The line that failed; None if the compiler gave no line."""
        thread = self.flow.thread
        crashed = thread.stop_op
        if crashed is not None and self.question.about == thread.stream.steps:
            return thread.image.place(crashed)
        step: Step | None = self.question.about
        while step:  # a step of whence's own library code has no place: take its caller
            step = self.flow.in_tree(step)
            place = thread.image.place(self.flow.op_of(step))
            if place is not None:
                return place
            step = self.flow.call_of(step)
        return None


def failed_condition(flow: Flow, branch: Step, failed: Step) -> FailedCondition:
    """Return why a branch led to the step that failed."""
    around = calls_around(flow, failed, flow.activation_of(branch))
    return FailedCondition(
        op=flow.op_of(branch),
        side=flow.side_of(branch) or Block(0),
        branch=branch,
        about=failed,
        bears_on=frozenset({failed, *around}),
    )


def calls_around(flow: Flow, step: Step, activation: Activation) -> Iterator[Step]:
    """Yield the calls that lead from an activation to a step inside it."""
    while flow.activation_of(step) != activation:
        call = flow.call_of(step)
        if call is None:
            return
        yield call
        step = call
