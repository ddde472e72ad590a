"""Why is a part of a C program not recorded?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from whence.errors import UserError
from whence.frontend.c.process import CProcess, ProcessState
from whence.frontend.recorded_run import MODULES
from whence.trace.recording import Recording

_NOT_STARTED = (126, 127)  # exit statuses of the shell


def check_whole(
    processes: Iterable[CProcess], folder: Path, max_trace: int, *, is_stopped: bool
) -> None:
    """Raise a UserError if the log of a process ends before the process did.

    The log of a test that did not end by itself may be cut: a part of its loop is enough.
    """
    for process in processes:
        for log in process.logs:
            if log.state is ProcessState.TOO_LONG and not is_stopped:
                raise UserError(
                    f"Process {process.pid} ({' '.join(process.arguments)[:80]}) logged more than "
                    f"--max-trace allows, {max_trace >> 20} MiB.\n"
                    "Give a larger --max-trace, or a test that does less.",
                    slug="trace-too-long",
                )
            if log.state is ProcessState.DISK_FULL:
                raise UserError(
                    f"The disk became full while process {process.pid} recorded itself, after "
                    f"{log.size >> 20} MiB: {folder}.\n"
                    "Free some space, or name another disk with --out.",
                    slug="disk-full-recording",
                )


def nothing(recording: Recording) -> UserError:
    """Return an error that says why nothing was recorded."""
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


def unrecorded(modules: Path) -> list[str]:
    """Return notes on the sources and functions that were compiled without recording."""
    entries = _journal(modules / "unrecorded")
    sources = unrecorded_sources(modules)
    functions = sorted({str(e["function"]) for e in entries if "function" in e})
    notes = []
    if sources:
        notes.append(f"not recorded: {', '.join(sources[:5])}{' ...' * (len(sources) > 5)}")
    if functions:
        listed = ", ".join(functions[:5])
        notes.append(f"functions not recorded: {listed}{' ...' * (len(functions) > 5)}")
    return notes


def unrecorded_sources(modules: Path) -> list[str]:
    """Return the sources that were compiled without recording."""
    entries = _journal(modules / "unrecorded")
    return sorted({str(entry["source"]) for entry in entries if "function" not in entry})


def _journal(path: Path) -> list[dict[str, object]]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
