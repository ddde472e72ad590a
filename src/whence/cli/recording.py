"""How do commands record a run?"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from whence.changes.tree import read_tree
from whence.cli.options import Size
from whence.errors import UserError
from whence.frontend.languages import FRONTENDS, RECORDERS, fitting
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, RUN
from whence.model import TraceSummary
from whence.subject.trial import BuildAndTest
from whence.trace.opening import open_recording
from whence.trace.summary import summarise

Say = Callable[[str], None]
_NOT_ITS_OWN = ("nothing-recorded", "no-c-compiler")  # another front end may do better


def recording_options(*, required: bool) -> list[Callable[..., Any]]:
    """What is to be recorded, and how; `required`: what has no default must be given."""
    return [
        click.option("--source", required=required, metavar="SRC", help="The version to record: a directory, an archive, a git revision of --repo, or pypi:NAME==VERSION."),
        click.option("--test", required=required, metavar="CMD", help="Shell command run in the version's tree ({tree})."),
        click.option("--build", metavar="CMD", help="Shell command that builds the program; $CC and $CXX name whence's compilers."),
        click.option("--frontend", type=click.Choice(["auto", *FRONTENDS]), default="auto", show_default=True, help="The language of the program to record."),
        click.option("--max-trace", type=Size(), default=DEFAULT_MAX_TRACE, show_default="4G", metavar="SIZE", help="The most that one process may log."),
        click.option("--repo", type=click.Path(path_type=Path, file_okay=False), default=Path(), show_default="current directory", help="The repository of git revisions."),
        click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds for the build and for the test."),
        click.option("--memory", type=Size(), metavar="SIZE", help="Memory that one process may have, such as 2G."),
    ]  # fmt: skip


def recipe_of(options: dict[str, Any]) -> BuildAndTest:
    return BuildAndTest(
        test=options["test"], build=options["build"], asked_timeout=options["timeout"],
        memory=options["memory"],
    )  # fmt: skip


def frontends_for(frontend: str, tree: Path, recipe: BuildAndTest) -> list[str]:
    """The front ends to record a tree with, the likeliest first; the one that was asked for."""
    if frontend != "auto":
        return [frontend]
    found = fitting((), read_tree(tree).entries) or list(FRONTENDS)
    if recipe.build is not None:  # what has to be built is what the test is about
        found.sort(key=lambda one: one != "c")
    return found


def record_into(
    out: Path, tree: Path, recipe: BuildAndTest, *,
    frontends: Sequence[str], max_trace: int, say: Say, twice: bool = False,
) -> TraceSummary:  # fmt: skip
    """Build and run what is in `tree`, recorded into an empty folder; it is empty if that fails.

    If the first front end finds nothing to record, the next is tried.
    """
    *others, last = frontends
    for frontend in others:
        try:
            return _recorded(out, tree, recipe, frontend, max_trace, say, twice)
        except UserError as error:
            if error.slug not in _NOT_ITS_OWN:
                raise
            say(f"nothing was recorded as {_LANGUAGES[frontend]}; trying {_LANGUAGES[last]}")
    return _recorded(out, tree, recipe, last, max_trace, say, twice)


_LANGUAGES = {"c": "C or C++", "python": "Python"}


def _recorded(
    out: Path,
    tree: Path,
    recipe: BuildAndTest,
    frontend: str,
    max_trace: int,
    say: Say,
    twice: bool,
) -> TraceSummary:
    try:
        what = (
            "running it" if frontend == "python" and not recipe.build else "building and running it"
        )
        say(f"{what}, recorded" + ", and once more" * twice)
        RECORDERS[frontend](tree, recipe, out, max_trace=max_trace, twice=twice)
        return summarise(open_recording(out), tree, max_trace=max_trace, say=say)
    except BaseException:
        clear(out)  # a trace that cannot be used must not look like one
        raise


def prepare(out: Path) -> None:
    """Make the folder that --out names, which must be empty."""
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


def clear(out: Path) -> None:
    for path in out.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def sayer(*, quiet: bool) -> Say:
    """Something that tells on standard error what is being done."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)

    def say(words: str) -> None:
        if not quiet:
            console.print(f"whence: {words} ...", style="dim")

    return say
