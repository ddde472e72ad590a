"""How is a shell command run, with limits on its time, memory and output?"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from whence.subject.guardian import guard, release
from whence.subject.orphans import TREE, adopt, end_orphans
from whence.subject.reads import ReadLog

_MAX_OUTPUT = 64 * 2**20  # limit in bytes on the output, so that it cannot fill the disk; guessed
_MAX_READ = 2**20  # limit in bytes on the start and on the end of an output as text; guessed
_MAX_TRACER_SECONDS = 5.0  # limit on waiting for a tracer that was asked to end; guessed
_TIMEOUT = re.compile(r"\btimeout\b")  # the program that limits the time of another one
_TIMEOUT_STATUS = 124  # how that program ends if it had to stop the other one
# Here a function in the place of that program would change what the command does: `kill $!` would
# end the function alone, and some shells do not export a variable that is set for a function.
_NEEDS_PROGRAM = re.compile(r"(?<![&>])&(?![&>])|=\S*\s+timeout\b")
_POLL_SECONDS = 0.05  # between checks of the clock, the output and the stop event; guessed


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and its output."""

    status: int  # as in a shell: 128 + n for signal n
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool = False  # by our limit, or by that of a `timeout` that the command ended with
    flooded: bool = False  # it printed too much and was stopped
    stopped_a_part: bool = False  # a `timeout` in the command stopped a program, and it went on

    @property
    def text(self) -> str:
        return f"{readable(self.stdout)}\n{readable(self.stderr)}"


def readable(printed: bytes) -> str:
    """Decode output as text; of a very long output, only its start and its end."""
    if len(printed) > 2 * _MAX_READ:
        printed = printed[:_MAX_READ] + b"\n" + printed[-_MAX_READ:]
    return printed.decode("utf-8", "replace")


class Stopped(Exception):
    """The command was killed because its result is no longer needed."""


def run_command(
    command: str,
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float | None,
    memory: int | None = None,
    stop: threading.Event | None = None,
    reads: ReadLog | None = None,
) -> Ended:
    """Run a shell command to its end, then kill the processes that it left running.

    `memory` limits the address space of each process, in bytes.  `reads` notes what it reads.
    """
    if memory is not None:
        command = f"ulimit -v {memory // 1024} || exit 125\n{command}"
    adopt(os.getpid())
    started = time.monotonic()
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as stopped,
    ):
        command = _noting_timeouts(command, f"/proc/{os.getpid()}/fd/{stopped.fileno()}")
        process = subprocess.Popen(
            reads.command(command) if reads else ["/bin/sh", "-c", command],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        guard(process.pid, env.get(TREE))
        try:
            timed_out, flooded = await_end(
                lambda seconds: _has_ended(process, seconds), out, err, timeout=timeout, stop=stop
            )
        finally:
            _kill_group(process, is_traced=reads is not None)
            end_orphans(env.get(TREE), process.pid)
            release(process.pid)
        status = process.wait()
        has_own_limit = status == _TIMEOUT_STATUS and _TIMEOUT.search(command) is not None
        return Ended(
            128 - status if status < 0 else status,
            content(out),
            content(err),
            time.monotonic() - started,
            timed_out or has_own_limit,
            flooded,
            stopped_a_part=_size(stopped) > 0,
        )


def _noting_timeouts(command: str, note: str) -> str:
    """Return a command that writes to the file `note` when a `timeout` in it stops a program.

    The status does not show this if the program is in a pipeline or in `$(...)`.  The file has no
    name of its own, so that nothing is left of it when whence is killed.
    """
    if not _TIMEOUT.search(command) or _NEEDS_PROGRAM.search(command):
        return command
    return (
        'timeout() { command timeout "$@" && return; set -- $?; '
        f'[ "$1" != {_TIMEOUT_STATUS} ] || {{ echo >> {note}; }} 2>/dev/null || :; return "$1"; }}'
        f"\n{command}"
    )


def await_end(
    has_ended: Callable[[float], bool],
    out: IO[bytes],
    err: IO[bytes],
    *,
    timeout: float | None,
    stop: threading.Event | None,
) -> tuple[bool, bool]:
    """Wait until a command has ended or exceeds a limit; return (timed out, printed too much).

    `has_ended(seconds)` waits for the end up to that time.
    """
    started = time.monotonic()
    while not has_ended(_POLL_SECONDS):
        timed_out = timeout is not None and time.monotonic() - started > timeout
        flooded = _size(out) + _size(err) > _MAX_OUTPUT
        if stop is not None and stop.is_set():
            raise Stopped
        if timed_out or flooded:
            return timed_out, flooded
    return False, False


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _kill_group(process: subprocess.Popen[bytes], *, is_traced: bool) -> None:
    if is_traced and process.returncode is None:
        process.terminate()  # the tracer then waits for the end of the command
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_MAX_TRACER_SECONDS)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def content(file: IO[bytes]) -> bytes:
    """Return the output that was written to a file."""
    file.seek(0)
    return file.read(min(_size(file), 2 * _MAX_OUTPUT))  # `read` takes that much memory at once
