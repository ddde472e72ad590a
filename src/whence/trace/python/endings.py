"""How did a thread of a Python program end?"""

from __future__ import annotations

from whence.frontend.python.logged import Token
from whence.frontend.python.values import Obj, Value, python_text
from whence.program.ids import Step
from whence.trace.python.objects import is_same_object
from whence.trace.python.replayed_run import ReplayedRun


def uncaught(run: ReplayedRun) -> list[tuple[Step, Token]]:
    """The exceptions that left the recorded code: the steps that raised them, and what."""
    taken = set(run.raised.values())
    return [(origin(run, step), token) for step, token in run.left if step not in taken]


def origin(run: ReplayedRun, step: int) -> Step:
    """Where an exception was raised that came up to a step."""
    while inner := run.raised.get(step):
        step = inner
    return Step(step)


def failing(run: ReplayedRun, decoded: dict[Step, Value], said: str) -> Step | None:
    """The step that raised what the run failed by; None if nothing tells that one did.

    `decoded` are the exceptions by step, in order; `said` is what was said of the failure.
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
    return value.type.rpartition(".")[2] if isinstance(value, Obj) else ""


def message_of(value: Value) -> str:
    """What an exception says, if it was given one thing to say."""
    if isinstance(value, Obj) and isinstance(value.shape, tuple) and len(value.shape) == 1:
        return (
            str(value.shape[0]) if isinstance(value.shape[0], str) else python_text(value.shape[0])
        )
    return ""


def status_of(value: Value) -> int:
    """The exit status that a SystemExit stands for."""
    if not isinstance(value, Obj) or not isinstance(value.shape, tuple) or not value.shape:
        return 0
    code = value.shape[0]
    return code if isinstance(code, int) else 0 if code is None else 1
