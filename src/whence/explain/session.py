"""The whole of `whence explain`: two versions and a test in, the changes and the causes out.

AFTER's Algorithm 1.  Semantic analysis finds causes from the failure upstream and so proposes
the changes that can matter; re-execution decides whether reverting them makes the test pass, and
which of them it takes.  What was found is then explained: the run with them reverted is recorded
as well, and all that differs between it and the failing run comes from them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from whence.changes.changeset import ChangeSet
from whence.errors import UserError
from whence.explain.chain import Failed, Weaver
from whence.explain.dodge import steered_around
from whence.explain.meeting import Meeting
from whence.explain.recorder import Recorder, counterpart, events, in_pairs, ran
from whence.explain.theta import Theta, changes_of, through
from whence.model import (
    Alternative,
    Cause,
    ChangeId,
    Explanation,
    Link,
    Outcome,
    Reverted,
    Run,
)
from whence.search.among import Instead, Phase, find_among, find_instead
from whence.search.asking import union
from whence.search.isolate import Answer, Question, find_others, isolate, units_of
from whence.search.laboratory import OutOfRuns
from whence.search.session import Order, Session, Watcher, opened
from whence.search.shown import shown
from whence.semantics.failures import Found, failure_of
from whence.semantics.printed import printed_otherwise
from whence.semantics.result import result_of
from whence.semantics.tree import Tree
from whence.trace.recording import Recording

FRONTENDS = ("auto", "c", "none")
_C = frozenset({".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".c++", ".C", ".inc"})
_NEARER = 4.0  # so much likelier is a change that is met one level nearer to the failure
_ELSEWHERE = 1e-3  # weight of what was executed but not met, and less for what was not
_MOST_ALONG = 8  # changes that may be reverted along with code that the root leads to
_LONGEST = 3600.0  # seconds for a recorded build or run: both are slower than others


@dataclass(frozen=True)
class Wish:
    """What the user asked for beside what `isolate` is asked for."""

    order: Order
    frontend: str = "auto"
    trust: tuple[str, ...] = ()  # functions that are not looked into
    max_trace: int = 4 * 2**30  # bytes that one process may log


def explain(wish: Wish, watcher: Watcher) -> tuple[Explanation, ChangeSet]:
    """Do the whole job; returns the changes too, for those who report on them."""
    started = time.monotonic()
    order = replace(wish.order, command="explain")
    with opened(order, watcher) as session:
        work = _Work(replace(wish, order=order), session, watcher, started)
        return work.explanation(), session.changes


class _Missing(Exception):
    """One half is missing: why nothing can be explained."""


@dataclass(frozen=True)
class _Told:
    """An answer, explained."""

    tree: Tree
    causes: tuple[Cause, ...]
    chain: tuple[Link, ...]
    passing: str  # what the failing run is compared with

    @property
    def on_the_way(self) -> list[Cause]:
        numbers = {link.cause for link in self.chain}
        return [cause for cause in self.causes if cause.id in numbers]


@dataclass(frozen=True)
class _Choice:
    """One of the sets that pass."""

    answer: Answer
    told: _Told
    dodged: str | None = None  # that it leads to the fault rather than being it
    dodges: tuple[Alternative, ...] = ()  # what only steers around it

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """The shortest verified way to the failure comes first."""
        chain = self.told.chain
        return not chain, self.dodged is not None, len(chain), len(self.answer)


class _Work:
    def __init__(self, wish: Wish, session: Session, watcher: Watcher, started: float) -> None:
        self._wish, self._session, self._watcher = wish, session, watcher
        self._started = started
        self._changes = session.changes
        self._meeting = Meeting(session.changes)
        self._seconds = {"search": 0.0, "trace": 0.0, "semantics": 0.0}
        self._recorder: Recorder | None = None
        self._solver_calls = 0
        self._events = 0

    # --- the two halves --------------------------------------------------------------------------

    def explanation(self) -> Explanation:
        why_not = self._unfit()
        if why_not is None:
            try:
                return self._explained(*self._references_as_recorded())
            except _Missing as missing:
                why_not = str(missing)
        self._build_as_recorded(False)
        return self._isolated(*self._session.references(), why_not)

    def _references_as_recorded(self) -> tuple[Run, Run]:
        """Both versions' runs, built as they will be recorded, so that they compare."""
        self._build_as_recorded(True)
        try:
            return self._session.references(covers=False)
        except UserError as error:
            raise _Missing(f"with the compiler that records, {_first_line(error)}") from None

    def _build_as_recorded(self, yes: bool) -> None:
        lab = self._session.laboratory
        lab.reference = None
        lab.recipe = replace(self._wish.order.recipe, as_recorded=yes)

    def _unfit(self) -> str | None:
        """Why no front end fits; None if one does."""
        if self._wish.frontend == "none":
            return "no front end was asked for (--frontend none)"
        if self._wish.frontend == "c":
            return None
        if any(Path(file).suffix in _C for file in self._changes.base_kinds):
            return None
        return "there is no C or C++ in the tree, and no other language can be explained yet"

    def _isolated(self, good: Run, bad: Run, why_not: str) -> Explanation:
        self._watcher.phase("searching")
        question = self._session.question(good, bad)
        answer = self._timed_search(question)
        result = self._session.told(answer, bad, question.executed, self._times())
        if answer.holds and result.reason is None:
            result = replace(result, reason=f"isolated, but not explained: {why_not}")
        return Explanation(result)

    def _explained(self, good: Run, bad: Run) -> Explanation:
        failing, passing = self._record()
        bad = replace(bad, covered=dict(ran(failing)))
        if passing is not None:
            good = replace(good, covered=dict(ran(passing)))
        question = self._session.question(good, bad)
        self._watcher.phase("looking for causes")
        found = self._failure(failing, passing)
        theta = self._theta(found, passing)
        answer = self._loop(theta, question)
        if answer.holds:
            return self._told(answer, question, bad, found, theta)
        return Explanation(self._session.told(answer, bad, question.executed, self._times()))

    # --- recording -------------------------------------------------------------------------------

    def _record(self) -> tuple[Recording, Recording | None]:
        """Both versions' runs; the good one's may be missing, which only makes things harder."""
        recipe = self._session.laboratory.recipe
        recipe = replace(recipe, timeout=_LONGEST)
        folder, most = self._session.folder, self._wish.max_trace
        self._recorder = Recorder(folder, self._changes, recipe, most)
        failure = self._session.laboratory.known[frozenset()].failure
        if failure is not None and failure.kind == "timeout":
            raise _Missing("the test does not end in time, so there is no point where it failed")
        self._watcher.phase("recording the failing run")
        failing = self._recorded(frozenset())
        if failing.outcome is not Outcome.FAIL:
            raise _Missing(
                "built to be recorded, without optimisation, the bad version does not fail"
            )
        self._watcher.phase("recording the passing run")
        try:
            passing = self._recorded(self._changes.everything)
        except _Missing as missing:
            self._session.notes.append(f"the good version could not be recorded: {missing}")
            return failing, None
        return failing, passing if passing.outcome is Outcome.PASS else None

    def _recorded(self, reverted: Reverted) -> Recording:
        assert self._recorder is not None
        began = time.monotonic()
        try:
            recording = self._recorder.recording(reverted)
        except UserError as error:
            raise _Missing(_first_line(error)) from None
        finally:
            self._seconds["trace"] += time.monotonic() - began
        return recording

    def _failure(self, failing: Recording, passing: Recording | None) -> Found:
        """The failure; if no recorded process fails, what one prints otherwise than it should."""
        expected = self._session.laboratory.recipe.expected
        self._events = events(failing)
        try:
            return failure_of(failing, expect=expected)
        except UserError as error:
            for own, other in in_pairs(failing, passing) if passing else ():
                found = printed_otherwise(own, other)
                if found is not None:
                    return found
            raise _Missing(_first_line(error)) from None

    # --- Algorithm 1 -----------------------------------------------------------------------------

    def _theta(self, found: Found, passing: Recording | None) -> Theta:
        began = time.monotonic()
        flow = counterpart(found.flow.thread, passing) if passing else None
        theta = Theta(Tree(found, self._wish.trust, flow), self._meeting)
        self._seconds["semantics"] += time.monotonic() - began
        return theta

    def _loop(self, theta: Theta, question: Question) -> Answer:
        """Grow the causes until re-execution finds the root among the changes that they meet."""
        phases: list[Phase] = []
        while True:
            suspects = theta.suspects()
            if suspects and (not phases or suspects != phases[-1].suspects):
                self._watcher.phase(
                    f"trying {len(suspects)} changes that {len(theta.tree)} causes meet"
                )
                phases.append(Phase(suspects, _weights(theta.met, question)))
                answer = self._timed_phases(phases, question)
                if answer is not None:
                    return answer
            self._watcher.phase(f"looking for causes, level {theta.depth + 1}")
            began = time.monotonic()
            has_grown = theta.grow()
            self._seconds["semantics"] += time.monotonic() - began
            if not has_grown and theta.suspects() == suspects:
                break
        return self._beyond(theta, question)

    def _beyond(self, theta: Theta, question: Question) -> Answer:
        """Search all changes: what was executed goes first, what never was comes last."""
        self._watcher.phase("searching all changes")
        weight = _weights(theta.met, question)
        answer = self._timed_search(replace(question, weight=weight))
        touched = theta.met.keys() | (question.executed or frozenset())
        if answer.holds and not any(unit & touched for unit in answer.root):
            self._session.notes.append(
                "reverting what the failing run touches does not make the test pass, so changes "
                "that it never touches were tried as well: the root is one of those"
            )
        return answer

    def _timed_phases(self, phases: list[Phase], question: Question) -> Answer | None:
        began = time.monotonic()
        weight = phases[-1].weight
        answer = self._session.search(lambda: find_among(question, tuple(phases)), weight)
        self._seconds["search"] += time.monotonic() - began
        return answer

    def _timed_search(self, question: Question) -> Answer:
        began = time.monotonic()
        answer = self._session.search(lambda: isolate(question), question.weight)
        self._seconds["search"] += time.monotonic() - began
        return answer

    # --- the explanation -------------------------------------------------------------------------

    def _told(
        self, answer: Answer, question: Question, bad: Run, found: Found, theta: Theta
    ) -> Explanation:
        self._watcher.phase("explaining the answer")
        choices = [
            self._choice(each, question, found, theta) for each in self._answers(answer, question)
        ]
        choices.sort(key=lambda choice: choice.rank)
        best = choices[0]
        others = [
            other for choice in choices for other in (
                *((self._alternative(choice),) if choice is not best else ()), *choice.dodges
            )
        ]  # fmt: skip
        self._solver_calls += theta.tree.preconditions.cost.calls
        told = replace(best.answer, alternatives=tuple(_ids(other) for other in others))
        result = self._session.told(told, bad, question.executed, self._times())
        if best.told.chain:
            result = replace(result, status="explained")
        elif result.reason is None:
            result = replace(
                result,
                reason="isolated, but not explained: none of the causes that were found leads "
                "from these changes to the failure",
            )
        why = replace(
            result_of(best.told.tree, seconds={}),
            causes=best.told.causes,
            solver_calls=self._solver_calls,
            events=self._events,
        )
        return Explanation(
            result, best.told.chain, why, tuple(others), best.dodged, best.told.passing
        )

    def _answers(self, answer: Answer, question: Question) -> list[Answer]:
        """The answer, and if all are asked for, the other minimal sets."""
        if not question.find_all:
            return [answer]
        self._watcher.phase("looking for other sets")
        began = time.monotonic()
        try:
            others = self._session.laboratory.answer(lambda: find_others(question, answer))
        except (OutOfRuns, KeyboardInterrupt):
            others = []
        self._seconds["search"] += time.monotonic() - began
        return [answer, *others]

    def _choice(self, answer: Answer, question: Question, found: Found, theta: Theta) -> _Choice:
        """An answer, explained; if it only steers around the fault, what is there in its place."""
        told = self._explain(answer, found, theta)
        around = steered_around(told.tree, told.on_the_way, self._meeting, answer.reverted)
        around -= _beside(self._changes, union(answer.root))
        if not around:
            return _Choice(answer, told)
        instead = self._instead(question, answer, around)
        where = _where(self._changes, around)
        if instead.answer is not None:
            dodge = self._alternative(
                _Choice(answer, told),
                is_dodge=True,
                why=f"it only keeps {where} from running, which is where the fault is",
            )
            better = instead.answer
            return _Choice(better, self._explain(better, found, theta), dodges=(dodge,))
        if not instead.along:
            return _Choice(answer, told)
        dodged = (
            f"Reverting {_where(self._changes, union(answer.root))} alone is enough for the test "
            f"to pass, but only because {where} does not run then: the fault may be there."
        )
        if len(instead.along - answer.reverted - around) > _MOST_ALONG:
            return _Choice(answer, told, dodged)
        joined = self._joined(answer, around, instead.along)
        return _Choice(joined, self._explain(joined, found, theta), dodged)

    def _explain(self, answer: Answer, found: Found, theta: Theta) -> _Told:
        """The causes that lead from the root to the failure.

        Best are those beside the run with the root reverted, as all that differs there comes from
        it; if that cannot be had, those beside the good version's.
        """
        root = union(answer.root)
        try:
            flow = counterpart(found.flow.thread, self._recorded(answer.reverted))
        except _Missing:
            flow = None
        if flow is None:
            return self._chain(theta.tree, root, found, "good")
        began = time.monotonic()
        beside = Theta(Tree(found, self._wish.trust, flow), self._meeting)
        while not root <= beside.met.keys() and beside.grow():
            pass
        told = self._chain(beside.tree, root, found, "reverted")
        self._solver_calls += beside.tree.preconditions.cost.calls
        self._seconds["semantics"] += time.monotonic() - began
        return told

    def _instead(self, question: Question, answer: Answer, around: Reverted) -> Instead:
        self._watcher.phase("is that a fix, or a way round the fault?")
        began = time.monotonic()
        try:
            found = self._session.laboratory.answer(
                lambda: find_instead(question, answer.reverted, around)
            )
        except OutOfRuns:
            found = Instead(None, holds_together=True)
        self._seconds["search"] += time.monotonic() - began
        return found

    def _joined(self, answer: Answer, around: Reverted, along: Reverted) -> Answer:
        """The root with the code that it leads to."""
        root = union(answer.root) | (around & along)
        units = tuple(units_of(self._changes.changes, root))
        return replace(
            answer,
            root=units,
            auxiliary=tuple(units_of(self._changes.changes, along - root)),
        )

    def _alternative(
        self, choice: _Choice, *, is_dodge: bool = False, why: str = ""
    ) -> Alternative:
        changes, answer = self._changes.changes, choice.answer
        if not why:
            why = (
                f"its way to the failure has {len(choice.told.chain)} steps"
                if choice.told.chain
                else "no way from it to the failure was found"
            )
        root, auxiliary = shown(changes, answer.root), shown(changes, answer.auxiliary)
        return Alternative(root, auxiliary, is_dodge, why)

    def _chain(self, tree: Tree, root: Reverted, found: Found, passing: str) -> _Told:
        causes: dict[int, Cause] = {}
        for number in range(len(tree)):
            cause = self._marked(tree.cause(number))
            met = changes_of(cause, self._meeting, has_passing=True)
            met |= through(cause, self._meeting)
            causes[number] = replace(cause, changes=tuple(sorted(met)))
        weaver = Weaver(self._changes.changes, self._meeting, root, causes, _failed(found))
        return _Told(tree, tuple(causes.values()), weaver.chain(), passing)

    def _marked(self, cause: Cause) -> Cause:
        """A cause whose missing statements say which changes removed them."""
        missing = tuple(
            replace(
                one,
                changes=tuple(
                    sorted(self._meeting.removed_at(one.statement.file, one.statement.line))
                ),
            )
            for one in cause.missing
        )
        return replace(cause, missing=missing)

    def _times(self) -> dict[str, float]:
        return {**self._seconds, "total": time.monotonic() - self._started}


def _failed(found: Found) -> Failed:
    place = found.place
    if place is None:
        return Failed(found.words, "", 0, "", "")
    text = found.flow.thread.recording.lines.line(place.file, place.line)
    return Failed(found.words, place.file, place.line, place.function, text)


def _weights(met: dict[ChangeId, float], question: Question) -> dict[ChangeId, float]:
    """How likely each change is the cause: the nearer to the failure it is met, the likelier."""
    most = max(question.weight.values(), default=1.0) or 1.0
    found = {c: _ELSEWHERE * weight / most for c, weight in question.weight.items()}
    nearest = min(met.values(), default=0.0)
    return found | {change: _NEARER ** (nearest - level) for change, level in met.items()}


def _ids(other: Alternative) -> Reverted:
    return frozenset(c for change in (*other.root, *other.auxiliary) for c in change.ids)


def _beside(changes: ChangeSet, root: Reverted) -> Reverted:
    """The changes in the same functions as those of the root."""
    places = {(c.file, c.function) for c in changes.changes if c.id in root and c.function}
    return frozenset(c.id for c in changes.changes if (c.file, c.function) in places)


def _where(changes: ChangeSet, ids: Reverted) -> str:
    """Where some changes are, in words."""
    found = (changes.changes[change] for change in sorted(ids))
    places = dict.fromkeys(
        f"{change.function} ({change.file}:{change.new.start})"
        if change.function
        else f"{change.file}:{change.new.start}"
        for change in found
    )
    return " and ".join([", ".join([*places][:-1]), [*places][-1]] if len(places) > 1 else places)


def _first_line(error: UserError) -> str:
    return str(error).partition("\n")[0].rstrip(".")
