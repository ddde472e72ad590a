"""How did a thread of a Python program end?"""

from __future__ import annotations

from typing import NamedTuple

from whence.frontend.python.logged import Token
from whence.frontend.python.values import Obj, Value, python_text
from whence.model import Failure
from whence.program.ids import Step
from whence.program.source import Place
from whence.trace.python.objects import is_same_object
from whence.trace.python.replayed_run import ReplayedRun


def uncaught(run: ReplayedRun) -> list[tuple[Step, Token]]:
    """Return the exceptions that left the recorded code, each with the step that raised it."""
    passed_on = set(run.raised.all_values())
    return [(origin(run, step), token) for step, token in run.left if step not in passed_on]


def origin(run: ReplayedRun, step: Step) -> Step:
    """Return the step that raised the exception which reached `step` through calls."""
    while inner := run.raised.get(step):
        step = inner
    return Step(step)


class Likelihood(NamedTuple):
    """How well an exception fits the reported failure of a run; the greatest fits best."""

    has_type: bool  # the report names its type
    has_message: bool  # the report quotes its message
    is_at_line: bool  # it was raised on the reported line


def likelihood(value: Value, place: Place | None, failure: Failure | None) -> Likelihood:
    """Return how likely it is that an exception, raised at `place`, is the reported failure."""
    report = f"{failure.message} {failure.signature}" if failure else ""
    line = (failure.file, failure.line) if failure else (None, None)
    is_at_line = place is not None and (place.file, place.line) == line
    return Likelihood(type_of(value) in report, message_of(value) in report, is_at_line)


def ended_by(run: ReplayedRun) -> Step | None:
    """Return the step that raised the exception which ended the thread; None if none did."""
    end = run.events.end
    for step, token in reversed(uncaught(run)):
        if end is not None and is_same_object(token, end):
            return step
    return None


def type_of(value: Value) -> str:
    """Return the name of an object's type, without its module."""
    return value.type.rpartition(".")[2] if isinstance(value, Obj) else ""


def message_of(value: Value) -> str:
    """Return the message of an exception, if it has one argument."""
    if isinstance(value, Obj) and isinstance(value.shape, tuple) and len(value.shape) == 1:
        return (
            str(value.shape[0]) if isinstance(value.shape[0], str) else python_text(value.shape[0])
        )
    return ""


def status_of(value: Value) -> int:
    """Return the exit status that a SystemExit stands for."""
    if not isinstance(value, Obj) or not isinstance(value.shape, tuple) or not value.shape:
        return 0
    code = value.shape[0]
    return code if isinstance(code, int) else 0 if code is None else 1
