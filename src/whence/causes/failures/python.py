"""What failed in a Python run, and which steps of it is that?

An exception that left the program, or that a test runner caught: the condition under which it
was raised, or the operation that raised it.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.causes.observed_failure import ObservedFailure, failed_condition
from whence.causes.questions import FailedValue
from whence.errors import UserError
from whence.frontend.python.values import Value
from whence.logic.logic import ALL
from whence.model import Outcome
from whence.trace.python.endings import message_of, origin, type_of
from whence.trace.python.flow import PythonFlow
from whence.trace.python.recording import PythonRecording, PythonThread
from whence.trace.recording import Recording

_MAX_MESSAGE = 120  # limit on characters of a message that are shown; guessed


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
    words = f"the failed assertion at {where}" if is_assertion else f"{_message(value)} at {where}"
    outcome = "failed" if is_assertion else type_of(value)
    branch = flow.controlling_branch(step)
    if flow.opcode(step) == "raise" and branch is not None:
        return ObservedFailure(flow, failed_condition(flow, branch, step), words, outcome)
    question = FailedValue(
        op=flow.op_of(step),
        step=step,
        seeds=frozenset({(step, ALL)}),
        controlling=() if branch is None else (branch,),
    )
    return ObservedFailure(flow, question, words, _message(value), (), flow.python.text(step))


def _message(value: Value) -> str:
    """Return an exception as the last line of a traceback shows it."""
    text = message_of(value)
    if type_of(value) == "KeyError":
        text = repr(text)
    return f"{type_of(value)}: {text[:_MAX_MESSAGE]}" if text else type_of(value)
