"""What does `whence isolate` do?  Two versions and a test in, the changes that broke it out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.syntax import grammar_of
from whence.changes.tree import read_tree
from whence.errors import UserError
from whence.model import ChangeId, Outcome, Result, Reverted, Run
from whence.search.compiler_names import NOTE, with_compilers_or_without
from whence.search.dependencies import Dependencies, read_dependencies
from whence.search.forecast import Forecaster, RunsLeft
from whence.search.grouping import grouped_hunks
from whence.search.isolate import Answer, IsolateProblem, isolate_changes, units_of
from whence.search.laboratory import Laboratory, Listener, OutOfRuns
from whence.search.reference_errors import bad_does_not_fail, good_fails
from whence.search.space import Search, union
from whence.search.store import Store
from whence.search.suspicion import (
    Evidence,
    executed,
    find_minor,
    find_renamings,
    weigh,
    weigh_by_kind,
    withdrawing,
)
from whence.search.time_limit import TimeLimit
from whence.search.without_effect import find_without_effect, leaving_out
from whence.search.workers import LocalWorkers, Workers
from whence.subject.extensions import without_spare
from whence.subject.reads import changed_since, digest_of
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest, Reference, RunWay

A = TypeVar("A", bound=Answer | None)
T = TypeVar("T")
_MAX_REFERENCE_SECONDS = 600.0  # limit on a reference run if the user sets none; guessed
_MAX_ATTEMPTS = 4  # limit on answers that are discarded because they pass by luck; guessed
_RESERVED_PART = 4  # a reserve of runs is at most this part of all runs; guessed
_GUESS = (
    "Which of these changes is the root and which are auxiliary is a guess: they only work "
    "together, and no run and no chain tells them apart."
)
_PASSES_BY_LUCK = (
    "with these changes reverted, whether the test passes depends on memory that the program reads "
    "before setting it"
)
_USES_COVERAGE = ("fast", "add")  # the methods that need the executed lines


@dataclass(frozen=True)
class IsolateRequest:
    """What the user asks `whence isolate` to do."""

    good: str  # a version, as `sources.fetch` takes it
    bad: str
    commands: BuildAndTest
    repo: Path = Path()  # the git repository of revisions
    keep: tuple[str, ...] = ()  # globs of paths that are as in the bad version in every variant
    method: str = "fast"
    find_all: bool = False  # also find other minimal sets
    same_failure: str = "exact"  # which failures count as THE failure
    jobs: int = 1  # variants to run at the same time
    cluster: str | None = None  # the address of a Dask scheduler
    store: Path | None = None
    fresh: bool = False  # ignore outcomes stored earlier
    max_runs: int | None = None
    max_time: float | None = None  # limit on the seconds of the whole work
    command: str = "isolate"  # the name of the command, for the result
    notes: tuple[str, ...] = ()  # what the user should know of this request

    def run(self, work: Callable[[IsolateRequest], T], watcher: Watcher) -> T:
        """Return `work(self)`; the builds are without $CC and $CXX if good does not build else."""

        def with_build(build: str | None, differs: bool) -> T:
            commands = replace(self.commands, build=build)
            return work(replace(self, commands=commands, notes=(NOTE,) if differs else ()))

        return with_compilers_or_without(self.commands.build, with_build, watcher.warn)


class Watcher:
    """Receives the progress of the work.  This base class ignores it; the CLI shows it."""

    def phase(self, text: str) -> None:
        """Note that a new part of the work begins."""

    def warn(self, text: str) -> None:
        """Note something that the user should read now; the text may have several lines."""

    def found_changes(self, changes: ChangeSet) -> None:
        """Note that the two versions have been compared."""

    def outcome(self, reverted: Reverted, run: Run, *, from_store: bool) -> None:
        """Note the outcome of one variant."""

    def runs_left(self, forecast: Callable[[], RunsLeft | None]) -> None:
        """Use `forecast()` from now on for the number of runs left."""

    def close(self) -> None:
        """End the display of progress: the report follows."""


def run_request(request: IsolateRequest, watcher: Watcher) -> tuple[Result, ChangeSet]:
    """Return the result, and the changes that reports show."""
    started = time.monotonic()

    def work(request: IsolateRequest) -> tuple[Result, ChangeSet]:
        with open_session(request, watcher) as session:
            return session.result(started), session.changes

    return request.run(work, watcher)


@contextmanager
def open_session(request: IsolateRequest, watcher: Watcher) -> Iterator[IsolateSession]:
    """Give a session that can run variants between the two versions of a request."""
    time_limit = TimeLimit(request.max_time)
    with time_limit.running(), scratch_folder() as folder:
        changes, notes = get_changes(request, folder, watcher)
        store = Store(request.store, fresh=request.fresh) if request.store else None
        workers = _workers(request, folder, changes)
        try:
            session = IsolateSession(request, changes, store, workers, watcher, folder, time_limit)
            session.notes += [*request.notes, *notes]
            yield session
        finally:
            watcher.close()
            workers.close()
            if store:
                store.close()


def get_changes(
    request: IsolateRequest, folder: Path, watcher: Watcher
) -> tuple[ChangeSet, list[str]]:
    """Compare the two versions; return the changes, and notes on them for the user."""
    watcher.phase("getting the two versions")
    good = read_tree(fetch(request.good, repo=request.repo, into=folder / "good"))
    bad = read_tree(fetch(request.bad, repo=request.repo, into=folder / "bad"))
    watcher.phase("comparing the two versions")
    notes: list[str] = []
    if request.commands.build is None:
        good, bad, notes = without_spare(good, bad, request.keep)
    changes = compare_trees(good, bad, request.keep)
    if not changes.changes:
        raise UserError(
            f"{request.good} and {request.bad} have the same files"
            + (" (except those that --keep names)" if request.keep else "")
            + ", so no change can have broken the test.\n"
            "If the versions should differ, check --good, --bad and --repo.",
            slug="no-changes",
        )
    watcher.found_changes(changes)
    notes += [
        f"{path} has a line that is too long to be parsed: its changes are whole lines."
        for path in changes.unparsed
    ]
    return changes, notes


def _workers(request: IsolateRequest, folder: Path, changes: ChangeSet) -> Workers:
    if request.cluster is None:
        return LocalWorkers(folder, changes, request.jobs)
    from whence.search.cluster import ClusterWorkers  # needs the optional `distributed`

    return ClusterWorkers(request.cluster, changes)


class IsolateSession:
    """One isolation from the reference runs to the result."""

    def __init__(
        self,
        request: IsolateRequest,
        changes: ChangeSet,
        store: Store | None,
        workers: Workers,
        watcher: Watcher,
        folder: Path,
        time_limit: TimeLimit,
    ) -> None:
        self.folder = folder  # for temporary files; deleted when the session ends
        self.time_limit = time_limit
        self._request = request
        self.changes = changes
        self._watcher = watcher
        self.notes: list[str] = []
        self._without_effect: Reverted = frozenset()  # changes that no variant reverts
        self._suspicion: Mapping[ChangeId, float] = {}  # of each change, as far as is known now
        listen: Listener = watcher.outcome
        self.laboratory = Laboratory(changes, request.commands, store, workers, listen=listen)

    def result(self, started: float) -> Result:
        good, bad = self.references()
        problem = self.problem(good, bad)
        self._watcher.phase("searching")
        began = time.monotonic()
        answer = self.search(lambda: isolate_changes(problem), problem.weight)
        ended = time.monotonic()
        seconds = {"search": ended - began, "total": ended - started}
        return self.result_for(answer, bad, problem.executed, seconds)

    def result_for(
        self,
        answer: Answer,
        bad: Run,
        executed: Reverted | None,
        seconds: dict[str, float],
    ) -> Result:
        """Return an answer as the result that all reports show."""
        cost = self.laboratory.cost
        assert bad.failure is not None
        is_guess = answer.is_guess and answer.holds
        if is_guess:
            self.note(_GUESS)
        return Result(
            command=self._request.command,
            status="isolated" if answer.holds else "unexplained",
            reason=answer.reason,
            failure=bad.failure,
            total=len(self.changes.changes),
            executed=None if executed is None else len(executed),
            root=grouped_hunks(self.changes.changes, answer.root, is_sorted=answer.is_sorted),
            auxiliary=grouped_hunks(self.changes.changes, answer.auxiliary),
            alternatives=tuple(tuple(sorted(ids)) for ids in answer.alternatives),
            runs=cost.runs,
            builds=cost.builds,
            rejected=cost.rejected,
            cached=cost.cached,
            seconds=seconds,
            notes=tuple(self.notes),
            needs_all=answer.needs_all,
            is_guess=is_guess,
        )

    # -- the two reference runs --------------------------------------------------------------

    def references(self, *, covers: bool | None = None) -> tuple[Run, Run]:
        """Run both versions: good must pass, bad must fail.  The failure becomes THE failure.

        `covers` says whether to record which lines they execute; None: if the method needs it.
        """
        self._covers = self._request.method in _USES_COVERAGE if covers is None else covers
        lab, asked = self.laboratory, self._request.commands.asked_timeout
        everything = self.changes.everything
        lab.commands = replace(lab.commands, timeout=asked or _MAX_REFERENCE_SECONDS)
        lab.surroundings = b""
        self._watcher.phase("running the test on the good version")
        good = self._reference(everything, Outcome.PASS)
        if good.outcome is not Outcome.PASS:
            raise good_fails(self._request.good, lab.commands, good)
        if lab.commands.compares_output:
            lab.commands = replace(lab.commands, expected=good.output, expected_status=good.status)
            if good.status:
                self.note(
                    f"The good version ends with exit status {good.status}. A run passes if it "
                    "ends with the same status and prints the same."
                )
        limit = asked or min(_MAX_REFERENCE_SECONDS, max(60.0, 10 * good.seconds))
        lab.commands = replace(lab.commands, timeout=limit, may_stop_a_part=good.stopped_a_part)
        self._watcher.phase("running the test on the bad version")
        bad = self._reference(frozenset(), Outcome.FAIL)
        if bad.outcome is not Outcome.FAIL or bad.failure is None:
            raise bad_does_not_fail(self._request.bad, lab.commands, bad)
        lab.reference = Reference(bad.failure, self._request.same_failure)
        limit = asked or max(10.0, 5 * max(good.seconds, bad.seconds))
        lab.commands = replace(lab.commands, timeout=limit)
        if bad.flaky:
            self.note("The test is flaky: on the bad version it passed, then failed.")
        lab.remember(everything, good)
        lab.remember(frozenset(), bad)
        lab.surroundings = self._surroundings(good, bad)
        self._without_effect = find_without_effect(self.changes, good, bad)
        lab.remember(everything - self._without_effect, good)
        return good, bad

    def _reference(self, reverted: Reverted, expected: Outcome) -> Run:
        """Run one version.

        A stored run counts only if it has the expected outcome, and read what a run would read now.
        """

        def trust(run: Run) -> bool:
            if run.outcome is not expected or run.reads is None:
                return False
            changed = changed_since(run.reads)
            if changed is not None:
                self.note(f"Outcomes of earlier searches are not used: {changed} has changed.")
            return changed is None

        way = RunWay.COVERED if self._covers else RunWay.READS
        run = self.laboratory.run(reverted, way, trust=trust)
        if run.outcome is not expected:
            # Watching the run may have disturbed the test: run it as the user would.
            run = self.laboratory.run(reverted, RunWay.CLEAN, trust=trust)
        return run

    def _surroundings(self, good: Run, bad: Run) -> bytes:
        """Return a hash of what both versions read outside of their tree.

        If that is not known, the hash is of this session alone, so that no later one uses outcomes
        which may have become wrong.
        """
        if good.reads is not None and bad.reads is not None:
            return digest_of(good.reads, bad.reads)
        if self._request.store is not None:
            self.note(
                "whence cannot see which files the test reads, so it neither uses nor keeps the "
                "outcomes of other searches."
            )
        return os.urandom(16)

    # -- the search --------------------------------------------------------------------------

    def problem(self, good: Run, bad: Run) -> IsolateProblem:
        """Return what a search knows; `good.covered` and `bad.covered` are the executed lines."""
        assert bad.failure is not None
        evidence = Evidence(good.covered, bad.covered, bad.complaints, bad.failure.message)
        fast = self._request.method == "fast"
        dependencies = read_dependencies(self.changes) if fast else Dependencies()
        withdrawn = withdrawing(self.changes, dependencies.removes, evidence.message)
        ran, minor = executed(self.changes, evidence), find_minor(self.changes) - withdrawn
        self._suspicion = weigh(self.changes, evidence, ran, minor, withdrawn)
        return IsolateProblem(
            self.changes.changes,
            dependencies,
            self._suspicion if fast else {},
            ran,
            minor,
            find_renamings(self.changes) - withdrawn,
            withdrawn,
            self._request.method,
            self._request.find_all,
        )

    def search(
        self,
        make: Callable[[], Search[A]],
        weight: Mapping[ChangeId, float],
        *,
        checks: bool = True,
        reserve: int = 0,
        pause: int | None = None,
    ) -> A | Answer:
        """Run a search and, if `checks`, check its answer in a clean tree.

        The last `reserve` runs that the user allows, and the end of the time, are not for the
        search: they are for explaining what it found.  After `pause` runs the search ends too,
        with what is known then; it goes on if it is asked again.
        """
        lab = self.laboratory

        def replay() -> Search[A]:
            return leaving_out(make(), self._without_effect)

        self._suspicion = weight or self._suspicion
        # The limit starts here: without the two reference runs there is no answer at all.
        self.limit_runs(reserve)
        is_pause = self._pauses(pause)
        self._watcher.runs_left(Forecaster(replay, lab.known, weight).runs_left)
        for _ in range(_MAX_ATTEMPTS):
            try:
                limit = self.time_limit.searching() if reserve else self.time_limit.interruptible()
                with limit:
                    answer = lab.answer(replay)
            except OutOfRuns:
                return self._paused() if is_pause else self.out_of_runs()
            except KeyboardInterrupt:
                return self.interrupted()
            self.limit_runs(reserve)
            if any(run.flaky for run in lab.known.values()):
                self.note("The test is flaky: some variants passed, then failed.")
            if answer is None or not answer.holds or not checks:
                return answer
            try:
                verified = self.verified(answer)
                if not verified.holds or self.stands_other_memory(verified):
                    return verified
            except KeyboardInterrupt:
                return replace(self.interrupted(answer), holds=False)
        return replace(verified, holds=False, reason=_PASSES_BY_LUCK)

    def note(self, text: str) -> None:
        """Add a note for the user, once."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def may_run(self) -> bool:
        """Does the user allow another run?"""
        limit = self._request.max_runs
        has_runs = limit is None or self.laboratory.cost.runs < limit
        return has_runs and not self.time_limit.is_up

    def limit_runs(self, reserve: int = 0) -> None:
        """Allow as many runs as the user allows, less a `reserve` that is a small part of them."""
        most = self._request.max_runs
        is_small = most is not None and reserve * _RESERVED_PART <= most
        self.laboratory.max_runs = most - reserve if most is not None and is_small else most

    def _pauses(self, pause: int | None) -> bool:
        """Let the search end after `pause` more runs, unless the user's limit comes first."""
        lab = self.laboratory
        if pause is None or (lab.max_runs is not None and lab.max_runs <= lab.cost.runs + pause):
            return False
        lab.max_runs = lab.cost.runs + pause
        return True

    def _paused(self) -> Answer:
        """Return what is known when a search pauses, so that the user need not wait for its end."""
        best = self._best_so_far(f"ended after {self.laboratory.cost.runs} runs", None)
        return replace(best, is_cut=True, is_paused=True)

    def out_of_runs(self, found: Answer | None = None) -> Answer:
        """Return what is known when the limit on runs or on time is reached.

        `found` is the answer of a search that was finished before.
        """
        if self.time_limit.is_up:
            return self.interrupted(found)
        count = self.laboratory.cost.runs
        best = self._best_so_far(f"stopped after {count} runs, as --max-runs requires", found)
        return replace(best, is_cut=found is None)

    def interrupted(self, found: Answer | None = None) -> Answer:
        """Return what is known when the user or the limit on time interrupts."""
        how = "the same command without --fresh" if self._request.fresh else "the same command"
        seconds = self.time_limit.seconds
        is_limit = self.time_limit.is_search_up and seconds is not None
        why = f"stopped after {seconds:g} s, as --max-time requires" if is_limit else "interrupted"
        best = self._best_so_far(
            f"{why}; {how} continues from here (every outcome is stored)"
            if self._request.store
            else why,
            found,
        )
        is_cut = found is None and is_limit and not self.time_limit.is_up
        return replace(best, is_cut=is_cut)

    def verified(self, answer: Answer) -> Answer:
        """Check an answer with a run in a clean tree, unless it reverts everything."""
        if answer.reverted == self.changes.everything:
            return answer
        self._watcher.phase("checking the answer")
        try:
            run = self.laboratory.run(answer.reverted, RunWay.CLEAN)
        except OutOfRuns:
            return replace(answer, holds=False, reason="no run was left to check the answer")
        if run.outcome is Outcome.PASS:
            return answer
        return replace(
            answer,
            holds=False,
            reason="with these changes reverted the test passed during the search, but not when "
            "checked in a clean tree: it is flaky (try --confirm 3), or depends on what earlier "
            "builds or runs left behind",
        )

    def stands_other_memory(self, answer: Answer) -> bool:
        """Does an answer pass whatever the memory holds that the program does not set?

        If it does not, forget that it passes, so that the next search finds another answer.  The
        good version must pass with that memory, else the check says nothing.
        """
        lab = self.laboratory
        is_compiled = lab.commands.build is not None and any(
            grammar_of(change.file) in ("c", "cpp") for change in self.changes.changes
        )
        if not is_compiled or answer.reverted == self.changes.everything:
            return True
        self._watcher.phase("checking the answer with other contents of unset memory")
        try:
            if lab.run(answer.reverted, RunWay.FILLED).outcome is Outcome.PASS:
                return True
            if lab.run(self.changes.everything, RunWay.FILLED).outcome is not Outcome.PASS:
                self.note("With other contents of unset memory, the good version fails too.")
                return True
        except OutOfRuns:
            return True
        self.note(
            "A set of changes was discarded: with it reverted, whether the test passes depends on "
            "memory that the program reads before setting it."
        )
        lab.remember(answer.reverted, Run(Outcome.BROKEN))
        return False

    def _best_so_far(self, why: str, found: Answer | None) -> Answer:
        """Return the answer that was found, else the smallest passing set, which does not hold.

        Its most suspicious changes come first.  A change that was reverted while THE failure stayed
        is hardly suspicious.
        """
        if found is not None:
            return replace(found, reason=f"{why}; the answer was not checked in a clean tree")
        known = self.laboratory.known
        passing = [r for r, run in known.items() if run.outcome is Outcome.PASS]
        best = min(passing, key=lambda reverted: (len(reverted), sorted(reverted)))
        acquitted = union(r for r, run in known.items() if run.outcome is Outcome.FAIL)

        weights = self._suspicion or weigh_by_kind(self.changes)

        def suspicion(unit: Reverted) -> float:
            return max(weights.get(c, 1.0) * (c not in acquitted) for c in unit)

        units = units_of(self.changes.changes, best)
        return Answer(
            tuple(sorted(units, key=lambda unit: (-suspicion(unit), min(unit)))),
            holds=False,
            reason=f"{why}; this is the smallest set known so far, and perhaps not minimal; the "
            "most suspicious changes come first",
            is_sorted=True,
        )
