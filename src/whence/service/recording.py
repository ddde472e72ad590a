"""How is one run recorded into a folder?"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.changes.tree import read_tree
from whence.errors import UserError
from whence.frontend.recorded_run import RUN
from whence.languages import LANGUAGES, fitting, open_recording
from whence.model import TraceSummary
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest
from whence.trace.summary import summarise

Say = Callable[[str], None]  # tells the user what is being done
# Errors after which another front end is tried: the program may be in another language.
WRONG_LANGUAGE = ("nothing-recorded", "no-c-compiler")


@dataclass(frozen=True)
class RecordRequest:
    """What a user asks to record."""

    source: str  # a directory, an archive, a git revision of `repo`, or pypi:NAME==VERSION
    commands: BuildAndTest
    repo: Path
    frontend: str  # "auto", or the front end that the user named
    max_trace: int  # bytes that one process may log
    out: Path | None  # the folder that the user named for the trace
    fresh: bool = False  # record the run even if it was recorded before
    seeks_failure: bool = False  # if the run passes, look for a layout of memory in which it fails


def record_run(request: RecordRequest, out: Path, say: Say) -> TraceSummary:
    """Record the requested run into the empty folder `out`."""
    with scratch_folder() as folder:
        say("fetching the source")
        tree = fetch(request.source, repo=request.repo, into=folder / "tree")
        frontends = frontends_for(request, tree)
        return record_into(out, tree, request, frontends=frontends, say=say)


def frontends_for(request: RecordRequest, tree: Path) -> list[str]:
    """Return the front ends to try on `tree`, the most promising first.

    If the user named a front end, it is the only one.
    """
    return likely_frontends(tree, request.commands, request.frontend)


def likely_frontends(tree: Path, commands: BuildAndTest, frontend: str = "auto") -> list[str]:
    """Return the front ends for the program in a tree, the most promising first."""
    if frontend != "auto":
        return [frontend]
    found = fitting((), read_tree(tree).entries) or list(LANGUAGES)
    if commands.build is not None:  # Python programs seldom need a build
        found.sort(key=lambda frontend: not LANGUAGES[frontend].is_compiled)
    return found


def record_into(
    out: Path,
    tree: Path,
    request: RecordRequest,
    *,
    frontends: Sequence[str],
    say: Say,
    twice: bool = False,
) -> TraceSummary:
    """Build and run the program in `tree`, and record the run into the empty folder `out`.

    If a front end finds nothing to record, the next one is tried.  `twice`: run the test once
    more afterwards, to see whether it ends the same way.  After an error `out` is empty.
    """
    *others, last = frontends
    for frontend in others:
        try:
            return _record_with(frontend, out, tree, request, say=say, twice=twice)
        except UserError as error:
            if error.slug not in WRONG_LANGUAGE:
                raise
            tried, following = LANGUAGES[frontend].label, LANGUAGES[last].label
            say(f"nothing was recorded as {tried}; trying {following}")
    return _record_with(last, out, tree, request, say=say, twice=twice)


def _record_with(
    frontend: str, out: Path, tree: Path, request: RecordRequest, *, say: Say, twice: bool
) -> TraceSummary:
    commands, max_trace = request.commands, request.max_trace
    only_runs = not LANGUAGES[frontend].is_compiled and not commands.build
    action = "running it" if only_runs else "building and running it"
    try:
        say(f"{action}, recorded" + ", and once more" * twice)
        LANGUAGES[frontend].record(tree, commands, out, max_trace=max_trace, twice=twice)
        return summarise(open_recording(out), tree, max_trace=max_trace, say=say)
    except BaseException:
        clear(out)  # nobody must mistake an incomplete trace for a complete one
        raise


def prepare(out: Path) -> None:
    """Make the folder that --out names, which must be empty or absent, and check it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        is_empty = not any(out.iterdir())
        if is_empty:  # is it writable?
            (out / RUN).touch()
            (out / RUN).unlink()
    except OSError as error:
        raise UserError(
            f"--out {out} cannot be written: {error.strerror}.\n"
            "Name a folder in an existing directory that you may write to.",
            slug="cannot-write",
        ) from None
    if not is_empty:
        raise UserError(
            f"--out {out} is not empty.\nName an empty folder, or one that does not exist yet.",
            slug="out-not-empty",
        )


def clear(out: Path) -> None:
    """Delete everything in the folder, but not the folder itself."""
    for path in out.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
