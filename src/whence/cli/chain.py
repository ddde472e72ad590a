"""`whence chain`: how does the damage travel to the failure, proved by running it?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from whence.cli.options import check_writable, with_options
from whence.cli.recording import record_request, recording_options, sayer
from whence.cli.reports import write_reports
from whence.model import ChainResult
from whence.report.chain import chain_document, chain_page, chain_text
from whence.service.chain_session import METHODS, ChainRequest, find_chain

_OPTIONS: list[Callable[..., Any]] = [
    *recording_options(required=False),
    click.option("--good", metavar="SRC", help="A version on which the test passes: its values are put into the failing run."),
    click.option("--bad", metavar="SRC", help="The version that fails; the same as --source."),
    click.option("--passing-test", metavar="CMD", help="A test of the same version that passes: its values are put into the failing run."),
    click.option("--expect", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE", help="The output that the test should print; with it, a run passes that prints this."),
    click.option("--method", type=click.Choice(METHODS), default=METHODS[0], show_default=True, help="Go back along dependences (FIC's Algorithm 2), or level by level through the structure of the run (Algorithm 1)."),
    click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Reruns at the same time, each in a tree of its own."),
    click.option("--max-runs", type=click.IntRange(min=1), default=500, show_default=True, metavar="N", help="Limit on the runs of the search."),
    click.option("--fresh", is_flag=True, help="Do not use outcomes that an earlier search kept."),
    click.option("--json", "json_file", metavar="FILE", help="Write the chain as JSON; - prints only that."),
    click.option("--html", "html_file", metavar="FILE", help="Write the chain as a page."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command()
@with_options(_OPTIONS)
@click.pass_context
def chain(context: click.Context, /, **options: Any) -> int:
    """Show how the damage travels from the root to the failure of a C, C++ or Python test.

    whence puts values of a passing run into the failing run and runs it again.  A link of the chain
    is a statement whose faulty values the links before it bring about: with their passing values
    it does not come about, and with them alone it does.

    The passing run is that of --good, that of --passing-test or, without either, the failing run
    with one branch switched so that the test passes.

    Exit status: 0 explained, 1 not explained (the report says why), 2 usage or setup error.
    """
    request = _request(context, options)
    check_writable(options["json_file"], options["html_file"])
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    result = find_chain(request, say)
    _write(result, options)
    return 0 if result.status == "explained" else 1


def _request(context: click.Context, options: dict[str, Any]) -> ChainRequest:
    """Return what the options ask for; a mistake in them is reported at once."""
    if options["source"] and options["bad"]:
        raise click.UsageError("--source and --bad mean the same version: give one.", context)
    source = options["source"] or options["bad"]
    if source is None:
        raise click.UsageError("Missing option '--source' (or '--good' and '--bad').", context)
    if options["test"] is None:
        raise click.UsageError("Missing option '--test'.", context)
    if options["good"] and options["passing_test"]:
        raise click.UsageError("Give --good or --passing-test, not both.", context)
    record = record_request(options | {"source": source, "out": None})
    commands = replace(record.commands, as_recorded=True)
    if options["expect"] is not None:
        expected = options["expect"].read_bytes()
        commands = replace(commands, compares_output=True, expected=expected)
    return ChainRequest(
        replace(record, commands=commands), options["good"], options["passing_test"],
        options["max_runs"], options["fresh"], options["method"], options["jobs"],
    )  # fmt: skip


def _write(result: ChainResult, options: dict[str, Any]) -> None:
    write_reports(
        options,
        chain_document(result),
        lambda width: chain_text(result, width=width),
        html=lambda: chain_page(result),
    )
