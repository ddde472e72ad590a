"""What did the failing run print differently from a passing run?

Another program may judge what the recorded one printed.  Then no recorded process fails by itself,
and its output is the only thing by which it can have failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from whence.causes.comparison import Comparison
from whence.causes.divergence_points import DivergencePoints
from whence.causes.observed_failure import ObservedFailure
from whence.causes.questions import FailedValue, Silence
from whence.logic.logic import ALL
from whence.program.ids import Step
from whence.program.rows import INPUT, OUTPUT
from whence.trace.alignment import Alignment
from whence.trace.flow import Flow, Left, Operand
from whence.trace.queries import OUTSIDE


def output_difference(failing: Flow, passing: Flow) -> ObservedFailure | None:
    """Return the first output that only one of two runs has; None if none is known."""
    comparison = Comparison(Alignment(failing, passing))
    last: Step | None = None
    for step, rows in _effects(failing, OUTPUT).items():
        other = comparison.counterpart(step)
        wrong = [
            source
            for row in rows
            for source in _sources(failing, row, step)
            if not _is_same(comparison, source)
        ]
        passing_size = 0 if other is None else _output_size(passing, other)
        if other is None or wrong or _output_size(failing, step) != passing_size:
            return _output_failure(failing, step, last, wrong if other else [])
        last = step
    if DivergencePoints(comparison).unprinted(last) is not None:
        return _output_failure(failing, Step(failing.thread.stream.steps), last, [], is_short=True)
    return None


def first_output_difference(pairs: Iterable[tuple[Flow, Flow]]) -> ObservedFailure | None:
    """Return the output of the first process that printed something different.

    A process that read different input is only the second choice: another process gave it that
    input.
    """
    second_choice = None
    for failing, passing in pairs:
        found = output_difference(failing, passing)
        if found is not None and _read_the_same(failing, passing):
            return found
        second_choice = second_choice or found
    return second_choice


def _read_the_same(failing: Flow, passing: Flow) -> bool:
    """Did both runs read the same input, as far as the reading steps show?"""
    comparison = Comparison(Alignment(failing, passing))
    own, others = _effects(failing, INPUT), _effects(passing, INPUT)
    if sum(map(len, own.values())) != sum(map(len, others.values())):
        return False
    return _size(failing, own) == _size(passing, others) and all(map(comparison.is_same, own))


def _size(flow: Flow, effects: Mapping[Step, list[int]]) -> int:
    lengths = flow.thread.stream.effects["len"]
    return sum(int(lengths[row]) for rows in effects.values() for row in rows)


def with_earlier_outputs(failure: ObservedFailure, passing: Flow) -> ObservedFailure:
    """Add the outputs that differ before a failure of the output shows.

    An output that is too short shows only in the output after it.
    """
    question = failure.question
    if not isinstance(question, FailedValue) or question.silence is None or not question.seeds:
        return failure
    other = output_difference(failure.flow, passing)
    if other is None or other.question.about > question.about:
        return failure
    earlier = other.question
    wider = replace(
        question,
        seeds=question.seeds | earlier.seeds,
        bears_on=question.bears_on | earlier.steps,
    )
    return replace(failure, question=wider)


def _effects(flow: Flow, kind: int) -> dict[Step, list[int]]:
    """Return the steps that printed or read, in order, each with its rows of `effects`."""
    effects = flow.thread.stream.effects
    found: dict[Step, list[int]] = {}
    for row in np.flatnonzero(effects["kind"] == kind).tolist():
        found.setdefault(Step(int(effects["step"][row])), []).append(row)
    return dict(sorted(found.items()))


def _output_size(flow: Flow, step: Step) -> int:
    effects = flow.thread.stream.effects
    rows = [row for row in flow.queries.effects_of(step) if effects[row]["kind"] == OUTPUT]
    return sum(int(effects[row]["len"]) for row in rows)


def _sources(flow: Flow, row: int, step: Step) -> list[Operand]:
    """Return the operands that the bytes of an effect were computed from."""
    size = int(flow.thread.stream.effects[row]["len"])
    found: list[Operand] = []
    for part in flow.queries.bytes_of(row, 0, size):
        if part.kind in OUTSIDE or not part.step or part.step == step:
            continue
        is_left = part.kind == "memory" and flow.is_call(part.step)
        left = Left(part.step, part.address or 0, 8 * part.length)
        found.append(left if is_left else part.step)
    return found


def _is_same(comparison: Comparison, operand: Operand) -> bool:
    if isinstance(operand, int):
        return comparison.is_same(operand)
    return isinstance(operand, Left) and comparison.counterpart(operand.step) is not None


def _output_failure(
    flow: Flow, step: Step, last: Step | None, wrong: list[Operand], *, is_short: bool = False
) -> ObservedFailure:
    """Return the failure of an output; `last` is the output before it, if there is one."""
    where = flow.describer().names.line(step)
    words = f"what {where} printed" if not is_short else "the output, which ends too early"
    question = FailedValue(
        op=flow.op_of(step),
        step=step,
        seeds=frozenset((operand, ALL) for operand in wrong) or frozenset({(step, ALL)}),
        silence=Silence(last, step),
    )
    return ObservedFailure(flow, question, words, "not as in the passing run", (), words)
