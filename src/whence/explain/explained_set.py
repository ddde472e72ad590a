"""How does one set of changes lead to the failure?

The fixed run, with the set reverted, is recorded and compared with the failing run: every
difference comes from that set.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from whence.causes.observed_failure import ObservedFailure
from whence.causes.tree import CauseSearch
from whence.explain.candidates import CandidateChanges
from whence.explain.chain import ChainBuilder, FailurePlace, makes_difference
from whence.explain.context import ExplainContext, Unexplained
from whence.explain.dodge import NO_UNEXECUTED, Unexecuted, unexecuted_changes
from whence.explain.new_data import NO_NEW_DATA, NewData
from whence.explain.recorder import counterpart
from whence.explain.seen_failure import beside
from whence.explain.variant_lines import VariantLines
from whence.explain.written_links import NOTHING_WRITTEN, WrittenData
from whence.languages import cause_search
from whence.model import Cause, Link, Outcome, Reverted
from whence.program.source import Place
from whence.search.isolate import Answer
from whence.search.laboratory import OutOfRuns
from whence.search.space import union
from whence.trace.recording import Recording

_MAX_BEHIND = 3  # limit on levels of causes behind the root; guessed
_MAX_GUESS_SECONDS = (
    20.0  # limit on the CPU time for causes that meet changes to guess from; guessed
)
_MAX_BEHIND_SECONDS = 5.0  # limit on the CPU time for these; guessed


@dataclass(frozen=True)
class ExplainedSet:
    """The causes and the chain of one answer."""

    tree: CauseSearch
    causes: tuple[Cause, ...]
    chain: tuple[Link, ...]
    passing: str  # the passing run: "good" (the good version), "reverted" (the fixed run)
    fixed: Recording | None = None  # the fixed run
    unexecuted: Unexecuted = NO_UNEXECUTED  # what the failing run executes, and it does not

    @property
    def gap(self) -> Link | None:
        """The link that does not follow from the one before it; None if the chain is complete."""
        return next((link for link in self.chain if link.gap), None)

    @property
    def causes_on_chain(self) -> list[Cause]:
        if self.gap is not None:
            return []
        numbers = {link.cause for link in self.chain}
        return [cause for cause in self.causes if cause.id in numbers]


class SetExplainer:
    """Explains answers: sets of changes whose reverting makes the test pass."""

    def __init__(
        self, context: ExplainContext, failure: ObservedFailure, candidates: CandidateChanges
    ) -> None:
        """`candidates` compares the failing run with the run of the good version."""
        self._context, self._failure, self._candidates = context, failure, candidates

    def explain(
        self, answer: Answer, entered: Reverted = frozenset(), data: NewData = NO_NEW_DATA
    ) -> tuple[Answer, ExplainedSet]:
        """Return the checked answer, and the causes that lead from its root to the failure.

        `entered` are changes of the root with new code that runs because of the others, and `data`
        is what wrote new data that the others read.

        Recording the fixed run in a clean tree is the check.  If that run cannot be recorded, a
        plain run checks the answer, and the causes come from the run of the good version.
        """
        root = union(answer.root)
        fixed = self.fixed_run(answer)
        if fixed is None:
            answer = self._context.session.verified(answer)
        flow = counterpart(self._failure.flow.thread, fixed) if fixed else None
        if fixed is None or flow is None:
            explained = self._explained_set(self._candidates, root, "good", self._failure)
            return answer, replace(explained, fixed=fixed)
        with self._context.timed("semantics"):
            changes = self._context.changes.changes
            lines = VariantLines(changes, answer.reverted)
            failure = beside(self._failure, flow)
            tree = cause_search(failure, self._context.trust, flow)
            candidates = CandidateChanges(tree, self._context.meeting.seeking(root), lines)
            sought = answer.reverted if answer.is_guess else root
            started = time.process_time()
            while not sought <= candidates.met.keys() and candidates.grow():
                if answer.is_guess and time.process_time() - started > _MAX_GUESS_SECONDS:
                    break
            failing = self._failure.flow.thread.recording
            reverted = answer.reverted
            unexecuted = unexecuted_changes(changes, failing, fixed, reverted, root)
            if unexecuted.partly or entered or self._differs_later(candidates, root):
                _grow_behind(candidates)
            self._context.solved(candidates.tree)
            explained = self._explained_set(candidates, root, "reverted", failure, entered, data)
            return answer, replace(explained, fixed=fixed, unexecuted=unexecuted)

    def fixed_run(self, answer: Answer) -> Recording | None:
        """Return the recorded fixed run; None if it cannot be recorded, or does not pass."""
        try:
            recording = self._context.recorded(answer.reverted)
        except (Unexplained, OutOfRuns):
            return None
        return recording if recording.outcome is Outcome.PASS else None

    def _differs_later(self, candidates: CandidateChanges, root: Reverted) -> bool:
        """Do the causes that meet the root only show lines of it that make no difference?"""
        meeting = self._context.meeting
        known = [
            makes_difference(
                candidates.cause(number), lambda s: bool(meeting.at(s.file, s.line) & root)
            )
            for number in range(len(candidates.tree))
            if root & {*candidates.cause(number).changes}
        ]
        return False in known and True not in known

    def _explained_set(
        self,
        candidates: CandidateChanges,
        root: Reverted,
        passing: str,
        failure: ObservedFailure,
        entered: Reverted = frozenset(),
        data: NewData = NO_NEW_DATA,
    ) -> ExplainedSet:
        causes = {number: candidates.cause(number) for number in range(len(candidates.tree))}
        builder = ChainBuilder(
            self._context.changes,
            self._context.meeting.seeking(root),
            root,
            causes,
            _failed(failure, causes[0]),
            entered,
            _written(candidates.tree, data),
        )
        chain = builder.chain() or builder.chain_with_gap(candidates.tree.observed)
        return ExplainedSet(candidates.tree, tuple(causes.values()), chain, passing)


def _written(tree: CauseSearch, data: NewData) -> WrittenData:
    if not data.lines:
        return NOTHING_WRITTEN
    return WrittenData(data.name, data.lines, tree.observed(data.lines, 0)[0])


def _grow_behind(candidates: CandidateChanges) -> None:
    """Look for causes behind the root: code that runs only because of it."""
    started = time.process_time()
    for _ in range(_MAX_BEHIND):
        left = _MAX_BEHIND_SECONDS - (time.process_time() - started)
        if left <= 0 or not candidates.grow(left):
            break


def _failed(found: ObservedFailure, cause: Cause) -> FailurePlace:
    """Return where the test failed.

    If that is a closing brace, the last statement of the cause is shown instead: a function's
    return value shows there.
    """
    place = found.place
    words = found.words
    if place is not None:
        text = found.flow.thread.recording.lines.line(place.file, place.line)
        words = words.replace(f" at {place.file}:{place.line}", "")
        if text != "}" or not cause.statements:
            function = _spoken_function(cause, place)
            return FailurePlace(f"the failure: {words}", place.file, place.line, function, text)
    if not cause.statements:
        return FailurePlace(f"the failure: {words}", "", 0, "", "")
    last = cause.statements[-1]
    return FailurePlace(f"the failure: {words}", last.file, last.line, last.function, last.text)


def _spoken_function(cause: Cause, place: Place) -> str:
    """Return the name of the function at a place as the cause has it; a place has a linker name."""
    predicate = cause.predicate
    named = [(predicate.file, predicate.line, predicate.function)]
    named += [(each.file, each.line, each.function) for each in cause.statements]
    return next((name for *at, name in named if at == [place.file, place.line]), place.function)
