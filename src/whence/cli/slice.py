"""`whence slice`: what does a point of a recorded run depend on?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType

from whence.cli.options import check_writable, with_options
from whence.cli.recording import sayer
from whence.cli.reports import write_reports
from whence.languages import language_of, open_recording
from whence.report.traces import slice_document, slice_text
from whence.trace.slice_at import slice_at

_OPTIONS: list[Callable[..., Any]] = [
    click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR"),
    click.option("--at", required=True, metavar="POINT", help="The point: FILE:LINE, FILE:LINE:VARIABLE, crash, assert, exit, or output:BYTE (a byte of standard output, counted from 0)."),
    click.option("--relevant", is_flag=True, help="Include branches that could have changed the point by going the other way."),
    click.option("--trust", multiple=True, metavar="NAME", help="Treat NAME as correct: show its call, not its body."),
    click.option("--process", metavar="PID", help="The recorded process to look at.  [default: the last that has the point]"),
    click.option("--steps", "in_order", is_flag=True, help="Show every execution of a line, in order, with its values."),
    click.option("--all", "everything", is_flag=True, help="Show all lines of a long slice, also in files outside the tree."),
    click.option("--json", "json_file", metavar="FILE", help="Write the slice as JSON; - prints only that."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command("slice")
@with_options(_OPTIONS)
def slice_command(**options: Any) -> int:
    """Show what a point of the run recorded in DIR depends on, through data and control.

    With --relevant, also show what it depends on because a branch was not taken.
    """
    check_writable(options["json_file"])
    recording = open_recording(options["folder"])
    result = slice_at(
        recording,
        options["at"],
        language_of(recording).analysis,
        relevant=options["relevant"],
        trust=options["trust"],
        process=options["process"],
        in_order=options["in_order"],
        everything=options["everything"] or options["json_file"] is not None,
        say=sayer(quiet=options["quiet"] or options["json_file"] == "-"),
    )

    def text(_: int) -> RenderableType:
        return slice_text(result, everything=options["everything"])

    write_reports(options, slice_document(result), text)
    return 0
