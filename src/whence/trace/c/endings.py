"""How did a C thread end, and which steps made it end so?"""

from __future__ import annotations

import signal
from collections.abc import Sequence

import numpy as np

from whence.errors import UserError
from whence.frontend.c.process import LogFile, ProcessState
from whence.frontend.c.replay import Status
from whence.frontend.c.tables import NONE, OpCode, OpKind
from whence.program.ids import Instance, Step
from whence.program.rows import EXIT
from whence.trace.c.replayed import ReplayedLog
from whence.trace.recording import Ending

ASSERTIONS = ("__assert_fail", "__assert_rtn", "__assert", "__assert_perror_fail", "abort")
_FULL_STACK = 1000  # depth of calls from which a crash is called a stack overflow; guessed


def crash(thread: ReplayedLog) -> Ending | None:
    """Return the operation at which a signal killed the thread; None if none did."""
    if not thread.log.is_crashed:
        return None
    queries = thread.queries
    name = signal_name(thread.log)
    if thread.stream.steps == 0:
        raise UserError(
            f"{name} killed the program before any recorded code ran.", slug="no-such-end"
        )
    last = Step(thread.stream.steps)
    op = thread.stop_op
    if op is None:  # the crash was in code that is not recorded: its call is the criterion
        return Ending((last,), f"{name} {_called(thread, last)}")
    instance = Instance(len(thread.stream.stretch) - 1)
    steps = {d.step for d in queries.operands(instance, op) if d.step}
    branch = Step(int(thread.stream.control[instance]))
    criteria = tuple(sorted(steps | ({branch} if branch else set())))
    place = thread.image.place(op)
    where = f"{place.file}:{place.line}" if place else "an unknown line"
    words = f"{name} at {where}"
    if thread.log.signal in (signal.SIGSEGV, signal.SIGBUS):
        words += f" (address {thread.log.address:#x})"
    return Ending(criteria or (last,), words)


def assertion(thread: ReplayedLog) -> Ending | None:
    """Return the failed assertion, or the call of abort, with which the thread ended."""
    step = Step(thread.stream.steps)
    if not step or callee(thread, step) not in ASSERTIONS:
        return None
    decided = thread.queries.controlling_step(step)
    where = thread.line_at(step)
    what = "the call of abort" if callee(thread, step) == "abort" else "the failed assertion"
    return Ending((step, *([decided] if decided else [])), f"{what} at {where}")


def exit_(thread: ReplayedLog) -> Ending | None:
    """Return what gave the exit status: the argument of exit, or the value that main returned."""
    ending = exit_of(thread)
    if ending is None:
        return None
    step, status = ending
    is_call = thread.image.code.kind[thread.queries.op_of(step)] == OpKind.CALL
    how = f"given at {thread.line_at(step)}" if is_call else "that main returned"
    return Ending((step,), f"the exit status {status} {how}", status)


def _called(thread: ReplayedLog, step: Step) -> str:
    """Return in words where the call `step` was when the thread ended."""
    where = thread.line_at(step)
    depth, name = len(thread.queries.callers(step)), callee(thread, step)
    if depth >= _FULL_STACK and name in thread.image.function_names:
        return f"in the call of {name} at {where}, {depth:,} calls deep (stack overflow)"
    return f"in {name}, called at {where}" if name else f"in code called at {where}"


def signal_name(log: LogFile) -> str:
    try:
        return signal.Signals(log.signal).name
    except ValueError:
        return f"signal {log.signal}"


def exit_of(thread: ReplayedLog) -> tuple[Step, int] | None:
    """Return the step that ended the process, and the exit status that it gave."""
    if thread.log.state is ProcessState.CRASHED:
        return None
    effects = thread.stream.effects
    exits = effects[effects["kind"] == EXIT]
    if len(exits) and int(exits[-1]["step"]):
        return Step(int(exits[-1]["step"])), int(exits[-1]["arg"]) & 0xFF
    if thread.log.kind != "main" or thread.log.state is ProcessState.RUNNING:
        return None
    names = thread.image.function_names
    activations = thread.stream.activations
    for number in np.flatnonzero(activations["depth"] <= 1).tolist():
        function, step = (int(activations[number][field]) for field in ("function", "ret"))
        if function != NONE and names[function] == "main" and step:
            return Step(step), int(thread.replay.window(step, step + 1).value[0]) & 0xFF
    return None


def callee(thread: ReplayedLog, step: Step) -> str | None:
    """Return the name of the function that a step calls by name; None if it calls none."""
    program = thread.image.program
    op = program.ops[thread.queries.op_of(step)]
    if op["code"] != OpCode.CALL:
        return None
    source, local = thread.image.locate(thread.queries.op_of(step))
    called = source.instruction(local).callee
    return getattr(called, "name", None)


def reading_notes(thread: ReplayedLog) -> tuple[str, ...]:
    """Return notes on a trace that is not complete."""
    notes = []
    if thread.log.state is ProcessState.RUNNING and exit_of(thread) is None:
        notes.append("the program was killed; the trace ends there")
    if thread.log.missing:
        notes.append(f"{thread.log.missing:,} bytes of the log are missing; the trace ends there")
    if thread.meta.status is Status.DAMAGED:
        notes.append(f"the log is damaged ({thread.meta.message}); the trace ends there")
    return tuple(notes)


def ended(threads: Sequence[ReplayedLog]) -> str:
    """Return in words how the process of these threads ended."""
    for thread in threads:
        if thread.log.is_crashed:
            return f"killed by {signal_name(thread.log)}"
    main = next((thread for thread in threads if thread.log.kind == "main"), None)
    if main is None:
        return "ended"
    for thread in (main, *threads):
        if (ending := exit_of(thread)) is not None:
            return f"exit status {ending[1]}"
    if main.log.state is ProcessState.RUNNING:
        return "killed"
    if main.log.state is ProcessState.EXECED:
        return "became another program"
    return "ended"


def recording_notes(thread: ReplayedLog) -> list[str]:
    """Return notes on how a thread was recorded."""
    notes = []
    who = "the main thread" if thread.log.kind == "main" else f"thread {thread.log.number}"
    if thread.meta.status is Status.DAMAGED:
        notes.append(f"the log of {who} is damaged: {thread.meta.message}; the trace ends there")
    if thread.meta.mismatch_count:
        notes.append(
            f"{thread.meta.mismatch_count} values of {who} were recomputed as other values than "
            "recorded; please report this"
        )
    return notes
