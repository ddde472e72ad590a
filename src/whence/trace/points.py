"""Which steps of a recorded run does a user mean by `crash`, `output:17` or `find.c:120:path`?"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.frontend.c.process import LogFile, Process, State
from whence.frontend.c.replay import Status
from whence.frontend.c.tables import NONE, Code
from whence.frontend.c.variables import Place, Visible
from whence.trace.columns import OUTPUT
from whence.trace.memory import Memory
from whence.trace.recording import Recording, Thread
from whence.trace.slicing import Bytes

ASSERTIONS = ("__assert_fail", "__assert_rtn", "__assert", "__assert_perror_fail", "abort")
EXITS = ("exit", "_exit", "_Exit", "quick_exit")
EXIT, SOURCE = 9, 8  # kinds of effects
STDOUT = 3  # kind of a source


@dataclass(frozen=True)
class Point:
    """Steps, or bytes of what a step put out, in one thread."""

    thread: Thread
    criteria: tuple[int | Bytes, ...]
    words: str  # fits after "what ... depends on"
    notes: tuple[str, ...] = field(default=())


def find(recording: Recording, text: str, process: str | None = None) -> Point:
    """Return the point that `text` names."""
    chosen = _chosen(recording, process)
    if text == "crash":
        return _crash(recording, chosen)
    if text in ("assert", "exit"):
        return _ending(recording, chosen, text)
    if match := re.fullmatch(r"output:(\d+)", text):
        return _output(recording, chosen, int(match[1]))
    if match := re.fullmatch(r"(.+?):(\d+)(?::(.+))?", text):
        return _line(recording, chosen, match[1], int(match[2]), match[3])
    raise UserError(
        f"{text!r} is no point of a run.\n"
        "Write crash, assert, exit, output:BYTE, FILE:LINE or FILE:LINE:VARIABLE.",
        slug="bad-point",
    )


def _chosen(recording: Recording, name: str | None) -> list[Process]:
    found = recording.processes
    if not found:
        raise UserError(
            f"{recording.folder} has no recorded process.\n"
            "Record the run again with whence trace; it says why if nothing is recorded.",
            slug="nothing-recorded",
        )
    if name is None:
        return found
    chosen = [p for p in found if p.folder.name == name or str(p.pid) == name]
    if not chosen:
        listed = ", ".join(p.folder.name for p in found)
        raise UserError(
            f"No process {name!r} was recorded.\nThere are: {listed}.", slug="no-such-process"
        )
    return chosen


def _threads(recording: Recording, chosen: Sequence[Process]) -> Iterator[Thread]:
    """The threads of processes, opened one after another, the latest process first."""
    for process in reversed(chosen):
        image = recording.image(process)
        for log in process.logs:
            yield recording.thread(image, log)


# --- how it ended ----------------------------------------------------------------------------


def _crash(recording: Recording, chosen: Sequence[Process]) -> Point:
    crashed = [
        (process, log)
        for process in chosen
        for log in process.logs
        if log.state is State.CRASHED and log.kind != "handler"
    ]
    if not crashed:
        raise UserError(
            "No recorded process crashed.\n"
            "Ask for assert, exit or output:BYTE instead; whence trace says how each ended.",
            slug="no-such-end",
        )
    process, log = crashed[-1]
    return crash_point(recording.thread(recording.image(process), log))


def crash_point(thread: Thread) -> Point:
    """The operation that the thread died of."""
    meta, queries = thread.meta, thread.queries
    name = signal_name(thread.log)
    if thread.stream.steps == 0:
        raise UserError(f"{name} came before any recorded code ran.", slug="no-such-end")
    last = thread.stream.steps
    op = meta.stop_op
    if op is None:  # in code that is not recorded: what it was called with is to blame
        return Point(thread, (last,), f"{name} in code called at {_where(thread, last)}")
    instance = len(thread.stream.stretch) - 1
    steps = {d.step for d in queries.operands(instance, op) if d.step}
    decided = int(thread.stream.control[instance])
    criteria = tuple(sorted(steps | ({decided} if decided else set())))
    place = thread.image.place(op)
    where = f"{place.file}:{place.line}" if place else "an unknown line"
    words = f"{name} at {where}"
    if thread.log.signal in (signal.SIGSEGV, signal.SIGBUS):
        words += f" (address {thread.log.address:#x})"
    return Point(thread, criteria or (last,), words)


def signal_name(log: LogFile) -> str:
    try:
        return signal.Signals(log.signal).name
    except ValueError:
        return f"signal {log.signal}"


def _ending(recording: Recording, chosen: Sequence[Process], text: str) -> Point:
    for thread in _threads(recording, chosen):
        point = assert_point(thread) if text == "assert" else exit_point(thread)
        if point is not None:
            return point
    what = "assertion failed in" if text == "assert" else "exit was recorded of"
    raise UserError(
        f"No {what} a recorded process.\nwhence trace says how each process ended.",
        slug="no-such-end",
    )


def assert_point(thread: Thread) -> Point | None:
    """The assertion that failed, or the call of abort, if that is how the thread ended."""
    step = thread.stream.steps
    if not step or callee(thread, step) not in ASSERTIONS:
        return None
    decided = thread.queries.deciding(step)
    where = _where(thread, step)
    return Point(
        thread, (step, *([decided] if decided else [])), f"the failed assertion at {where}"
    )


def exit_point(thread: Thread) -> Point | None:
    """What decided the exit status: the argument of exit, or what main returned."""
    if thread.log.kind != "main" or thread.log.state is State.RUNNING:
        return None
    effects = thread.stream.effects
    exits = effects[effects["kind"] == EXIT]
    if len(exits) and int(exits[-1]["step"]):
        step = int(exits[-1]["step"])
        return Point(thread, (step,), f"the exit status given at {_where(thread, step)}")
    names = thread.image.function_names
    activations = thread.stream.activations
    mains = [
        number
        for number in np.flatnonzero(activations["depth"] <= 1).tolist()
        if activations[number]["function"] != NONE
        and names[int(activations[number]["function"])] == "main"
    ]
    if not mains or not int(activations[mains[0]]["ret"]):
        return None
    step = int(activations[mains[0]]["ret"])
    return Point(thread, (step,), f"the exit status returned at {_where(thread, step)}")


def callee(thread: Thread, step: int) -> str | None:
    """The name of the function that a step calls directly; None if it does not."""
    program = thread.image.program
    op = program.ops[thread.queries.op_of(step)]
    if op["code"] != Code.CALL:
        return None
    source, local = thread.image.locate(thread.queries.op_of(step))
    called = source.instruction(local).callee
    return getattr(called, "name", None)


def _where(thread: Thread, step: int) -> str:
    place = thread.image.place(thread.queries.op_of(step))
    return f"{place.file}:{place.line}" if place else "an unknown line"


# --- output ----------------------------------------------------------------------------------


def _output(recording: Recording, chosen: Sequence[Process], byte: int) -> Point:
    wrote = 0
    for thread in _threads(recording, chosen):
        effects = thread.stream.effects
        standard = _standard_output(thread)
        rows = np.flatnonzero((effects["kind"] == OUTPUT) & np.isin(effects["source"], standard))
        if len(rows):
            ends = effects["offset"][rows] + effects["len"][rows]
            wrote = max(wrote, int(ends.max()))
        for row in rows[::-1].tolist():
            start = int(effects["offset"][row])
            if start <= byte < start + int(effects["len"][row]):
                inside = byte - start
                step = int(effects["step"][row])
                words = f"byte {byte} of the output, printed at {_where(thread, step)}"
                return Point(thread, (Bytes(row, inside, inside + 1),), words)
    raise UserError(
        f"No recorded process printed byte {byte} of its standard output.\n"
        f"The most that one printed is {wrote} bytes, numbered from 0.  With several processes, "
        "--process chooses one.",
        slug="no-such-byte",
    )


def _standard_output(thread: Thread) -> list[int]:
    effects = thread.stream.effects
    sources = effects[(effects["kind"] == SOURCE) & (effects["arg"] == STDOUT)]
    return [int(number) for number in np.unique(sources["source"])]


# --- lines and variables -----------------------------------------------------------------------


def _line(
    recording: Recording, chosen: Sequence[Process], file: str, line: int, variable: str | None
) -> Point:
    seen: set[str] = set()
    lines: set[int] = set()
    for thread in _threads(recording, chosen):
        image = thread.image
        files = [n for n, name in enumerate(image.file_names) if _is_file(name, file)]
        seen.update(image.file_names)
        ops = np.flatnonzero(np.isin(image.files, files) & (image.rows == line))
        lines.update(np.unique(image.rows[np.isin(image.files, files)]).tolist())
        steps = last_execution(thread, ops)
        if steps:
            return _at(thread, steps, file, line, variable)
    if not any(_is_file(name, file) for name in seen):
        listed = ", ".join(sorted(seen)[:8]) or "none"
        raise UserError(
            f"{file} is no file of the recorded program.\nIts files are: {listed}.",
            slug="no-such-file",
        )
    near = sorted(lines - {0}, key=lambda n: (abs(n - line), n))[:3]
    raise UserError(
        f"Line {line} of {file} was not executed.\n"
        f"Lines near it that have code: {', '.join(map(str, sorted(near))) or 'none'}.",
        slug="line-not-executed",
    )


def _is_file(name: str, asked: str) -> bool:
    name, asked = name.removeprefix("./"), asked.removeprefix("./")
    return name == asked or name.endswith("/" + asked)


def last_execution(thread: Thread, ops: npt.NDArray[np.int64]) -> list[int]:
    """The steps of the last time that control went through these ops, which are one line's."""
    stream, code = thread.stream, thread.image.code
    if not len(ops):
        return []
    stretches = np.unique(code.op_stretch[ops])
    instances = np.concatenate([thread.queries.instances_of(int(s))[-1:] for s in stretches])
    if not len(instances):
        return []
    last = int(instances.max())
    activation = int(stream.activation[last])
    wanted = set(ops.tolist())
    found: list[int] = []
    instance: int | None = last
    while instance is not None and (not found or _has(thread, instance, wanted)):
        start = int(stream.first[instance])
        base = int(code.stretch_first_op[stream.stretch[instance]])
        count = thread.queries.executed(instance)
        found += [start + k for k in range(count) if base + k in wanted]
        before = thread.queries.previous_instance(instance)
        if before is None or int(stream.activation[before]) != activation:
            break
        # A line that is run again in a loop has its first op twice: only the last time counts.
        again = int(code.stretch_first_op[stream.stretch[before]]) >= base
        instance = None if again else before
    return sorted(found)


def _has(thread: Thread, instance: int, ops: set[int]) -> bool:
    code = thread.image.code
    stretch = int(thread.stream.stretch[instance])
    base = int(code.stretch_first_op[stretch])
    return any(base + k in ops for k in range(int(code.stretch_ops[stretch])))


def _at(thread: Thread, steps: list[int], file: str, line: int, variable: str | None) -> Point:
    if variable is None:
        return Point(thread, tuple(steps), f"{file}:{line}, when it ran last")
    criteria = variable_criteria(thread, steps, line, variable)
    return Point(thread, criteria, f"{variable} at {file}:{line}, when it ran last")


def variable_criteria(
    thread: Thread, steps: list[int], line: int, variable: str
) -> tuple[int, ...]:
    """The steps that made a variable what it is when control has gone through a line."""
    image, queries = thread.image, thread.queries
    op = queries.op_of(steps[0])
    source, local = image.locate(op)
    function = source.function_of(local)
    visible, place = source.names.resolve(function, line, variable)
    address = getattr(visible.address, "name", "")
    number = source.register(local, address)
    if number is not None and len(place.hops) == 1 and not visible.is_indirect:
        alloca = int(image.program.ops[op - local + number]["code"])
        if alloca == Code.LALLOCA:
            return _private_writes(thread, steps[-1], op - local + number, place.hops[0])
    return _memory_writes(thread, steps, visible, place, op, variable)


def _private_writes(thread: Thread, step: int, alloca: int, offset: int) -> tuple[int, ...]:
    ops = thread.image.program.ops
    start = int(ops[alloca]["b"])
    size = int(ops[alloca]["x"])
    function = thread.image.code.block_function[
        thread.image.code.stretch_block[thread.image.code.op_stretch[alloca]]
    ]
    first = int(thread.image.code.function_first_op[function])
    count = int(thread.image.code.function_ops[function])
    own = ops[first : first + count]
    writes = np.isin(own["code"], [Code.LSTORE, Code.LFILL, Code.LCOPY])
    inside = (own["b"] >= start) & (own["b"] < start + size) & (own["b"] <= start + offset)
    covers = inside & (own["b"].astype(np.int64) + own["x"] > start + offset)
    found = [
        last
        for op in (np.flatnonzero(writes & covers) + first).tolist()
        if (last := thread.last_execution(op, step + 1)) is not None
    ]
    return (max(found),) if found else (step,)


def _memory_writes(
    thread: Thread, steps: list[int], visible: Visible, place: Place, op: int, text: str
) -> tuple[int, ...]:
    memory = Memory(thread)
    address, size, pointers = memory.address_of(steps[-1], op, visible, place, text)
    written = thread.queries.last_write(address, size, steps[-1] + 1)
    found = {row.step for row in written if row.step} | set(pointers)
    return tuple(sorted(found)) or (steps[-1],)


def reading_notes(thread: Thread) -> tuple[str, ...]:
    """What has to be said of a trace that is not whole."""
    notes = []
    if thread.log.state is State.RUNNING:
        notes.append("the program was killed; the trace goes up to there")
    if thread.meta.status is Status.DAMAGED:
        notes.append(f"the trace is damaged ({thread.meta.message}); it is used up to there")
    return tuple(notes)
