"""Does whence see how a process ended, whichever function ended it?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trace.recorded import line_of, recorded
from whence.causes.failures.c import find_failure
from whence.trace.recording import Ending, Recording

WAYS = (
    *("return", "exit", "error", "error_at_line", "err", "errx", "verrx", "quick_exit", "_Exit"),
    *("_exit", "pointer", "atexit", "exec", "thread", "child"),
)
BUILD = "$CC -g -w -o ways ways_out.c -lpthread"


def exits(recording: Recording) -> dict[str, list[int | None]]:
    """Return for each way the exit statuses of its processes."""
    found: dict[str, list[int | None]] = {}
    for process in recording.processes:
        image = recording.image(process)
        endings = [recording.thread(image, log).ending("exit") for log in process.logs]
        known = [ending.status for ending in endings if isinstance(ending, Ending)]
        found.setdefault(process.arguments[1], []).extend(known)
    return found


def test_the_exit_status_is_that_of_the_process(tmp_path: Path) -> None:
    """The shell says which status each process had; two statuses tell a guess from knowledge."""
    ways = " ".join(WAYS)
    run = f"for way in {ways}; do ./ways $way {{}}; echo $way $?; done"
    recording = recorded(tmp_path, "ways_out.c", BUILD, f"{run.format(7)}; {run.format(200)}")
    said: dict[str, list[int | None]] = {way: [] for way in WAYS}
    for line in recording.printed().decode().splitlines():
        way, status = line.split()
        said[way] += [int(status)] * (2 if way == "child" else 1)  # the child and its parent
    assert said["errx"] == [7, 200]
    assert exits(recording) == said


@pytest.mark.parametrize(
    ("way", "words", "fragment"),
    [
        ("syscall", "the exit status 7 given by syscall at", 'is(way, "syscall")'),
        ("raise", "SIGTERM in raise at", 'is(way, "raise")'),
        ("errx", "the exit status 7 given by errx at", 'is(way, "errx")'),
        ("caught", "(address 0x0), then the handler `caught` ran", "the fault"),
        ("cleaned", "(address 0x0), then the handler `cleaned` ran", "the fault"),
        ("again", "(address 0x0), then the handler `again` ran", "the fault"),
        ("jumped", "then the handler `jumped` jumped on to the exit status 7", "the fault"),
        ("jumped from strlen", "then the handler `jumped` jumped on to the exit", "(int)strlen"),
    ],
)
def test_the_failure_is_what_ended_the_process(
    tmp_path: Path, way: str, words: str, fragment: str
) -> None:
    """A fault is the failure even if a signal handler hides it behind an exit of its own."""
    recording = recorded(tmp_path, "ways_out.c", BUILD, f"./ways '{way}' 7")
    failure = find_failure(recording)
    assert words in failure.words
    place = failure.place
    assert place is not None
    assert f"{place.file}:{place.line}" == line_of(recording, fragment)
