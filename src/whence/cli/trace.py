"""`whence trace`: record a run of a C, C++ or Python program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from whence.cli.options import check_writable, put, with_options
from whence.cli.recording import (
    frontends_for,
    prepare,
    recipe_of,
    record_into,
    recording_options,
    sayer,
)
from whence.report.traces import trace_document, trace_text
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch

_OPTIONS: list[Callable[..., Any]] = [
    *recording_options(required=True),
    click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where the trace goes; made if it is not there."),
    click.option("--json", "json_file", metavar="FILE", help="Write what was seen as JSON; - prints it, and nothing else."),
    click.option("--quiet", "-q", is_flag=True, help="No progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command()
@with_options(_OPTIONS)
def trace(**options: Any) -> int:
    """Record a run of a C, C++ or Python program, and say what was seen.

    The build gets whence's compilers as $CC and $CXX; whatever they compile records itself when
    the test runs it.  Of Python, the modules of the source are recorded, and the script that the
    test runs.  Ask the trace with `whence slice` and `whence why`.
    """
    out: Path = options["out"]
    check_writable(options["json_file"])
    prepare(out)
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    with scratch_folder() as folder:
        say("fetching the source")
        tree = fetch(options["source"], repo=options["repo"], into=folder / "tree")
        recipe = recipe_of(options)
        frontends = frontends_for(options["frontend"], tree, recipe)
        summary = record_into(
            out, tree, recipe, frontends=frontends, max_trace=options["max_trace"], say=say
        )
    document = json.dumps(trace_document(summary), indent=1)
    if options["json_file"] == "-":
        click.echo(document)
        return 0
    Console(highlight=False, soft_wrap=True).print(trace_text(summary))
    if options["json_file"]:
        put(Path(options["json_file"]), f"{document}\n".encode())
    return 0
