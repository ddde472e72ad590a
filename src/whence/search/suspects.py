"""Is the root among these suspects?  AFTER's Algorithm 1, line 9, run again as suspects come in.

Each phase reverts all its suspects together with the changes that they require.  If the test
passes, a minimal subset is the answer, and later phases are not tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from whence.changes.changeset import blocks, function_groups
from whence.model import Change, ChangeId, Outcome, Reverted, Run
from whence.search.dependencies import Knowledge
from whence.search.fast import Fast
from whence.search.isolate import Answer, IsolateProblem, another, find_one
from whence.search.space import Atom, Search, Space, union

_INCONSISTENT = (Outcome.OTHER, Outcome.BROKEN)  # outcomes that say nothing about the failure
# Limits on suspects tried one by one, if all together are inconsistent; guessed.
_MAX_BUILT_ALONE = 16  # that one does not build is found out in a part of the time of a run
_MAX_FUNCTIONS_ALONE = 8
_MAX_BLOCKS_ALONE = 24


@dataclass(frozen=True)
class Phase:
    """The suspects at one time, the likeliest first, and the weight of every change."""

    suspects: tuple[ChangeId, ...]
    weight: Mapping[ChangeId, float]


def find_among(problem: IsolateProblem, phases: Sequence[Phase]) -> Search[Answer | None]:
    """Find a minimal set in the first phase that has one; None if no phase has one."""
    knowledge = problem.knowledge()
    for phase in phases:
        weighed = replace(problem, weight=phase.weight)
        answer = yield from _in_phase(weighed, knowledge, phase, problem.changes)
        if answer is not None:
            return answer
    return None


def _in_phase(
    problem: IsolateProblem, knowledge: Knowledge, phase: Phase, free: Sequence[Change]
) -> Search[Answer | None]:
    """Find a minimal set among the suspects of one phase, with no change that is not `free`.

    First those that can be reverted without other changes, then the rest with what it requires,
    then one by one.
    """
    fast = _fast(problem, knowledge, free)
    in_blocks, in_functions = (
        _whole(phase.suspects, cut(free)) for cut in (blocks, function_groups)
    )
    tried, run = yield from fast.revert_fewer(in_blocks)
    if run.outcome is Outcome.PASS:
        return (yield from _among(problem, knowledge, tried))
    acquitted = tried if run.outcome is Outcome.FAIL else frozenset()
    left, left_functions = (
        [atom for atom in atoms if not atom <= acquitted] for atoms in (in_blocks, in_functions)
    )
    if not left:
        return None  # THE failure stays with all suspects reverted: more suspects are needed
    for wanted in dict.fromkeys((union(left), union(left_functions))):
        tried, run = yield from fast.revert_consistently(wanted)
        if run.outcome is Outcome.PASS:
            return (yield from _among(problem, knowledge, tried))
        if run.outcome is Outcome.FAIL:
            return None
    # What a single suspect requires is only a guess.  So each is tried without that first: a
    # suspect that suffices alone is a smaller answer than another one with all that it requires.
    inconsistent: list[Atom] = []
    built = 0
    alone = (*left_functions[:_MAX_FUNCTIONS_ALONE], *left[:_MAX_BLOCKS_ALONE])
    for wanted in dict.fromkeys(alone):
        if built == _MAX_BUILT_ALONE:
            break
        run = yield wanted
        built += run.outcome is not Outcome.BROKEN
        if run.outcome is Outcome.PASS:
            return (yield from _among(problem, knowledge, wanted))
        inconsistent += [wanted] if run.outcome in _INCONSISTENT else []
    for wanted in inconsistent:
        tried, run = yield from fast.revert_consistently(wanted)
        if run.outcome is Outcome.PASS:
            return (yield from _among(problem, knowledge, tried))
    return None


def _among(problem: IsolateProblem, knowledge: Knowledge, passing: Reverted) -> Search[Answer]:
    chosen = [change for change in problem.changes if change.id in passing]
    return (yield from find_one(problem, knowledge, chosen))


def _whole(suspects: Sequence[ChangeId], atoms: Sequence[Atom]) -> list[Atom]:
    """Return the atoms that hold the suspects, in order.  Parts of atoms are often inconsistent."""
    holder = {change: atom for atom in atoms for change in atom}
    return list(dict.fromkeys(holder[suspect] for suspect in suspects))


def _fast(problem: IsolateProblem, knowledge: Knowledge, changes: Sequence[Change]) -> Fast:
    space = Space(tuple(function_groups(changes)))
    return Fast(space, knowledge, problem.weigh, lambda atom: [atom])


@dataclass(frozen=True)
class Replacement:
    """The result of reverting other changes than the found ones."""

    answer: Answer | None  # a minimal set among the other changes
    with_found: Reverted = frozenset()  # a passing set that includes the found changes as well


def find_replacement(
    problem: IsolateProblem, found: Reverted, others: Reverted, *, alone: bool = True
) -> Search[Replacement]:
    """Find a minimal set among `others`, and what they require, without any found change.

    Unless they may be reverted `alone`, only a passing set that includes the found ones is sought.
    """
    knowledge = problem.knowledge()
    if alone and knowledge.closure(others).isdisjoint(found):
        free = [change for change in problem.changes if change.id not in found]
        tried, run = yield from _fast(problem, knowledge, free).revert_consistently(others)
        if run.outcome is Outcome.PASS:
            chosen = [change for change in free if change.id in tried]
            return Replacement((yield from find_one(problem, knowledge, chosen)))
        if run.outcome is not Outcome.BROKEN:
            return Replacement(None)
    # `others` cannot be reverted alone: such as a new function that a found change calls.
    run = yield found | others
    if run.outcome is Outcome.PASS:
        return Replacement(None, found | others)
    fresh = problem.knowledge()
    tried, run = yield from _fast(problem, fresh, problem.changes).revert_consistently(
        found | others
    )
    return Replacement(None, tried if run.outcome is Outcome.PASS else frozenset())


def find_another(
    problem: IsolateProblem, found: Reverted, suspects: Sequence[ChangeId] = ()
) -> Search[Answer | None]:
    """Find a minimal set without any change of `found`, and without what requires these.

    The first run is the good version with these changes.  If the failure is there, they are what
    broke the test, and there is no other set.  If they do not work in the good version, as new code
    that other new code prepares, only the `suspects` are searched.
    """
    knowledge = problem.knowledge()
    kept = knowledge.dependents(found)
    run: Run = yield frozenset(change.id for change in problem.changes if change.id not in kept)
    if run.outcome not in _INCONSISTENT:
        return (yield from another(problem, knowledge, found))
    free = [change for change in problem.changes if change.id not in kept]
    left = tuple(suspect for suspect in suspects if suspect not in kept)
    if not left:
        return None
    return (yield from _in_phase(problem, knowledge, Phase(left, problem.weight), free))
