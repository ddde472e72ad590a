"""Which set of changes is the answer, and how does it lead to the failure?

The dynamic analysis (AFTER's Algorithm 1, line 9) may find several sets whose reverting makes the
test pass.  The fixed run, with a set reverted, is recorded and compared with the failing run: every
difference comes from that set.  The set with the shortest verified chain to the failure is the
answer.  A dodge, which only avoids faulty code, comes after the set that holds that code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from whence.causes.observed_failure import ObservedFailure
from whence.causes.tree import CauseSearch
from whence.changes.changeset import ChangeSet
from whence.explain.candidates import CandidateChanges
from whence.explain.chain import ChainBuilder, FailurePlace
from whence.explain.context import ExplainContext, Unexplained
from whence.explain.dodge import avoided_changes
from whence.explain.recorder import counterpart
from whence.explain.seen_failure import beside
from whence.explain.variant_lines import VariantLines
from whence.languages import cause_search
from whence.model import Alternative, Cause, Link, Outcome, Reverted
from whence.search.grouping import grouped_hunks
from whence.search.isolate import Answer, IsolateProblem, find_others, units_of
from whence.search.laboratory import OutOfRuns
from whence.search.space import union
from whence.search.suspects import Replacement, find_replacement
from whence.trace.flow import Flow

_MAX_EXTRA = 8  # limit on changes reverted only so that avoided code can be reverted too; guessed


@dataclass(frozen=True)
class ExplainedSet:
    """The causes and the chain of one answer."""

    tree: CauseSearch
    causes: tuple[Cause, ...]
    chain: tuple[Link, ...]
    passing: str  # the passing run: "good" (the good version), "reverted" (the fixed run)

    @property
    def causes_on_chain(self) -> list[Cause]:
        numbers = {link.cause for link in self.chain}
        return [cause for cause in self.causes if cause.id in numbers]


@dataclass(frozen=True)
class Choice:
    """One set of changes whose reverting makes the test pass, explained."""

    answer: Answer
    explained: ExplainedSet
    dodged: str | None = None  # a sentence, if the set may be a dodge
    dodges: tuple[Alternative, ...] = ()  # the dodges that this set replaces

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """The sort key: the shortest verified chain comes first."""
        chain = self.explained.chain
        return not chain, self.dodged is not None, len(chain), len(self.answer)


class Chooser:
    """Explains and ranks the sets whose reverting makes the test pass."""

    def __init__(
        self,
        context: ExplainContext,
        problem: IsolateProblem,
        failure: ObservedFailure,
        candidates: CandidateChanges,
    ) -> None:
        """`candidates` compares the failing run with the run of the good version."""
        self._context, self._problem = context, problem
        self._failure, self._candidates = failure, candidates

    def choose(self, answer: Answer) -> tuple[Choice, tuple[Alternative, ...]]:
        """Return the best choice, and the other sets in order of rank."""
        self._context.watcher.phase("explaining the answer")
        choices = sorted(map(self._choice, self._answers(answer)), key=lambda c: c.rank)
        others = [*choices[0].dodges]
        for choice in choices[1:]:
            others += [self._alternative(choice), *choice.dodges]
        return choices[0], tuple(others)

    def _answers(self, answer: Answer) -> list[Answer]:
        """Return the answer and, if the user asked for all, the other minimal sets."""
        if not self._problem.find_all:
            return [answer]
        self._context.watcher.phase("looking for other sets")
        lab = self._context.session.laboratory
        with self._context.timed("search"):
            try:
                return [answer, *lab.answer(lambda: find_others(self._problem, answer))]
            except (OutOfRuns, KeyboardInterrupt):
                return [answer]

    def _choice(self, answer: Answer) -> Choice:
        """Explain an answer.  If it is a dodge, choose a set with the avoided code instead."""
        changes = self._context.changes
        answer, explained = self._explain(answer)
        avoided = avoided_changes(
            explained.tree, explained.causes_on_chain, self._context.meeting, answer.reverted
        )
        avoided -= _same_functions(changes, union(answer.root))
        if not avoided or not answer.holds:
            return Choice(answer, explained)
        replacement = self._replacement(answer, avoided)
        if replacement.answer is not None:
            places = change_places(changes, avoided)
            why = f"it only keeps the faulty code from running: {places}"
            dodge = self._alternative(Choice(answer, explained), is_dodge=True, why=why)
            return Choice(*self._explain(replacement.answer), dodges=(dodge,))
        if not replacement.with_found:
            return Choice(answer, explained)
        root_places = change_places(changes, union(answer.root))
        dodged = (
            f"Reverting {root_places} alone is enough for the test to pass, but only because "
            f"{change_places(changes, avoided)} does not run then. The fault may be in that code."
        )
        if len(replacement.with_found - answer.reverted - avoided) > _MAX_EXTRA:
            return Choice(answer, explained, dodged)
        joined = self._joined(answer, avoided, replacement.with_found)
        return Choice(*self._explain(joined), dodged)

    def _replacement(self, answer: Answer, avoided: Reverted) -> Replacement:
        self._context.watcher.phase("checking whether the answer only avoids the faulty code")
        lab = self._context.session.laboratory
        with self._context.timed("search"):
            try:
                return lab.answer(lambda: find_replacement(self._problem, answer.reverted, avoided))
            except OutOfRuns:
                return Replacement(None)

    def _joined(self, answer: Answer, avoided: Reverted, with_found: Reverted) -> Answer:
        """Return the answer with the `avoided` changes in its root.

        `with_found` is the passing set that has both.
        """
        changes = self._context.changes.changes
        root = union(answer.root) | (avoided & with_found)
        rest = tuple(units_of(changes, with_found - root))
        return replace(answer, root=tuple(units_of(changes, root)), auxiliary=rest)

    def _alternative(self, choice: Choice, *, is_dodge: bool = False, why: str = "") -> Alternative:
        changes, answer = self._context.changes.changes, choice.answer
        links = len(choice.explained.chain)
        if not why and links:
            why = f"its chain to the failure has {links} links"
        elif not why:
            why = "no chain from it to the failure was found"
        root, auxiliary = (
            grouped_hunks(changes, answer.root),
            grouped_hunks(changes, answer.auxiliary),
        )
        return Alternative(root, auxiliary, is_dodge, why)

    # --- one answer ------------------------------------------------------------------------------

    def _explain(self, answer: Answer) -> tuple[Answer, ExplainedSet]:
        """Return the checked answer, and the causes that lead from its root to the failure.

        Recording the fixed run in a clean tree is the check.  If that run cannot be recorded, a
        plain run checks the answer, and the causes come from the run of the good version.
        """
        root = union(answer.root)
        flow, is_checked = self._fixed_flow(answer)
        if not is_checked:
            answer = self._context.session.verified(answer)
        if flow is None:
            return answer, self._explained_set(self._candidates, root, "good", self._failure)
        with self._context.timed("semantics"):
            lines = VariantLines(self._context.changes.changes, answer.reverted)
            failure = beside(self._failure, flow)
            tree = cause_search(failure, self._context.trust, flow)
            candidates = CandidateChanges(tree, self._context.meeting.seeking(root), lines)
            while not root <= candidates.met.keys() and candidates.grow():
                pass
            self._context.solved(candidates.tree)
            return answer, self._explained_set(candidates, root, "reverted", failure)

    def _fixed_flow(self, answer: Answer) -> tuple[Flow | None, bool]:
        """Return the recorded thread of the fixed run, and whether that run passed."""
        try:
            recording = self._context.recorded(answer.reverted)
        except (Unexplained, OutOfRuns):
            return None, False
        if recording.outcome is not Outcome.PASS:
            return None, False
        return counterpart(self._failure.flow.thread, recording), True

    def _explained_set(
        self, candidates: CandidateChanges, root: Reverted, passing: str, failure: ObservedFailure
    ) -> ExplainedSet:
        causes = {number: candidates.cause(number) for number in range(len(candidates.tree))}
        builder = ChainBuilder(
            self._context.changes.changes,
            self._context.meeting.seeking(root),
            root,
            causes,
            _failed(failure, causes[0]),
        )
        return ExplainedSet(candidates.tree, tuple(causes.values()), builder.chain(), passing)


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
            return FailurePlace(
                f"the failure: {words}", place.file, place.line, place.function, text
            )
    if not cause.statements:
        return FailurePlace(f"the failure: {words}", "", 0, "", "")
    last = cause.statements[-1]
    return FailurePlace(f"the failure: {words}", last.file, last.line, last.function, last.text)


def _same_functions(changes: ChangeSet, root: Reverted) -> Reverted:
    """Return the changes in the functions that hold a change of the root."""
    places = {(c.file, c.function) for c in changes.changes if c.id in root and c.function}
    return frozenset(c.id for c in changes.changes if (c.file, c.function) in places)


def change_places(changes: ChangeSet, ids: Reverted) -> str:
    """Return the places of some changes in words, such as "f (a.c:3) and b.c:7"."""
    found = (changes.changes[change] for change in sorted(ids))
    places = list(
        dict.fromkeys(
            f"{change.function} ({change.file}:{change.new.start})"
            if change.function
            else f"{change.file}:{change.new.start}"
            for change in found
        )
    )
    *others, last = places
    return f"{', '.join(others)} and {last}" if others else last
