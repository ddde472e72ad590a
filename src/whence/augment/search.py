"""Which input makes the versions differ because of a change?

A best-first search (thesis, Algorithms 4.1 and 4.2 in one queue).  An input that does not reach the
change gives questions that turn a branch towards it.  An input that reaches it, with equal outputs,
gives questions that carry the effect of the change on.  Each answer is run before anything is said
of it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import count, islice
from typing import NamedTuple

from whence.augment.hinted_inputs import NO_HINTS, Hints, hinted_numbers, hinted_texts
from whence.augment.nearby import NearbyInputs, Vocabulary
from whence.augment.padded_numbers import with_room, without_zeros
from whence.augment.pair import BAD, Aim, PairQuestion, RunPair
from whence.augment.questions import InputQuestion, QuestionAnswer, QuestionAsker
from whence.augment.records import record_starts
from whence.augment.seen_runs import Identity, SeenRun, VersionRuns, inputs_key
from whence.augment.uses import use_distances
from whence.explain.meeting.version_index import Ids
from whence.paths.explore import negated
from whence.paths.lengths import length_moves
from whence.paths.program import Contents, PathRun
from whence.paths.solver import Verdict
from whence.program.ids import Op, Step
from whence.subject.command import Ended

_FAR = 8  # what a branch counts that leads nowhere in particular; guessed
_OTHER_KIND = 4  # what a condition counts that is no branch, such as the shape of a number; guessed
_BEFORE = 2  # what a branch counts that decides what changed code computes; guessed
_LENGTH = 2  # what an input with one piece longer or shorter counts more; guessed
_LENGTHS = "lengths"  # what marks the keys of such inputs
_LONGER, _LONG = 20, 4096  # how much more a run may print than the first, and be recorded; guessed
_MAX_RELAXED = 24  # how often conditions are given up for one question; guessed
_HINTS = "hints"  # what marks the keys of inputs that the changed lines suggest
_ROOM = "room"  # what marks the key of an input with room for larger numbers
_MAX_HINTED = 60  # of these, that are only run; guessed
_RELAXED = "relaxed"  # what marks the keys of such questions
_SHARE_OF_NEARBY = 0.4  # of the time, for inputs close to earlier ones; guessed
_MIN_PATIENCE = 0.3  # seconds that a run of such an input may take at least; guessed
_MORE_PATIENCE = 8  # how many times longer than another run it may take; guessed
_MAX_CUT_OFF = 3  # runs that took longer, until large numbers are left out; guessed
_MAX_REST = 1000  # of these, once all questions were asked; guessed
_MAX_MISSES = 200  # inputs in a row that were run before; guessed
_MAX_FIRST = 2  # how often a question of one place comes before all branches; guessed
_UNINFECTED = 2  # what a branch counts more if only other runs have an effect; guessed
_LATE = 2  # what another effect of the change counts, if there is one; guessed
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
    inputs: int = 0  # that questions and changed lines suggested, and that were run
    nearby: int = 0  # inputs close to earlier ones that were run
    is_over: bool = False  # was it stopped before all questions were asked?


Ask = Callable[[], "InputQuestion | Contents | None"]  # a question, or inputs to try right away


class _Key(NamedTuple):
    """What a question is about: the same place of the program, executed for the nth time."""

    what: Hashable
    rank: int


@dataclass(order=True)
class _Entry:
    priority: tuple[int, ...]
    number: int
    tries: int = field(compare=False)
    key: _Key = field(compare=False)
    ask: Ask = field(compare=False)
    follow: Callable[[QuestionAnswer], None] | None = field(compare=False, default=None)
    is_relaxed: bool = field(compare=False, default=False)  # may conditions be given up?


def ends_differently(good: Ended, bad: Ended) -> bool:
    """Do two runs differ in their standard output or exit status?

    What two runs printed that were both stopped is no difference: one was stopped later.
    """
    if (good.timed_out and bad.timed_out) or (good.flooded and bad.flooded):
        return False
    return (good.stdout, good.status, good.timed_out) != (bad.stdout, bad.status, bad.timed_out)


def _later(priority: tuple[int, ...], before: int, tries: int) -> tuple[int, ...]:
    """Return the priority of a question once others like it were asked."""
    stage, cost, *rest = priority
    return (stage if tries <= _MAX_FIRST else Aim.FLIP, cost + tries - before, *rest)


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
        hints: Hints = NO_HINTS,
        vocabulary: Vocabulary | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_shown` says whether a difference is due to these changes, and not to others.

        `hints` are the constants in the changed lines, `vocabulary` those of the program.
        """
        self._clock, self._began = clock, clock()
        self._nearby = NearbyInputs(vocabulary or Vocabulary.of(hints, ()), bad.program.free)
        self._spent = 0.0  # time for inputs that are close to others
        self._patience = _MIN_PATIENCE  # seconds that such an input may take
        self._cut_off = 0  # of these, whose run took longer
        self._has_room = False  # were numbers given zeros in front?
        self._is_infected = False  # did the change make a difference inside a run?
        self._may_reach = False  # does any code that ran lead to the change?
        self._good, self._bad, self._changes, self._asker = good, bad, changes, asker
        self._is_over, self._is_shown, self._hints = is_over, is_shown, hints
        self._hinted = 0  # inputs that the changed lines suggested
        self.state = SearchState()
        self._queue: list[_Entry] = []
        self._numbers = count()
        self._tries: Counter[Hashable] = Counter()
        self._printed = 0  # bytes that the first run printed
        self._moves: Counter[Identity] = Counter()  # how often a length was changed for an input
        self._seen: set[Identity] = set()

    def run(self, starts: Sequence[Contents]) -> SearchState:
        """Search from some inputs until a difference is found, or nothing is left."""
        for contents in starts:
            self._try(contents)
            self._add_room(self._bad.run(contents, self._changes).run)
        while self.state.difference is None and self._queue:
            if self._is_over():
                self.state.is_over = True
                break
            self._step(heappop(self._queue))
            self._run_nearby()
        if self._may_reach:
            self._run_nearby(is_rest=True)
        return self.state

    def _add_room(self, run: PathRun) -> None:
        """Ask for the same input with room for larger numbers."""
        contents = with_room(run, self._hints)
        if contents is not None:
            key = _Key(_ROOM, next(self._numbers))
            self._has_room = True
            self._add((Aim.FLIP, 0, 0), key, lambda: contents)

    def _run_nearby(self, *, is_rest: bool = False) -> None:
        """Run inputs close to earlier ones, for a share of the time or for what is left of it."""
        if self._bad.program.starts_slowly:
            return
        started = self._clock()
        misses = 0
        last = self.state.nearby + _MAX_REST if is_rest else None
        while self.state.difference is None and misses < _MAX_MISSES and not self._is_over():
            now = self._clock()
            share = _SHARE_OF_NEARBY * (now - self._began)
            contents = self._nearby.next()
            has_time = self._spent + now - started < share or is_rest
            if contents is None or not has_time or self.state.nearby == last:
                break
            key = self._identity(contents)
            misses = misses + 1 if key in self._seen else 0
            if not misses:
                self._seen.add(key)
                self._run_one_nearby(contents)
        self._spent += self._clock() - started

    def _run_one_nearby(self, contents: Contents) -> None:
        """Run an input in both versions; record it if it does something new."""
        bad = self._bad.run_plain(contents, self._patience)
        good = self._good.run_plain(contents, self._patience)
        self.state.nearby += 1
        if bad.timed_out or good.timed_out:
            self._cut_off += 1
            self._nearby.is_careful |= self._cut_off > _MAX_CUT_OFF
            # One version may not end at all.  Whether it does is seen with more time.
            if bad.timed_out == good.timed_out or self._cut_off > _MAX_CUT_OFF:
                return
        if ends_differently(good, bad):
            self._ends(contents)
        elif self._nearby.is_new(contents, bad) and self.state.reached is None:
            seen = self._bad.run(contents, self._changes)
            if (seen if seen.targets else self._good.run(contents, self._changes)).first:
                self._open(contents)

    def _step(self, entry: _Entry) -> None:
        tried = self._tried(entry.key)
        if tried > entry.tries:  # it is less promising by now
            entry.priority = _later(entry.priority, entry.tries, tried)
            entry.tries = tried
            heappush(self._queue, entry)
            return
        aim, cost, *rest = entry.priority
        if aim is Aim.TURN and self._is_infected:
            # There is an effect: to carry it on comes before to look for another one.
            entry.priority = Aim.FLIP, cost + _LATE, *rest
            heappush(self._queue, entry)
            return
        self._tries[entry.key] += 1
        self._tries[entry.key.what] += 1
        question = entry.ask()
        if not isinstance(question, InputQuestion):
            if question is not None:
                self._try(question)
            return
        answer = self._asker.ask(question)
        if entry.is_relaxed:
            answer = self._relaxed(question, answer)
        elif answer.core:
            self._add_relaxed(entry, question, answer)
        self.state.unknown += answer.verdict is Verdict.UNKNOWN
        if entry.follow is not None:
            entry.follow(answer)
        if answer.contents is not None:
            self._try(answer.contents)

    def _add_relaxed(self, entry: _Entry, question: InputQuestion, answer: QuestionAnswer) -> None:
        """Ask again without the conditions that stand in the way.

        The run will go another way at one of them, and perhaps not come back to the place.  But
        its input is as it was wanted there; branches that lead back can be turned then.
        """
        _, cost, *rest = entry.priority
        key = _Key((_RELAXED, entry.key.what), entry.key.rank)
        self._add(
            (Aim.FLIP, cost + _CORRELATED, *rest), key, lambda: question.without(answer.core),
            is_relaxed=True,
        )  # fmt: skip

    def _relaxed(self, question: InputQuestion, answer: QuestionAnswer) -> QuestionAnswer:
        """Give up more conditions until there is an answer."""
        for _ in range(_MAX_RELAXED):
            if not answer.core:
                break
            question = question.without(answer.core)
            answer = self._asker.ask(question)
        return answer

    def _tried(self, key: _Key) -> int:
        """Return by how much the questions of a key are less promising than when none was asked.

        An execution of a branch that no question was about is worth more than one that was tried,
        also if other executions of the branch were: the third piece of the input may be of use
        where the second one was not.
        """
        return self._tries[key] + self._tries[key.what].bit_length() // 2

    # --- inputs ----------------------------------------------------------------------------------

    def _try(self, contents: Contents) -> None:
        """Run both versions with an input; ask what the runs leave open."""
        key = self._identity(contents)
        if key in self._seen or self.state.difference is not None:
            return
        self._seen.add(key)
        ends = self._ends(contents)
        if ends is None:
            return
        good, bad = ends
        size = max(len(good.stdout), len(bad.stdout))
        self._printed = self._printed or size + 1
        self._patience = max(self._patience, _MORE_PATIENCE * bad.seconds)
        self._nearby.is_new(contents, bad)
        if good.timed_out or bad.timed_out or size > _LONGER * self._printed + _LONG:
            return  # to record such a run takes longer than all the others
        self._open(contents)

    def _ends(self, contents: Contents) -> tuple[Ended, Ended] | None:
        """Run both versions, not recorded; None: they end differently, and the search is over."""
        self.state.inputs += 1
        good, bad = self._good.run_plain(contents), self._bad.run_plain(contents)
        if ends_differently(good, bad):
            difference = EndDifference(contents, good, bad)
            shorter = self._shorter(contents)
            for one in (shorter, difference):
                if one is not None and self._is_shown(one):
                    self.state.difference = one
                    return None
        return good, bad

    def _shorter(self, contents: Contents) -> EndDifference | None:
        """Return the difference that is there without zeros before numbers, if there is one."""
        shorter = without_zeros(contents, self._bad.program.free) if self._has_room else contents
        if shorter == contents:
            return None
        good, bad = self._good.run_plain(shorter), self._bad.run_plain(shorter)
        return EndDifference(shorter, good, bad) if ends_differently(good, bad) else None

    def _identity(self, contents: Contents) -> Identity:
        """Return the inputs that may change."""
        return inputs_key(contents, self._bad.program.free)

    def _open(self, contents: Contents) -> None:
        """Record an input, and put the questions about it into the queue."""
        bad = self._bad.run(contents, self._changes)
        if bad.targets and bad.first is None:
            self._reach(bad)
            return
        good = self._good.run(contents, self._changes)
        if not bad.targets and good.first is None:
            self._reach(good)
            return
        self._may_reach = True
        if self.state.reached is None:
            self.state.reached = contents
            self.state.runs_to_reach = self._bad.recorded
        self._propagate(RunPair(bad, good))

    def _add_hints(self, run: PathRun) -> None:
        """Ask for inputs that the changed lines suggest.

        Those with other numbers are only run: if they do not show the change, questions lead
        further than they do.
        """
        numbers, texts = hinted_numbers(run, self._hints), hinted_texts(run, self._hints)
        number = next(self._numbers)

        def add() -> None:
            # Each has a key of its own: that the last one showed nothing says nothing of the next.
            key = _Key((_HINTS, next(self._numbers)), 0)
            self._add((Aim.FLIP, 0, -number), key, ask)

        def ask() -> Contents | None:
            for contents in islice(numbers, max(0, _MAX_HINTED - self._hinted)):
                self._hinted += 1
                if self.state.difference is not None or self._is_over():
                    return None
                self._ends(contents)
            found = next(texts, None)
            if found is not None:
                add()
            return found

        add()

    def _add_lengths(self, run: PathRun, cost: int) -> None:
        """Ask for inputs with one piece longer or shorter than in a run, one after the other.

        `cost` is what the most promising question about the run counts.
        """
        moves, number = length_moves(run), next(self._numbers)
        before = self._moves[self._identity(run.contents)]
        priority = Aim.FLIP, cost + _LENGTH * (1 + before), -number

        def ask() -> Contents | None:
            moved = next(moves, None)
            if moved is not None:
                self._add(priority, key, ask)
                self._moves[self._identity(moved)] = before + 1
            return moved

        key = _Key(_LENGTHS, number)
        self._add(priority, key, ask)

    def _learn(self, seen: SeenRun) -> None:
        """Note what a run shows about inputs that are close to its own."""
        self._nearby.learn(one.text for one in seen.run.path.compared)
        self._nearby.learn_records(seen.contents, record_starts(seen))

    # --- reaching --------------------------------------------------------------------------------

    def _reach(self, seen: SeenRun) -> None:
        """Ask for inputs that turn a branch towards the change."""
        self._may_reach |= seen.may_lead_there
        best: dict[int, int] = {}
        for turned in (*seen.turned(seen.to_change), *seen.turned_indirectly(seen.to_change)):
            best[turned.number] = min(turned.distance, best.get(turned.number, turned.distance))
        self._learn(seen)
        by_step = {seen.conditions[number].step: cost for number, cost in best.items()}

        def cost_of(step: Step) -> int | None:
            return by_step.get(step, seen.other_side(step, seen.to_change))

        self._add_texts(seen, cost_of)
        self._add_lengths(seen.run, min(best.values(), default=_FAR))
        for number, condition in enumerate(seen.conditions):
            if number in best:
                self._add_turn(seen, number, best[number])
            elif condition.has_many_ways:
                self._add_turn(seen, number, _FAR + _OTHER_KIND)

    def _add_turn(self, seen: SeenRun, number: int, distance: int) -> None:
        conditions = seen.conditions
        key = _Key(self._key(seen, number), seen.rank(conditions[number].step))

        def ask() -> InputQuestion:
            kept = [one.fact for one in conditions[:number]]
            wanted = negated(conditions[number].fact)
            return InputQuestion(seen.run.unknowns, kept, wanted, seen.contents)

        def follow(answer: QuestionAnswer) -> None:
            # The branches that stand in the way are turned instead.
            for other in answer.core:
                if self._key(seen, other) != key.what:
                    self._add_turn(seen, other, distance + _CORRELATED)

        self._add((Aim.FLIP, distance, -number), key, ask, follow)

    def _add_texts(self, seen: SeenRun, cost_of: Callable[[Step], int | None]) -> None:
        """Ask for inputs that have a text where a branch compares them with it.

        `cost_of` says what turning a branch costs; None: it is not worth it.
        """
        for compared in seen.run.path.compared:
            branch = seen.branch_after(compared.step)
            # Without a branch the result is kept, and may decide one later.
            cost = _FAR if branch is None else cost_of(branch)
            contents = seen.contents[compared.source]
            new = compared.put_into(contents)
            if cost is not None and new != contents:
                what = seen.flow.op_of(compared.step), compared.text
                key = _Key(what, seen.rank(compared.step))
                inputs = {**seen.contents, compared.source: new}
                self._add((Aim.FLIP, cost, 0), key, partial(dict, inputs))

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
        self._is_infected |= pair.is_infected
        behind = _UNINFECTED * (self._is_infected and not pair.is_infected)
        self._nearby.add_best(pair.contents, is_infected=pair.is_infected)
        self._learn(pair.bad)
        self._add_hints(pair.bad.run)
        for asked in pair.questions():
            self._add_pair(asked, 0, pair, number)
        to_uses = use_distances(pair.bad)
        costs: dict[Step, int] = {}
        for level, asked in pair.flips():
            to_use = to_uses.get(asked.step, _FAR)
            costs[asked.step] = to_use if level is None else min(level, to_use)
            self._add_pair(asked, costs[asked.step] + behind, pair, number)
        for level, asked in pair.changed_deciders():
            self._add_pair(asked, level + _BEFORE + behind, pair, number)
            if asked.of == BAD:
                costs[asked.step] = min(costs.get(asked.step, _FAR), level + _BEFORE)
        self._add_lengths(pair.bad.run, behind)
        self._add_texts(pair.bad, lambda step: costs.get(step, _FAR))

    def _add_pair(self, asked: PairQuestion, cost: int, pair: RunPair, number: int) -> None:
        """Add a question; of equals, those about the latest pair come first."""
        rank = pair.runs[asked.of].rank(asked.step)
        key = _Key((asked.aim, asked.of, asked.op), rank)
        self._add((asked.aim, cost, -number), key, lambda: asked.question)

    def _add(
        self,
        priority: tuple[int, ...],
        key: _Key,
        ask: Ask,
        follow: Callable[[QuestionAnswer], None] | None = None,
        *,
        is_relaxed: bool = False,
    ) -> None:
        tries = self._tried(key)
        priority = _later(priority, 0, tries)
        number = next(self._numbers)
        heappush(self._queue, _Entry(priority, number, tries, key, ask, follow, is_relaxed))
