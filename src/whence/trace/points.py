"""Which steps of a recorded run does a user mean by `crash`, `output:17` or `find.c:120:path`?"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.program.ids import Instance, Step, Stretch
from whence.trace.recording import Process, Recording, Thread
from whence.trace.slicer import ByteRange


@dataclass(frozen=True)
class Point:
    """A point to slice from: steps, or bytes that a step printed, in one thread."""

    thread: Thread
    criteria: tuple[Step | ByteRange, ...]
    words: str  # a phrase that fits into "what ... depends on"
    notes: tuple[str, ...] = field(default=())


def find(recording: Recording, text: str, process: str | None = None) -> Point:
    """Return the point that `text` names, in the processes that `process` names (None: all)."""
    chosen = _chosen(recording, process)
    try:
        point = _find(recording, chosen, text)
        if len(recording.processes) == 1:
            return point
        of = point.thread.image.process
        who = f"{of.folder.name}, {' '.join(of.arguments)[:60]}"
        return replace(point, words=f"{point.words} [process {who}]")
    except UserError as error:  # the point may be in a part of the trace that is missing
        damage = dict.fromkeys(_damage(recording, chosen))
        if error.slug not in _MAY_BE_MISSING or not damage:
            raise
        raise UserError(f"{error}\nBut {'; '.join(damage)}.", slug=error.slug) from None


_MAY_BE_MISSING = ("no-such-end", "no-such-byte", "line-not-executed")


def _damage(recording: Recording, chosen: Sequence[Process]) -> Iterator[str]:
    """Yield what is missing from the logs of some processes."""
    for process in chosen:
        if not process.has_main_log:
            yield f"the log of process {process.pid} is missing or damaged"
            continue
        image = recording.image(process)
        for log in process.logs:
            yield from recording.thread(image, log).reading_notes()


def _find(recording: Recording, chosen: Sequence[Process], text: str) -> Point:
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


def _chosen(recording: Recording, name: str | None) -> Sequence[Process]:
    found = recording.processes
    if not found:
        raise UserError(
            f"{recording.folder} has no recorded process.\n"
            "Record the run again with whence trace; it reports why if nothing is recorded.",
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


def threads(recording: Recording, process: str | None = None) -> Iterator[Thread]:
    """Open the threads of the processes that `process` names (None: all)."""
    return _threads(recording, _chosen(recording, process))


def _threads(recording: Recording, chosen: Sequence[Process]) -> Iterator[Thread]:
    """Open the threads of some processes one after another, the latest process first."""
    for process in reversed(chosen):
        image = recording.image(process)
        for log in process.logs:
            yield recording.thread(image, log)


# --- how it ended ----------------------------------------------------------------------------


def _failing_thread(recording: Recording, chosen: Sequence[Process]) -> Iterator[Thread]:
    """Yield the thread that made the run fail, if it is known: its ending comes first."""
    thread = recording.failing_thread(chosen)
    if thread is not None:
        yield thread


def _crash(recording: Recording, chosen: Sequence[Process]) -> Point:
    crashed = [(process, log) for process in chosen for log in process.logs if log.is_crashed]
    opened = (recording.thread(recording.image(process), log) for process, log in crashed[::-1])
    # A crash may be in a log that is not marked: a test runner caught the exception.
    others = itertools.chain(opened, _threads(recording, chosen))
    for thread in itertools.chain(_failing_thread(recording, chosen), others):
        ending = thread.ending("crash")
        if ending is not None:
            return Point(thread, ending.criteria, ending.words)
    raise UserError(
        "No recorded process crashed.\n"
        "Ask for assert, exit or output:BYTE instead; whence trace lists how each process ended.",
        slug="no-such-end",
    )


def _ending(recording: Recording, chosen: Sequence[Process], text: str) -> Point:
    last = None
    threads = _threads(recording, chosen)
    for thread in itertools.chain(_failing_thread(recording, chosen), threads):
        ending = thread.ending(text)
        if ending is None:
            continue
        point = Point(thread, ending.criteria, ending.words)
        # If several processes exited, take the one whose status became the test's.
        if text != "exit" or ending.status == recording.document["status"]:
            return point
        last = last or point
    if last is not None:
        return last
    what = "failed an assertion or called abort" if text == "assert" else "exited"
    raise UserError(
        f"No recorded process {what}.\n"
        "Ask for another point, such as FILE:LINE.  whence trace lists how each process ended.",
        slug="no-such-end",
    )


# --- output ----------------------------------------------------------------------------------


def _output(recording: Recording, chosen: Sequence[Process], byte: int) -> Point:
    wrote = 0
    for thread in _threads(recording, chosen):
        found = thread.printed(byte)
        if found is not None:
            words = f"byte {byte} of the output, printed at {thread.line_at(found.step)}"
            return Point(thread, (found.criterion,), words)
        wrote = max(wrote, thread.printed_size())
    raise UserError(
        f"No recorded process printed byte {byte} of its standard output.\n"
        f"The longest output of a process is {wrote} bytes, numbered from 0.  If there are several "
        "processes, --process selects one.",
        slug="no-such-byte",
    )


def printed_size(recording: Recording, process: Process) -> int:
    """Return how many bytes a process printed on its standard output."""
    image = recording.image(process)
    return sum(recording.thread(image, log).printed_size() for log in process.logs)


# --- lines and variables -----------------------------------------------------------------------


def _line(
    recording: Recording, chosen: Sequence[Process], file: str, line: int, variable: str | None
) -> Point:
    images = {process: recording.image(process) for process in chosen}
    name = _file({name for image in images.values() for name in image.file_names}, file)
    code: set[int] = set()  # lines of the file with code
    ran: set[int] = set()  # lines of the file that were executed
    for process in reversed(chosen):
        image = images[process]
        if name not in image.file_names:
            continue
        of_file = image.files == image.file_names.index(name)
        ops = np.flatnonzero(of_file & (image.rows == line))
        code.update(np.unique(image.rows[of_file]).tolist())
        for log in process.logs:
            thread = recording.thread(image, log)
            steps = last_execution(thread, ops)
            if steps:
                return _at(thread, steps, name, line, variable)
            executed = np.isin(
                image.code.op_stretch, np.flatnonzero(thread.stream.instance_counts())
            )
            ran.update(np.unique(image.rows[of_file & executed]).tolist())
    raise _not_executed(name, line, code - {0}, ran - {0})


def _not_executed(file: str, line: int, code: set[int], ran: set[int]) -> UserError:
    near = sorted(ran, key=lambda n: (abs(n - line), n))[:3]
    what = "was not executed" if line in code else "has no code"
    listed = ", ".join(map(str, sorted(near)))
    hint = f"Lines near it that were executed: {listed}." if near else f"Nothing of {file} was."
    return UserError(f"Line {line} of {file} {what}.\n{hint}", slug="line-not-executed")


def _file(names: set[str], asked: str) -> str:
    """Return the file that a user means by `asked`.

    This is its path in the tree, the end of that path, or a path that ends in it.
    """
    wanted = posixpath.normpath(asked)
    found = (
        [name for name in names if name == wanted]
        or [name for name in names if name.endswith("/" + wanted)]
        or [name for name in names if not name.startswith("/") and wanted.endswith("/" + name)]
    )
    if len(found) == 1:
        return found[0]
    own = sorted(found or (name for name in names if not name.startswith("/")))
    listed = ", ".join(own[:8]) + (" ..." if len(own) > 8 else "")
    if found:
        raise UserError(
            f"{asked} may mean several files of the recorded program: {listed}.\n"
            "Write more of its path.",
            slug="which-file",
        )
    if not names:
        raise UserError(
            "The recorded program has no debug information, so its lines are unknown.\n"
            "Build it without -g0 and without strip, or ask for crash, exit or output:BYTE.",
            slug="no-debug-information",
        )
    raise UserError(
        f"{asked} is no file of the recorded program.\nIts files are: {listed}.",
        slug="no-such-file",
    )


def last_execution(thread: Thread, ops: npt.NDArray[np.int64]) -> list[Step]:
    """Return the steps of the last execution of one line, whose operations are `ops`."""
    stream, code = thread.stream, thread.image.code
    if not len(ops):
        return []
    stretches = np.unique(code.op_stretch[ops])
    instances = np.concatenate(
        [thread.queries.instances_of(Stretch(s))[-1:] for s in stretches.tolist()]
    )
    if not len(instances):
        return []
    last = Instance(int(instances.max()))
    activation = int(stream.activation[last])
    wanted = set(ops.tolist())
    found: list[Step] = []
    instance: Instance | None = last
    while instance is not None and (not found or _has(thread, instance, wanted)):
        start = int(stream.first[instance])
        base = int(code.stretch_first_op[stream.stretch[instance]])
        count = thread.queries.executed(instance)
        found += [Step(start + k) for k in range(count) if base + k in wanted]
        before = thread.queries.previous_instance(instance)
        if before is None or int(stream.activation[before]) != activation:
            break
        # In a loop the instance before may be an earlier execution of the line: stop there.
        again = int(code.stretch_first_op[stream.stretch[before]]) >= base
        instance = None if again else before
    return sorted(found)


def _has(thread: Thread, instance: Instance, ops: set[int]) -> bool:
    """Does the stretch of `instance` contain one of `ops`?"""
    code = thread.image.code
    stretch = int(thread.stream.stretch[instance])
    base = int(code.stretch_first_op[stretch])
    return any(base + k in ops for k in range(int(code.stretch_ops[stretch])))


def _at(thread: Thread, steps: list[Step], file: str, line: int, variable: str | None) -> Point:
    if variable is None:
        return Point(thread, tuple(steps), f"{file}:{line} (when it ran last)")
    criteria = thread.criteria(steps, line, variable)
    words = f"{variable} at {file}:{line} (when it ran last)"
    if criteria:
        return Point(thread, criteria, words)
    controlling = thread.queries.controlling_step(steps[-1])
    note = f"no step of the run wrote {variable} before: it is as it was at the start"
    return Point(thread, (controlling,) if controlling else (), words, (note,))
