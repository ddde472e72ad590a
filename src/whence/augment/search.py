"""Which input makes the versions differ because of a change?

A best-first search (thesis, Algorithms 4.1 and 4.2 in one queue).  An input that does not reach the
change gives questions that turn a branch towards it.  An input that reaches it, with equal outputs,
gives questions that carry the effect of the change on.  Each answer is run before anything is said
of it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from whence.augment.pair import Aim, PairQuestion, RunPair
from whence.augment.questions import InputQuestion, QuestionAnswer, QuestionAsker
from whence.augment.seen_runs import SeenRun, VersionRuns
from whence.augment.uses import use_distances
from whence.explain.meeting.version_index import Ids
from whence.paths.explore import negated
from whence.paths.lengths import length_moves
from whence.paths.program import Contents, PathRun
from whence.paths.solver import Verdict
from whence.program.ids import Op
from whence.subject.command import Ended

_FAR = 8  # what a branch counts that leads nowhere in particular; guessed
_OTHER_KIND = 4  # what a condition counts that is no branch, such as the shape of a number; guessed
_BEFORE = 2  # what a branch counts that decides what changed code computes; guessed
_CORRELATED = 1  # what a branch counts more that stands in the way of another one; guessed


@dataclass(frozen=True)
class EndDifference:
    """An input with which the versions end differently."""

    contents: Contents
    good: Ended
    bad: Ended


@dataclass
class SearchState:
    """What a search has found so far."""

    difference: EndDifference | None = None
    reached: Contents | None = None  # the first input that reaches the change
    pair: RunPair | None = None  # of the input that carried the effect farthest
    runs_to_reach: int = 0  # recorded runs until the change was reached
    unknown: int = 0  # questions that the solver could not answer
    inputs: int = 0  # that were run
    is_over: bool = False  # was it stopped before all questions were asked?


@dataclass(order=True)
class _Entry:
    priority: tuple[int, ...]
    number: int
    tries: int = field(compare=False)
    key: Hashable = field(compare=False)
    ask: Callable[[], InputQuestion] = field(compare=False)
    follow: Callable[[QuestionAnswer], None] | None = field(compare=False, default=None)


def ends_differently(good: Ended, bad: Ended) -> bool:
    """Do two runs differ in their standard output or exit status?"""
    return (good.stdout, good.status, good.timed_out) != (bad.stdout, bad.status, bad.timed_out)


class ChangeSearch:
    """The search for an input that shows some changes."""

    def __init__(
        self,
        good: VersionRuns,
        bad: VersionRuns,
        changes: Ids,
        asker: QuestionAsker,
        is_over: Callable[[], bool],
        is_shown: Callable[[EndDifference], bool] = lambda _: True,
    ) -> None:
        """`is_shown` says whether a difference is due to these changes, and not to others."""
        self._good, self._bad, self._changes, self._asker = good, bad, changes, asker
        self._is_over, self._is_shown = is_over, is_shown
        self.state = SearchState()
        self._queue: list[_Entry] = []
        self._numbers = count()
        self._tries: Counter[Hashable] = Counter()
        self._unmoved: deque[PathRun] = deque()  # runs whose inputs keep their lengths so far
        self._seen: set[tuple[tuple[object, bytes], ...]] = set()

    def run(self, starts: Sequence[Contents]) -> SearchState:
        """Search from some inputs until a difference is found, or nothing is left."""
        for contents in starts:
            self._try(contents)
        while self.state.difference is None and (self._queue or self._unmoved):
            if self._is_over():
                self.state.is_over = True
                break
            if self._queue:
                self._step(heappop(self._queue))
            else:
                self._try_lengths(self._unmoved.popleft())
        return self.state

    def _try_lengths(self, run: PathRun) -> None:
        """Run inputs with one piece longer or shorter than in a run."""
        for contents in length_moves(run):
            if self._is_over():
                return
            self._try(contents)

    def _step(self, entry: _Entry) -> None:
        if self._tries[entry.key] > entry.tries:  # it is less promising by now
            more = self._tries[entry.key] - entry.tries
            stage, cost, *rest = entry.priority
            entry.priority = (stage, cost + more, *rest)
            entry.tries += more
            heappush(self._queue, entry)
            return
        self._tries[entry.key] += 1
        answer = self._asker.ask(entry.ask())
        self.state.unknown += answer.verdict is Verdict.UNKNOWN
        if entry.follow is not None:
            entry.follow(answer)
        if answer.contents is not None:
            self._try(answer.contents)

    # --- inputs ----------------------------------------------------------------------------------

    def _try(self, contents: Contents) -> None:
        """Run both versions with an input; ask what the runs leave open."""
        key = tuple(sorted((source, contents[source]) for source in self._bad.program.free))
        if key in self._seen or self.state.difference is not None:
            return
        self._seen.add(key)
        self.state.inputs += 1
        good, bad = self._good.run_plain(contents), self._bad.run_plain(contents)
        if ends_differently(good, bad):
            difference = EndDifference(contents, good, bad)
            if self._is_shown(difference):
                self.state.difference = difference
                return
        if good.timed_out or bad.timed_out:
            return
        self._open(contents)

    def _open(self, contents: Contents) -> None:
        """Record an input, and put the questions about it into the queue."""
        bad = self._bad.run(contents, self._changes)
        self._unmoved.append(bad.run)
        if bad.targets and bad.first is None:
            self._reach(bad)
            return
        good = self._good.run(contents, self._changes)
        if not bad.targets and good.first is None:
            self._reach(good)
            return
        if self.state.reached is None:
            self.state.reached = contents
            self.state.runs_to_reach = self._bad.recorded
        self._propagate(RunPair(bad, good))

    # --- reaching --------------------------------------------------------------------------------

    def _reach(self, seen: SeenRun) -> None:
        """Ask for inputs that turn a branch towards the change."""
        best: dict[int, int] = {}
        for turned in (*seen.turned(seen.to_change), *seen.turned_indirectly(seen.to_change)):
            best[turned.number] = min(turned.distance, best.get(turned.number, turned.distance))
        for number, condition in enumerate(seen.conditions):
            if number in best:
                self._add_turn(seen, number, best[number])
            elif condition.has_many_ways:
                self._add_turn(seen, number, _FAR + _OTHER_KIND)

    def _add_turn(self, seen: SeenRun, number: int, distance: int) -> None:
        conditions = seen.conditions
        key = self._key(seen, number)

        def ask() -> InputQuestion:
            kept = [one.fact for one in conditions[:number]]
            wanted = negated(conditions[number].fact)
            return InputQuestion(seen.run.unknowns, kept, wanted, seen.contents)

        def follow(answer: QuestionAnswer) -> None:
            # The branches that stand in the way are turned instead.
            for other in answer.core:
                if self._key(seen, other) != key:
                    self._add_turn(seen, other, distance + _CORRELATED)

        self._add((Aim.FLIP, distance, -number), key, ask, follow)

    @staticmethod
    def _key(seen: SeenRun, number: int) -> tuple[Op, object]:
        """Return what identifies a branch and the way that the run took there."""
        condition = seen.conditions[number]
        return seen.flow.op_of(condition.step), seen.run.way(condition)

    # --- propagating -----------------------------------------------------------------------------

    def _propagate(self, pair: RunPair) -> None:
        """Ask for inputs that carry the effect of the change on."""
        if self.state.pair is None or pair.divergence is not None:
            self.state.pair = pair
        number = next(self._numbers)
        for asked in pair.questions():
            self._add_pair(asked, 0, number)
        to_uses = use_distances(pair.bad)
        for level, asked in pair.flips():
            to_use = to_uses.get(asked.step, _FAR)
            self._add_pair(asked, to_use if level is None else min(level, to_use), number)
        for level, asked in pair.changed_deciders():
            self._add_pair(asked, level + _BEFORE, number)

    def _add_pair(self, asked: PairQuestion, cost: int, pair: int) -> None:
        """Add a question; of equals, those about the latest pair come first."""
        key = asked.aim, asked.of, asked.op
        self._add((asked.aim, cost, -pair), key, lambda: asked.question)

    def _add(
        self,
        priority: tuple[int, ...],
        key: Hashable,
        ask: Callable[[], InputQuestion],
        follow: Callable[[QuestionAnswer], None] | None = None,
    ) -> None:
        tries = self._tries[key]
        stage, cost, *rest = priority
        entry = _Entry((stage, cost + tries, *rest), next(self._numbers), tries, key, ask, follow)
        heappush(self._queue, entry)
