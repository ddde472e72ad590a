"""How did a thread of a Python program end?"""

from __future__ import annotations

from whence.frontend.python.logged import Token
from whence.frontend.python.values import Obj, Value, python_text
from whence.program.ids import Step
from whence.trace.python.objects import is_same_object
from whence.trace.python.replayed_run import ReplayedRun


def uncaught(run: ReplayedRun) -> list[tuple[Step, Token]]:
    """Return the exceptions that left the recorded code, each with the step that raised it."""
    passed_on = set(run.raised.values())
    return [(origin(run, step), token) for step, token in run.left if step not in passed_on]


def origin(run: ReplayedRun, step: int) -> Step:
    """Return the step that raised the exception which reached `step` through calls."""
    while inner := run.raised.get(step):
        step = inner
    return Step(step)


def failing(run: ReplayedRun, decoded: dict[Step, Value], said: str) -> Step | None:
    """Return the step that raised the exception that made the run fail; None: unknown.

    `decoded` are the uncaught exceptions by step, in order; `said` is the text of the failure.
    """
    end = run.events.end
    for step, token in reversed(uncaught(run)):
        if end is not None and is_same_object(token, end):
            return step
    for step, value in reversed(decoded.items()):
        if type_of(value) in said and message_of(value) in said:
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
