"""Which runs of a program are there, one for each path or for each relevant slice?

`explore` is PCExplore and RSCExplore of the thesis (Algorithms 6.3 and 6.1): it negates one
condition after another, solves, runs, and continues with the conditions of the new run.  Which of
the two it is depends only on the conditions that a run is given with: all of them, or those in the
relevant slice, reordered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import z3

from whence.paths.conditions import Condition
from whence.paths.program import Contents, ExploredRun
from whence.paths.solver import Solver, Verdict
from whence.paths.terms import Fact


@dataclass(frozen=True)
class Explored:
    """One run that the exploration made."""

    id: int
    run: ExploredRun
    origin: tuple[int, int] | None  # the run and the number of its condition that was negated
    is_as_promised: bool  # did it go the same way up to there, and another way then?


@dataclass
class Exploration:
    """What was explored so far."""

    runs: list[Explored] = field(default_factory=list)
    is_complete: bool = False
    infeasible: int = 0
    unknown: int = 0


@dataclass(frozen=True)
class _Open:
    """A condition to negate: number `at` of a run, which must also differ from other ways."""

    of: Explored
    at: int
    excluded: tuple[Fact, ...] = ()


def explore(
    first: Contents,
    run: Callable[[Contents], ExploredRun],
    solver: Solver,
    *,
    is_over: Callable[[Exploration], bool] = lambda _: False,
) -> Exploration:
    """Explore until nothing is left, or `is_over` says so."""
    found = Exploration()
    stack: list[_Open] = []
    _add(found, stack, Explored(0, run(first), None, True), 0)
    while stack:
        if is_over(found):
            return found
        question = stack.pop()
        old = question.of.run
        condition = old.conditions[question.at]
        kept = [one.fact for one in old.conditions[: question.at]] + list(question.excluded)
        answer = solver.solve(old.unknowns, kept, negated(condition.fact), old.contents)
        if answer.verdict is Verdict.INFEASIBLE:
            found.infeasible += 1
        elif answer.verdict is Verdict.UNKNOWN:
            found.unknown += 1
        if answer.contents is None:
            continue
        new = run(answer.contents)
        kept_way = list(new.ways[: question.at]) == list(old.ways[: question.at])
        turns = list(new.ways[: question.at + 1]) != list(old.ways[: question.at + 1])
        origin = question.of.id, question.at + 1
        made = Explored(len(found.runs), new, origin, kept_way and turns)
        if condition.has_many_ways and kept_way and turns and question.at < len(new.conditions):
            # There may be a third way: neither the old one nor the new one.
            excluded = (*question.excluded, _renamed(condition, old, new))
            stack.append(_Open(made, question.at, excluded))
        _add(found, stack, made, question.at + 1)
    found.is_complete = not found.unknown
    return found


def negated(fact: Fact) -> Fact:
    return Fact(z3.Not(fact.formula), fact.unknowns)


def _renamed(condition: Condition, old: ExploredRun, new: ExploredRun) -> Fact:
    """Return that the way of the old run is not taken, in the unknowns of the new run."""
    pairs, members = [], 0
    for one in old.unknowns.members(condition.fact.unknowns):
        if one.what not in new.unknowns:
            return Fact(z3.BoolVal(True), 0)
        other = new.unknowns.of(one.what)
        pairs.append((one.term, other.term))
        members |= 1 << new.unknowns.all.index(other)
    return Fact(z3.Not(z3.substitute(condition.fact.formula, *pairs)), members)


def _add(found: Exploration, stack: list[_Open], made: Explored, start: int) -> None:
    found.runs.append(made)
    stack += [_Open(made, at) for at in range(start, len(made.run.conditions))]
