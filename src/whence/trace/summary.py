"""What did a recording see?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from whence.errors import UserError
from whence.frontend.c.process import Process, State
from whence.frontend.c.replay import Status
from whence.frontend.c.tables import NONE, CallFlag, Code, FunctionFlag, OpFlag
from whence.frontend.run import MODULES, keep_sources
from whence.model import ProcessSummary, TraceSummary
from whence.trace.inputs import inputs_of
from whence.trace.points import exit_of, line_at, signal_name
from whence.trace.recording import Image, Recording, Thread

Say = Callable[[str], None]
_NOT_STARTED = (126, 127)  # exit statuses of the shell


def summarise(
    folder: Path, tree: Path, *, max_trace: int, say: Say = lambda _: None
) -> TraceSummary:
    """Open what was recorded, keep the sources that it speaks of, and say what was seen.

    A run of which nothing was recorded, or not all, is a UserError that says why.
    """
    recording = Recording(folder)
    _check_whole(recording, max_trace)
    _check_recorded(recording)
    found = []
    files: set[str] = set()
    for process in recording.processes:
        say(f"opening what process {process.pid} wrote")
        image = recording.image(process)
        files.update(image.file_names)
        found.append(_process(recording, process, image))
    if not any(process.instructions for process in found):
        raise _nothing(recording)
    keep_sources(tree, files, folder)
    notes = _unrecorded(folder / MODULES)
    if not files:
        notes.append(
            "the program has no debug information (a flag such as -g0 took it away): lines and "
            "names are unknown"
        )
    return TraceSummary(
        folder=str(folder),
        outcome=recording.outcome,
        failure=recording.failure,
        processes=tuple(found),
        seconds=float(recording.document["seconds"]),
        notes=tuple(notes),
    )


def _process(recording: Recording, process: Process, image: Image) -> ProcessSummary:
    threads = [recording.thread(image, log) for log in process.logs]
    ran: set[int] = set()
    inputs: dict[str, None] = {}
    for thread in threads:
        functions = np.unique(thread.stream.activations["function"])
        ran.update(number for number in functions.tolist() if number != NONE)
        inputs |= dict.fromkeys(inputs_of(thread))
    arguments = len(process.arguments) - 1
    if arguments > 0:
        inputs = {f"{arguments} argument{'s' * (arguments > 1)}": None, **inputs}
    return ProcessSummary(
        name=process.folder.name,
        pid=process.pid,
        command=tuple(process.arguments),
        threads=sum(log.kind != "handler" for log in process.logs),
        instructions=sum(thread.meta.steps for thread in threads),
        events=sum(events_of(thread) for thread in threads),
        bytes=sum(log.size for log in process.logs),
        functions=len(ran),
        files=tuple(sorted(image.file_names)),
        inputs=tuple(inputs),
        ended=_ended(threads),
        notes=tuple(_notes(threads)),
    )


def events_of(thread: Thread) -> int:
    """How many items were logged: entries, blocks, values, what calls returned and did."""
    program, stream = thread.image.program, thread.stream
    if not len(stream.stretch):
        return 0
    times = np.bincount(stream.stretch, minlength=len(program.stretches))
    logged = (program.ops["flags"] & OpFlag.LOGGED) != 0
    calls = program.ops["code"] == Code.CALL
    sure = (program.extras[program.ops["x"][calls] + 5] & CallFlag.SURE) != 0
    logged[np.flatnonzero(calls)[~sure]] = True
    each = np.add.reduceat(logged.astype(np.int64), program.stretches["first_op"])
    each[program.blocks["first_stretch"]] += (program.blocks["flags"] != 0).astype(np.int64)
    functions = stream.activations["function"][1:]
    quiet = (program.functions["flags"] & FunctionFlag.QUIET) != 0
    entries = int((~quiet[functions]).sum())
    return int((each * times).sum()) + entries + thread.meta.effects


def _ended(threads: list[Thread]) -> str:
    for thread in threads:
        if thread.log.state is State.CRASHED and thread.log.kind != "handler":
            return f"killed by {signal_name(thread.log)}"
    main = next((thread for thread in threads if thread.log.kind == "main"), None)
    if main is None:
        return "ended"
    for thread in (main, *threads):
        if (ending := exit_of(thread)) is not None:
            return f"exit status {ending[1]}"
    if main.log.state is State.RUNNING:
        return "killed"
    if main.log.state is State.EXECED:
        return "became another program"
    return "ended"


def endings(recording: Recording) -> list[str]:
    """How each process ended: "process 71-0 (./shape 6 5 4): exit status 0"."""
    found = []
    for process in recording.processes:
        image = recording.image(process)
        threads = [recording.thread(image, log) for log in process.logs]
        ended = _ended(threads)
        if ended == "killed" and threads[0].stream.steps:
            ended += f" at {line_at(threads[0], threads[0].stream.steps)}"
        command = " ".join(process.arguments)[:60]
        found.append(f"process {process.folder.name} ({command}): {ended}")
    return found


def _notes(threads: list[Thread]) -> list[str]:
    notes = []
    for thread in threads:
        who = "the main thread" if thread.log.kind == "main" else f"thread {thread.log.number}"
        if thread.meta.status is Status.DAMAGED:
            notes.append(f"the log of {who} is damaged: {thread.meta.message}; used up to there")
        if thread.meta.mismatch_count:
            notes.append(
                f"{thread.meta.mismatch_count} values of {who} were recomputed differently; "
                "please report this"
            )
    others = sum(thread.log.kind == "thread" for thread in threads)
    if others:
        notes.append(
            "each thread is recorded by itself: which of two threads did something first is "
            "not known, and what one wrote and another read counts as coming from outside"
        )
    return notes


# --- what is missing -----------------------------------------------------------------------


def _check_whole(recording: Recording, max_trace: int) -> None:
    for process in recording.processes:
        for log in process.logs:
            if log.state is State.TOO_LONG:
                raise UserError(
                    f"Process {process.pid} ({' '.join(process.arguments)[:80]}) logged more than "
                    f"--max-trace allows, {max_trace >> 20} MiB.\n"
                    "Give a larger --max-trace, or a test that does less.",
                    slug="trace-too-long",
                )
            if log.state is State.DISK_FULL:
                raise UserError(
                    f"The disk became full while process {process.pid} recorded itself, after "
                    f"{log.size >> 20} MiB: {recording.folder}.\n"
                    "Free some space, or name another disk with --out.",
                    slug="disk-full-recording",
                )


def _check_recorded(recording: Recording) -> None:
    if not recording.processes:
        raise _nothing(recording)


def _nothing(recording: Recording) -> UserError:
    journal = _journal(recording.folder / MODULES / "log")
    build = recording.document["build"]
    if recording.document["status"] in _NOT_STARTED and "link" in str(journal):
        raise UserError(
            f"Nothing was recorded, because the test could not be started: "
            f"{recording.failure.message if recording.failure else ''}.\n"
            f"We ran: {recording.document['test']}   (in the tree that was built)\n"
            "Give paths outside of it as absolute paths, such as $PWD/check.sh.",
            slug="test-not-found",
        )
    if build is None:
        why = (
            "there was no --build, so no program was compiled with whence's compiler.\n"
            'Give the command that builds the program: --build "make".'
        )
    elif not journal:
        why = (
            f"the build never called the compiler that $CC and $CXX name.\nWe ran: {build}\n"
            'Have it use them, such as make CC="$CC" CXX="$CXX"; a program that was already '
            "built must be rebuilt (make clean)."
        )
    elif not any("module" in entry for entry in journal):
        first = (_journal(recording.folder / MODULES / "unrecorded") or [{}])[0]
        why = (
            "no source could be compiled for recording; the first reason is:\n"
            f"{first.get('source', '')}: {str(first.get('reason', ''))[-500:]}"
        )
    else:
        tree = recording.document.get("tree", "") + "/"
        links = {str(e["link"]).removeprefix(tree) for e in journal if "link" in e}
        names = ", ".join(sorted(links)[:5])
        why = (
            f"the test never ran the program that the build made ({names or 'only libraries'}).\n"
            f"We ran: {recording.document['test']}   "
            f"({recording.failure.message if recording.failure else 'it passes'})\n"
            "Check that the test runs the program in this tree, not an installed one."
        )
    return UserError(f"Nothing was recorded, because {why}", slug="nothing-recorded")


def _unrecorded(modules: Path) -> list[str]:
    """Sources and functions that ran, if they did, without being recorded."""
    entries = _journal(modules / "unrecorded")
    sources = sorted({str(e["source"]) for e in entries if "function" not in e})
    functions = sorted({str(e["function"]) for e in entries if "function" in e})
    notes = []
    if sources:
        notes.append(f"not recorded: {', '.join(sources[:5])}{' ...' * (len(sources) > 5)}")
    if functions:
        listed = ", ".join(functions[:5])
        notes.append(f"functions not recorded: {listed}{' ...' * (len(functions) > 5)}")
    return notes


def _journal(path: Path) -> list[dict[str, object]]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
