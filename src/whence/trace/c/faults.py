"""Which fault of a C thread started a signal handler, and what became of it?

A handler of SIGSEGV and the like has a log of its own.  Its thread keeps the mark of a crash while
the handler runs.  If the handler ends the process, the fault is the failure, not what the handler
did afterwards.  If the handler jumps out, the thread goes on elsewhere, and the step before the
fault controls what runs from there on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from whence.frontend.c.process import FAULTS, LogFile, ProcessState
from whence.program.ids import Instance, Op, Step
from whence.trace.c.replayed import ReplayedLog
from whence.trace.columns import BRANCH, CALL
from whence.trace.recording import Recording

_MAX_CONTROLLING = 100_000  # limit on the controlling steps that are looked at; guessed


class Fault(NamedTuple):
    """A fault that the program survived, because its handler jumped out."""

    step: Step  # the last step before it, or the call of unrecorded code in which it happened
    op: Op | None  # the operation that failed; None if it is in unrecorded code
    instance: Instance
    handler: LogFile


def follows_fault(thread: ReplayedLog) -> bool:
    """Is this the log of a handler that ran because of a fault that the process did not survive?"""
    return thread.log.kind == "handler" and any(
        log.number == thread.log.parent and log.state is ProcessState.CRASHED
        for log in thread.image.process.logs
    )


def handler_of(thread: ReplayedLog) -> LogFile | None:
    """Return the log of the handler in which a crashed thread ended; None if none ran."""
    handlers = [
        log
        for log in thread.image.process.logs
        if log.kind == "handler"
        and log.parent == thread.log.number
        and log.state is not ProcessState.LEFT
        and log.handled == thread.log.signal
    ]
    return handlers[-1] if handlers else None


def handler_name(recording: Recording, thread: ReplayedLog, log: LogFile) -> str | None:
    """Return the name of the function that a handler's log begins with."""
    rows = recording.thread(thread.image, log).stream.activations
    return thread.image.spoken_names[int(rows[1]["function"])] if len(rows) > 1 else None


def survived_fault(thread: ReplayedLog, steps: Iterable[Step]) -> Fault | None:
    """Return the fault without which a step would not have run: a handler jumped out of it."""
    left = [
        log
        for log in thread.image.process.logs
        if log.parent == thread.log.number
        and log.state is ProcessState.LEFT
        and log.handled in FAULTS
    ]
    found = (_fault_before(thread, step, left[-1]) for step in (steps if left else ()))
    return next((fault for fault in found if fault is not None), None)


def _fault_before(thread: ReplayedLog, step: Step, handler: LogFile) -> Fault | None:
    code, queries = thread.image.code, thread.queries
    controlling = queries.controlling_step(step)
    for _ in range(_MAX_CONTROLLING):
        if controlling is None:
            return None
        op = queries.op_of(controlling)
        instance = queries.instance_of(controlling)
        if code.kind[op] not in (BRANCH, CALL):
            return Fault(controlling, Op(op + 1), instance, handler)
        if code.kind[op] == CALL and not _is_entered(thread, controlling):
            return Fault(controlling, None, instance, handler)
        controlling = queries.controlling_step(controlling)
    return None


def _is_entered(thread: ReplayedLog, call: Step) -> bool:
    """Did the call enter a recorded function, or jump by itself, as longjmp does?"""
    if thread.queries.entered(call) is not None:
        return True
    return "longjmp" in (thread.image.sort(thread.queries.op_of(call)).callee or "")
