"""The whole of `whence isolate`: two versions and a test in, the breaking changes out."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from whence.changes.changeset import ChangeSet, compare
from whence.changes.tree import read_tree
from whence.errors import UserError
from whence.model import Change, Hunk, Outcome, Reported, Result, Reverted, Run, Span
from whence.search.dependencies import Dependencies, read_dependencies
from whence.search.isolate import Answer, Question, isolate, units_of
from whence.search.laboratory import Laboratory, Listener, OutOfRuns
from whence.search.store import Store
from whence.search.suspicion import Evidence, executed, find_minor, weigh
from whence.search.workers import LocalWorkers, Workers
from whence.subject.sources import fetch
from whence.subject.trial import Recipe, Reference

_LONGEST_REFERENCE = 600.0  # seconds, if the user sets no limit
_PREFIX = "whence-of-"  # of our temporary directories, before the number of the process
_USES_COVERAGE = ("fast", "add")


@dataclass(frozen=True)
class Order:
    """What the user asked for."""

    good: str
    bad: str
    recipe: Recipe
    repo: Path = Path()
    keep: tuple[str, ...] = ()
    method: str = "fast"
    find_all: bool = False
    same_failure: str = "exact"
    jobs: int = 1
    cluster: str | None = None
    store: Path | None = None
    fresh: bool = False
    most_runs: int | None = None
    command: str = "isolate"


class Watcher:
    """Is told how the work goes on.  This one does not care; the command line's does."""

    def phase(self, text: str) -> None:
        """A new part of the work begins."""

    def found_changes(self, changes: ChangeSet) -> None:
        """The two versions have been compared."""

    def outcome(self, reverted: Reverted, run: Run, *, from_store: bool) -> None:
        """One variant's outcome is known."""

    def runs_left(self, estimate: Callable[[], int | None]) -> None:
        """From now on, `estimate()` guesses the number of runs to come."""

    def close(self) -> None:
        """The work is over; what comes now is the report."""


@contextmanager
def workshop() -> Iterator[Path]:
    """Give a directory of our own, gone afterwards, for the versions and the workspaces."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Remove what processes of this user that were killed have left behind."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except (ValueError, OverflowError, PermissionError):
            continue


def run_order(order: Order, watcher: Watcher) -> tuple[Result, ChangeSet]:
    """Do the whole job; returns the changes too, for those who report on them."""
    with workshop() as folder:
        started = time.monotonic()
        changes = get_changes(order, folder, watcher)
        store = Store(order.store, fresh=order.fresh) if order.store else None
        workers = _workers(order, folder, changes)
        try:
            session = Session(order, changes, store, workers, watcher)
            return session.result(started), changes
        finally:
            watcher.close()
            workers.close()
            if store:
                store.close()


def get_changes(order: Order, folder: Path, watcher: Watcher) -> ChangeSet:
    watcher.phase("getting the two versions")
    good = read_tree(fetch(order.good, repo=order.repo, into=folder / "good"))
    bad = read_tree(fetch(order.bad, repo=order.repo, into=folder / "bad"))
    watcher.phase("comparing them")
    changes = compare(good, bad, order.keep)
    if not changes.changes:
        raise UserError(
            f"{order.good} and {order.bad} have the same files"
            + (" (but for what --keep names)" if order.keep else "")
            + ", so no change can have broken the test.\n"
            "If the versions should differ, check --good, --bad and --repo.",
            slug="no-changes",
        )
    watcher.found_changes(changes)
    return changes


def _workers(order: Order, folder: Path, changes: ChangeSet) -> Workers:
    if order.cluster is None:
        return LocalWorkers(folder, changes, order.jobs)
    from whence.search.cluster import ClusterWorkers  # needs the optional `distributed`

    return ClusterWorkers(order.cluster, changes)


class Session:
    def __init__(
        self,
        order: Order,
        changes: ChangeSet,
        store: Store | None,
        workers: Workers,
        watcher: Watcher,
    ) -> None:
        self._order = order
        self._changes = changes
        self._watcher = watcher
        self._notes: list[str] = []
        listen: Listener = watcher.outcome
        self.laboratory = Laboratory(changes, order.recipe, store, workers, listen=listen)

    def result(self, started: float) -> Result:
        good, bad = self.references()
        question = self.question(good, bad)
        self._watcher.phase("searching")
        began = time.monotonic()
        answer = self.search(question)
        ended = time.monotonic()
        cost = self.laboratory.cost
        assert bad.failure is not None
        return Result(
            command=self._order.command,
            status="isolated" if answer.holds else "unexplained",
            reason=answer.reason,
            failure=bad.failure,
            total=len(self._changes.changes),
            executed=None if question.executed is None else len(question.executed),
            root=self._reported(answer.root),
            auxiliary=self._reported(answer.auxiliary),
            alternatives=tuple(tuple(sorted(ids)) for ids in answer.alternatives),
            runs=cost.runs,
            builds=cost.builds,
            cached=cost.cached,
            seconds={"search": ended - began, "total": ended - started},
            notes=tuple(self._notes),
        )

    # -- the two reference runs --------------------------------------------------------------

    def references(self) -> tuple[Run, Run]:
        """Run both versions: good has to pass, bad has to fail."""
        lab, asked = self.laboratory, self._order.recipe.asked_timeout
        everything = self._changes.everything
        lab.recipe = replace(lab.recipe, timeout=asked or _LONGEST_REFERENCE)
        self._watcher.phase("running the test on the good version")
        good = self._reference(everything, Outcome.PASS)
        if good.outcome is not Outcome.PASS:
            raise _good_fails(self._order, good)
        if lab.recipe.compares_output:
            lab.recipe = replace(lab.recipe, expected=good.output)
        limit = asked or min(_LONGEST_REFERENCE, max(60.0, 10 * good.seconds))
        lab.recipe = replace(lab.recipe, timeout=limit)
        self._watcher.phase("running the test on the bad version")
        bad = self._reference(frozenset(), Outcome.FAIL)
        if bad.outcome is not Outcome.FAIL or bad.failure is None:
            raise _bad_does_not_fail(self._order, bad)
        lab.reference = Reference(bad.failure, self._order.same_failure)
        limit = asked or max(10.0, 5 * max(good.seconds, bad.seconds))
        lab.recipe = replace(lab.recipe, timeout=limit)
        if bad.flaky:
            self._notes.append("The test is flaky: on the bad version it passed, then failed.")
        lab.remember(everything, good)
        lab.remember(frozenset(), bad)
        return good, bad

    def _reference(self, reverted: Reverted, hoped: Outcome) -> Run:
        """Run one version.  Only the outcome that we hope for is believed of an earlier run."""

        def trust(run: Run) -> bool:
            return run.outcome is hoped

        covers = self._order.method in _USES_COVERAGE
        run = self.laboratory.run(reverted, with_coverage=covers, clean=True, trust=trust)
        if covers and run.outcome is not hoped:
            # Watching may have disturbed it; what counts is what the user would see.
            run = self.laboratory.run(reverted, clean=True, trust=trust)
        return run

    # -- the search --------------------------------------------------------------------------

    def question(self, good: Run, bad: Run) -> Question:
        evidence = Evidence(good.covered, bad.covered, bad.complaints)
        fast = self._order.method == "fast"
        return Question(
            self._changes.changes,
            read_dependencies(self._changes) if fast else Dependencies(),
            weigh(self._changes, evidence) if fast else {},
            executed(self._changes, evidence),
            find_minor(self._changes),
            self._order.method,
            self._order.find_all,
        )

    def search(self, question: Question) -> Answer:
        lab = self.laboratory
        lab.most_runs = self._order.most_runs  # from now on: there is no answer without the two
        self._watcher.runs_left(lambda: lab.estimate(lambda: isolate(question), question.weight))
        try:
            answer = lab.answer(lambda: isolate(question))
        except OutOfRuns:
            return self._best_so_far(f"stopped after {lab.cost.runs} runs, as --max-runs asks")
        except KeyboardInterrupt:
            how = "the same command without --fresh" if self._order.fresh else "the same command"
            return self._best_so_far(
                f"interrupted; {how} goes on from here (every outcome is kept)"
                if self._order.store
                else "interrupted"
            )
        if any(run.flaky for run in lab.known.values()):
            self._notes.append("The test is flaky: some variants passed, then failed.")
        return self._verified(answer) if answer.holds else answer

    def _verified(self, answer: Answer) -> Answer:
        """Run the claimed set once more, from a clean tree, unless it is the good version."""
        if answer.reverted == self._changes.everything:
            return answer
        self._watcher.phase("checking the answer")
        try:
            run = self.laboratory.run(answer.reverted, clean=True)
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

    def _best_so_far(self, why: str) -> Answer:
        passing = [r for r, run in self.laboratory.known.items() if run.outcome is Outcome.PASS]
        best = min(passing, key=lambda reverted: (len(reverted), sorted(reverted)))
        units = tuple(units_of(self._changes.changes, best))
        return Answer(units, holds=False, reason=f"{why}; this is the smallest set known so far")

    def _reported(self, units: tuple[Reverted, ...]) -> tuple[Reported, ...]:
        all_changes = self._changes.changes
        found = [_joined([all_changes[c] for c in sorted(unit)]) for unit in units]
        return tuple(sorted(found, key=lambda r: (r.file, r.new.start, r.old.start, r.id)))


def _joined(pieces: list[Change]) -> Reported:
    first = pieces[0]
    return Reported(
        first.id,
        tuple(p.id for p in pieces),
        first.file,
        first.old_file,
        first.kind,
        _cover([p.old for p in pieces]),
        _cover([p.new for p in pieces]),
        tuple(_neighbours(pieces)),
        first.function,
    )


def _neighbours(pieces: list[Change]) -> Iterator[Hunk]:
    """Put pieces that follow on each other together."""
    groups: list[list[Change]] = []
    for piece in pieces:
        last = groups[-1][-1] if groups else None
        if last and last.block == piece.block and last.id + 1 == piece.id:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    for group in groups:
        yield Hunk(
            _cover([p.old for p in group]),
            _cover([p.new for p in group]),
            b"".join(p.removed for p in group),
            b"".join(p.added for p in group),
        )


def _cover(spans: list[Span]) -> Span:
    """Return the least span that holds all of these."""
    first = min(span.start + (span.count == 0) for span in spans)
    last = max(span.start + (span.count or 1) for span in spans)
    return Span(first, last - first) if last > first else spans[0]


def _good_fails(order: Order, run: Run) -> UserError:
    recipe = order.recipe
    if run.outcome is Outcome.BROKEN:
        return UserError(
            f"The good version ({order.good}) cannot be tested: {_what_broke(order, run)}\n"
            "Nothing can be compared until the good version builds and passes.",
            slug="good-is-broken",
        )
    assert run.failure is not None
    if run.failure.kind == "timeout":
        limit = recipe.asked_timeout or _LONGEST_REFERENCE
        return UserError(
            f"The test did not end within {limit:g} s on the good version ({order.good}).\n"
            f"We ran: {recipe.test}\n{_indented(run.note)}\n"
            "Allow more with --timeout, or see whether it waits for something.",
            slug="good-is-slow",
        )
    if run.failure.signature == "exit status 127":  # the shell's own
        return UserError(
            f"The test command was not found: {recipe.test}\n{_indented(run.note)}\n"
            "It is run by /bin/sh in the version's own tree; {tree} stands for that tree. Give "
            "paths outside the tree as absolute paths.",
            slug="test-not-found",
        )
    how = "is flaky: it passes, then fails" if run.flaky else "fails"
    return UserError(
        f"The test {how} on the good version ({order.good}) already: {run.failure.message}\n"
        f"We ran: {recipe.test}\n{_indented(run.note)}\n"
        "Choose an older version as --good, or mend the test command.",
        slug="good-fails",
    )


def _bad_does_not_fail(order: Order, run: Run) -> UserError:
    recipe = order.recipe
    if run.outcome is Outcome.BROKEN:
        return UserError(
            f"The bad version ({order.bad}) cannot be tested: {_what_broke(order, run)}\n"
            + (
                "To find out what broke the build, give the build as --test and leave --build out."
                if _broke_in_build(order, run)
                else "It has to end there, with another status than 0 (passes) and 125 (cannot be "
                "judged)."
            ),
            slug="bad-is-broken",
        )
    return UserError(
        f"The test passes on the bad version ({order.bad}), so there is no failure to explain.\n"
        f"We ran: {recipe.test}  (exit status 0)\n"
        "If the versions are the wrong way round, swap --good and --bad. If the test fails only "
        "sometimes, --confirm N runs it up to N times.",
        slug="bad-passes",
    )


def _what_broke(order: Order, run: Run) -> str:
    reason, _, printed = run.note.partition("\n")
    in_build = _broke_in_build(order, run)
    command = order.recipe.build if in_build else order.recipe.test
    return f"{reason}.\nWe ran: {command}\n{_indented(printed)}"


def _broke_in_build(order: Order, run: Run) -> bool:
    return order.recipe.build is not None and not run.built


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines()) or "    (it printed nothing)"
