"""What failed in a Python run, and which steps are that?

The failure is an exception that left the program or that a test runner caught, or the first byte of
the output that is not as expected.  The first question is about the condition under which the
exception was raised, about the operation that raised it, or about the call that printed.
"""

from __future__ import annotations

from whence.causes.hang import hang_rank, looping, waiting, waits_in
from whence.causes.observed_failure import ObservedFailure, failed_condition
from whence.causes.printed_bytes import quoted_output
from whence.causes.questions import FailedValue
from whence.errors import UserError
from whence.frontend.python.values import Value
from whence.logic.logic import ALL
from whence.model import Outcome
from whence.program.ids import Step
from whence.trace.python.endings import message_of, type_of
from whence.trace.python.flow import PythonFlow
from whence.trace.python.recording import PythonRecording
from whence.trace.recording import Process, Recording
from whence.trace.unfinished import unfinished_loop
from whence.trace.written import first_difference

_MAX_MESSAGE = 120  # limit on characters of a message that are shown; guessed


def find_failure(
    recording: Recording, *, expect: bytes | None = None, process: str | None = None
) -> ObservedFailure:
    """Return the failure of a recorded run; a UserError says why there is none."""
    assert isinstance(recording, PythonRecording)
    if expect is not None:
        return _output(recording, expect, process)
    if recording.outcome is Outcome.PASS:
        raise UserError(
            "The test passes, so there is no failure to explain.\n"
            f"We ran: {recording.document['test']}",
            slug="nothing-fails",
        )
    if recording.is_stopped:
        return _hang(recording, process)
    found = recording.failing_exception(_processes(recording, process))
    if found is None:
        raise UserError(
            "The test fails, but no exception left the recorded code.\n"
            "Let the test fail by an assertion or an exception in code of the tree or of the test.",
            slug="failure-not-recorded",
        )
    thread, step = found
    return _raised(PythonFlow(thread), step)


def _hang(recording: PythonRecording, process: str | None) -> ObservedFailure:
    """Return the loop that a stopped test was in, or the call that it waited in."""
    found: list[ObservedFailure] = []
    for each in _processes(recording, process):
        for log in each.logs:
            thread = recording.thread(recording.image(each), log)
            if thread.run.events.has_ended:
                continue
            flow, loop = PythonFlow(thread), unfinished_loop(thread)
            hang = wait = waiting(flow)
            if loop is not None and (wait is None or not waits_in(loop, wait)):
                hang = looping(flow, loop)
            found += [hang] if hang is not None else []
    if found:
        return min(found, key=hang_rank)
    raise UserError(
        "The test was stopped because it did not end in time, but no recorded code was running "
        "then.\n"
        "Let the test call code of the tree that does not end.",
        slug="failure-not-recorded",
    )


def _output(recording: PythonRecording, expect: bytes, process: str | None) -> ObservedFailure:
    """Return the first byte of standard output that is not as expected."""
    printed = recording.printed()
    byte = first_difference(printed, expect)
    if byte is None:
        raise UserError(
            "The run printed exactly what was expected, so there is no failure to explain.\n"
            "Leave out --expect to explain how the test ended.",
            slug="nothing-fails",
        )
    if byte == len(printed):
        raise UserError(
            f"The output ends after {byte} bytes instead of going on with "
            f"{quoted_output(expect[byte:])}: no step of the run printed that.\n"
            "Use whence explain with a version that prints it, or let the test fail by itself.",
            slug="failure-not-recorded",
        )
    threads = [
        recording.thread(recording.image(each), log)
        for each in _processes(recording, process)
        for log in each.logs
    ]
    found = ((thread, output.step) for thread in threads if (output := thread.printed(byte)))
    thread, step = next(found, (None, None))
    if thread is None or step is None:
        raise UserError(
            f"Byte {byte} of the output is the first that is not as expected, and no recorded "
            "`print` or `write` is known to have printed it.\n"
            "Let the test print only what the recorded program prints, or fail by itself.",
            slug="failure-not-recorded",
        )
    return _printed(PythonFlow(thread), step, byte, printed, expect)


def _printed(
    flow: PythonFlow, step: Step, byte: int, printed: bytes, expect: bytes
) -> ObservedFailure:
    own, right = quoted_output(printed[byte:]), quoted_output(expect[byte:])
    words = f"byte {byte} of the output, printed at {flow.thread.line_at(step)}: {own} instead of "
    branch = flow.controlling_branch(step)
    question = FailedValue(
        op=flow.op_of(step),
        step=step,
        seeds=frozenset({(step, ALL)}),
        controlling=() if branch is None else (branch,),
    )
    subject = f"the output from byte {byte} on"
    return ObservedFailure(flow, question, words + right, own, (), subject)


def _processes(recording: Recording, name: str | None) -> list[Process]:
    """Return the processes of this name or number; without one, all."""
    return [
        process
        for process in recording.processes
        if name in (None, process.folder.name, process.folder.name.partition("-")[0])
    ]


def _raised(flow: PythonFlow, step: Step) -> ObservedFailure:
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
