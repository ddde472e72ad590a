"""`whence why`: what caused the failure of one run?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import RenderableType

from whence.cli.options import check_writable, with_options
from whence.cli.recording import record_request, recording_options, sayer
from whence.cli.reports import write_reports
from whence.errors import UserError
from whence.languages import open_recording
from whence.model import WhyResult
from whence.report.causes import why_document, why_text
from whence.report.html import why_page
from whence.service import recorded_runs
from whence.service.failure_tree import FailureTree, WhyRequest, open_tree
from whence.service.recording import Say
from whence.trace.recording import Recording

INTERRUPTED = 130  # exit status, as shells report a process ended by Ctrl-C
_PASSED = ("nothing-fails", "comes-and-goes")  # errors about a run that did not fail

_OPTIONS: list[Callable[..., Any]] = [
    click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False), metavar="[DIR]"),
    *recording_options(required=False),
    click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder for the recorded run.  [default: the user's cache directory, which keeps the last 5 runs]"),
    click.option("--fresh", is_flag=True, help="Record the run even if it was recorded before."),
    click.option("--expect", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE", help="The output that the test should print; the first byte that differs is explained."),
    click.option("--trust", multiple=True, metavar="NAME", help="Treat NAME as correct: show its call, not its body."),
    click.option("--process", metavar="PID", help="The recorded process to explain.  [default: the last that failed]"),
    click.option("--depth", type=click.IntRange(min=0), default=3, show_default=True, metavar="N", help="Number of levels of causes to compute below the failure."),
    click.option("--all", "everything", is_flag=True, help="Show all causes of a large tree, not only those on the way of the failing value."),
    click.option("--interactive", "-i", is_flag=True, help="Browse and prune the tree in the terminal; only the causes that you open are computed."),
    click.option("--json", "json_file", metavar="FILE", help="Write the tree as JSON; - prints only that."),
    click.option("--html", "html_file", metavar="FILE", help="Write the tree as a page to browse."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip
_OF_RECORDING = ("source", "test", "build", "frontend", "max_trace", "repo", "timeout", "memory", "out", "fresh")  # fmt: skip


@click.command()
@with_options(_OPTIONS)
@click.pass_context
def why(context: click.Context, /, **options: Any) -> int:
    """Show what caused the failure of one run of a C, C++ or Python program, as a tree.

    whence records a run of --test on --source, or takes the run in DIR, where `whence trace` or
    --out put it.  Below a cause are the conditions that it rests on, each with its own cause.
    Your marks (benign, root) are saved with the run.

    Exit status: 0 explained, 1 not explained (the report says why), 2 usage or setup error.
    """
    _check(context, options)
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    started = time.monotonic()
    seconds: dict[str, float] = {}
    folder, is_new = options["folder"], False
    if folder is None:
        request = replace(record_request(options), seeks_failure=options["expect"] is None)
        folder, is_new = recorded_runs.recorded(request, say)
    opened = time.monotonic()
    if is_new:
        seconds["trace"] = opened - started
    try:
        result, status = _explain(open_recording(folder), options, say)
    except UserError as error:
        if is_new and error.slug in _PASSED:
            recorded_runs.forget(folder)  # the next recorded run may fail
        raise
    seconds["semantics"] = time.monotonic() - opened
    seconds["total"] = time.monotonic() - started
    _write(replace(result, seconds=seconds), options)
    return status


def _check(context: click.Context, options: dict[str, Any]) -> None:
    """Report a mistake in the options at once, not after a build."""
    if options["folder"] is None:
        for name in ("source", "test"):
            if options[name] is None:
                raise click.UsageError(
                    f"Missing option '--{name}', or the folder of a recorded run.", context
                )
    else:
        for name in _OF_RECORDING:  # defaults from whence.toml are no mistake
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(
                    f"--{name.replace('_', '-')} is for recording a run, but the run in "
                    f"{options['folder']} is recorded already. Leave out one of the two.",
                    context,
                )
    check_writable(options["json_file"], options["html_file"])
    if options["interactive"]:
        from whence.cli.interactive import check_terminal  # draws a screen: slow to import

        check_terminal()


def _explain(recording: Recording, options: dict[str, Any], say: Say) -> tuple[WhyResult, int]:
    """Return the result and the exit status."""
    expect = options["expect"].read_bytes() if options["expect"] else None
    say("explaining the failure")
    tree = open_tree(recording, WhyRequest(expect, options["trust"], options["process"]))
    if isinstance(tree, WhyResult):
        return tree, 1
    was_interrupted = False
    try:
        if options["interactive"]:
            _walk(tree, say)
        else:
            tree.compute_again()
            tree.grow(options["depth"], say)
    except KeyboardInterrupt:
        was_interrupted = True
    result = tree.result(was_interrupted=was_interrupted)
    return result, INTERRUPTED if was_interrupted else 0


def _walk(tree: FailureTree, say: Say) -> None:
    from whence.cli.interactive import run_interactive  # draws a screen: slow to import

    run_interactive(tree.saved, title=tree.search.failure.words)
    say("your marks are saved: the same command continues from them")


# --- reports --------------------------------------------------------------------------------------


def _write(result: WhyResult, options: dict[str, Any]) -> None:
    def text(width: int) -> RenderableType:
        return why_text(result, width=width, everything=options["everything"])

    write_reports(
        options,
        why_document(result),
        None if options["interactive"] else text,
        html=lambda: why_page(result),
    )
