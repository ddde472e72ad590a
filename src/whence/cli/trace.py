"""`whence trace`: record a run of a C, C++ or Python program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from whence.cli.options import check_writable, with_options
from whence.cli.recording import record_request, recording_options, sayer
from whence.cli.reports import write_reports
from whence.report.traces import trace_document, trace_text
from whence.service.recording import prepare, record_run

_OPTIONS: list[Callable[..., Any]] = [
    *recording_options(required=True),
    click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder for the trace; it is made if it does not exist."),
    click.option("--json", "json_file", metavar="FILE", help="Write a summary of the recording as JSON; - prints only that."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command()
@with_options(_OPTIONS)
def trace(**options: Any) -> int:
    """Record a run of a C, C++ or Python program, and summarise what was recorded.

    The build gets whence's compilers as $CC and $CXX.  A program that they compile records itself
    when the test runs it.  For Python, whence records the modules of the source and the script
    that the test runs.  `whence slice` and `whence why` answer questions about the trace.
    """
    out: Path = options["out"]
    check_writable(options["json_file"])
    prepare(out)
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    summary = record_run(record_request(options), out, say)
    write_reports(options, trace_document(summary), lambda _: trace_text(summary))
    return 0
