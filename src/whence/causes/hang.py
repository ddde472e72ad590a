"""Why did a run not end?  The failure is an endless loop or recursion, or the call that waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.questions import FailedValue, Seeds, Silence, silence_of
from whence.logic.logic import ALL
from whence.program.ids import Op, Step
from whence.program.rows import OUTPUT
from whence.trace.alignment import Alignment
from whence.trace.columns import CALL
from whence.trace.flow import Constant, Flow
from whence.trace.recursion import EndlessRecursion
from whence.trace.unfinished import UnfinishedLoop, open_activations

STILL_RUNNING = "still running"
_STILL_WAITING = "still waiting"
_FEW_TURNS = 200  # a loop that waits in a call has turned less often; guessed
# Functions that wait until something happens, without a limit on the time.
_WAITS = frozenset({
    "pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_spin_lock",
    "pthread_cond_wait", "pthread_barrier_wait", "pthread_join", "mtx_lock", "cnd_wait",
    "thrd_join", "sem_wait", "flock", "lockf", "wait", "waitpid", "wait3", "wait4", "waitid",
    "pause", "sigwait", "read", "readv", "recv", "recvfrom", "recvmsg", "accept", "accept4",
    "connect", "write", "writev", "send", "sendto", "sendmsg", "msgrcv", "open", "fopen", "fread",
    "fgets", "fgetc", "getc", "getchar", "getline", "getdelim", "scanf", "fscanf", "fwrite",
    "fputs", "fflush",
    # Of Python:
    "get", "put", "join", "acquire", "result", "sleep", "select", "poll", "communicate", "input",
    "readline", "run_until_complete",
})  # fmt: skip
_MAX_CALLS = 200  # limit on the last calls of one operation that are compared; guessed
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
    outcome = f"{STILL_RUNNING} after {loop.iterations:,} iterations"
    return ObservedFailure(flow, question, words, outcome, endless=loop)


def recursing(flow: Flow, recursion: EndlessRecursion, how: str) -> ObservedFailure:
    """Return a recursion that did not end as the failure; `how` is how the run ended."""
    call = recursion.typical[-1]
    branches = tuple(_conditions(flow, recursion, call))
    question = FailedValue(
        op=flow.op_of(call), step=call, seeds=_outcomes(branches), controlling=branches[:1]
    )
    first, *others = recursion.names
    called = (*others, first) if others else ("itself",)
    through = "".join(f", which calls {name}" for name in called)
    condition = "" if branches else " without a condition"
    words = f"the endless recursion of {first}{through} at {flow.thread.line_at(call)}{condition}"
    outcome = f"{how}, {recursion.depth:,} calls deep"
    return ObservedFailure(flow, question, words, outcome, endless=recursion)


def _conditions(flow: Flow, recursion: EndlessRecursion, call: Step) -> Iterator[Step]:
    """Yield the branches in one round of a recursion that let it go on, each condition once."""
    seen: set[Op] = set()
    branch = flow.controlling_branch(call)
    for _ in range(_MAX_TURNS):
        if branch is None or flow.activation_of(branch) < recursion.inside:
            return
        if flow.op_of(branch) not in seen:
            seen.add(flow.op_of(branch))
            yield branch
        branch = flow.controlling_branch(branch)


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
    return ObservedFailure(flow, question, words, _STILL_WAITING)


def waits_in(loop: UnfinishedLoop, wait: ObservedFailure) -> bool:
    """Does a thread wait in a call inside a loop, rather than go round the loop for ever?"""
    callee = wait.flow.thread.image.sort(wait.question.op).callee
    return loop.iterations < _FEW_TURNS and callee in _WAITS


def is_waiting(failure: ObservedFailure) -> bool:
    """Is the failure a call that did not return?"""
    return failure.outcome == _STILL_WAITING


def waiting_beside(failure: ObservedFailure, passing: Flow) -> ObservedFailure:
    """Return a call that did not return, with the call that would have ended the waiting.

    In the passing run the call returned.  Before that, the passing run called unrecorded functions
    that the failing run did not call: one of them gave what the call waits for.  A function that
    got one of the same arguments, such as the same lock, is the likeliest.
    """
    alignment = Alignment(failure.flow, passing)
    returned = alignment.passing_counterpart(failure.question.about)
    silence = silence_of(failure.question)
    if returned is None or silence is None:
        return failure
    missing = [
        step
        for op in _unrecorded_calls(passing)
        for step in map(Step, passing.executions(op)[:_MAX_CALLS].tolist())
        if step < returned and alignment.failing_counterpart(step) is None
    ]
    given = _given(passing, returned)
    likely = [step for step in missing if given & _given(passing, step)] or missing
    if not likely:
        return failure
    found = silence._replace(missing=(max(likely),))
    return replace(failure, question=replace(failure.question, silence=found))


def _unrecorded_calls(flow: Flow) -> Iterator[Op]:
    """Yield the operations that call a function by its name that is not recorded."""
    image = flow.thread.image
    recorded = set(image.function_names)
    for op in map(Op, np.flatnonzero(image.code.kind == CALL).tolist()):
        callee = image.sort(op).callee
        if callee and callee not in recorded:
            yield op


def _given(flow: Flow, call: Step) -> set[object]:
    """Return the values of the arguments of a call that are not constants."""
    operands = (flow.argument(call, number) for number in range(flow.arguments(call)))
    return {
        flow.value_of(operand)
        for operand in operands
        if operand is not None and not isinstance(operand, Constant)
    }


def hang_rank(failure: ObservedFailure) -> int:
    """Return how likely a hang is the reason for the others of the run: the least is the likeliest.

    A thread that waits for a process or a thread hangs because that one does, and a thread that
    waits for input may hang because another thread loops instead of writing.
    """
    endless, image = failure.endless, failure.flow.thread.image
    if endless is None:
        return 3 if _is_wait(image.sort(failure.question.op).callee) else 1
    if isinstance(endless, EndlessRecursion):
        return 0
    ops = (op for block in endless.body for op in image.ops_of_block(block))
    return 2 if any(_is_wait(image.sort(op).callee) for op in ops) else 0


def _is_wait(callee: str | None) -> bool:
    """Does a function with this name wait for the end of a process or a thread?"""
    return callee is not None and ("wait" in callee or "join" in callee)


def _outcomes(branches: tuple[Step, ...]) -> Seeds:
    return frozenset((branch, ALL) for branch in branches)


def endless_beside(failure: ObservedFailure, passing: Flow) -> ObservedFailure:
    """Return an endless loop or recursion at the point where the passing run left it.

    That point shows the difference; the last iterations before the stop only repeat it.
    """
    comparison = Comparison(Alignment(failure.flow, passing))
    if isinstance(failure.endless, EndlessRecursion):
        question = _left_recursion(comparison, failure.endless)
    else:
        assert failure.endless is not None
        question = _left_loop(comparison, failure.endless)
    return failure if question is None else replace(failure, question=question)


def _left_recursion(comparison: Comparison, recursion: EndlessRecursion) -> FailedValue | None:
    """Return the question about the first call of a recursion that the passing run lacks.

    If a condition prevented that call in the passing run, the question is about the condition.
    """
    flow = comparison.failing
    for call in map(Step, recursion.calls[:_MAX_TURNS].tolist()):
        if not call or comparison.counterpart(call) is not None:
            continue
        branch = flow.controlling_branch(call)
        branches = () if branch is None else (branch,)
        about = branch if branch and _went_on(comparison, branch) else call
        return FailedValue(
            op=flow.op_of(about), step=about, seeds=_outcomes(branches),
            controlling=() if about == branch else branches,
        )  # fmt: skip
    return None


def _went_on(comparison: Comparison, branch: Step) -> bool:
    """Did a branch of the failing run go another way than its counterpart?"""
    return comparison.counterpart(branch) is not None and comparison.side_differs(branch)


def _left_loop(comparison: Comparison, loop: UnfinishedLoop) -> FailedValue | None:
    """Return the question about the first branch that left the loop in the passing run."""
    flow = comparison.failing
    parted = [
        step
        for op in dict.fromkeys(flow.op_of(branch) for branch in loop.exits)
        if (step := _parting(comparison, loop, op)) is not None
    ]
    if not parted:
        return None
    first = min(parted)
    return FailedValue(op=flow.op_of(first), step=first, seeds=_outcomes((first,)))


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
