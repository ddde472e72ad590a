"""What is a failure, as the first thing to explain?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whence.causes.predicates import Question
from whence.program.source import Place
from whence.trace.flow import Flow


@dataclass(frozen=True)
class ObservedFailure:
    """The failure of a run, as the first predicate to explain."""

    flow: Flow  # of the thread that failed; made once, as it lays out the whole run
    question: Question
    words: str  # "the failed assertion at shape.c:22"
    outcome: str  # what it was, in a word: "false", "SIGSEGV", "exit status 3"
    notes: tuple[str, ...] = ()
    subject: str = ""  # what was so: "the output from byte 5 on"; empty: the words say it

    @property
    def place(self) -> Place | None:
        """The line where it failed; None if the compiler did not say."""
        thread = self.flow.thread
        crashed = thread.stop_op
        if crashed is not None and self.question.about == thread.stream.steps:
            return thread.image.place(crashed)
        step: int | None = self.question.about
        while step:  # what a library of ours does is not where the program failed
            place = thread.image.place(self.flow.op_of(step))
            if place is not None:
                return place
            step = self.flow.call_of(step)
        return None


def calls_around(flow: Flow, step: int, activation: int) -> Iterator[int]:
    """The calls by which a step was reached from an activation around it."""
    while flow.activation_of(step) != activation:
        call = flow.call_of(step)
        if call is None:
            return
        yield call
        step = call
