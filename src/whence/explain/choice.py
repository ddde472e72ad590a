"""Which of the sets that pass is the answer, and how does it lead to the failure?

Each set is explained beside the run with it reverted: all that differs there comes from it.  The
one with the shortest verified way to the failure comes first; what only steers around faulty code
comes after the set that holds that code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from whence.causes.observed_failure import ObservedFailure
from whence.causes.output_difference import with_prints
from whence.causes.tree import CauseSearch
from whence.changes.changeset import ChangeSet
from whence.explain.candidates import CandidateChanges
from whence.explain.chain import ChainBuilder, Failed
from whence.explain.context import ExplainContext, Unexplained
from whence.explain.dodge import steered_around
from whence.explain.recorder import counterpart
from whence.explain.variant import VariantLines
from whence.model import Alternative, Cause, Link, Outcome, Reverted
from whence.search.among import Instead, find_instead
from whence.search.asking import union
from whence.search.grouping import grouped_hunks
from whence.search.isolate import Answer, IsolateProblem, find_others, units_of
from whence.search.laboratory import OutOfRuns
from whence.trace.flow import Flow

_MAX_ALONG = 8  # changes that may be reverted along with code that the root leads to


@dataclass(frozen=True)
class ExplainedSet:
    """An answer, explained."""

    tree: CauseSearch
    causes: tuple[Cause, ...]
    chain: tuple[Link, ...]
    passing: str  # what the failing run is compared with: "good" or "reverted"

    @property
    def on_the_way(self) -> list[Cause]:
        numbers = {link.cause for link in self.chain}
        return [cause for cause in self.causes if cause.id in numbers]


@dataclass(frozen=True)
class Choice:
    """One of the sets that pass."""

    answer: Answer
    explained: ExplainedSet
    dodged: str | None = None  # that it leads to the fault rather than being it
    dodges: tuple[Alternative, ...] = ()  # what only steers around it

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """The shortest verified way to the failure comes first."""
        chain = self.explained.chain
        return not chain, self.dodged is not None, len(chain), len(self.answer)


class Chooser:
    """Explains and ranks the sets that pass."""

    def __init__(
        self,
        context: ExplainContext,
        problem: IsolateProblem,
        found: ObservedFailure,
        candidates: CandidateChanges,
    ) -> None:
        """`candidates`: the causes beside the good version's run."""
        self._context, self._question = context, problem
        self._found, self._candidates = found, candidates

    def choose(self, answer: Answer) -> tuple[Choice, tuple[Alternative, ...]]:
        """The best choice, and the others in order."""
        self._context.watcher.phase("explaining the answer")
        choices = sorted(map(self._choice, self._answers(answer)), key=lambda c: c.rank)
        others = [*choices[0].dodges]
        for choice in choices[1:]:
            others += [self._alternative(choice), *choice.dodges]
        return choices[0], tuple(others)

    def _answers(self, answer: Answer) -> list[Answer]:
        """The answer, and if all are asked for, the other minimal sets."""
        if not self._question.find_all:
            return [answer]
        self._context.watcher.phase("looking for other sets")
        lab = self._context.session.laboratory
        with self._context.timed("search"):
            try:
                return [answer, *lab.answer(lambda: find_others(self._question, answer))]
            except (OutOfRuns, KeyboardInterrupt):
                return [answer]

    def _choice(self, answer: Answer) -> Choice:
        """An answer, explained; if it only steers around the fault, what is there in its place."""
        changes = self._context.changes
        answer, explained = self._explain(answer)
        around = steered_around(
            explained.tree, explained.on_the_way, self._context.meeting, answer.reverted
        )
        around -= _beside(changes, union(answer.root))
        if not around or not answer.holds:
            return Choice(answer, explained)
        instead = self._instead(answer, around)
        if instead.answer is not None:
            why = f"it only keeps {change_places(changes, around)} from running, where the fault is"
            dodge = self._alternative(Choice(answer, explained), is_dodge=True, why=why)
            return Choice(*self._explain(instead.answer), dodges=(dodge,))
        if not instead.along:
            return Choice(answer, explained)
        root_places = change_places(changes, union(answer.root))
        dodged = (
            f"Reverting {root_places} alone is enough for the test to pass, but only because "
            f"{change_places(changes, around)} does not run then: the fault may be there."
        )
        if len(instead.along - answer.reverted - around) > _MAX_ALONG:
            return Choice(answer, explained, dodged)
        joined = self._joined(answer, around, instead.along)
        return Choice(*self._explain(joined), dodged)

    def _instead(self, answer: Answer, around: Reverted) -> Instead:
        self._context.watcher.phase("is that a fix, or a way round the fault?")
        lab = self._context.session.laboratory
        with self._context.timed("search"):
            try:
                return lab.answer(lambda: find_instead(self._question, answer.reverted, around))
            except OutOfRuns:
                return Instead(None)

    def _joined(self, answer: Answer, around: Reverted, along: Reverted) -> Answer:
        """The root with the code that it leads to."""
        changes = self._context.changes.changes
        root = union(answer.root) | (around & along)
        rest = tuple(units_of(changes, along - root))
        return replace(answer, root=tuple(units_of(changes, root)), auxiliary=rest)

    def _alternative(self, choice: Choice, *, is_dodge: bool = False, why: str = "") -> Alternative:
        changes, answer = self._context.changes.changes, choice.answer
        steps = len(choice.explained.chain)
        if not why and steps:
            why = f"its way to the failure has {steps} steps"
        elif not why:
            why = "no way from it to the failure was found"
        root, auxiliary = (
            grouped_hunks(changes, answer.root),
            grouped_hunks(changes, answer.auxiliary),
        )
        return Alternative(root, auxiliary, is_dodge, why)

    # --- one answer ------------------------------------------------------------------------------

    def _explain(self, answer: Answer) -> tuple[Answer, ExplainedSet]:
        """The answer, checked, and the causes that lead from its root to the failure.

        Recording the run with it reverted, from a clean tree, is the check.  If that cannot be
        had, another run is, and the causes beside the good version's run are all there is.
        """
        root = union(answer.root)
        flow, is_checked = self._reverted(answer)
        if not is_checked:
            answer = self._context.session.verified(answer)
        if flow is None:
            return answer, self._explained_set(self._candidates, root, "good")
        with self._context.timed("semantics"):
            lines = VariantLines(self._context.changes.changes, answer.reverted)
            tree = CauseSearch(with_prints(self._found, flow), self._context.trust, flow)
            beside = CandidateChanges(tree, self._context.meeting.seeking(root), lines)
            while not root <= beside.met.keys() and beside.grow():
                pass
            self._context.solved(beside.tree)
            return answer, self._explained_set(beside, root, "reverted")

    def _reverted(self, answer: Answer) -> tuple[Flow | None, bool]:
        """The recorded run with an answer reverted, and whether it passed."""
        try:
            recording = self._context.recorded(answer.reverted)
        except (Unexplained, OutOfRuns):
            return None, False
        if recording.outcome is not Outcome.PASS:
            return None, False
        return counterpart(self._found.flow.thread, recording), True

    def _explained_set(
        self, candidates: CandidateChanges, root: Reverted, passing: str
    ) -> ExplainedSet:
        causes = {number: candidates.cause(number) for number in range(len(candidates.tree))}
        builder = ChainBuilder(
            self._context.changes.changes,
            self._context.meeting.seeking(root),
            root,
            causes,
            _failed(self._found, causes[0]),
        )
        return ExplainedSet(candidates.tree, tuple(causes.values()), builder.chain(), passing)


def _failed(found: ObservedFailure, cause: Cause) -> Failed:
    """Where the test failed; what a function returns shows in a statement, not in its brace."""
    place = found.place
    words = found.words
    if place is not None:
        text = found.flow.thread.recording.lines.line(place.file, place.line)
        words = words.replace(f" at {place.file}:{place.line}", "")
        if text != "}" or not cause.statements:
            return Failed(f"the failure: {words}", place.file, place.line, place.function, text)
    if not cause.statements:
        return Failed(f"the failure: {words}", "", 0, "", "")
    last = cause.statements[-1]
    return Failed(f"the failure: {words}", last.file, last.line, last.function, last.text)


def _beside(changes: ChangeSet, root: Reverted) -> Reverted:
    """The changes in the same functions as those of the root."""
    places = {(c.file, c.function) for c in changes.changes if c.id in root and c.function}
    return frozenset(c.id for c in changes.changes if (c.file, c.function) in places)


def change_places(changes: ChangeSet, ids: Reverted) -> str:
    """Where some changes are, in words."""
    found = (changes.changes[change] for change in sorted(ids))
    places = list(
        dict.fromkeys(
            f"{change.function} ({change.file}:{change.new.start})"
            if change.function
            else f"{change.file}:{change.new.start}"
            for change in found
        )
    )
    *most, last = places
    return f"{', '.join(most)} and {last}" if most else last
