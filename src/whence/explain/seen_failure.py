"""What is the failure of a recorded run, as the first thing to explain?

This module alone decides.  The rules, the first that holds:

1. The end of a recorded process differs from the end of its counterpart in the passing run: a
   signal killed it, or its exit status is another one, even 0.  Among several such processes, the
   one that was killed comes first, then the one whose status became the test's, then the one that
   started first.  An end does not count if the counterpart ended in the same way.  Of the
   processes of a test that did not end, one that loops or waits for input comes first, then one
   that waits for other processes.  A process that SIGPIPE killed says only that its reader had
   seen enough (`grep -q`, `head`): its end counts if rule 2 finds nothing.
2. A recorded process wrote other bytes than its counterpart.  Each stream is compared as a whole;
   the failure is its first byte that differs.  Streams that lead to /dev/null do not count.  A
   stream that another program can read comes before the test's own output, which nothing reads;
   standard output comes before files, and these before standard error.  What SIGPIPE cut off is no
   difference.  A process that read a
   stream that differs, or got other arguments, comes after the process that it has them from.
3. Without a run to compare with, the failure is how a process ended.

With `--oracle output` the test's own standard output decides, so rule 2 comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from whence.causes.hang import endless_beside, hang_rank, is_waiting, waiting_beside
from whence.causes.observed_failure import ObservedFailure
from whence.causes.output_difference import first_output_difference, with_earlier_outputs
from whence.causes.written_difference import against, written_failure
from whence.errors import UserError
from whence.explain.recorder import process_counterpart, thread_pairs
from whence.languages import find_failure, flow_of, language_of
from whence.trace.flow import Flow
from whence.trace.recording import STDERR, STDOUT, Process, Recording, Thread
from whence.trace.written import (
    StreamDifference,
    WrittenStream,
    read_targets,
    stream_differences,
    written_streams,
)

_KILLED = "killed"  # what `Recording.ended` says of a signal that the process could not see
_PIPE = "pipe:"  # how the target of a stream begins that leads to a pipe


def seen_failure(
    failing: Recording, passing: Recording | None, expected: bytes | None
) -> ObservedFailure:
    """Return the failure of a recorded run; a UserError says why none is seen.

    `expected` is the output of the good version, if the output of the test decides.
    """
    if passing is None:
        return find_failure(failing, expect=expected)
    if not language_of(failing).is_compiled:
        return _of_interpreted(failing, passing, expected)
    ended = _ended_otherwise(failing, passing) if expected is None else []
    if ended and failing.is_stopped:
        return _hang(failing, ended)
    telling = [process for process in ended if not _was_cut_off(process, failing, passing)]
    if telling:
        return find_failure(failing, process=telling[0].folder.name)
    found = _written_otherwise(failing, passing, is_output_judged=expected is not None)
    if found is not None:
        return found
    if ended:
        return find_failure(failing, process=ended[0].folder.name)
    if expected is not None:
        return find_failure(failing, expect=expected)
    raise UserError(
        "The test fails, but no recorded process does: each ended as in the passing run, and wrote "
        "the same bytes.\n"
        "Build the failing program with $CC or $CXX, so that it is recorded.",
        slug="failure-not-recorded",
    )


def beside(failure: ObservedFailure, passing: Flow) -> ObservedFailure:
    """Return a failure as it shows beside a passing run other than the one it was found with."""
    if failure.stream is not None:
        return against(failure, passing)
    if failure.endless is not None:
        return endless_beside(failure, passing)
    if is_waiting(failure):
        return waiting_beside(failure, passing)
    return with_earlier_outputs(failure, passing)


def _of_interpreted(
    failing: Recording, passing: Recording, expected: bytes | None
) -> ObservedFailure:
    """Return the failure of a Python run: an exception, or else the first print that differs.

    A test runner catches the exceptions of its tests, so how a process ended says little; and the
    log does not hold the text that was printed.
    """
    try:
        return find_failure(failing, expect=expected)
    except UserError:
        found = first_output_difference(thread_pairs(failing, passing))
        if found is None:
            raise
        return found


# --- how processes ended -----------------------------------------------------------------------


def _ended_otherwise(failing: Recording, passing: Recording) -> list[Process]:
    """Return the processes whose end differs from the passing run, the likeliest failure first."""
    found: list[tuple[int, Process]] = []
    for process in failing.processes:
        threads = _threads(failing, process)
        other = process_counterpart(process, failing, passing)
        ended = failing.ended(threads)
        if other is not None and ended == passing.ended(_threads(passing, other)):
            continue
        is_killed = any(log.is_crashed for log in process.logs)
        if other is None and not is_killed and ended == "exit status 0":
            continue  # only the failing run started it, and it ended well
        is_status = ended == f"exit status {failing.document['status']}"
        found.append((0 if is_killed else 1 if is_status else 2, process))
    return [process for _, process in sorted(found, key=lambda pair: pair[0])]


def _hang(failing: Recording, processes: Sequence[Process]) -> ObservedFailure:
    """Return why a test was stopped: the hang of one process is the reason for the others'."""
    found: list[ObservedFailure] = []
    for process in reversed(processes):  # a child starts after its parent
        with suppress(UserError):
            found.append(find_failure(failing, process=process.folder.name))
    return min(found, key=hang_rank) if found else find_failure(failing)


def _was_cut_off(process: Process, failing: Recording, passing: Recording) -> bool:
    """Was a process of the failing run, or its counterpart, killed as by SIGPIPE?"""
    other = process_counterpart(process, failing, passing)
    return _is_cut_off(failing, process) or (other is not None and _is_cut_off(passing, other))


def _is_cut_off(recording: Recording, process: Process) -> bool:
    """Was a process killed from outside that wrote to a pipe?  The log does not name SIGPIPE."""
    if recording.ended(_threads(recording, process)) != _KILLED:
        return False
    streams = written_streams(recording, process)
    return any(stream.target.startswith(_PIPE) for stream in streams)


def _threads(recording: Recording, process: Process) -> list[Thread]:
    image = recording.image(process)
    return [recording.thread(image, log) for log in process.logs]


# --- what processes wrote ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Writer:
    """A process of the failing run that wrote other bytes than its counterpart."""

    failing: Process
    passing: Process
    difference: StreamDifference
    targets: frozenset[str]  # where its streams that differ lead
    is_fed_otherwise: bool  # did it get other arguments?


def _written_otherwise(
    failing: Recording, passing: Recording, *, is_output_judged: bool
) -> ObservedFailure | None:
    """Return the first byte that differs, in the stream that is most likely judged."""
    writers: list[_Writer] = []
    for process in failing.processes:
        other = process_counterpart(process, failing, passing)
        if other is None:
            continue
        differences = [
            difference
            for difference in stream_differences(
                written_streams(failing, process), written_streams(passing, other)
            )
            if not difference.failing.is_read_by_nobody
            and not _is_only_cut(difference, _is_cut_off(failing, process), difference.failing)
            and not _is_only_cut(difference, _is_cut_off(passing, other), difference.passing)
        ]
        if differences:
            chosen = min(differences, key=lambda d: _rank(d, is_output_judged))
            targets = frozenset(d.failing.target for d in differences)
            is_fed = process.arguments != other.arguments
            writers.append(_Writer(process, other, chosen, targets, is_fed))
    if not writers:
        return None
    chosen_writer = min(writers, key=lambda w: _distance(w, writers, failing))
    return _failure_of(chosen_writer, failing, passing)


def _is_only_cut(difference: StreamDifference, is_cut_off: bool, stream: WrittenStream) -> bool:
    """Is the rest of a stream missing only because its writer was cut off?"""
    return is_cut_off and difference.byte == len(stream.content)


def _rank(difference: StreamDifference, is_output_judged: bool) -> int:
    """Return how likely a stream is what makes the test fail: the least is the likeliest."""
    stream = difference.failing
    if stream.is_of_the_test:
        return (0 if is_output_judged else 3) if stream.kind == STDOUT else 4
    return {STDOUT: 0, STDERR: 2}.get(stream.kind, 1)


def _distance(writer: _Writer, writers: Sequence[_Writer], failing: Recording) -> tuple[int, int]:
    """Return how many writers a writer may have its wrong input from, then its place in order."""
    read = read_targets(failing, writer.failing)
    sources = [w for w in writers if w is not writer and w.targets & read]
    return len(sources) + writer.is_fed_otherwise, writers.index(writer)


def _failure_of(writer: _Writer, failing: Recording, passing: Recording) -> ObservedFailure:
    difference = writer.difference
    own = difference.failing.piece_at(difference.byte)
    other = difference.passing.piece_at(difference.byte)
    wrote = own or other
    assert wrote is not None, "one of the runs has the byte that differs"
    number = wrote.thread.log.number
    flows = [
        flow_of(_thread(recording, process, number))
        for recording, process in ((failing, writer.failing), (passing, writer.passing))
    ]
    return written_failure(difference, flows[0], flows[1])


def _thread(recording: Recording, process: Process, number: int) -> Thread:
    """Return the thread with this number; the main thread if there is none."""
    logs = [log for log in process.logs if log.number == number] or list(process.logs)
    return recording.thread(recording.image(process), logs[0])
