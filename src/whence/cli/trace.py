"""`whence trace`: record a run of a C or C++ program."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from whence.cli.options import Size, check_writable, put, with_options
from whence.errors import UserError
from whence.frontend.c.record import DEFAULT_MAX_TRACE, RUN, record
from whence.report.traces import trace_document, trace_text
from whence.subject.sources import fetch
from whence.subject.trial import Recipe
from whence.subject.workshop import workshop
from whence.trace.summary import summarise

_OPTIONS: list[Callable[..., Any]] = [
    click.option("--source", required=True, metavar="SRC", help="The version to record: a directory, an archive, a git revision of --repo, or pypi:NAME==VERSION."),
    click.option("--test", required=True, metavar="CMD", help="Shell command run in the version's tree ({tree})."),
    click.option("--build", metavar="CMD", help="Shell command that builds the program; $CC and $CXX name whence's compilers."),
    click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where the trace goes; made if it is not there."),
    click.option("--max-trace", type=Size(), default=DEFAULT_MAX_TRACE, show_default="4G", metavar="SIZE", help="The most that one process may log."),
    click.option("--repo", type=click.Path(path_type=Path, file_okay=False), default=Path(), show_default="current directory", help="The repository of git revisions."),
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds for the build and for the test."),
    click.option("--memory", type=Size(), metavar="SIZE", help="Memory that one process may have, such as 2G."),
    click.option("--json", "json_file", metavar="FILE", help="Write what was seen as JSON; - prints it, and nothing else."),
    click.option("--quiet", "-q", is_flag=True, help="No progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command()
@with_options(_OPTIONS)
def trace(**options: Any) -> int:
    """Record a run of a C or C++ program, and say what was seen.

    The build gets whence's compilers as $CC and $CXX; whatever they compile records itself when
    the test runs it.  Ask the trace with `whence slice`.
    """
    out: Path = options["out"]
    check_writable(options["json_file"])
    _prepare(out)
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    recipe = Recipe(
        test=options["test"], build=options["build"], asked_timeout=options["timeout"],
        memory=options["memory"],
    )  # fmt: skip
    try:
        with workshop() as folder:
            say("fetching the source")
            tree = fetch(options["source"], repo=options["repo"], into=folder / "tree")
            say("building and running it, recorded")
            record(tree, recipe, out, max_trace=options["max_trace"])
            summary = summarise(out, tree, max_trace=options["max_trace"], say=say)
    except BaseException:
        _clear(out)  # a trace that cannot be used must not look like one
        raise
    document = json.dumps(trace_document(summary), indent=1)
    if options["json_file"] == "-":
        click.echo(document)
        return 0
    Console(highlight=False, soft_wrap=True).print(trace_text(summary))
    if options["json_file"]:
        put(Path(options["json_file"]), f"{document}\n".encode())
    return 0


def _prepare(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        is_empty = not any(out.iterdir())
        if is_empty:  # may we write to it?
            (out / RUN).touch()
            (out / RUN).unlink()
    except OSError as error:
        raise UserError(
            f"--out {out} cannot be written: {error.strerror}.\n"
            "Name a folder in a directory that is there and yours.",
            slug="cannot-write",
        ) from None
    if not is_empty:
        raise UserError(
            f"--out {out} is not empty.\nName a folder that is empty or not there yet.",
            slug="out-not-empty",
        )


def _clear(out: Path) -> None:
    for path in out.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def sayer(*, quiet: bool) -> Callable[[str], None]:
    """Something that tells on standard error what is being done."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)

    def say(words: str) -> None:
        if not quiet:
            console.print(f"whence: {words} ...", style="dim")

    return say
