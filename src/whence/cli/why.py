"""`whence why`: what caused the failure of one run?"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console

from whence.causes.result import result_of, unexplained
from whence.causes.tree import CauseSearch, open_search
from whence.cli.options import check_writable, put, with_options
from whence.cli.recording import Say, recipe_of, recording_options, sayer
from whence.errors import UserError
from whence.frontend.recorded_run import RUN
from whence.model import Failure, Outcome, WhyResult
from whence.report.causes import why_document, why_text
from whence.report.html import why_page
from whence.report.text import counted
from whence.service import recorded_runs
from whence.service.tree_session import SavedTree, TreeSession
from whence.trace.opening import open_recording
from whence.trace.recording import Recording
from whence.trace.summary import endings

INTERRUPTED = 130
_WIDTH = 100  # of reports that do not go to a terminal
_SAY_EVERY = 2.0  # seconds
_PASSED = ("nothing-fails", "comes-and-goes")

_OPTIONS: list[Callable[..., Any]] = [
    click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False), metavar="[DIR]"),
    *recording_options(required=False),
    click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where the recorded run is kept.  [default: the last 5 are in the user's cache directory]"),
    click.option("--fresh", is_flag=True, help="Record the run even if it was recorded before."),
    click.option("--expect", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE", help="What the test should print: the first byte that differs is explained."),
    click.option("--trust", multiple=True, metavar="NAME", help="A function that is not looked into: its call stands for it."),
    click.option("--process", metavar="PID", help="Which process, if several were recorded.  [default: the last that failed]"),
    click.option("--depth", type=click.IntRange(min=0), default=3, show_default=True, metavar="N", help="Levels of causes below that of the failure."),
    click.option("--interactive", "-i", is_flag=True, help="Walk and prune the tree in the terminal; what is not looked at is not computed."),
    click.option("--json", "json_file", metavar="FILE", help="Write the tree as JSON; - prints it, and nothing else."),
    click.option("--html", "html_file", metavar="FILE", help="Write the tree as a page to walk in a browser."),
    click.option("--quiet", "-q", is_flag=True, help="No progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip
_OF_RECORDING = ("source", "test", "build", "frontend", "max_trace", "repo", "timeout", "memory", "out", "fresh")  # fmt: skip


@click.command()
@with_options(_OPTIONS)
@click.pass_context
def why(context: click.Context, /, **options: Any) -> int:
    """Show what caused the failure of one run of a C, C++ or Python program, as a tree.

    The run is that of --test on --source, or the one in DIR, which `whence trace` or --out put
    there.  Below a cause are the conditions that it rests on, each with a cause of its own.  What
    you mark as benign or as the root is kept with the run.

    Exit status: 0 explained, 1 not explained (the report says why), 2 something to mend first.
    """
    _check(context, options)
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    started = time.monotonic()
    seconds: dict[str, float] = {}
    folder, is_new = options["folder"], False
    if folder is None:
        folder, is_new = recorded_runs.recorded(options, recipe_of(options), say)
    opened = time.monotonic()
    if is_new:
        seconds["trace"] = opened - started
    try:
        result, status = _explained(open_recording(folder), options, say)
    except UserError as error:
        if is_new and error.slug in _PASSED:
            recorded_runs.forget(folder)  # the next one may fail
        raise
    seconds["semantics"] = time.monotonic() - opened
    seconds["total"] = time.monotonic() - started
    _write(replace(result, seconds=seconds), options)
    return status


def _check(context: click.Context, options: dict[str, Any]) -> None:
    """Say now what is wrong with the options, not after a build."""
    if options["folder"] is None:
        for name in ("source", "test"):
            if options[name] is None:
                raise click.UsageError(
                    f"Missing option '--{name}', or the folder of a recorded run.", context
                )
    else:
        for name in _OF_RECORDING:  # settings do not count: they are for when there is no DIR
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(
                    f"--{name.replace('_', '-')} is for recording a run, but the one in "
                    f"{options['folder']} is recorded already. Leave out one of the two.",
                    context,
                )
    check_writable(options["json_file"], options["html_file"])
    if options["interactive"]:
        from whence.cli.interactive import check_terminal  # draws a screen: slow to import

        check_terminal()


# --- explaining -----------------------------------------------------------------------------------


def _explained(recording: Recording, options: dict[str, Any], say: Say) -> tuple[WhyResult, int]:
    """What is found out, and the exit status."""
    expect = options["expect"].read_bytes() if options["expect"] else None
    say("explaining the failure")
    try:
        tree = open_search(recording, expect, options["trust"], options["process"])
    except UserError as error:
        if error.slug == "nothing-fails":
            raise _passed(recording, error) from None
        if error.slug != "failure-not-recorded":
            raise
        reason, _, advice = str(error).partition("\n")
        known = (advice, *endings(recording), *_stability(recording, expect), _kept(recording))
        is_output = expect is not None
        return unexplained(recording, reason, seconds={}, notes=known, is_output=is_output), 1
    session = TreeSession.load(_session(recording, tree, expect), _fingerprint(recording))
    saved = SavedTree(tree, session, recorded_runs.source_of(recording.folder))
    notes = _stability(recording, expect)
    status = 0
    try:
        if options["interactive"]:
            _walk(saved, tree, say)
        else:
            _compute_again(saved)
            _grow(saved, options["depth"], say)
    except KeyboardInterrupt:
        notes.append("interrupted: this is what was known by then")
        status = INTERRUPTED
    unseen = len(session.marks) - len(tree.marks)
    if unseen > 0:
        notes.append(f"{counted(unseen, 'mark')} of causes that are not in this part of the tree")
    result = result_of(tree, seconds={}, notes=notes, is_output=expect is not None)
    return result, status


def _walk(saved: SavedTree, tree: CauseSearch, say: Say) -> None:
    from whence.cli.interactive import run_interactive  # draws a screen: slow to import

    run_interactive(saved, title=tree.found.words)
    say("what you marked is kept: the same command goes on from here")


def _compute_again(tree: SavedTree) -> None:
    """Compute what was unfolded in the terminal, in the same order: only so is it the same tree,
    and what was marked in it."""
    numbers = {tree.cause(0).key: 0}
    for key in tree.session.computed:
        if key in numbers:
            numbers |= {tree.cause(n).key: n for n in tree.children(numbers[key])}


def _grow(tree: SavedTree, depth: int, say: Say) -> None:
    """Compute the causes down to this level."""
    level, known, told = [0], 1, time.monotonic()
    for number in range(1, depth + 1):
        below: list[int] = []
        for done, cause in enumerate(level):
            if not done or time.monotonic() - told > _SAY_EVERY:
                told = time.monotonic()
                of = f", {done} of {len(level)} looked below" if done else ""
                say(f"level {number} of {depth}: {counted(known + len(below), 'cause')}{of}")
            below += tree.children(cause)
        level, known = below, known + len(below)


# --- what has to be said of the run ---------------------------------------------------------------


def _stability(recording: Recording, expect: bytes | None) -> list[str]:
    """Whether it went the same when it was run once more."""
    again = recording.again
    if again is None:
        return []
    if expect is not None:
        if again.same_output:
            return []
        return [
            "the output is not always the same: run once more, the test printed something else; "
            "this is of the recorded run"
        ]
    if (again.outcome, _signature(again.failure)) == (
        recording.outcome,
        _signature(recording.failure),
    ):
        return []
    how = "passes" if again.outcome is Outcome.PASS else "fails differently"
    if again.failure:
        how += f" ({again.failure.message})"
    return [
        f"the failure comes and goes: run once more, the test {how}; this is of the recorded run"
    ]


def _signature(failure: Failure | None) -> str | None:
    return failure.signature if failure else None


def _passed(recording: Recording, error: UserError) -> UserError:
    """What to say if there is nothing to explain."""
    again = recording.again
    if again is None or again.failure is None or recording.outcome is not Outcome.PASS:
        return error
    return UserError(
        "The failure comes and goes: the test passed while it was recorded, and failed when it "
        f"ran once more ({again.failure.message}).\n"
        "Run the same command again until a failing run is recorded, or make the test fail "
        "always: a loop around it, a fixed seed, a longer delay.",
        slug="comes-and-goes",
    )


def _kept(recording: Recording) -> str:
    return f"the run is in {recording.folder}: whence slice asks about any line of it"


def _fingerprint(recording: Recording) -> str:
    return hashlib.sha256((recording.folder / RUN).read_bytes()).hexdigest()


def _session(recording: Recording, tree: CauseSearch, expect: bytes | None) -> Path:
    """The file with what was said of this failure of the run; another one has its own."""
    thread = tree.thread
    failure = [thread.image.process.folder.name, thread.log.number, (expect or b"").hex()]
    name = hashlib.sha256(json.dumps(failure).encode()).hexdigest()[:12]
    return recording.folder / f"session-{name}.json"


# --- reports --------------------------------------------------------------------------------------


def _write(result: WhyResult, options: dict[str, Any]) -> None:
    document = json.dumps(why_document(result), indent=1)
    if options["json_file"] == "-":
        click.echo(document)
    elif not options["interactive"]:
        console = Console(highlight=False, soft_wrap=True)
        width = console.width if console.is_terminal else _WIDTH
        console.print(why_text(result, width=width))
    if options["json_file"] not in (None, "-"):
        put(Path(options["json_file"]), f"{document}\n".encode())
    if options["html_file"]:
        put(Path(options["html_file"]), why_page(result).encode())
