"""Which options do the commands share that record a run, and how do they report progress?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from whence.cli.console import open_console
from whence.cli.options import SOURCE_OPTIONS, Seconds, Size
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import LANGUAGES
from whence.service.recording import RecordRequest, Say
from whence.subject.trial import BuildAndTest


def recording_options(*, required: bool, limits_trace: bool = True) -> list[Callable[..., Any]]:
    """Return the options that say what to record; `required`: --source and --test are.

    `limits_trace`: is there an option for the size of the trace?
    """
    found = [
        click.option("--source", required=required, metavar="SRC", help="The version to record: a directory, an archive, a git revision of --repo, or pypi:NAME==VERSION."),
        click.option("--test", required=required, metavar="CMD", help="Shell command that runs the test in the version's tree ({tree})."),
        click.option("--build", metavar="CMD", help="Shell command that builds the program; $CC and $CXX name whence's compilers."),
        click.option("--frontend", type=click.Choice(["auto", *LANGUAGES]), default="auto", show_default=True, help="The language of the program to record."),
        *SOURCE_OPTIONS,
        click.option("--timeout", type=Seconds(), metavar="S", help="Time limit in seconds for the build, and for the test."),
        click.option("--memory", type=Size(), metavar="SIZE", help="Memory limit for one process, such as 2G."),
    ]  # fmt: skip
    size = click.option("--max-trace", type=Size(), default=DEFAULT_MAX_TRACE, show_default="4G", metavar="SIZE", help="Limit on the log of one recorded process.")  # fmt: skip
    return [*found[:4], size, *found[4:]] if limits_trace else found


def record_request(options: dict[str, Any]) -> RecordRequest:
    """Return what the options of a recording command ask for."""
    commands = BuildAndTest(
        test=options["test"],
        build=options["build"],
        asked_timeout=options["timeout"],
        memory=options["memory"],
    )
    return RecordRequest(
        source=options["source"],
        commands=commands,
        repo=options["repo"],
        frontend=options["frontend"],
        max_trace=options.get("max_trace", DEFAULT_MAX_TRACE),
        out=options["out"],
        fresh=options.get("fresh", False),
    )


def sayer(*, quiet: bool) -> Say:
    """Return a function that reports progress on standard error, or does nothing if `quiet`."""
    console = open_console(stderr=True)

    def say(words: str) -> None:
        if not quiet:
            console.print(f"whence: {words} ...", style="dim")

    return say
