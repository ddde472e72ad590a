"""Which changes are the root?  The loop of AFTER's Algorithm 1.

In the paper's terms, with its line numbers:

- `candidates.tree` holds the cause set Θ.  `candidates.met` is the argument of line 9: the changes
  of Δ that some cause in Θ meets.
- Lines 6-8 and 12-13 (take the predicates of a level, analyse each, add its cause to Θ, extract
  the next critical predicates) are one call of `candidates.grow()`.
- Line 9, DynamicAnalysis, is `_try_suspects`.
- Lines 10-11, the return, is `find_root`'s first return.

The paper's loop ends with nothing once no predicate is left.  Here all changes are searched then.
And before the causes, the changes are tried in functions that got the same and gave something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from whence.explain.candidates import CandidateChanges
from whence.explain.context import ExplainContext
from whence.model import ChangeId
from whence.search.isolate import Answer, IsolateProblem, isolate_changes
from whence.search.suspects import Phase, find_among

_LEVEL_RATIO = 4.0  # weight ratio between changes met at two adjacent levels; guessed
_MAX_SUSPECTS = 50  # with more suspects than this, search all changes instead; guessed
_MET_WEIGHT = 3.0  # weight of a met change, once reverting all met changes did not pass; guessed
RESERVED_RUNS = 10  # runs that a search leaves for explaining what it found; guessed
_UNMET_WEIGHT = 1e-3  # greatest weight of a change that no cause meets; guessed


def find_root(
    context: ExplainContext,
    candidates: CandidateChanges,
    problem: IsolateProblem,
    pause: int | None = None,
) -> Answer:
    """Grow the causes until reverting changes that they meet makes the test pass.

    Each search pauses after `pause` runs.
    """
    phases: list[Phase] = []
    with context.timed("semantics"):
        begun = candidates.where_runs_part()
    if begun:
        context.watcher.phase(f"trying the changes where the runs part: {len(begun)}")
        phases.append(Phase(begun, suspect_weights(dict.fromkeys(begun, 0.0), problem)))
        answer = _try_suspects(context, tuple(phases), problem, pause)
        if answer is not None:
            return answer
    while True:
        suspects = candidates.suspects()
        if suspects and (not phases or suspects != phases[-1].suspects):
            context.watcher.phase(f"trying the {len(suspects)} changes that causes meet so far")
            phases.append(Phase(suspects, suspect_weights(candidates.met, problem)))
            answer = _try_suspects(context, tuple(phases), problem, pause)
            if answer is not None:
                return answer
        context.watcher.phase(f"looking for causes, level {candidates.depth + 1}")
        with context.timed("semantics"):
            has_grown = candidates.grow()
        is_exhausted = not has_grown and candidates.suspects() == suspects
        if is_exhausted or len(suspects) > _MAX_SUSPECTS:
            return _search_beyond(context, candidates, problem, pause)


def _try_suspects(
    context: ExplainContext,
    phases: tuple[Phase, ...],
    problem: IsolateProblem,
    pause: int | None,
) -> Answer | None:
    """Run the dynamic analysis (Algorithm 1, line 9) on the suspects of the last phase.

    The earlier phases are passed too: the search replays them from known outcomes.
    """
    with context.timed("search"):
        return context.session.search(
            lambda: find_among(problem, phases),
            phases[-1].weight,
            checks=False,
            reserve=RESERVED_RUNS,
            pause=pause,
        )


def _search_beyond(
    context: ExplainContext,
    candidates: CandidateChanges,
    problem: IsolateProblem,
    pause: int | None,
) -> Answer:
    """Search all changes: executed ones first, changes that never ran last."""
    context.watcher.phase("searching all changes")
    weight = {
        change: weight * (_MET_WEIGHT if change in candidates.met else 1.0)
        for change, weight in problem.weight.items()
    }
    answer = search_all(context, replace(problem, weight=weight), pause=pause)
    related = candidates.met.keys() | (problem.executed or frozenset())
    if answer.holds and not answer.reverted & related:
        context.session.notes.append(
            "Reverting the changes that the failing run executes or uses does not make the test "
            "pass. The root is a change that the run neither executes nor uses."
        )
    return answer


def search_all(
    context: ExplainContext,
    problem: IsolateProblem,
    *,
    checks: bool = False,
    pause: int | None = None,
) -> Answer:
    """Isolate the root among all changes, without causes."""
    with context.timed("search"):
        return context.session.search(
            lambda: isolate_changes(problem),
            problem.weight,
            checks=checks,
            reserve=0 if checks else RESERVED_RUNS,  # with checks, nothing is explained
            pause=pause,
        )


def suspect_weights(
    met: Mapping[ChangeId, float], problem: IsolateProblem
) -> dict[ChangeId, float]:
    """Return how likely each change is the root.  `met` maps a change to its level.

    A change met near the failure is likelier than one met upstream.
    """
    heaviest = max(problem.weight.values(), default=1.0) or 1.0
    unmet = {change: _UNMET_WEIGHT * weight / heaviest for change, weight in problem.weight.items()}
    nearest = min(met.values(), default=0.0)
    return unmet | {change: _LEVEL_RATIO ** (nearest - level) for change, level in met.items()}
