"""How did a C thread end, and which steps made it end so?"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

import numpy as np

from whence.errors import UserError
from whence.frontend.c.flow import ASSERTIONS
from whence.frontend.c.ir import Global
from whence.frontend.c.objects import without_arguments
from whence.frontend.c.process import LogFile, ProcessState
from whence.frontend.c.replay import Status
from whence.frontend.c.tables import NONE, OpCode, OpKind
from whence.frontend.c.terms import c_string
from whence.program.ids import Instance, Step
from whence.program.rows import EXIT, OUTPUT
from whence.trace.c.faults import follows_fault, handler_name, handler_of
from whence.trace.c.replayed import ReplayedLog
from whence.trace.columns import UNWOUND
from whence.trace.recording import Ending

_THROWS = re.compile(r"__cxa_(re)?throw|_ZSt\d+__throw_\w+")  # functions that throw
# What the C++ libraries print about an exception that nothing caught: its type and its what().
_UNCAUGHT = re.compile(
    rb"terminate called after throwing an instance of '(?P<type>[^'\n]+)'"
    rb"(?:\s+what\(\):  (?P<what>[^\n]*))?"
    rb"|uncaught exception of type (?P<type2>[^:\n]+(?:::[^:\n]+)*)(?:: (?P<what2>[^\n]*))?"
)
_SPOKEN = {"_ZSt9terminatev": "std::terminate"}  # names of functions as the source writes them
_FULL_STACK = 1000  # depth of calls from which a crash is called a stack overflow; guessed


def crash(thread: ReplayedLog) -> Ending | None:
    """Return the operation at which a signal killed the thread; None if none did."""
    if not thread.log.is_crashed or follows_fault(thread):
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
        return Ending((last,), f"{name} {_called(thread, last)}{_handled(thread)}")
    instance = Instance(len(thread.stream.stretch) - 1)
    steps = {d.step for d in queries.operands(instance, op) if d.step}
    branch = Step(int(thread.stream.control[instance]))
    criteria = tuple(sorted(steps | ({branch} if branch else set())))
    place = thread.image.place(op)
    where = f"{place.file}:{place.line}" if place else "an unknown line"
    words = f"{name} at {where}"
    if thread.log.signal in (signal.SIGSEGV, signal.SIGBUS):
        words += f" (address {thread.log.address:#x})"
    return Ending(criteria or (last,), words + _handled(thread))


def _handled(thread: ReplayedLog) -> str:
    """Return in words that a handler of the program ran after the crash; empty if none did."""
    log = handler_of(thread)
    if log is None:
        return ""
    name = handler_name(thread.recording, thread, log)
    return f", then the handler `{name}` ran" if name else ", then a signal handler ran"


def assertion(thread: ReplayedLog) -> Ending | None:
    """Return the failed assertion, or the call of abort, with which the thread ended."""
    step = None if follows_fault(thread) else final_call(thread)
    name = None if step is None else callee(thread, step)
    if step is None or name is None or not _gives_up(thread, name):
        return None
    decided = thread.queries.controlling_step(step)
    spoken = _SPOKEN.get(name, name)
    what = (
        "the failed assertion"
        if "assert" in name
        else f"{_exception(thread, step)} that nothing caught, thrown"
        if _THROWS.fullmatch(name)
        else f"the call of {spoken}"
    )
    words = f"{what} at {thread.line_at(thread.in_tree(step))}"
    return Ending((step, *([decided] if decided else [])), words)


def _gives_up(thread: ReplayedLog, name: str) -> bool:
    """Does a call of this function, in which the thread ended, mean that the program gave up?"""
    if name in ASSERTIONS:
        return True
    return bool(_THROWS.fullmatch(name)) and thread.log.signal == signal.SIGABRT


def _exception(thread: ReplayedLog, step: Step) -> str:
    """Return an exception that nothing caught in words, with the type and text that are known."""
    effects = thread.stream.effects
    rows = np.flatnonzero((effects["kind"] == OUTPUT) & (effects["step"] >= step))
    printed = b"".join(thread.output_text(int(row)) or b"" for row in rows)
    found = _UNCAUGHT.search(printed)
    if found is None:
        return "the exception"
    kind, text = found["type"] or found["type2"], found["what"] or found["what2"]
    name = without_arguments(kind.decode(errors="replace"))
    return f"the exception {name}{f' {c_string(text)}' if text is not None else ''}"


def exit_(thread: ReplayedLog) -> Ending | None:
    """Return what gave the exit status: a call that did not return, or what main returned."""
    if follows_fault(thread):
        return None
    ending = exit_of(thread)
    if ending is None:
        return _killed(thread)
    step, status = ending
    if thread.image.code.kind[thread.queries.op_of(step)] != OpKind.CALL:
        return Ending((step,), f"the exit status {status} that main returned", status)
    name, where = callee(thread, step), thread.line_at(step)
    by = "" if name is None or name in _EXITS else f" by {name}"
    return Ending((step,), f"the exit status {status} given{by} at {where}", status)


_EXITS = ("exit", "_exit", "_Exit", "quick_exit")  # functions whose only work is to exit


def _killed(thread: ReplayedLog) -> Ending | None:
    """Return the call in which a process with one thread disappeared.

    A library that is not recorded called _exit, a system call did, a signal killed the process, or
    another program replaced it.  Only if the process is the only recorded one, the status of the
    test is taken for its own.
    """
    state = thread.log.state
    is_gone = state is ProcessState.RUNNING or state is ProcessState.EXECED
    if not is_gone or len(thread.image.process.logs) != 1:
        return None
    step = final_call(thread)
    if step is None:
        return None
    is_alone = len(thread.recording.processes) == 1
    status: int = thread.recording.document["status"] if is_alone else 0
    if state is ProcessState.EXECED:
        return _replaced(thread, step, status) if status else None
    if status > _SIGNALLED:
        words = f"{_signal_name(status - _SIGNALLED)} {_called(thread, step)}"
    elif status:
        name = callee(thread, step)
        by = f" by {name}" if name else ""
        words = f"the exit status {status} given{by} at {thread.line_at(step)}"
    else:
        words = f"the end of the program {_called(thread, step)}"
    return Ending((step,), words, status or None)


def _replaced(thread: ReplayedLog, step: Step, status: int) -> Ending:
    """Return the call that replaced the program by another one, which ended with this status."""
    name = callee(thread, step)
    words = f"the exit status {status} of the program that {name or 'a call'} started"
    return Ending((step,), f"{words} at {thread.line_at(step)}", status)


_SIGNALLED = 128  # what a shell adds to the number of the signal that killed a program


def _called(thread: ReplayedLog, step: Step) -> str:
    """Return in words where the call `step` was when the thread ended."""
    where = thread.line_at(step)
    depth, name = len(thread.queries.callers(step)), callee(thread, step)
    if depth >= _FULL_STACK and name in thread.image.function_names:
        return f"in the call of {name} at {where}, {depth:,} calls deep (stack overflow)"
    return f"in {name} at {where}" if name else f"in a call at {where}"


def final_call(thread: ReplayedLog) -> Step | None:
    """Return the innermost call that was in progress when the thread ended; None if none was.

    Functions that a library called after that call, such as those given to atexit, have returned.
    A damaged log does not show how the thread ended.
    """
    if not thread.stream.steps or thread.damage is not None:
        return None
    rows = (thread.stream.activations[a] for a in thread.queries.callers(Step(thread.stream.steps)))
    is_open = (row for row in rows if not row["ret"] and not row["flags"] & UNWOUND)
    innermost = next(is_open, None)
    if innermost is None:
        return None
    step = thread.queries.last_step(Instance(int(innermost["last_instance"])))
    op = thread.queries.op_of(step)
    return step if thread.image.code.kind[op] == OpKind.CALL else None


def signal_name(log: LogFile) -> str:
    return _signal_name(log.signal)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_of(thread: ReplayedLog) -> tuple[Step, int] | None:
    """Return the step that ended the process, and the exit status that it gave."""
    if thread.log.state is ProcessState.CRASHED:
        return None
    effects = thread.stream.effects
    exits = effects[effects["kind"] == EXIT]
    if len(exits) and int(exits[-1]["step"]):
        return Step(int(exits[-1]["step"])), int(exits[-1]["arg"]) & 0xFF
    if thread.log.status is not None and (call := final_call(thread)) is not None:
        return call, thread.log.status & 0xFF
    if thread.log.kind != "main" or thread.log.state is ProcessState.RUNNING:
        return None
    names = thread.image.function_names
    activations = thread.stream.activations
    for number in thread.queries.outermost():
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
    return called.name if isinstance(called, Global) else None


def reading_notes(thread: ReplayedLog) -> tuple[str, ...]:
    """Return notes on a trace that is not complete."""
    notes = []
    if thread.log.state is ProcessState.RUNNING and exit_of(thread) is None:
        notes.append("the program was killed; the trace ends there")
    if thread.damage is not None:
        notes.append(f"{thread.damage}; the trace ends there")
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
