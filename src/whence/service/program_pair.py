"""How are two versions of a program, or two programs, compared from their sources on?"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from whence.causes.tree import CauseSearch
from whence.darwin.answer import darwin_result
from whence.darwin.changed_lines import ChangedLines
from whence.darwin.describing import ended_words
from whence.darwin.search import PartingSearch
from whence.darwin.sides import Side, chosen_conditions, failure_points
from whence.darwin.trials import agree
from whence.errors import UserError
from whence.explain.seen_failure import seen_failure
from whence.inputs import InputSource
from whence.languages import cause_search, flow_of, language_of
from whence.model import DarwinResult, VersionName
from whence.paths.input_spec import InputSpec
from whence.paths.program import InputProgram, PathRun
from whence.service.input_programs import open_program
from whence.service.recording import Say
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest
from whence.trace.recording import Thread


@dataclass(frozen=True)
class DarwinRequest:
    """What a user asks `whence darwin` to compare."""

    good: str
    bad: str
    commands_good: BuildAndTest
    commands_bad: BuildAndTest
    repo: Path
    inputs: tuple[InputSpec, ...] = ()
    by: str = "slice"
    predicates: bool | None = None  # None: if the conditions of the branches tell nothing
    frontend: str = "auto"


class ProgramPair:
    """Both programs, built, and ready to run with other inputs."""

    def __init__(self, request: DarwinRequest, folder: Path, stack: ExitStack, say: Say) -> None:
        self._request, self._say, started = request, say, time.monotonic()
        trees = _fetched(request, folder, say)
        self._changed = ChangedLines(trees[VersionName.GOOD], trees[VersionName.BAD])
        self._programs = {
            version: stack.enter_context(closing(_opened(request, version, tree, folder, say)))
            for version, tree in trees.items()
        }
        self._seconds = time.monotonic() - started  # until both were built

    def compare(self, out: Path, *, by: str, predicates: bool | None) -> DarwinResult:
        """Return the branches at which the two programs part; tests are written into `out`."""
        started = time.monotonic()
        request = replace(self._request, by=by, predicates=predicates)
        search = _search(request, self._programs, self._say)
        recorded = time.monotonic()
        search.run()
        ended = time.monotonic()
        seconds = {"trace": self._seconds + recorded - started, "semantics": ended - recorded}
        notes = _notes(self._programs)
        result = darwin_result(search, self._changed, out, notes, by, seconds)
        result.seconds["total"] = self._seconds + time.monotonic() - started
        return result


@contextmanager
def opened_pair(request: DarwinRequest, say: Say) -> Iterator[ProgramPair]:
    """Fetch and build both programs."""
    with ExitStack() as stack:
        yield ProgramPair(request, stack.enter_context(scratch_folder()), stack, say)


def compare_programs(request: DarwinRequest, out: Path, say: Say) -> DarwinResult:
    """Return the branches at which the two programs part; tests are written into `out`."""
    with opened_pair(request, say) as pair:
        return pair.compare(out, by=request.by, predicates=request.predicates)


def _fetched(request: DarwinRequest, folder: Path, say: Say) -> dict[VersionName, Path]:
    sources = {VersionName.GOOD: request.good, VersionName.BAD: request.bad}
    found = {}
    for version, source in sources.items():
        say(f"fetching the {version.value} version")
        found[version] = fetch(source, repo=request.repo, into=folder / version.value)
    return found


def _opened(
    request: DarwinRequest, version: VersionName, tree: Path, folder: Path, say: Say
) -> InputProgram:
    commands = request.commands_good if version is VersionName.GOOD else request.commands_bad
    kept = folder / f"{version.value}-kept"
    return open_program(
        tree, commands, kept, request.inputs, request.frontend,
        lambda words: say(f"{version.value} version: {words}"),
    )  # fmt: skip


def _search(
    request: DarwinRequest, programs: Mapping[VersionName, InputProgram], say: Say
) -> PartingSearch:
    """Run the failing test in both programs, and return what compares the runs."""
    contents: dict[InputSource, bytes] = {}
    for version in VersionName:
        contents |= programs[version].first
    say("running both versions, recorded")
    runs = {version: programs[version].run(contents) for version in VersionName}
    good, bad = runs[VersionName.GOOD], runs[VersionName.BAD]
    languages = [language_of(one.path.thread.recording).name for one in (good, bad)]
    if languages[0] != languages[1]:
        raise _two_languages(*languages)
    compares_output = programs[VersionName.GOOD].run_plain(contents).stdout == good.ended.stdout
    if agree(good.ended, bad.ended, compares_output=compares_output):
        raise _no_difference(good, request)

    def sides(*, is_narrow: bool) -> tuple[Side, Side]:
        return (
            _side(VersionName.GOOD, programs, good, bad, request.by, is_narrow=is_narrow),
            _side(VersionName.BAD, programs, bad, good, request.by, is_narrow=is_narrow),
        )

    first = sides(is_narrow=False)
    narrower = None
    if any("output" in side.points for side in first):
        narrower = partial(sides, is_narrow=True)
    return PartingSearch(
        *first, contents, compares_output, request.predicates, say, narrower=narrower,
        causes=partial(_causes, bad, good, compares_output=compares_output),
    )  # fmt: skip


def _causes(bad: PathRun, good: PathRun, *, compares_output: bool) -> CauseSearch | None:
    """Return why the bad version failed, compared with the good one; None: no failure is seen."""
    threads = bad.path.thread, good.path.thread
    if not set(_own_files(threads[0])) & set(_own_files(threads[1])):
        return None  # another implementation
    recordings = threads[0].recording, threads[1].recording
    try:
        failure = seen_failure(*recordings, good.ended.stdout if compares_output else None)
    except UserError:
        return None
    return cause_search(failure, passing=flow_of(good.path.thread))


def _side(
    version: VersionName, programs: Mapping[VersionName, InputProgram], run: PathRun,
    other: PathRun, by: str, *, is_narrow: bool,
) -> Side:  # fmt: skip
    points = failure_points(run, other.ended, is_narrow=is_narrow) if by == "slice" else ()
    return Side(version, programs[version], chosen_conditions(run, points), points)


def _own_files(thread: Thread) -> Iterator[str]:
    """Yield the files of a program's own tree."""
    return (name for name in thread.image.file_names if not name.startswith("/"))


def _two_languages(good: str, bad: str) -> UserError:
    return UserError(
        f"The good version is recorded as {good}, and the bad one as {bad}. whence darwin compares "
        "programs of one language (C and C++ count as one).\n"
        "Give another program as the good version, or name the language with --frontend.",
        slug="two-languages",
    )


def _no_difference(good: PathRun, request: DarwinRequest) -> UserError:
    return UserError(
        f"With the inputs of this test both versions do the same: each {ended_words(good.ended)}.\n"
        f"We ran: {request.commands_bad.test}   (its program, with its arguments, files and "
        "standard input)\n"
        "The two programs must differ in what they print or in their exit status. Give a test that "
        "fails on the bad version.",
        slug="programs-agree",
    )


def _notes(programs: Mapping[VersionName, InputProgram]) -> list[str]:
    return [f"{version.value}: {note}" for version, one in programs.items() for note in one.notes]
