"""Which runs of a program are there, one for each path or for each relevant slice?

The search is PCExplore and RSCExplore of the thesis (Algorithms 6.3 and 6.1): it negates one
condition after another, solves, runs, and continues with the conditions of the new run.  Which of
the two it is depends only on the conditions that a run is given with: all of them, or those in the
relevant slice, reordered.

1. A question is asked once: it is identified by the ways up to a condition and the way there.
2. A class of inputs is reported once: it is identified by the ways of all its conditions.
3. The order of the questions does not change which classes are found, only which are found first.
   Sides of branches that no question was about come first.
4. The next questions are solved ahead, and their runs announced.  What is done in which order does
   not depend on who makes the runs, so neither do the answers.
"""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import z3

from whence.paths.conditions import Condition
from whence.paths.program import Contents, ExploredRun
from whence.paths.solver import Solver, SolverAnswer, Verdict
from whence.paths.terms import Fact, Matched

_MAX_KEPT = 200  # runs whose conditions stay in memory; others are run again; guessed
_AHEAD = (
    8  # questions that are solved before their turn, so that runs can be made meanwhile; guessed
)
_MAX_MOVES = 2  # changes of the length of an input, one upon the other; guessed


@dataclass(frozen=True)
class Explored:
    """One run that the exploration made."""

    id: int
    run: ExploredRun
    origin: tuple[int, int] | None  # the run and the number of its condition that was negated
    is_as_promised: bool  # did it go the same way up to there, and another way then?
    moves: int = 0  # how often the length of an input was changed on the way here


@dataclass(frozen=True, order=True)
class OpenQuestion:
    """A condition to negate: number `at` of a run.

    `excluded` are earlier runs that differ from this one at the condition: there may be another
    way, which is none of theirs.
    """

    weight: int  # how often a question was about the same side of the same branch
    order: int
    of: int = field(compare=False)
    at: int = field(compare=False)
    excluded: tuple[int, ...] = field(default=(), compare=False)


@dataclass
class Exploration:
    """What was explored so far."""

    runs: list[Explored] = field(default_factory=list)
    is_complete: bool = False
    infeasible: int = 0
    unknown: int = 0
    repeated: int = 0  # runs that were in a class that was known
    diverged: int = 0  # runs that did not go the way that the solver's answer promised
    executed: int = 0  # recorded runs


class ExploreSearch:
    """Explores the runs of a program; holds what was found so far."""

    def __init__(
        self,
        run: Callable[[Contents], ExploredRun],
        solver: Solver,
        *,
        on_found: Callable[[Explored], None] = lambda _: None,
        length_moves: Callable[[ExploredRun], Iterable[Contents]] = lambda _: (),
        max_moves: int = _MAX_MOVES,
        announce: Callable[[Sequence[Contents]], None] = lambda _: None,
    ) -> None:
        """`announce` is told which runs are asked for soon.

        `max_moves`: how often the length of an input changes, one change upon the other.
        """
        self._run, self._solver, self._max_moves = run, solver, max_moves
        self._announce = announce
        self._solved: dict[int, SolverAnswer] = {}  # by the order of an open question
        self._on_found, self._length_moves = on_found, length_moves
        self.found = Exploration()
        self.inputs: list[Contents] = []  # of each run
        self.moves: list[int] = []  # of each run
        self.open: list[OpenQuestion] = []
        self.ended: list[tuple[int, int]] = []  # conditions of runs that hold where an input ends
        self.unmoved: list[int] = []  # runs whose inputs were not lengthened and shortened yet
        self.asked: set[str] = set()
        self.classes: set[str] = set()
        self._weights: Counter[object] = Counter()
        self._kept: OrderedDict[int, ExploredRun] = OrderedDict()

    def start(self, first: Contents) -> None:
        """Make the first run."""
        self._add(self._recorded(first), None, True, 0)

    def step(self) -> bool:
        """Answer one question, or change the length of an input; False if nothing is left."""
        if self.open:
            self._look_ahead()
            self._answer(heapq.heappop(self.open))
        elif self.ended:
            self._grow(*self.ended.pop(0))
        elif self.unmoved:
            self._move(self.unmoved.pop(0))
        else:
            self.found.is_complete = not self.found.unknown
            return False
        return True

    # --- questions -------------------------------------------------------------------------------

    def _look_ahead(self) -> None:
        """Solve the next questions, and announce the runs that they lead to."""
        following = [heapq.heappop(self.open) for _ in range(min(_AHEAD, len(self.open)))]
        for question in following:
            heapq.heappush(self.open, question)
        for question in following:
            if question.order not in self._solved:
                self._solved[question.order] = self._solve(question)
        answers = (self._solved[question.order].contents for question in following)
        self._announce([contents for contents in answers if contents is not None])

    def _solve(self, question: OpenQuestion) -> SolverAnswer:
        old = self._run_of(question.of)
        kept = [one.fact for one in old.conditions[: question.at]]
        kept += [self._not_as(self._run_of(one), old, question.at) for one in question.excluded]
        broken = negated(old.conditions[question.at].fact)
        return self._solver.solve(old.unknowns, kept, broken, old.contents)

    def _answer(self, question: OpenQuestion) -> None:
        old = self._run_of(question.of)
        condition = old.conditions[question.at]
        answer = self._solved.pop(question.order)
        self.found.infeasible += answer.verdict is Verdict.INFEASIBLE
        self.found.unknown += answer.verdict is Verdict.UNKNOWN
        if answer.contents is None:
            ends = old.unknowns.ends(condition.fact.unknowns, old.contents)
            if ends and not question.excluded and self.moves[question.of] < self._max_moves:
                self.ended.append((question.of, question.at))
            return
        new = self._recorded(answer.contents)
        is_as_promised = _turns_at(question.at, old.ways, new.ways)
        self.found.diverged += not is_as_promised
        origin = question.of, question.at + 1
        made = self._add(new, origin, is_as_promised, self.moves[question.of])
        has_more = is_as_promised and question.at < len(new.conditions)
        if condition.has_many_ways and has_more and made is not None:
            # There may be a third way: neither the old one nor the new one.
            key = f"{_prefixes(new.ways)[question.at]} {question.excluded} {question.of}"
            self._push(made, new, question.at, key, (*question.excluded, question.of))

    def _not_as(self, other: ExploredRun, new: ExploredRun, at: int) -> Fact:
        """Return that the way of another run is not taken, in the unknowns of a run."""
        return _renamed(other.conditions[at], other, new)

    def _push(
        self, of: int, run: ExploredRun, at: int, key: str, excluded: tuple[int, ...] = ()
    ) -> None:
        if key in self.asked:
            return
        self.asked.add(key)
        weight = self._weights[run.ways[at]]
        self._weights[run.ways[at]] += 1
        heapq.heappush(self.open, OpenQuestion(weight, -len(self.asked), of, at, excluded))

    def _grow(self, of: int, at: int) -> None:
        """Break a condition that holds because an input ends: let one more byte stand there."""
        old = self._run_of(of)
        fact = old.conditions[at].fact
        kept = [one.fact for one in old.conditions[:at]]
        longer = old.unknowns.ends(fact.unknowns, old.contents)
        answer = self._solver.solve(old.unknowns, kept, negated(fact), old.contents, longer=longer)
        if answer.contents is None:
            return
        new = self._recorded(answer.contents)
        is_as_promised = _turns_at(at, old.ways, new.ways)
        self.found.diverged += not is_as_promised
        self._add(new, (of, at + 1), is_as_promised, self.moves[of] + 1)

    # --- lengths ---------------------------------------------------------------------------------

    def _move(self, number: int) -> None:
        """Lengthen and shorten the inputs of a run."""
        moved = list(self._length_moves(self._run_of(number)))
        self._announce(moved)
        for contents in moved:
            self._add(self._recorded(contents), None, True, self.moves[number] + 1, number)

    # --- runs ------------------------------------------------------------------------------------

    def _add(
        self, run: ExploredRun, origin: tuple[int, int] | None, is_as_promised: bool, moves: int,
        moved_from: int | None = None,
    ) -> int | None:  # fmt: skip
        """Note a run, unless its class is known; return its number."""
        prefixes = _prefixes(run.ways)
        if prefixes[-1] in self.classes:
            self.found.repeated += 1
            return None
        self.classes.add(prefixes[-1])
        if moved_from is not None:
            origin = moved_from, 0
        made = Explored(len(self.inputs), run, origin, is_as_promised, moves)
        self.inputs.append(run.contents)
        self.moves.append(moves)
        self.found.runs.append(made)
        self._keep(made.id, run)
        # The questions of a run that went as promised up to the negated condition are open already.
        start = origin[1] if origin is not None and is_as_promised else 0
        for at in range(start, len(run.conditions)):
            self._push(made.id, run, at, prefixes[at + 1])
        if moves < self._max_moves:
            self.unmoved.append(made.id)
        self._on_found(made)
        return made.id

    def _run_of(self, number: int) -> ExploredRun:
        if number not in self._kept:
            self._keep(number, self._recorded(self.inputs[number]))
        self._kept.move_to_end(number)
        return self._kept[number]

    def _keep(self, number: int, run: ExploredRun) -> None:
        self._kept[number] = run
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)

    def _recorded(self, contents: Contents) -> ExploredRun:
        self.found.executed += 1
        return self._run(contents)


def explore(
    first: Contents,
    run: Callable[[Contents], ExploredRun],
    solver: Solver,
    *,
    is_over: Callable[[Exploration], bool] = lambda _: False,
) -> Exploration:
    """Explore until nothing is left, or `is_over` says so; inputs keep their lengths."""
    search = ExploreSearch(run, solver)
    search.start(first)
    while not is_over(search.found) and search.step():
        pass
    return search.found


def negated(fact: Fact) -> Fact:
    return Fact(z3.Not(fact.formula), fact.unknowns)


def _renamed(condition: Condition, old: ExploredRun, new: ExploredRun) -> Fact:
    """Return that the way of the old run is not taken, in the unknowns of the new run.

    What the new run does not ask in the same way (is there a number here?) follows from the bytes.
    """
    formulas, members = [z3.Not(condition.fact.formula)], 0
    pairs: list[tuple[Any, Any]] = []
    todo, done = condition.fact.unknowns, 0
    while left := todo & ~done:
        done |= left & -left
        (one,) = old.unknowns.members(left & -left)
        other = new.unknowns.counterpart(one.what, old.unknowns)
        if other is not None:
            pairs.append((one.term, other.term))
            members |= other.unknowns
        elif isinstance(one.what, Matched) and one.spelling is not None:
            pairs.append((one.term, z3.Bool(f"asked before: {one.term}")))
            formulas.append(one.spelling.formula)
            todo |= one.spelling.unknowns
        else:
            return Fact(z3.BoolVal(True), 0)
    return Fact(z3.substitute(z3.And(formulas), *pairs), members)


def class_key(run: ExploredRun) -> str:
    """Return what identifies the class of a run: the ways of all its conditions."""
    return _prefixes(run.ways)[-1]


def _turns_at(at: int, old: Sequence[object], new: Sequence[object]) -> bool:
    """Does a run go the ways of another one before condition `at`, and another way there?"""
    return list(new[:at]) == list(old[:at]) and list(new[at : at + 1]) != list(old[at : at + 1])


def _prefixes(ways: Sequence[object]) -> list[str]:
    """Return a hash of no way, the first way, the first two ways, and so on."""
    digest = blake2b(digest_size=12)
    found = [digest.hexdigest()]
    for way in ways:
        digest.update(repr(way).encode())
        found.append(digest.hexdigest())
    return found
