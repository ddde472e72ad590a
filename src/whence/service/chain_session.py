"""What does `whence chain` do?  A failing test in, the proved way to its failure out.

1. The bad version is built so that its runs can be altered, and its failing run is recorded.
2. A passing run is recorded: of the good version, of another test, or of the failing program with
   one branch switched or one value replaced.
3. The two runs are aligned, and FIC's search goes back from the failure.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.chain.bounds import is_at_bound
from whence.chain.carried import first_carrier
from whence.chain.causality import (
    CausalityTests,
    Judge,
    Judgement,
    KeptOutcomes,
    Look,
    OutOfReruns,
)
from whence.chain.dependence import ChainSearch
from whence.chain.faulty import FaultyState
from whence.chain.hierarchical import HierarchicalSearch
from whence.chain.links import ChainWriter
from whence.chain.repeated import Repair, passing_repair
from whence.chain.switching import passing_switch
from whence.chain.values import only_hides, passing_value, value_behind
from whence.chain.wrong_output import right_beginning, wrong_number, wrong_words
from whence.errors import UserError
from whence.explain.recorder import counterpart
from whence.explain.seen_failure import beside, seen_failure
from whence.languages import LANGUAGES, cause_search, find_failure, open_recording
from whence.languages.language import Language
from whence.model import ChainResult, Outcome, PassingRun
from whence.program.ids import Step
from whence.service.altered_steps import came_about
from whence.service.recorded_runs import key_of
from whence.service.recording import RecordRequest, Say, frontends_for
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import Reference
from whence.trace.alignment import Alignment
from whence.trace.flow import Flow
from whence.trace.recording import Recording
from whence.trace.rerunning import (
    Alteration,
    AlteredRun,
    Assign,
    BuiltTest,
    Came,
    Force,
    StepRerunner,
)
from whence.trace.summary import summarise

_WRONG_LANGUAGE = ("nothing-recorded", "no-c-compiler")
_METHODS = {"dependence": ChainSearch, "hierarchical": HierarchicalSearch}
METHODS = tuple(_METHODS)
_BREAKS = ("abort", "crash", "exception", "timeout")  # failures that end a run where they happen
_MAX_SWITCHED = (
    400  # reruns until a branch helps, if the only value that helps is at the end; guessed
)
_MAX_STORES = 50  # files of kept outcomes; guessed


@dataclass(frozen=True)
class ChainRequest:
    """What a user asks `whence chain` to do."""

    record: RecordRequest  # the failing run
    good: str | None = None  # the version whose run passes
    passing_test: str | None = None  # or another test of the same version
    max_runs: int = 500
    forgets: bool = False  # do not use outcomes of an earlier search
    method: str = "dependence"  # or hierarchical
    jobs: int = 1  # reruns at the same time


def find_chain(request: ChainRequest, say: Say) -> ChainResult:
    """Return the chain of a failing test."""
    started = time.monotonic()
    with scratch_folder() as scratch:
        say("fetching the source")
        record = request.record
        tree = fetch(record.source, repo=record.repo, into=scratch / "bad")
        frontends = frontends_for(record, tree)
        for number, name in enumerate(frontends):
            folder = scratch / name
            folder.mkdir()
            try:
                found = _Session(request, LANGUAGES[name], tree, folder, say).result()
                break
            except UserError as error:
                if error.slug not in _WRONG_LANGUAGE or number == len(frontends) - 1:
                    raise
                tree = fetch(record.source, repo=record.repo, into=scratch / f"bad-{number}")
    seconds = found.seconds | {"total": time.monotonic() - started}
    return replace(found, seconds=seconds)


class _Session:
    """One failing test in one language."""

    def __init__(
        self, request: ChainRequest, language: Language, tree: Path, folder: Path, say: Say
    ) -> None:
        self._request, self._language, self._say = request, language, say
        self._tree, self._folder = tree, folder
        self._commands = request.record.commands
        self._good = None
        if request.good is not None:
            self._good = fetch(request.good, repo=request.record.repo, into=folder / "good")
        self._kept = KeptOutcomes(_store(tree, self._good, request))
        self._more: list[BuiltTest] = []  # the same test in trees of their own

    def result(self) -> ChainResult:
        """Record both runs, and search."""
        say = self._say
        say("building and running the failing version, recorded")
        (self._folder / "kept").mkdir()
        built = self._language.open_test(self._tree, self._commands, self._folder / "kept")
        failing = self._recorded(built.record, "failing", self._tree)
        if failing.outcome is Outcome.PASS:
            raise UserError(
                f"The test passes, so there is no failure to explain.\n"
                f"We ran: {self._commands.test}\n"
                "Name the version that fails with --source or --bad; --expect FILE says what a "
                "test must print that always ends with status 0.",
                slug="nothing-fails",
            )
        assert failing.failure is not None
        self._more = [self._another(number) for number in range(1, self._request.jobs)]
        if self._request.good is None and self._request.passing_test is None:
            return self._switched(built, failing)
        passing, by = self._passing(built)
        observed = seen_failure(failing, passing, self._commands.expected)
        other = counterpart(observed.flow.thread, passing)
        if other is None:
            raise _no_passing_run("the process that fails has no counterpart in the passing run")
        return self._searched(built, failing, beside(observed, other), other, by)

    def _recorded(self, record: Callable[[Path], None], name: str, tree: Path) -> Recording:
        """Record a run into a folder of this name."""
        out = self._folder / name
        out.mkdir()
        record(out)
        summarise(open_recording(out), tree, max_trace=self._request.record.max_trace)
        return open_recording(out)

    def _another(self, number: int) -> BuiltTest:
        """Build the failing version once more, for reruns at the same time."""
        self._say(f"building the failing version for job {number + 1}")
        record, kept = self._request.record, self._folder / f"kept-{number}"
        kept.mkdir()
        # The names are equally long: environments are, too, and stacks begin at one address.
        beside = self._tree.with_name(f"{number:0{len(self._tree.name)}}")
        tree = fetch(record.source, repo=record.repo, into=beside)
        return self._language.open_test(tree, self._commands, kept)

    # --- the passing run -------------------------------------------------------------------------

    def _passing(self, built: BuiltTest) -> tuple[Recording, PassingRun]:
        request, commands = self._request, self._commands
        self._say("recording the passing run")
        if self._good is not None:
            tree, limit = self._good, request.record.max_trace
            passing = self._recorded(
                lambda out: self._record_good(tree, out, limit), "passing", tree
            )
            by = PassingRun("good", words="of the good version")
        else:
            test = request.passing_test
            passing = self._recorded(lambda out: built.record(out, test), "passing", self._tree)
            by = PassingRun("test", words=f"of `{test}`")
        if passing.outcome is not Outcome.PASS:
            how = passing.failure.message if passing.failure else passing.outcome.value
            if request.good is None:
                raise _no_passing_run(f"{request.passing_test} does not pass: {how}")
            raise _no_passing_run(f"{commands.test} does not pass on the good version: {how}")
        return passing, by

    def _record_good(self, tree: Path, out: Path, limit: int) -> None:
        self._language.record(tree, self._commands, out, max_trace=limit)

    def _switched(self, built: BuiltTest, failing: Recording) -> ChainResult:
        """Search for a branch whose switching makes the test pass, and compare with that run."""
        observed = find_failure(failing, expect=self._commands.expected)
        rerunner = self._language.rerunner(built, observed.flow)
        others = [self._language.rerunner(each, observed.flow) for each in self._more]
        limit = self._request.max_runs
        judge, look = self._judge(failing, observed), self._look()
        tests = CausalityTests(rerunner, judge, self._kept, limit, others, look)
        self._check_varies(tests, failing)
        repair = self._repair(built, failing, observed, tests)
        if repair is None:
            return self._without_switch(failing, observed, tests)

        def record(out: Path) -> None:
            repair.tests.rerunner.rerun(repair.alterations, record_into=out)

        passing = self._recorded(record, "passing", self._tree)
        by = _altered(observed, repair.alterations)
        other = counterpart(observed.flow.thread, passing)
        assert other is not None, "the run is the same up to the branch"
        observed = self._beside_switched(failing, passing, observed, other)
        altered = [each for each in repair.alterations if isinstance(each, Assign)]
        if repair.tests is not tests:  # its steps are those of another run
            altered = altered[:1]
        return self._searched(built, failing, observed, other, by, tests, altered)

    def _repair(
        self, built: BuiltTest, failing: Recording, observed: ObservedFailure, tests: CausalityTests
    ) -> Repair | None:
        """Return the branch, the value, or several of one kind, that make the test pass."""
        tree, flow = cause_search(observed), observed.flow
        found: Force | Assign | None = passing_switch(tree, tests, self._say)
        if found is None:
            found = passing_value(tree, tests, self._say)
            found = found and first_carrier(tree, tests, found)
            if found is not None and only_hides(tree, tests, found):
                found = passing_switch(tree, tests, self._say, _MAX_SWITCHED) or found
        if isinstance(found, Force) and not is_at_bound(flow, found.branch):
            value = value_behind(tree, tests, found.branch)
            found = first_carrier(tree, tests, value) if value else found
        if found is not None:
            return Repair(tests, (found,))

        def again(before: CausalityTests, altered: Sequence[Alteration]) -> CausalityTests | None:
            if tests.runs >= self._request.max_runs:
                raise OutOfReruns
            out = self._folder / f"altered-{tests.runs}"
            out.mkdir()
            tests.runs += 1
            before.rerunner.rerun(altered, record_into=out)
            try:
                summarise(open_recording(out), self._tree, max_trace=self._request.record.max_trace)
                recording = open_recording(out)
            except UserError:  # nothing was recorded
                return None
            other = counterpart(flow.thread, recording)
            if other is None:
                return None
            rerunner = self._language.rerunner(built, other)
            judge = self._judge(failing, observed, (out / "stdout").read_bytes())
            return tests.of_altered_run(rerunner, judge)

        return passing_repair(tree, tests, again, self._say)

    def _beside_switched(
        self, failing: Recording, passing: Recording, observed: ObservedFailure, other: Flow
    ) -> ObservedFailure:
        """Return the failure as it shows beside the switched run."""
        found = seen_failure(failing, passing, self._commands.expected)
        return beside(found if found.flow.thread is observed.flow.thread else observed, other)

    def _without_switch(
        self, failing: Recording, observed: ObservedFailure, tests: CausalityTests
    ) -> ChainResult:
        assert failing.failure is not None
        reason = (
            f"no passing run was found: the test passes in none of {tests.different} "
            "reruns in which a branch went the other way or a step gave another value"
        )
        advice = "Name a version that passes with --good, or a test that passes with --passing-test"
        return ChainResult(
            "unexplained", reason, failing.failure, observed.words, None, (),
            tests.runs, tests.cached, {}, (advice,),
        )  # fmt: skip

    # --- the search ------------------------------------------------------------------------------

    def _searched(
        self, built: BuiltTest, failing: Recording, observed: ObservedFailure, passing: Flow,
        by: PassingRun, switching: CausalityTests | None = None,
        altered: Sequence[Assign] = (),
    ) -> ChainResult:  # fmt: skip
        started = time.monotonic()
        alignment = Alignment(observed.flow, passing)
        comparison = Comparison(alignment)
        rerunner = self._language.rerunner(built, observed.flow, alignment)
        runs, cached = (switching.runs, switching.cached) if switching else (0, 0)
        limit = self._request.max_runs - runs
        others = [self._language.rerunner(each, observed.flow, alignment) for each in self._more]
        judge, look = self._judge(failing, observed), self._look(comparison)
        tests = CausalityTests(rerunner, judge, self._kept, limit, others, look)
        if switching is None:
            self._check_varies(tests, failing)
        method = _METHODS[self._request.method]
        search = method(observed, FaultyState(comparison, altered), tests, self._say)
        try:
            search.run()
        except KeyboardInterrupt:
            search.notes.append("interrupted: the chain begins where the search was by then")
        chain = ChainWriter(observed, comparison).links(search.found)
        assert failing.failure is not None
        reason = None if len(chain) > 1 else "no faulty value was found that the failure comes from"
        return ChainResult(
            "explained" if reason is None else "unexplained", reason, failing.failure,
            observed.words, by, chain, tests.runs + runs, tests.cached + cached,
            {"search": time.monotonic() - started}, (*search.notes, *_unproved_note(search)),
        )  # fmt: skip

    def _look(self, comparison: Comparison | None = None) -> Look:
        """Return what tells by a recording what became of a step; None: branches only."""

        def look(rerunner: StepRerunner, altered: Sequence[Alteration], step: Step) -> Came:
            is_side = rerunner.failing.is_branch(step) and (
                comparison is None or comparison.side_differs(step)
            )
            return came_about(rerunner, altered, step, self._tree, is_side=is_side)

        return look

    def _check_varies(self, tests: CausalityTests, failing: Recording) -> None:
        """Raise an error if the failure does not come back when nothing is altered."""
        if tests.outcome([]) is not Outcome.FAIL:
            assert failing.failure is not None
            raise UserError(
                "The failure is not deterministic: the test failed when it was recorded "
                f"({failing.failure.message}), and ended otherwise when it ran again.\n"
                "Make the test fail in the same way always: a fixed seed, one thread, no clock.",
                slug="failure-varies",
            )

    def _judge(
        self, failing: Recording, observed: ObservedFailure, altered: bytes | None = None
    ) -> Judge:
        """Return what says whether a rerun passes, fails in the same way, or otherwise.

        `altered`: what an altered run printed that is altered further.
        """
        assert failing.failure is not None
        reference = Reference(failing.failure)
        printed = (failing.folder / "stdout").read_bytes() if altered is None else altered
        is_output = failing.failure.kind == "output"

        expected = self._commands.expected
        is_output = is_output or (expected is not None and observed.stream is not None)
        right = None if expected is None else right_beginning(printed, expected)
        number = None if expected is None else wrong_number(printed, expected)

        def judged(altered: AlteredRun) -> Judgement:
            outcome = reference.judge(altered.run).outcome
            out = altered.ended.stdout
            is_mended = outcome is Outcome.PASS
            kind = altered.run.failure.kind if altered.run.failure else ""
            is_broken = outcome is Outcome.BROKEN or (outcome is Outcome.OTHER and kind in _BREAKS)
            if outcome is Outcome.FAIL and is_output and out != printed:
                outcome = Outcome.OTHER  # wrong, and in another way
            if outcome is Outcome.OTHER and is_output and right is not None and not is_broken:
                is_mended = right.is_in(out)
            lacks = None if number is None else number.lacking(out)
            wrong = None if expected is None or is_broken else wrong_words(out, expected)
            return Judgement(outcome, is_mended, is_broken, lacks, wrong)

        return judged


def _unproved_note(search: ChainSearch | HierarchicalSearch) -> list[str]:
    unmapped = sum(element.unmapped for element in search.found)
    if not unmapped:
        return []
    values = f"{unmapped} faulty value{'s' * (unmapped != 1)}"
    return [f"{values} could not be given the passing value: a pointer without a counterpart, "
            "an object that cannot be made anew, or what a library call wrote"]  # fmt: skip


def _altered(observed: ObservedFailure, alterations: Sequence[Alteration]) -> PassingRun:
    """Return the passing run in which steps of one operation were altered.

    The first of them is a step of the failing run.
    """
    first, more = alterations[0], len(alterations) - 1
    assert isinstance(first, Force | Assign)
    found = _switch(observed, first) if isinstance(first, Force) else _value(observed, first)
    if not more:
        return found
    times = f"{more} other execution{'s' * (more != 1)}"
    return replace(found, words=f"{found.words}, and altered at {times} of it")


def _switch(observed: ObservedFailure, switch: Force) -> PassingRun:
    flow, branch = observed.flow, switch.branch
    names = flow.describer().names
    named = names.condition(branch)
    place = flow.thread.image.place(flow.op_of(branch))
    each = " each time" if switch.is_always else ""
    words = f"with `{named.name}` at {names.line(branch)} not {named.value}{each}"
    if place is None:
        return PassingRun("switch", words=words)
    return PassingRun("switch", place.file, place.line, words)


def _value(observed: ObservedFailure, assign: Assign) -> PassingRun:
    flow, step = observed.flow, assign.definition
    describer = flow.describer()
    named = describer.named(step, flow.op_of(step))
    known = flow.in_tree(step), flow.call_of(step)
    places = [flow.thread.image.place(flow.op_of(at)) for at in known if at]
    place = next(filter(None, places), None)  # of an argument, that of the call
    where = "" if place is None else f" at {place.file}:{place.line}"
    name = "a value" if named is None else f"`{named.name}`"
    own = "" if named is None else f", not {named.value}"
    words = f"with {name}{where} {assign.value!r}{own}"
    if place is None:
        return PassingRun("value", words=words)
    return PassingRun("value", place.file, place.line, words)


def _no_passing_run(why: str) -> UserError:
    return UserError(
        f"There is no passing run to take values from: {why}.\n"
        "Name a version (--good) or a test (--passing-test) that passes. Without either, whence "
        "looks for a branch of the failing run whose switching makes the test pass.",
        slug="no-passing-run",
    )


def _store(tree: Path, good: Path | None, request: ChainRequest) -> Path | None:
    """Return the file for the outcomes of this search; older files are deleted.

    Outcomes are those of altered runs: they depend on both versions, and on the commands.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "whence" / "chains"
    commands = request.record.commands
    trees = [None if each is None else key_of(each, commands) for each in (tree, good)]
    parts = [*trees, request.passing_test]
    name = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        old = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in old[:-_MAX_STORES]:
            path.unlink(missing_ok=True)
        file = folder / f"{name}.jsonl"
        if request.forgets:
            file.unlink(missing_ok=True)
        file.touch()
    except OSError:
        return None  # then a search that is killed starts anew
    return file
