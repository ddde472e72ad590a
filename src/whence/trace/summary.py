"""What was recorded of a run, in numbers and names?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from whence.frontend.recorded_run import keep_sources
from whence.inputs import InputRange, merged
from whence.model import ProcessSummary, TraceSummary
from whence.program.ids import Step
from whence.trace.recording import Image, Process, Recording, Thread

Say = Callable[[str], None]


def summarise(
    recording: Recording, tree: Path, *, max_trace: int, say: Say = lambda _: None
) -> TraceSummary:
    """Open a recording, copy the source files that it refers to, and return a summary.

    Raise a UserError with the reason if the run was not recorded, or only in part.
    """
    recording.check(max_trace)
    if not recording.processes:
        raise recording.nothing()
    found = []
    files: set[str] = set()
    for process in recording.processes:
        say(f"opening what process {process.pid} wrote")
        image = recording.image(process)
        files.update(image.file_names)
        found.append(_process(recording, process, image))
    if not any(process.instructions for process in found):
        raise recording.nothing()
    keep_sources(tree, files, recording.folder)
    return TraceSummary(
        folder=str(recording.folder),
        outcome=recording.outcome,
        failure=recording.failure,
        processes=tuple(found),
        seconds=float(recording.document["seconds"]),
        notes=tuple(recording.notes(files)),
        compilers=recording.document.get("compilers"),
    )


def _process(recording: Recording, process: Process, image: Image) -> ProcessSummary:
    threads = [recording.thread(image, log) for log in process.logs]
    ran: set[int] = set()
    inputs: list[InputRange] = []
    for thread in threads:
        stretches = np.flatnonzero(thread.stream.instance_counts())
        ran.update(image.code.block_function[image.code.stretch_block[stretches]].tolist())
        inputs += thread.inputs()
    return ProcessSummary(
        name=process.folder.name,
        pid=process.pid,
        command=tuple(process.arguments),
        threads=sum(log.kind != "handler" for log in process.logs),
        instructions=sum(thread.stream.steps for thread in threads),
        events=sum(thread.events for thread in threads),
        bytes=sum(log.size for log in process.logs),
        functions=len(ran),
        files=tuple(sorted(image.file_names)),
        inputs=merged(inputs),
        ended=recording.ended(threads),
        notes=tuple(_notes(threads)),
    )


def endings(recording: Recording) -> list[str]:
    """Return how each process ended, as in "process 71-0 (./shape 6 5 4): exit status 0"."""
    found = []
    for process in recording.processes:
        image = recording.image(process)
        threads = [recording.thread(image, log) for log in process.logs]
        ended = recording.ended(threads)
        if ended == "killed" and threads[0].stream.steps:
            ended += f" at {threads[0].line_at(Step(threads[0].stream.steps))}"
        command = " ".join(process.arguments)[:60]
        found.append(f"process {process.folder.name} ({command}): {ended}")
    return found


def _notes(threads: list[Thread]) -> list[str]:
    notes = [note for thread in threads for note in thread.notes()]
    others = sum(thread.log.kind == "thread" for thread in threads)
    if others:
        notes.append(
            "each thread is recorded by itself: the order of two threads' steps is not known, "
            "and what one thread wrote and another read counts as coming from outside"
        )
    return notes
