"""`whence isolate`: which changes broke the test?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from whence.changes.changeset import ChangeSet
from whence.cli.options import SOURCE_OPTIONS, Seconds, Size, check_writable, with_options
from whence.cli.progress import watcher_for
from whence.cli.reports import write_reports
from whence.model import Result, Reverted
from whence.report.document import to_document
from whence.report.patch import to_patch
from whence.report.text import to_text
from whence.search.isolate import METHODS
from whence.search.session import IsolateRequest, run_request
from whence.search.store import default_store
from whence.subject.failure import check_same_failure
from whence.subject.trial import BuildAndTest

_MAX_CONFIRM = 1000  # more repetitions tell nothing new about a flaky test; guessed
_MAX_JOBS = 1000  # more than a machine can run; guessed

OPTIONS: list[Callable[..., Any]] = [
    click.option("--good", required=True, metavar="SRC", help="The version on which the test passes: a directory, an archive, a git revision of --repo, or pypi:NAME==VERSION."),
    click.option("--bad", required=True, metavar="SRC", help="The version on which the test fails, named in the same ways."),
    click.option("--test", required=True, metavar="CMD", help="Shell command that runs the test in the version's tree ({tree}). Exit status 0: passes; 125: cannot be judged."),
    click.option("--build", metavar="CMD", help="Shell command run before the test; $CC and $CXX are set."),
    *SOURCE_OPTIONS,
    click.option("--oracle", type=click.Choice(["exit", "output"]), default="exit", show_default=True, help="What makes a run pass: exit status 0, or the exit status and the standard output of the good version."),
    click.option("--same-failure", default="exact", show_default=True, metavar="exact|any|REGEX", help="Which failing runs have the same failure: those with the same message, all, or those whose message matches."),
    click.option("--keep", multiple=True, metavar="GLOB", help="Files that stay as in the bad version in every variant, such as the test itself."),
    click.option("--method", type=click.Choice(METHODS), default="fast", show_default=True, help="The search method."),
    click.option("--all", "find_all", is_flag=True, help="Also find the other independent minimal sets."),
    click.option("--jobs", type=click.IntRange(1, _MAX_JOBS), default=1, show_default=True, help="Number of variants to run at the same time."),
    click.option("--cluster", metavar="ADDRESS", help="Run the variants on a Dask cluster, such as tcp://host:8786."),
    click.option("--timeout", type=Seconds(), metavar="S", help="Time limit in seconds for one build or test.  [default: 5 times the time of the first runs]"),
    click.option("--memory", type=Size(), metavar="SIZE", help="Memory limit for one process of a build or test, such as 2G."),
    click.option("--confirm", type=click.IntRange(1, _MAX_CONFIRM), default=1, show_default=True, metavar="N", help="For flaky tests: a variant passes only after N passes in a row."),
    click.option("--max-runs", type=click.IntRange(min=2), metavar="N", help="Stop after N runs, and report the smallest set found so far."),
    click.option("--max-time", type=Seconds(), metavar="S", help="Stop after S seconds, and report the smallest set found so far."),
    click.option("--store", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file that keeps outcomes for later runs.  [default: in the user's cache directory]"),
    click.option("--fresh", is_flag=True, help="Ignore outcomes kept from earlier runs."),
    click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON; - prints only that."),
    click.option("--patch", "patch_file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a patch that reverts the changes found (for git apply)."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command()
@with_options(OPTIONS)
def isolate(**options: Any) -> int:
    """Find the smallest set of changes that breaks the test.

    Exit status: 0 found, 1 not found (the report says why), 2 usage or setup error.
    """
    request = request_from(options)
    check_writable(options["json_file"], options["patch_file"])
    result, changes = run_request(request, watcher_for(quiet=options["quiet"]))
    _write(result, changes, options)
    return 0 if result.status == "isolated" else 1


def request_from(options: dict[str, Any]) -> IsolateRequest:
    """Return what the options ask for."""
    check_same_failure(options["same_failure"])
    commands = BuildAndTest(
        test=options["test"],
        build=options["build"],
        asked_timeout=options["timeout"],
        memory=options["memory"],
        confirm=options["confirm"],
        compares_output=options["oracle"] == "output",
    )
    return IsolateRequest(
        good=options["good"],
        bad=options["bad"],
        commands=commands,
        repo=options["repo"],
        keep=tuple(options["keep"]),
        method=options["method"],
        find_all=options["find_all"],
        same_failure=options["same_failure"],
        jobs=options["jobs"],
        cluster=options["cluster"],
        store=options["store"] or default_store(),
        fresh=options["fresh"],
        max_runs=options["max_runs"],
        max_time=options["max_time"],
    )


def _write(result: Result, changes: ChangeSet, options: dict[str, Any]) -> None:
    write_reports(
        options,
        to_document(result),
        lambda _: to_text(result),
        patch=lambda: to_patch(changes, claimed(result)),
    )


def claimed(result: Result) -> Reverted:
    """Return the changes whose reverting makes the test pass, according to the result."""
    return frozenset(c for change in (*result.root, *result.auxiliary) for c in change.ids)
