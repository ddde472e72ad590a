"""The whole of `whence explain`: two versions and a test in, the changes and the causes out.

AFTER's Algorithm 1.  Semantic analysis finds causes from the failure upstream and so proposes
the changes that can matter; re-execution decides whether reverting them makes the test pass, and
which of them it takes.  What was found is then explained: the run with them reverted is recorded
as well, and all that differs between it and the failing run comes from them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from whence.causes.failures import failure_of
from whence.causes.observed_failure import ObservedFailure
from whence.causes.output_difference import first_printed_otherwise, with_prints
from whence.causes.result import result_of
from whence.causes.tree import CauseSearch
from whence.changes.changeset import ChangeSet
from whence.errors import UserError
from whence.explain.candidates import CandidateChanges
from whence.explain.choice import Choice, Chooser, change_places
from whence.explain.context import ExplainContext, Unexplained, first_line
from whence.explain.loop import find_root, search_all
from whence.explain.recorder import Recorder, counterpart, in_pairs, logged_events, ran
from whence.frontend import languages
from whence.model import Alternative, Explanation, Outcome, Run
from whence.search.asking import union
from whence.search.isolate import Answer, IsolateProblem
from whence.search.laboratory import OutOfRuns
from whence.search.session import IsolateRequest, IsolateSession, Watcher, opened
from whence.trace.recording import Recording

FRONTENDS = ("auto", *languages.FRONTENDS, "none")
_MOST_ATTEMPTS = 4  # at an answer that stays true when it is checked
_NO_WAY = "none of the causes that were found leads from these changes to the failure"


@dataclass(frozen=True)
class ExplainRequest:
    """What the user asked for beside what `isolate` is asked for."""

    order: IsolateRequest
    frontend: str = "auto"
    trust: tuple[str, ...] = ()  # functions that are not looked into
    max_trace: int = 4 * 2**30  # bytes that one process may log


def explain_failure(wish: ExplainRequest, watcher: Watcher) -> tuple[Explanation, ChangeSet]:
    """Do the whole job; returns the changes too, for those who report on them."""
    started = time.monotonic()
    wish = replace(wish, order=replace(wish.order, command="explain"))
    with opened(wish.order, watcher) as session:
        return _Explaining(wish, session, watcher, started).explanation(), session.changes


class _Explaining:
    def __init__(
        self, wish: ExplainRequest, session: IsolateSession, watcher: Watcher, started: float
    ) -> None:
        self._wish, self._session, self._watcher = wish, session, watcher
        recorder = Recorder(session.folder, session.changes, wish.order.recipe, wish.max_trace)
        self._work = ExplainContext(session, watcher, recorder, wish.trust, started)

    def explanation(self) -> Explanation:
        return replace(self._explanation(), recorded=len(self._work.recorder))

    def _explanation(self) -> Explanation:
        reasons: list[str] = []
        try:
            for frontend in self._fitting():
                try:
                    return self._by(frontend)
                except Unexplained as missing:
                    reasons.append(str(missing))
        except Unexplained as missing:
            reasons.append(str(missing))
        return self._isolated("; ".join(dict.fromkeys(reasons)))

    def _by(self, frontend: str) -> Explanation:
        """Explained by one front end."""
        good, bad = self._references(frontend)
        try:
            return self._explained(good, bad)
        except KeyboardInterrupt:
            return self._stopped(self._session.interrupted(), bad)
        except OutOfRuns:
            return self._stopped(self._session.out_of_runs(), bad)

    def _stopped(self, answer: Answer, bad: Run) -> Explanation:
        """What is known when the user has had enough."""
        return Explanation(self._session.told(answer, bad, None, self._work.times()))

    # --- one half alone --------------------------------------------------------------------------

    def _fitting(self) -> list[str]:
        """The front ends that may explain this, the likeliest first."""
        if self._wish.frontend == "none":
            raise Unexplained("no front end was asked for (--frontend none)")
        if self._wish.frontend != "auto":
            return [self._wish.frontend]
        changes = self._work.changes
        found = languages.fitting([c.file for c in changes.changes], changes.base_kinds)
        if not found:
            raise Unexplained("there is neither C or C++ nor Python in the tree")
        return found

    def _isolated(self, why_not: str) -> Explanation:
        self._build_as_recorded(False)
        good, bad = self._session.references()
        self._watcher.phase("searching")
        question = self._session.question(good, bad)
        answer = search_all(self._work, question, checks=True)
        result = self._session.told(answer, bad, question.executed, self._work.times())
        if answer.holds:
            reason = f"{result.reason}; {why_not}" if result.reason else why_not
            result = replace(result, reason=reason)
        return Explanation(result)

    # --- both halves -----------------------------------------------------------------------------

    def _references(self, frontend: str) -> tuple[Run, Run]:
        """Both versions' runs, built as they will be recorded, so that they compare."""
        self._build_as_recorded(frontend == "c")
        self._work.recorder.use(frontend, self._session.laboratory.recipe)
        try:
            good, bad = self._session.references(covers=False)
        except UserError as error:
            if frontend != "c":  # it runs as it always does
                raise
            raise Unexplained(f"with the compiler that records, {first_line(error)}") from None
        if bad.failure is not None and bad.failure.kind == "timeout":
            raise Unexplained("the test does not end in time, so there is no point where it failed")
        return good, bad

    def _build_as_recorded(self, yes: bool) -> None:
        lab = self._session.laboratory
        lab.reference = None
        lab.recipe = replace(self._wish.order.recipe, as_recorded=yes)

    def _explained(self, good: Run, bad: Run) -> Explanation:
        work = self._work
        failing, passing = self._record()
        bad = replace(bad, covered=dict(ran(failing)))
        if passing is not None:
            good = replace(good, covered=dict(ran(passing)))
        question = self._session.question(good, bad)
        self._watcher.phase("looking for causes")
        with work.timed("semantics"):
            found = self._failure(bad, failing, passing)
            flow = counterpart(found.flow.thread, passing) if passing else None
            beside = with_prints(found, flow) if flow else found
            theta = CandidateChanges(CauseSearch(beside, self._wish.trust, flow), work.meeting)
        for _ in range(_MOST_ATTEMPTS):
            answer = find_root(work, theta, question)
            if not answer.holds:
                return Explanation(self._session.told(answer, bad, question.executed, work.times()))
            choice, others = Chooser(work, question, found, theta).choose(answer)
            if choice.answer.holds:
                break
            self._passes_no_more(choice.answer)
        work.solved(theta.tree)
        self._note_unlinked(choice)
        return self._told(choice, others, bad, question, failing)

    def _told(
        self,
        choice: Choice,
        others: tuple[Alternative, ...],
        bad: Run,
        question: IsolateProblem,
        failing: Recording,
    ) -> Explanation:
        """A choice, as every report wants it."""
        work = self._work
        ids = tuple(
            frozenset(c for change in (*other.root, *other.auxiliary) for c in change.ids)
            for other in others
        )
        told = replace(choice.answer, alternatives=ids)
        result = self._session.told(told, bad, question.executed, work.times())
        if choice.told.chain and choice.answer.holds:
            result = replace(result, status="explained")
        elif result.reason is None:
            result = replace(result, reason=_NO_WAY)
        why = replace(
            result_of(choice.told.tree, seconds={}),
            causes=choice.told.causes,
            solver_calls=work.solver_calls,
            events=logged_events(failing),
        )
        return Explanation(
            result, choice.told.chain, why, others, choice.dodged, choice.told.passing
        )

    def _passes_no_more(self, answer: Answer) -> None:
        """Take back that a set passes: checked in a clean tree, it did not."""
        note = "a set passed in the search and not when it was checked, so it was not believed"
        self._session.note(note)
        self._session.laboratory.remember(answer.reverted, Run(Outcome.BROKEN))

    def _note_unlinked(self, choice: Choice) -> None:
        """Say of root changes that are not on the way why they are there."""
        linked = {change for link in choice.told.chain for change in link.changes}
        left = [unit for unit in choice.answer.root if not unit & linked]
        if choice.told.chain and left:
            places = change_places(self._work.changes, union(left))
            self._session.note(
                f"{places} is not on this way: without it reverted too, the test fails all the same"
            )

    def _record(self) -> tuple[Recording, Recording | None]:
        """Both versions' runs; the good one's may be missing, which only makes things harder."""
        self._work.recorder.recipe = self._session.laboratory.recipe  # its timeout is known by now
        self._watcher.phase("recording the failing run")
        failing = self._work.recorded(frozenset())
        if failing.outcome is not Outcome.FAIL:
            raise Unexplained("the bad version does not fail when it is built to be recorded")
        self._watcher.phase("recording the passing run")
        try:
            passing = self._work.recorded(self._work.changes.everything)
        except Unexplained as missing:
            self._session.note(f"the good version could not be recorded: {missing}")
            return failing, None
        return failing, passing if passing.outcome is Outcome.PASS else None

    def _failure(self, bad: Run, failing: Recording, passing: Recording | None) -> ObservedFailure:
        """The failure; if no recorded process fails, what one prints otherwise than it should."""
        is_output = bad.failure is not None and bad.failure.kind == "output"
        expected = self._session.laboratory.recipe.expected if is_output else None
        try:
            return failure_of(failing, expect=expected)
        except UserError as error:
            pairs = in_pairs(failing, passing) if passing else ()
            found = first_printed_otherwise(pairs)
            if found is None:
                raise Unexplained(first_line(error)) from None
            return found
