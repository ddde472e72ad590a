"""How did a C thread end, and which steps are to blame for it?"""

from __future__ import annotations

import signal
from collections.abc import Sequence

import numpy as np

from whence.errors import UserError
from whence.frontend.c.process import LogFile, ProcessState
from whence.frontend.c.replay import Status
from whence.frontend.c.tables import NONE, OpCode, OpKind
from whence.program.rows import EXIT
from whence.trace.c.replayed import ReplayedLog
from whence.trace.recording import Ending

ASSERTIONS = ("__assert_fail", "__assert_rtn", "__assert", "__assert_perror_fail", "abort")
_FULL_STACK = 1000  # calls within each other that make us think of it


def crash(thread: ReplayedLog) -> Ending | None:
    """The operation that the thread died of."""
    if not thread.log.is_crashed:
        return None
    queries = thread.queries
    name = signal_name(thread.log)
    if thread.stream.steps == 0:
        raise UserError(f"{name} came before any recorded code ran.", slug="no-such-end")
    last = thread.stream.steps
    op = thread.stop_op
    if op is None:  # in code that is not recorded: what it was called with is to blame
        return Ending((last,), f"{name} {_called(thread, last)}")
    instance = len(thread.stream.stretch) - 1
    steps = {d.step for d in queries.operands(instance, op) if d.step}
    decided = int(thread.stream.control[instance])
    criteria = tuple(sorted(steps | ({decided} if decided else set())))
    place = thread.image.place(op)
    where = f"{place.file}:{place.line}" if place else "an unknown line"
    words = f"{name} at {where}"
    if thread.log.signal in (signal.SIGSEGV, signal.SIGBUS):
        words += f" (address {thread.log.address:#x})"
    return Ending(criteria or (last,), words)


def assertion(thread: ReplayedLog) -> Ending | None:
    """The assertion that failed, or the call of abort, if that is how the thread ended."""
    step = thread.stream.steps
    if not step or callee(thread, step) not in ASSERTIONS:
        return None
    decided = thread.queries.controlling_step(step)
    where = thread.line_at(step)
    what = "the call of abort" if callee(thread, step) == "abort" else "the failed assertion"
    return Ending((step, *([decided] if decided else [])), f"{what} at {where}")


def exit_(thread: ReplayedLog) -> Ending | None:
    """What decided the exit status: the argument of exit, or what main returned."""
    ending = exit_of(thread)
    if ending is None:
        return None
    step, status = ending
    is_call = thread.image.code.kind[thread.queries.op_of(step)] == OpKind.CALL
    how = f"given at {thread.line_at(step)}" if is_call else "that main returned"
    return Ending((step,), f"the exit status {status} {how}", status)


def _called(thread: ReplayedLog, step: int) -> str:
    """Where it happened, if the last step is a call."""
    where = thread.line_at(step)
    depth, name = len(thread.queries.callers(step)), callee(thread, step)
    if depth >= _FULL_STACK and name in thread.image.function_names:
        return f"in the call of {name} at {where}, {depth:,} calls deep (the stack is full)"
    return f"in {name}, called at {where}" if name else f"in code called at {where}"


def signal_name(log: LogFile) -> str:
    try:
        return signal.Signals(log.signal).name
    except ValueError:
        return f"signal {log.signal}"


def exit_of(thread: ReplayedLog) -> tuple[int, int] | None:
    """The step that ended the process, and the exit status that it gave."""
    if thread.log.state is ProcessState.CRASHED:
        return None
    effects = thread.stream.effects
    exits = effects[effects["kind"] == EXIT]
    if len(exits) and int(exits[-1]["step"]):
        return int(exits[-1]["step"]), int(exits[-1]["arg"]) & 0xFF
    if thread.log.kind != "main" or thread.log.state is ProcessState.RUNNING:
        return None
    names = thread.image.function_names
    activations = thread.stream.activations
    for number in np.flatnonzero(activations["depth"] <= 1).tolist():
        function, step = (int(activations[number][field]) for field in ("function", "ret"))
        if function != NONE and names[function] == "main" and step:
            return step, int(thread.replay.window(step, step + 1).value[0]) & 0xFF
    return None


def callee(thread: ReplayedLog, step: int) -> str | None:
    """The name of the function that a step calls directly; None if it does not."""
    program = thread.image.program
    op = program.ops[thread.queries.op_of(step)]
    if op["code"] != OpCode.CALL:
        return None
    source, local = thread.image.locate(thread.queries.op_of(step))
    called = source.instruction(local).callee
    return getattr(called, "name", None)


def reading_notes(thread: ReplayedLog) -> tuple[str, ...]:
    """What has to be said of a trace that is not whole."""
    notes = []
    if thread.log.state is ProcessState.RUNNING and exit_of(thread) is None:
        notes.append("the program was killed; the trace goes up to there")
    if thread.log.missing:
        notes.append(f"{thread.log.missing:,} bytes of the log are missing; it is used up to there")
    if thread.meta.status is Status.DAMAGED:
        notes.append(f"the trace is damaged ({thread.meta.message}); it is used up to there")
    return tuple(notes)


def ended(threads: Sequence[ReplayedLog]) -> str:
    """How the process of these threads ended."""
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
    """What has to be said of how a thread was recorded."""
    notes = []
    who = "the main thread" if thread.log.kind == "main" else f"thread {thread.log.number}"
    if thread.meta.status is Status.DAMAGED:
        notes.append(f"the log of {who} is damaged: {thread.meta.message}; used up to there")
    if thread.meta.mismatch_count:
        notes.append(
            f"{thread.meta.mismatch_count} values of {who} were recomputed differently; "
            "please report this"
        )
    return notes
