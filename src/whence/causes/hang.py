"""Why did a run not end?  The failure is the loop that kept turning, or the call that waits."""

from __future__ import annotations

from dataclasses import replace

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.questions import FailedValue, Seeds, Silence
from whence.logic.logic import ALL
from whence.program.ids import Op, Step
from whence.program.rows import OUTPUT
from whence.trace.alignment import Alignment
from whence.trace.columns import CALL
from whence.trace.flow import Constant, Flow
from whence.trace.unfinished import UnfinishedLoop, open_activations

_MAX_TURNS = 20_000  # limit on the iterations that are compared with the passing run; guessed


def looping(flow: Flow, loop: UnfinishedLoop) -> ObservedFailure:
    """Return a loop that did not end as the failure."""
    around = flow.controlling_branch(loop.last)
    controlling = () if loop.exits or around is None else (around,)
    about = loop.exits[0] if loop.exits else loop.last
    question = FailedValue(
        op=flow.op_of(about), step=about, seeds=_outcomes(loop.exits), controlling=controlling
    )
    words = f"the loop at {flow.thread.line_at(about)} that did not end"
    if not loop.exits:
        words += " and has no way out"
    outcome = f"still running after {loop.iterations:,} iterations"
    return ObservedFailure(flow, question, words, outcome, loop=loop)


def waiting(flow: Flow) -> ObservedFailure | None:
    """Return the call that a stopped thread waited in as the failure; None if it was in none."""
    running = open_activations(flow.thread)
    if not len(running):
        return None
    rows = flow.thread.stream.activations
    call = flow.queries.last_step(rows["last_instance"][running[-1]])
    if flow.kind(call) != CALL:
        return None
    given = (flow.argument(call, number) for number in range(flow.arguments(call)))
    seeds = frozenset(
        (operand, ALL)
        for operand in given
        if operand is not None and not isinstance(operand, Constant)
    )
    effects = flow.thread.stream.effects
    written = effects["step"][effects["kind"] == OUTPUT]
    before = Step(int(written.max())) if len(written) else None
    question = FailedValue(
        op=flow.op_of(call), step=call, seeds=seeds, silence=Silence(before, call)
    )
    name = flow.thread.image.sort(flow.op_of(call)).callee or "a function that is not recorded"
    words = f"the call of {name} at {flow.thread.line_at(call)} that did not return"
    return ObservedFailure(flow, question, words, "still waiting")


def _outcomes(branches: tuple[Step, ...]) -> Seeds:
    return frozenset((branch, ALL) for branch in branches)


def hang_beside(failure: ObservedFailure, passing: Flow) -> ObservedFailure:
    """Return the failure of a loop at the iteration in which the passing run left the loop.

    That iteration shows the difference; the last one before the stop only repeats it.
    """
    loop, flow = failure.loop, failure.flow
    assert loop is not None
    comparison = Comparison(Alignment(flow, passing))
    parted = [
        step
        for op in dict.fromkeys(flow.op_of(branch) for branch in loop.exits)
        if (step := _parting(comparison, loop, op)) is not None
    ]
    if not parted or not isinstance(failure.question, FailedValue):
        return failure
    first = min(parted)
    question = replace(
        failure.question,
        op=flow.op_of(first),
        step=first,
        seeds=frozenset({(first, ALL)}),
    )
    return replace(failure, question=question)


def _parting(comparison: Comparison, loop: UnfinishedLoop, op: Op) -> Step | None:
    """Return the first execution of a branch of the loop that went another way when passing."""
    flow = comparison.failing
    for step in map(Step, flow.executions(op)[:_MAX_TURNS].tolist()):
        if flow.activation_of(step) != loop.activation:
            continue
        if comparison.counterpart(step) is None:
            return None
        if comparison.side_differs(step):
            return step
    return None
