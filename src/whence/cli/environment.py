"""`whence environment`: which answer of the operating system makes the difference?"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from whence.cli.options import Seconds, check_writable, with_options
from whence.cli.recording import sayer
from whence.cli.reports import write_reports
from whence.environment.compare import compare
from whence.environment.locate import Locator
from whence.environment.recording import EnvironmentRecording, now, open_recording_file, save
from whence.environment.tracing import Setting, check_command, check_machine, record_here
from whence.environment.words import located_result
from whence.errors import UserError
from whence.model import EnvironmentResult
from whence.report.environment import environment_document, environment_page, environment_text
from whence.subject.scratch import scratch_folder

_MIN_TIMEOUT = 20.0  # seconds that a run may take at least; guessed
_SLOWER = 20  # how many times the recorded seconds a run may take; guessed

_COMMAND = click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
_REPORTS: list[Callable[..., Any]] = [
    click.option("--json", "json_file", metavar="FILE", help="Write the result document as JSON; - prints only that."),
    click.option("--html", "html_file", metavar="FILE", help="Write a page with both sides of each answer."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.group("environment")
def environment_group() -> None:
    """Find out why a command passes there and fails here.

    Record the command where it passes, carry the file to the machine where it fails, and locate the
    answer of the operating system that makes the difference: a file, a line of it, a variable, a
    port, a limit.  A command passes if its exit status is 0.

    \b
    whence environment record --out good.rec -- ./server --check
    whence environment locate good.rec -- ./server --check
    """


@environment_group.command("record")
@click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file for the recording.")  # fmt: skip
@click.option("--redact", multiple=True, metavar="GLOB", help="Leave out the values of variables and the contents of paths that match; may be repeated.")  # fmt: skip
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@_COMMAND
def record_command(out: Path, redact: tuple[str, ...], command: tuple[str, ...], **_: Any) -> int:
    """Run COMMAND and record what the operating system answers; the exit status is COMMAND's.

    The file holds the variables of the command and all files that it read: use --redact for secrets.
    """
    check_writable(out)
    return _record(command, out, redact).status


def _record(command: tuple[str, ...], out: Path, redact: tuple[str, ...]) -> EnvironmentRecording:
    check_machine()
    check_command(command, Setting())
    with scratch_folder() as folder:
        clock = now()
        run = record_here(command, folder)
        return save(run, command, out, clock=clock, redact=redact)


@environment_group.command("locate")
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[FILE] -- COMMAND...")  # fmt: skip
@click.option("--good-prefix", metavar="CMD", help="Instead of FILE: record COMMAND here behind this prefix, such as 'env A=1'.")  # fmt: skip
@click.option("--timeout", type=Seconds(), metavar="S", help="Time limit for one run, in seconds; a run that takes longer fails.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Do not report progress.")
@with_options(_REPORTS)
def locate_command(**options: Any) -> int:
    """Find the recorded answers with which COMMAND passes here, and the part of them that matters."""
    check_writable(options["json_file"], options["html_file"])
    check_machine()
    words: tuple[str, ...] = options["arguments"]
    began = time.monotonic()
    with scratch_folder() as folder:
        if options["good_prefix"]:
            command = words
            recording = _recorded_behind(options["good_prefix"], command, folder / "good.rec")
        else:
            recording, command = open_recording_file(Path(words[0])), words[1:]
        _check(recording, command)
        say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
        timeout = options["timeout"] or max(_MIN_TIMEOUT, _SLOWER * recording.seconds)
        located = Locator(recording, command, folder, timeout, say).locate()
        result = located_result(located, recording, time.monotonic() - began)
    _report(result, options)
    return 0 if result.answers else 1


def _recorded_behind(prefix: str, command: tuple[str, ...], out: Path) -> EnvironmentRecording:
    words = (*shlex.split(prefix), *command)
    check_command(words, Setting())
    with scratch_folder() as folder:
        clock = now()
        run = record_here(words, folder)
        return save(run, command, out, clock=clock)


def _check(recording: EnvironmentRecording, command: tuple[str, ...]) -> None:
    import platform

    if not command:
        raise UserError(
            "There is no command to run.\n"
            "Give it after --: whence environment locate FILE -- COMMAND",
            slug="no-such-command",
        )
    if recording.machine != platform.machine():
        raise UserError(
            f"{recording.path} was recorded on {recording.machine}; this machine is "
            f"{platform.machine()}.  Answers cannot be replayed on another architecture.\n"
            "Record the command on a machine of this architecture, or compare with: "
            "whence environment diff",
            slug="other-architecture",
        )
    if recording.status != 0:
        raise UserError(
            f"The recorded command failed there too, with exit status {recording.status}.\n"
            f"We need a recording of a run that passes (exit status 0).  The command was: "
            f"{shlex.join(recording.command)}",
            slug="fails-there",
        )
    check_command(command, Setting())


@environment_group.command("diff")
@click.argument("good", type=click.Path(path_type=Path))
@click.argument("bad", type=click.Path(path_type=Path))
@with_options(_REPORTS)
def diff_command(good: Path, bad: Path, **options: Any) -> int:
    """Show what two recordings answer differently, without running anything."""
    check_writable(options["json_file"], options["html_file"])
    _report(compare(open_recording_file(good), open_recording_file(bad)), options)
    return 0


def _report(result: EnvironmentResult, options: dict[str, Any]) -> None:
    write_reports(
        options,
        environment_document(result),
        lambda _: environment_text(result),
        html=lambda: environment_page(result),
    )
