"""What does `whence explain` do?  Two versions and a test in, the root and its chain out.

The steps follow AFTER's Algorithm 1:

1. Compare the versions (line 1: Δ), record the failing run (line 2: π) and find the failure in the
   recording (line 3: ρ₀).
2. Alternate semantic and dynamic analysis until the root is found (lines 5-15: `loop.find_root`).
3. Explain the root (line 11: `choice.Chooser`).  The paper takes the causes from the loop.  Here
   the fixed run is recorded as well: every difference between it and the failing run comes from
   the reverted changes.

If the failing run cannot be recorded, the changes are only isolated, and the result says why.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace

from whence.causes.observed_failure import ObservedFailure
from whence.causes.result import result_of, unseen_sources
from whence.changes.changeset import ChangeSet
from whence.errors import UserError
from whence.explain.candidates import CandidateChanges
from whence.explain.choice import Choice, Chooser, change_places
from whence.explain.context import ExplainContext, Unexplained, error_summary
from whence.explain.loop import find_root, search_all
from whence.explain.proving import prove_chain
from whence.explain.recorder import Recorder, counterpart, covered_lines, logged_events
from whence.explain.seen_failure import beside, seen_failure
from whence.explain.unfinished import choose_unfinished
from whence.languages import LANGUAGES, cause_search, fitting, language_of
from whence.languages.language import Language
from whence.model import Alternative, Explanation, Failure, Link, LinkKind, Outcome, Run
from whence.search.isolate import Answer, IsolateProblem
from whence.search.laboratory import OutOfRuns
from whence.search.session import IsolateRequest, IsolateSession, Watcher, open_session
from whence.search.space import union
from whence.subject.failure import same_failure
from whence.subject.layouts import LAYOUTS
from whence.trace.recording import Recording

FRONTEND_CHOICES = ("auto", *LANGUAGES, "none")
_MAX_ATTEMPTS = 4  # limit on answers that are dropped because their check fails; guessed
_MIN_HANG_LOG = 4 << 20  # bytes that a run may log that does not end, at least; guessed
_HANG_SECONDS = 10.0  # limit on the recording of a run that does not end; guessed
_PAUSES = (60, 120)  # the runs after which a search pauses; guessed
_GAP = "the chain has a gap: how {root} led to {place} was not followed"


@dataclass(frozen=True)
class ExplainRequest:
    """What the user asks `whence explain` to do."""

    isolate: IsolateRequest
    frontend: str = "auto"
    trust: tuple[str, ...] = ()  # names of functions to treat as correct
    max_trace: int = 4 * 2**30  # limit on the bytes that one process may log
    proves: bool = False  # test each link of the chain by putting the fixed values in


def explain_failure(request: ExplainRequest, watcher: Watcher) -> tuple[Explanation, ChangeSet]:
    """Return the explanation, and the changes that reports show."""
    started = time.monotonic()

    def work(isolate: IsolateRequest) -> tuple[Explanation, ChangeSet]:
        asked = replace(request, isolate=isolate)
        with open_session(isolate, watcher) as session:
            return _Explaining(asked, session, watcher, started).explanation(), session.changes

    return replace(request.isolate, command="explain").run(work, watcher)


class PassesRecorded(Unexplained):
    """The bad version passes when it is built to be recorded."""


class _Explaining:
    def __init__(
        self, request: ExplainRequest, session: IsolateSession, watcher: Watcher, started: float
    ) -> None:
        self._request, self._session, self._watcher = request, session, watcher
        recorder = Recorder(
            session.folder, session.changes, request.isolate.commands, request.max_trace
        )
        self._context = ExplainContext(session, watcher, recorder, request.trust, started)
        self._found: Answer | None = None  # the root that the search found; it is explained next

    def explanation(self) -> Explanation:
        return replace(self._explanation(), recorded=len(self._context.recorder))

    def _explanation(self) -> Explanation:
        reasons: list[str] = []
        try:
            for language in self._fitting():
                try:
                    return self._explain_in(language)
                except Unexplained as missing:
                    self._warn(missing)
                    reasons.append(str(missing))
        except Unexplained as missing:
            reasons.append(str(missing))
        return self._isolated("; ".join(dict.fromkeys(reasons)))

    def _warn(self, missing: Unexplained) -> None:
        """Show at once why nothing is recorded: the search that follows may take long."""
        if missing.details:
            details = "\n".join(f"  {line}" for line in missing.details.splitlines())
            self._watcher.warn(
                f"not recorded: {missing}\n{details}\n"
                "  The search goes on without: it finds the changes, not how they broke the test."
            )

    def _explain_in(self, language: Language) -> Explanation:
        """Explain with the recorded runs of programs in one language."""
        try:
            return self._explain_under(language, "")
        except PassesRecorded:
            if not language.is_compiled:
                raise
            plain = self._plain_failure()
        tried = []
        for name, layout in LAYOUTS.items():
            self._watcher.phase(f"trying a layout in which {layout.words}")
            try:
                explanation = self._explain_under(language, name)
            except Unexplained:
                tried.append(name)
                continue
            return self._with_layout(explanation, name, plain)
        raise Unexplained(
            "built to be recorded, the bad version passes although its plain build fails "
            f"({plain.message}), whatever unset memory holds (layouts: {', '.join(tried)})"
        )

    def _plain_failure(self) -> Failure:
        """Return the failure of the bad version, built without recording.

        If that version passes, too, then nothing fails: a UserError says so.
        """
        self._build_as_recorded(False)
        _, bad = self._session.references(covers=False)
        assert bad.failure is not None
        return bad.failure

    def _with_layout(self, explanation: Explanation, name: str, plain: Failure) -> Explanation:
        """Add notes on the layout that was used to an explanation."""
        failure, same = explanation.result.failure, self._request.isolate.same_failure
        notes = [
            f"In all runs {LAYOUTS[name].words} (layout {name}).",
            "Otherwise the build that is recorded passes, although the plain build fails: the "
            "program reads memory that it has not set.",
        ]
        if not same_failure(plain, failure, same):
            notes.append(f"The failure of the plain build is another one: {plain.message}.")
        notes += explanation.result.notes
        return replace(explanation, result=replace(explanation.result, notes=tuple(notes)))

    def _explain_under(self, language: Language, layout: str) -> Explanation:
        """Explain with runs that use one layout of memory."""
        good, bad = self._references(language, layout)
        try:
            with self._session.time_limit.interruptible():
                return self._explained(good, bad)
        except KeyboardInterrupt:
            return self._stopped(self._session.interrupted(self._found), bad)
        except OutOfRuns:
            return self._stopped(self._session.out_of_runs(self._found), bad)

    def _stopped(self, answer: Answer, bad: Run) -> Explanation:
        """Return what is known when the user or a limit stops the work."""
        return Explanation(self._session.result_for(answer, bad, None, self._context.times()))

    # --- which language; isolating without one ---------------------------------------------------

    def _fitting(self) -> list[Language]:
        """Return the languages that may explain this, the likeliest first."""
        if self._request.frontend == "none":
            raise Unexplained("the request excludes every front end (--frontend none)")
        if self._request.frontend != "auto":
            return [LANGUAGES[self._request.frontend]]
        changes = self._context.changes
        found = fitting([c.file for c in changes.changes], changes.base_kinds)
        if not found:
            labels = " nor ".join(language.label for language in LANGUAGES.values())
            raise Unexplained(f"the tree has neither {labels} files")
        return [LANGUAGES[name] for name in found]

    def _isolated(self, why_not: str) -> Explanation:
        """Isolate without a recording; `why_not` says why nothing is explained."""
        self._build_as_recorded(False)
        good, bad = self._session.references()
        self._watcher.phase("searching")
        problem = self._session.problem(good, bad)
        answer = search_all(self._context, problem, checks=True)
        result = self._session.result_for(answer, bad, problem.executed, self._context.times())
        if answer.holds:
            reason = f"{result.reason}; {why_not}" if result.reason else why_not
            result = replace(result, reason=reason)
        return Explanation(result)

    # --- explaining ------------------------------------------------------------------------------

    def _references(self, language: Language, layout: str) -> tuple[Run, Run]:
        """Run both versions, built as they will be recorded, so that all runs are comparable."""
        self._build_as_recorded(language.is_compiled, layout)
        self._context.recorder.use(language, self._session.laboratory.commands)
        try:
            good, bad = self._session.references(covers=False)
        except UserError as error:
            if not language.is_compiled:  # recording does not change the build
                raise
            if error.slug == "bad-passes":
                raise PassesRecorded(error_summary(error)) from None
            raise _not_comparable(error) from None
        return good, bad

    def _build_as_recorded(self, yes: bool, layout: str = "") -> None:
        lab = self._session.laboratory
        lab.reference = None
        lab.known.clear()
        lab.commands = replace(self._request.isolate.commands, as_recorded=yes, layout=layout)

    def _explained(self, good: Run, bad: Run) -> Explanation:
        """Record both versions, find the root and choose its explanation."""
        context = self._context
        failing, passing = self._record(bad)
        bad = replace(bad, covered=dict(covered_lines(failing)))
        if passing is not None:
            good = replace(good, covered=dict(covered_lines(passing)))
            context.meeting.limit_to_loaded(good.covered or (), bad.covered or ())
        for note in unseen_sources(failing):
            self._session.note(note)
        problem = self._session.problem(good, bad)
        self._watcher.phase("looking for causes")
        with context.timed("semantics"):
            found = self._failure(bad, failing, passing)
            flow = counterpart(found.flow.thread, passing) if passing else None
            compared = beside(found, flow) if flow else found
            tree = cause_search(compared, self._request.trust, flow)
            candidates = CandidateChanges(tree, context.meeting)
        for _ in range(_MAX_ATTEMPTS):
            self._found = None
            chooser = Chooser(context, problem, found, candidates)
            answer, shown = self._searched(candidates, problem, chooser)
            if not answer.holds:
                if shown is None:
                    return Explanation(
                        self._session.result_for(answer, bad, problem.executed, context.times())
                    )
                choice, others = shown, shown.dodges
                break
            self._found = answer
            try:
                choice, others = chooser.choose(answer)
            except (KeyboardInterrupt, OutOfRuns):
                if chooser.so_far is None:
                    raise
                return self._unchecked(chooser.so_far, bad, problem, failing)
            if not choice.answer.holds:
                self._retract_pass(choice.answer)
            elif self._stands_other_memory(choice.answer):
                break
        context.solved(candidates.tree)
        self._note_unlinked(choice)
        explanation = self._explanation_of(choice, others, bad, problem, failing)
        return self._proved(explanation, choice, found, bad, passing)

    def _unchecked(
        self, choice: Choice, bad: Run, problem: IsolateProblem, failing: Recording
    ) -> Explanation:
        """Return the explained answer of a search, of which the checks were stopped."""
        stopped = (self._session.interrupted(choice.answer).reason or "").partition(";")[0]
        self._session.note(
            f"The checks of the answer did not end: {stopped}. It may be a dodge, whose reverting "
            "only avoids the faulty code."
        )
        self._context.solved(choice.explained.tree)
        self._note_unlinked(choice)
        return self._explanation_of(choice, choice.dodges, bad, problem, failing)

    def _searched(
        self, candidates: CandidateChanges, problem: IsolateProblem, chooser: Chooser
    ) -> tuple[Answer, Choice | None]:
        """Return what the search found; if it did not end, also how its smallest set is explained.

        In code that was widely rewritten, which changes go together takes hundreds of runs to find
        out, while the root may long be known.  So the search pauses to look.
        """
        answer = Answer((), holds=False)
        for pause in (*_PAUSES, None):
            answer = find_root(self._context, candidates, problem, pause)
            shown = None if answer.holds else self._unfinished(problem, chooser, answer)
            if not answer.is_paused:
                break
            # A search that has found next to nothing yet finds little later: a guess is better.
            has_shrunk = 2 * len(answer.reverted) < len(self._context.changes.changes)
            is_enough = shown is not None and not (shown.answer.is_guess and has_shrunk)
            if shown is not None and is_enough and shown.explained.gap is None:
                break
        if shown is not None:
            why = (answer.reason or "").partition(";")[0]
            self._session.note(
                f"The search did not end: {why}. The test passes with "
                "these changes reverted, but perhaps fewer auxiliary changes are enough."
            )
        return answer, shown

    def _unfinished(
        self, problem: IsolateProblem, chooser: Chooser, answer: Answer
    ) -> Choice | None:
        """Explain what a search found that did not end; None if that gives no chain."""
        if not answer.is_cut:
            return None
        self._session.limit_runs()
        return choose_unfinished(self._context, problem, chooser, answer)

    def _proved(
        self,
        explanation: Explanation,
        choice: Choice,
        found: ObservedFailure,
        bad: Run,
        good: Recording | None,
    ) -> Explanation:
        """Test the links of the chain, if that was asked for."""
        fixed = choice.explained.fixed or good
        if not self._request.proves or fixed is None or not explanation.chain:
            return explanation
        self._watcher.phase("proving the chain")
        language = language_of(found.flow.thread.recording)
        assert bad.failure is not None
        recorder = self._context.recorder
        is_hang = bad.failure.kind == "timeout"
        try:
            with self._context.timed("proof"):
                proved = prove_chain(
                    explanation.chain, language=language, changes=self._context.changes,
                    commands=recorder.commands if is_hang else recorder.patient_commands,
                    folder=self._session.folder / "proved",
                    failing=found.flow.thread, passing=fixed, failure=bad.failure,
                    label="fixed" if choice.explained.fixed else "good",
                )  # fmt: skip
        except UserError as error:  # the answer without a proof is worth having
            return _noted(explanation, str(error).splitlines()[0])
        if proved is None:
            why = "Built so that values can be put in, the bad version passes."
            return _noted(explanation, why)
        return replace(explanation, chain=proved.links, proving_runs=proved.runs)

    def _explanation_of(
        self,
        choice: Choice,
        others: tuple[Alternative, ...],
        bad: Run,
        problem: IsolateProblem,
        failing: Recording,
    ) -> Explanation:
        """Return a choice as the explanation that all reports show."""
        context = self._context
        ids = tuple(
            frozenset(c for change in (*other.root, *other.auxiliary) for c in change.ids)
            for other in others
        )
        answer = replace(choice.answer, alternatives=ids)
        result = self._session.result_for(answer, bad, problem.executed, context.times())
        gap = choice.explained.gap
        if gap is None and choice.answer.holds:
            result = replace(result, status="explained")
        elif result.reason is None and gap is not None:
            root = change_places(context.changes, union(choice.answer.root))
            result = replace(result, reason=_GAP.format(root=root, place=_place_of(gap)))
        why = replace(
            result_of(choice.explained.tree, seconds={}),
            causes=choice.explained.causes,
            solver_calls=context.solver_calls,
            events=logged_events(failing),
        )
        return Explanation(
            result, choice.explained.chain, why, others, choice.dodged, choice.explained.passing
        )

    def _stands_other_memory(self, answer: Answer) -> bool:
        """Does an answer pass whatever unset memory holds?  An interrupt only skips this check."""
        try:
            return self._session.stands_other_memory(answer)
        except KeyboardInterrupt:
            self._session.note(
                "The answer was not checked with other contents of unset memory: "
                "whence was interrupted."
            )
            return True

    def _retract_pass(self, answer: Answer) -> None:
        """Forget that a set passes: checked in a clean tree, it did not."""
        note = "A set that passed in the search did not pass when checked; it was discarded."
        self._session.note(note)
        self._session.laboratory.remember(answer.reverted, Run(Outcome.BROKEN))

    def _note_unlinked(self, choice: Choice) -> None:
        """Add a note on root changes that are not on the chain: why they are in the root."""
        linked = {change for link in choice.explained.chain for change in link.changes}
        unlinked = [unit for unit in choice.answer.root if not unit & linked]
        if choice.explained.gap is None and unlinked and choice.answer.needs_all:
            places = change_places(self._context.changes, union(unlinked))
            self._session.note(
                f"{places} is not on the chain, but the test still fails unless it is reverted too."
            )

    def _record(self, bad: Run) -> tuple[Recording, Recording | None]:
        """Record the bad version and, if possible, the good one.

        Without the good version's run, the cause search has nothing to compare with.
        """
        # By now the commands have a timeout.
        self._context.recorder.commands = self._session.laboratory.commands
        if bad.failure is not None and bad.failure.kind == "timeout":
            self._limit_hang()
        self._watcher.phase("recording the failing run")
        failing = self._context.recorded(frozenset())
        if failing.outcome is Outcome.PASS:
            raise PassesRecorded("the bad version does not fail when it is recorded")
        if failing.outcome is not Outcome.FAIL:
            raise Unexplained("the test cannot be judged when the bad version is recorded")
        self._watcher.phase("recording the passing run")
        try:
            passing = self._context.recorded(self._context.changes.everything)
        except Unexplained as missing:
            self._warn(missing)
            self._session.note(f"The good version could not be recorded: {missing}.")
            return failing, None
        return failing, passing if passing.outcome is Outcome.PASS else None

    def _limit_hang(self) -> None:
        """Limit the recording of a test that does not end, by what the passing run logged."""
        self._watcher.phase("recording the passing run")
        size = 0
        with suppress(Unexplained):  # `_record` reports it
            passing = self._context.recorded(self._context.changes.everything)
            size = max(log.size for process in passing.processes for log in process.logs)
        seconds = self._session.laboratory.commands.timeout or _HANG_SECONDS
        limit = max(_MIN_HANG_LOG, 4 * size)
        self._context.recorder.limit_hang(frozenset(), seconds, limit)

    def _failure(self, bad: Run, failing: Recording, passing: Recording | None) -> ObservedFailure:
        """Return the failure of the recorded run: the first thing to explain."""
        is_output = bad.failure is not None and bad.failure.kind == "output"
        expected = self._session.laboratory.commands.expected if is_output else None
        try:
            return seen_failure(failing, passing, expected)
        except UserError as error:
            raise Unexplained(error_summary(error)) from None


def _place_of(link: Link) -> str:
    if link.step is LinkKind.FAILURE or not link.file:
        return "the failure"
    return f"{link.file}:{link.line}"


def _not_comparable(error: UserError) -> Unexplained:
    """Return the reason for a version that is not as expected when built as it is recorded."""
    summary = error_summary(error)
    if "with whence-cc" not in summary:
        summary = f"built with whence-cc, which records it: {summary}"
    details = str(error).splitlines()[1:-1]  # the last line is advice for those who cannot go on
    return Unexplained(summary, "\n".join(details))


def _noted(explanation: Explanation, why: str) -> Explanation:
    """Return an explanation with a note that says why its chain was not proved."""
    notes = (*explanation.result.notes, f"The chain was not proved. {why}")
    return replace(explanation, result=replace(explanation.result, notes=notes))
