"""What failed in a Python run, and which steps of it is that?

An exception that left the program, or that a test runner caught: the condition under which it
was raised, or the operation that raised it.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.causes.observed_failure import ObservedFailure, calls_around
from whence.causes.predicates import Question
from whence.errors import UserError
from whence.frontend.python.values import Value
from whence.logic.logic import ALL
from whence.model import Influence, Outcome
from whence.trace.python.endings import message_of, origin, type_of
from whence.trace.python.flow import PythonFlow
from whence.trace.python.recording import PythonRecording, PythonThread
from whence.trace.recording import Recording

_LONGEST = 120  # characters of a message


def find_failure(
    recording: Recording, *, expect: bytes | None = None, process: str | None = None
) -> ObservedFailure:
    """The failure of a recorded run."""
    assert isinstance(recording, PythonRecording)
    if expect is not None:
        raise UserError(
            "What a Python program should have printed can only be told from a passing run.\n"
            "Use whence explain with --oracle output, or let the test fail by itself.",
            slug="failure-not-recorded",
        )
    if recording.outcome is Outcome.PASS:
        raise UserError(
            "The test passes, so there is no failure to explain.\n"
            f"We ran: {recording.document['test']}",
            slug="nothing-fails",
        )
    found = _chosen(recording, process)
    if found is None:
        raise UserError(
            "The test fails, but no exception left the recorded code.\n"
            "Let the test fail by an assertion or an exception in code of the tree or of the test.",
            slug="failure-not-recorded",
        )
    thread, step = found
    return _raised(PythonFlow(thread), origin(thread.run, step))


def _chosen(recording: PythonRecording, process: str | None) -> tuple[PythonThread, int] | None:
    """The exception that is the failure: the last of its kind that nobody recorded caught."""
    failure = recording.failure
    wanted = f"{failure.message} {failure.signature}" if failure else ""
    line = (failure.file, failure.line) if failure else (None, None)
    best: tuple[tuple[bool, bool, bool, int], PythonThread, int] | None = None
    for number, thread in enumerate(_threads(recording, process)):
        for step, token in thread.run.left:
            value = thread.decoded(token)
            name = type_of(value)
            place = thread.image.place(thread.queries.op_of(origin(thread.run, step)))
            is_there = place is not None and (place.file, place.line) == line
            rank = (name in wanted, message_of(value) in wanted, is_there, number)
            if best is None or rank >= best[0]:
                best = rank, thread, step
    return None if best is None else best[1:]


def _threads(recording: PythonRecording, process: str | None) -> Iterator[PythonThread]:
    for one in recording.processes:
        if process in (None, one.folder.name, one.folder.name.partition("-")[0]):
            for log in one.logs:
                yield recording.thread(recording.image(one), log)


def _raised(flow: PythonFlow, step: int) -> ObservedFailure:
    value = flow.value(step)
    is_assertion = type_of(value) == "AssertionError"
    where = flow.thread.line_at(step)
    words = f"the failed assertion at {where}" if is_assertion else f"{_said(value)} at {where}"
    outcome = "failed" if is_assertion else type_of(value)
    decided = flow.controlling_branch(step)
    if flow.opcode(step) == "raise" and decided is not None:
        question = Question(
            Influence.FAILURE,
            flow.op_of(decided),
            flow.side_of(decided) or 0,
            frozenset({decided}),
            step,
            frozenset({step, *calls_around(flow, step, flow.activation_of(decided))}),
        )
        return ObservedFailure(flow, question, words, outcome)
    question = Question(
        Influence.FAILURE,
        flow.op_of(step),
        0,
        frozenset({step}),
        step,
        seeds=frozenset({(step, ALL)}),
        deciders=() if decided is None else (decided,),
    )
    return ObservedFailure(flow, question, words, _said(value), (), flow.python.text(step))


def _said(value: Value) -> str:
    """An exception as a traceback's last line has it."""
    text = message_of(value)
    if type_of(value) == "KeyError":
        text = repr(text)
    return f"{type_of(value)}: {text[:_LONGEST]}" if text else type_of(value)
