"""How is a command run under the tracer, and how without it?"""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from whence.environment.log import RunLog, read_run_log
from whence.errors import UserError
from whence.program.native import executable

_SOURCE = Path(__file__).with_name("tracer") / "tracer.c"
_MACHINES = ("x86_64",)  # of which tracer/calls.h knows the system calls
_FORBIDDEN = 121  # the tracer's exit status if it may not trace
_TIMED_OUT = 124  # as of timeout(1)


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended: its exit status as a shell gives it, and what it took and printed."""

    status: int
    seconds: float
    output: bytes = b""

    @property
    def passes(self) -> bool:
        return self.status == 0

    @property
    def timed_out(self) -> bool:
        return self.status == _TIMED_OUT


@dataclass(frozen=True, slots=True)
class TracedRun:
    """A run under the tracer: how it ended, and what was logged."""

    ended: CommandEnd
    log: RunLog
    spool: Path


@dataclass(frozen=True, slots=True)
class Setting:
    """What a command is started with; None: what whence itself has."""

    env: Mapping[str, str] | None = None
    cwd: str | None = None
    umask: int = -1  # -1: whence's own
    limits: Mapping[int, tuple[int, int]] | None = None  # as of the `resource` module


def check_machine() -> None:
    """Raise an error if the tracer does not know this machine."""
    machine = platform.machine()
    if platform.system() != "Linux" or machine not in _MACHINES:
        raise UserError(
            f"whence environment does not know the system calls of {platform.system()} on "
            f"{machine}.\nIt records and replays programs on Linux on {', '.join(_MACHINES)}.",
            slug="environment-machine",
        )


def check_command(command: Sequence[str], setting: Setting) -> None:
    """Raise an error if there is no such command."""
    path = None if setting.env is None else setting.env.get("PATH", "")
    if not shutil.which(command[0], path=path):
        raise UserError(
            f"There is no command {command[0]}.\n"
            "Give it after --, for instance: whence environment record --out FILE -- make test",
            slug="no-such-command",
        )


def record_here(command: Sequence[str], folder: Path) -> TracedRun:
    """Run a command with our own input and output; processes that outlive it go on."""
    arguments = _arguments(folder, None, ("leave",), command)
    began = time.monotonic()
    with _ignoring_interrupts(), subprocess.Popen(arguments) as process:
        status = process.wait()
    return _finished(status, folder, time.monotonic() - began, b"")


def run_traced(
    command: Sequence[str],
    folder: Path,
    setting: Setting,
    *,
    stdin: Path | None = None,
    plan: Path | None = None,
    options: Sequence[str] = (),
    timeout: float | None = None,
) -> TracedRun:
    """Run a command under the tracer, with the answers of `plan`; nothing of it stays running."""
    arguments = _arguments(folder, plan, options, command)
    ended = _run(arguments, setting, stdin, timeout)
    return _finished(ended.status, folder, ended.seconds, ended.output)


def run_untraced(
    command: Sequence[str], setting: Setting, *, stdin: Path | None, timeout: float | None
) -> CommandEnd:
    """Run a command without the tracer; its process group is killed at the end."""
    return _run(list(command), setting, stdin, timeout)


def _arguments(
    folder: Path, plan: Path | None, options: Sequence[str], command: Sequence[str]
) -> list[str]:
    spool = folder / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    tracer = str(executable(_SOURCE))
    return [tracer, str(folder / "log"), str(spool), str(plan or "-"), *options, "--", *command]


def _run(
    arguments: list[str], setting: Setting, stdin: Path | None, timeout: float | None
) -> CommandEnd:
    began = time.monotonic()
    with tempfile.TemporaryFile() as output, open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen(
            arguments,
            stdin=source,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=None if setting.env is None else dict(setting.env),
            cwd=setting.cwd,
            start_new_session=True,
            umask=setting.umask,
            preexec_fn=lambda: _set_limits(setting),
        )
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = _TIMED_OUT
        finally:
            _kill_group(process)
        return CommandEnd(_shell_status(status), time.monotonic() - began, _tail(output))


def _set_limits(setting: Setting) -> None:
    import resource

    for number, (soft, hard) in (setting.limits or {}).items():
        own_hard = resource.getrlimit(number)[1]
        try:
            resource.setrlimit(number, (soft, hard))
        except (OSError, ValueError):  # only a privileged user may raise the hard limit
            allowed = soft if own_hard == resource.RLIM_INFINITY else min(soft, own_hard)
            resource.setrlimit(number, (allowed, own_hard))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(output: IO[bytes], length: int = 4000) -> bytes:
    output.seek(max(0, output.seek(0, os.SEEK_END) - length))
    return output.read()


def _finished(tracer: int, folder: Path, seconds: float, output: bytes) -> TracedRun:
    if tracer == _FORBIDDEN:
        raise UserError(
            "The system does not allow whence to trace the command (ptrace, seccomp filter).\n"
            "In a container, allow it: docker run --cap-add SYS_PTRACE --security-opt "
            "seccomp=unconfined; and see /proc/sys/kernel/yama/ptrace_scope, which must not be 3.",
            slug="tracing-forbidden",
        )
    log = read_run_log((folder / "log").read_bytes())
    if tracer == _TIMED_OUT:
        return TracedRun(CommandEnd(_TIMED_OUT, seconds, output), log, folder / "spool")
    if log.status is None:
        words = output.decode(errors="replace").strip()
        raise UserError(
            f"The tracer ended before the command did (exit status {tracer}).\n{words[-500:]}\n"
            "Was it killed, or is the disk full?  Run the same command again.",
            slug="tracer-died",
        )
    status = os.waitstatus_to_exitcode(log.status)
    return TracedRun(CommandEnd(_shell_status(status), seconds, output), log, folder / "spool")


def _shell_status(status: int) -> int:
    return 128 - status if status < 0 else status


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """The keys that interrupt are meant for the command, which has our terminal."""
    before = {number: signal.signal(number, signal.SIG_IGN)
              for number in (signal.SIGINT, signal.SIGQUIT)}  # fmt: skip
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
