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


def find_root(work: ExplainContext, theta: CandidateChanges, question: IsolateProblem) -> Answer:
    """Grow the causes until reverting changes that they meet makes the test pass."""
    phases: list[Phase] = []
    while True:
        suspects = theta.suspects()
        if suspects and (not phases or suspects != phases[-1].suspects):
            work.watcher.phase(f"trying the {len(suspects)} changes that causes meet so far")
            phases.append(Phase(suspects, _weights(theta.met, question)))
            answer = _try(work, tuple(phases), question)
            if answer is not None:
                return answer
        work.watcher.phase(f"looking for causes, level {theta.depth + 1}")
        with work.timed("semantics"):
            has_grown = theta.grow()
        is_exhausted = not has_grown and theta.suspects() == suspects
        if is_exhausted or len(suspects) > _TOO_MANY:
            return _beyond(work, theta, question)


def _try(
    work: ExplainContext, phases: tuple[Phase, ...], question: IsolateProblem
) -> Answer | None:
    with work.timed("search"):
        return work.session.search(
            lambda: find_among(question, phases), phases[-1].weight, checks=False
        )


def _beyond(work: ExplainContext, theta: CandidateChanges, question: IsolateProblem) -> Answer:
    """Search all changes: what was executed goes first, what never was comes last."""
    work.watcher.phase("searching all changes")
    weight = {c: w * (_MET if c in theta.met else 1.0) for c, w in question.weight.items()}
    answer = search_all(work, replace(question, weight=weight))
    touched = theta.met.keys() | (question.executed or frozenset())
    if answer.holds and not answer.reverted & touched:
        work.session.notes.append(
            "reverting what the failing run touches does not make the test pass, so changes "
            "that it never touches were tried as well: the root is one of those"
        )
    return answer


def search_all(work: ExplainContext, question: IsolateProblem, *, checks: bool = False) -> Answer:
    with work.timed("search"):
        return work.session.search(
            lambda: isolate_changes(question), question.weight, checks=checks
        )


def _weights(met: Mapping[ChangeId, float], question: IsolateProblem) -> dict[ChangeId, float]:
    """How likely each change is the cause: the nearer to the failure it is met, the likelier."""
    most = max(question.weight.values(), default=1.0) or 1.0
    found = {change: _ELSEWHERE * weight / most for change, weight in question.weight.items()}
    nearest = min(met.values(), default=0.0)
    return found | {change: _NEARER ** (nearest - level) for change, level in met.items()}
