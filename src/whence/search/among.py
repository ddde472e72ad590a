"""Is the cause among these suspects?  AFTER's dynamic analysis, asked again as suspects come in.

The suspects of each phase are reverted together, with all that they need to hold together.  If
the test passes, the smallest part of them that does so is the answer, and what comes later is
never asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from whence.changes.changeset import blocks, function_groups
from whence.model import Change, ChangeId, Outcome, Reverted
from whence.search.asking import Atom, Search, Space, union
from whence.search.dependencies import Knowledge
from whence.search.fast import Fast
from whence.search.isolate import Answer, IsolateProblem, find_one

_FELL_APART = (Outcome.OTHER, Outcome.BROKEN)
_MOST_ALONE = 8  # suspects that are tried one by one where all together fall apart


@dataclass(frozen=True)
class Phase:
    """What is suspected at one time, the likeliest first, and how much."""

    suspects: tuple[ChangeId, ...]
    weight: Mapping[ChangeId, float]


def find_among(problem: IsolateProblem, phases: Sequence[Phase]) -> Search[Answer | None]:
    """Find a minimal set in the first phase that has one; None if none has."""
    knowledge = Knowledge(problem.words, problem.dependencies)
    for phase in phases:
        answer = yield from _in_phase(replace(problem, weight=phase.weight), knowledge, phase)
        if answer is not None:
            return answer
    return None


def _in_phase(problem: IsolateProblem, knowledge: Knowledge, phase: Phase) -> Search[Answer | None]:
    fast = _fast(problem, knowledge, problem.changes)
    in_blocks, in_functions = (
        _whole(phase.suspects, cut(problem.changes)) for cut in (blocks, function_groups)
    )
    together = [union(in_blocks), union(in_functions)]
    alone = [*in_functions[:_MOST_ALONE], *in_blocks[:_MOST_ALONE]]
    for wanted in dict.fromkeys((*together, *alone)):
        tried, run = wanted, (yield wanted) if wanted in alone else None
        if run is None or run.outcome in _FELL_APART:  # what it requires is only a guess
            tried, run = yield from fast.hold_together(wanted)
        if run.outcome is Outcome.PASS:
            chosen = [change for change in problem.changes if change.id in tried]
            return (yield from find_one(problem, knowledge, chosen))
        if run.outcome is Outcome.FAIL and wanted in together:
            break  # THE failure stays with all of them reverted: more have to be found first
    return None


def _whole(suspects: Sequence[ChangeId], atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms that hold the suspects, in their order: less than that falls apart easily."""
    holder = {change: atom for atom in atoms for change in atom}
    return list(dict.fromkeys(holder[suspect] for suspect in suspects))


def _fast(problem: IsolateProblem, knowledge: Knowledge, changes: Sequence[Change]) -> Fast:
    space = Space(tuple(function_groups(changes)))
    return Fast(space, knowledge, problem.weigh, lambda atom: [atom])


@dataclass(frozen=True)
class Instead:
    """What came of reverting other changes than those that were found."""

    answer: Answer | None  # a minimal set among them
    along: Reverted = frozenset()  # with those that were found as well, this set passes


def find_instead(problem: IsolateProblem, found: Reverted, others: Reverted) -> Search[Instead]:
    """Is there a set among some other changes that does without any that was found?"""
    knowledge = Knowledge(problem.words, problem.dependencies)
    free = [change for change in problem.changes if change.id not in found]
    tried, run = yield from _fast(problem, knowledge, free).hold_together(others)
    if run.outcome is Outcome.PASS:
        chosen = [change for change in free if change.id in tried]
        return Instead((yield from find_one(problem, knowledge, chosen)))
    if run.outcome is not Outcome.BROKEN:
        return Instead(None)
    tried, run = yield from _fast(problem, knowledge, problem.changes).hold_together(found | others)
    return Instead(None, tried if run.outcome is Outcome.PASS else frozenset())
