"""AFTER's Algorithm 1: causes propose changes, re-execution decides, until the root is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from whence.explain.candidates import CandidateChanges
from whence.explain.context import ExplainContext
from whence.model import ChangeId
from whence.search.among import Phase, find_among
from whence.search.isolate import Answer, IsolateProblem, isolate_changes

_NEARER = 4.0  # so much likelier is a change that is met one level nearer to the failure
_TOO_MANY = 50  # suspects: then nothing more is learnt by having still more of them
_MET = 3.0  # and so much one that is met at all, where those that are do not do
_ELSEWHERE = 1e-3  # at most the weight of what no cause meets


def find_root(
    context: ExplainContext, candidates: CandidateChanges, problem: IsolateProblem
) -> Answer:
    """Grow the causes until reverting changes that they meet makes the test pass."""
    phases: list[Phase] = []
    while True:
        suspects = candidates.suspects()
        if suspects and (not phases or suspects != phases[-1].suspects):
            context.watcher.phase(f"trying the {len(suspects)} changes that causes meet so far")
            phases.append(Phase(suspects, _weights(candidates.met, problem)))
            answer = _try(context, tuple(phases), problem)
            if answer is not None:
                return answer
        context.watcher.phase(f"looking for causes, level {candidates.depth + 1}")
        with context.timed("semantics"):
            has_grown = candidates.grow()
        is_exhausted = not has_grown and candidates.suspects() == suspects
        if is_exhausted or len(suspects) > _TOO_MANY:
            return _beyond(context, candidates, problem)


def _try(
    context: ExplainContext, phases: tuple[Phase, ...], problem: IsolateProblem
) -> Answer | None:
    with context.timed("search"):
        return context.session.search(
            lambda: find_among(problem, phases), phases[-1].weight, checks=False
        )


def _beyond(
    context: ExplainContext, candidates: CandidateChanges, problem: IsolateProblem
) -> Answer:
    """Search all changes: what was executed goes first, what never was comes last."""
    context.watcher.phase("searching all changes")
    weight = {c: w * (_MET if c in candidates.met else 1.0) for c, w in problem.weight.items()}
    answer = search_all(context, replace(problem, weight=weight))
    touched = candidates.met.keys() | (problem.executed or frozenset())
    if answer.holds and not answer.reverted & touched:
        context.session.notes.append(
            "reverting what the failing run touches does not make the test pass, so changes "
            "that it never touches were tried as well: the root is one of those"
        )
    return answer


def search_all(context: ExplainContext, problem: IsolateProblem, *, checks: bool = False) -> Answer:
    with context.timed("search"):
        return context.session.search(
            lambda: isolate_changes(problem), problem.weight, checks=checks
        )


def _weights(met: Mapping[ChangeId, float], problem: IsolateProblem) -> dict[ChangeId, float]:
    """How likely each change is the cause: the nearer to the failure it is met, the likelier."""
    most = max(problem.weight.values(), default=1.0) or 1.0
    found = {change: _ELSEWHERE * weight / most for change, weight in problem.weight.items()}
    nearest = min(met.values(), default=0.0)
    return found | {change: _NEARER ** (nearest - level) for change, level in met.items()}
