"""`whence explore`: which classes of inputs does a program tell apart?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from whence.cli.console import open_console
from whence.cli.options import Seconds, check_writable, with_options
from whence.cli.recording import record_request, recording_options, sayer
from whence.cli.reports import write_reports
from whence.errors import UserError
from whence.model import ExploreResult
from whence.paths.input_spec import parse_input_spec
from whence.report.explore import explore_document, explore_page, explore_text
from whence.report.visible import visible
from whence.service.exploring import ExploreRequest, ExploreSession

_OPTIONS: list[Callable[..., Any]] = [
    *recording_options(required=True, limits_trace=False),
    click.option("--at", default="output", show_default=True, metavar="POINT", help="What the classes are about: output, output:BYTE, exit, FILE:LINE:VARIABLE or return:FUNCTION."),
    click.option("--by", type=click.Choice(["slice", "path"]), default="slice", show_default=True, help="Inputs are one class if they compute POINT in the same way (slice), or take the same path (path)."),
    click.option("--input", "inputs", multiple=True, metavar="SPEC", help="An input that may change: argv, argv:N, stdin, file:GLOB, env:NAME or literals; may be repeated.  [default: those that the test names]"),
    click.option("--max-tests", type=click.IntRange(min=1), default=100, show_default=True, metavar="N", help="Stop after N tests."),
    click.option("--time", "seconds", type=Seconds(), metavar="S", help="Stop after S seconds."),
    click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Make N runs at the same time; the answers are the same."),
    click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder for the tests; an exploration that is in it continues.  [default: a temporary folder]"),
    click.option("--json", "json_file", metavar="FILE", help="Write the result document as JSON; - prints only that."),
    click.option("--html", "html_file", metavar="FILE", help="Write a page with all classes."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command("explore")
@with_options(_OPTIONS)
def explore_command(**options: Any) -> int:
    """Find the classes of inputs that a C, C++ or Python program tells apart, with a test of each.

    whence records a run of --test, finds the conditions over its inputs, solves for inputs that
    break one of them, and runs these.  Each class is shown with its condition in the words of the
    source and what the program does.  Crashes and hangs come first.  The tests run without whence.

    \b
    whence explore --source . --build make --test "./triangle 3 4 5"
    whence explore --source . --build make --test "./parse in.txt" --by path --time 60 --out tests

    Exit status: 0 complete, 1 stopped before (the report says why), 2 usage or setup error.
    """
    check_writable(options["json_file"], options["html_file"])
    out: Path | None = options["out"]
    if out is not None:
        _make(out)
    session = ExploreSession(
        _request(options),
        sayer(quiet=options["quiet"] or options["json_file"] == "-"),
        _shower(quiet=options["quiet"] or options["json_file"] == "-"),
    )
    result = session.run()
    _report(result, options)
    return 0 if result.is_complete else 1


def _request(options: dict[str, Any]) -> ExploreRequest:
    recorded = record_request(options)
    return ExploreRequest(
        source=recorded.source,
        commands=recorded.commands,
        repo=recorded.repo,
        frontend=recorded.frontend,
        at=options["at"],
        by=options["by"],
        specs=tuple(parse_input_spec(text) for text in options["inputs"]),
        max_tests=options["max_tests"],
        seconds=options["seconds"],
        out=options["out"],
        jobs=options["jobs"],
    )


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"--out {out} cannot be written: {error.strerror}.\n"
            "Name a folder in an existing directory that you may write to.",
            slug="cannot-write",
        ) from None


def _shower(*, quiet: bool) -> Callable[[str], None]:
    """Return a function that shows a test as soon as it is found."""
    console = open_console(stderr=True)

    def show(words: str) -> None:
        if not quiet:
            console.print(Text(f"  {visible(words)}", style="dim"))

    return show


def _report(result: ExploreResult, options: dict[str, Any]) -> None:
    write_reports(
        options,
        explore_document(result),
        lambda _: explore_text(result),
        html=lambda: explore_page(result),
    )
