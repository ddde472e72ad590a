"""What did the failing run print otherwise than a passing one?

For a test in which another program judges what the recorded one printed: then no recorded process
fails by itself, and what it printed is all that it can have failed by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.predicates import Question
from whence.logic.logic import ALL
from whence.model import Influence
from whence.program.rows import INPUT, OUTPUT
from whence.trace.alignment import Alignment
from whence.trace.flow import Flow, Left, Operand
from whence.trace.queries import OUTSIDE


def printed_otherwise(failing: Flow, passing: Flow) -> ObservedFailure | None:
    """The first thing that the failing run printed and the passing one did not, or the other way
    round; None if they printed the same, as far as can be told."""
    comparison = Comparison(Alignment(failing, passing))
    last = 0
    for step, rows in _effects(failing, OUTPUT).items():
        twin = comparison.twin(step)
        wrong = [one for row in rows for one in _made_of(failing, row, step)
                 if not _is_same(comparison, one)]  # fmt: skip
        sizes = _sizes(failing, step), 0 if twin is None else _sizes(passing, twin)
        if twin is None or wrong or sizes[0] != sizes[1]:
            return _found(failing, step, last, wrong if twin else [])
        last = step
    if next(comparison.unprinted(last), None) is not None:
        return _found(failing, failing.thread.stream.steps, last, [], is_short=True)
    return None


def first_printed_otherwise(pairs: Iterable[tuple[Flow, Flow]]) -> ObservedFailure | None:
    """The same, of several processes: where the difference begins.

    What a process printed otherwise because it read otherwise is another's fault.
    """
    later = None
    for failing, passing in pairs:
        found = printed_otherwise(failing, passing)
        if found is not None and _read_alike(failing, passing):
            return found
        later = later or found
    return later


def _read_alike(failing: Flow, passing: Flow) -> bool:
    """Did both runs read the same, as far as the steps that read can tell?"""
    comparison = Comparison(Alignment(failing, passing))
    own, others = _effects(failing, INPUT), _effects(passing, INPUT)
    if sum(map(len, own.values())) != sum(map(len, others.values())):
        return False
    return _size(failing, own) == _size(passing, others) and all(map(comparison.is_same, own))


def _size(flow: Flow, rows: Mapping[int, list[int]]) -> int:
    effects = flow.thread.stream.effects
    return sum(int(effects[row]["len"]) for some in rows.values() for row in some)


def with_prints(found: ObservedFailure, passing: Flow) -> ObservedFailure:
    """A failure of the output, with what was printed otherwise before it showed.

    A print that came to too little shows only in what comes after it.
    """
    if found.question.silence is None or not found.question.seeds:
        return found
    other = printed_otherwise(found.flow, passing)
    if other is None or other.question.about > found.question.about:
        return found
    question = replace(
        found.question,
        seeds=found.question.seeds | other.question.seeds,
        bears_on=found.question.bears_on | other.question.steps,
    )
    return replace(found, question=question)


def _effects(flow: Flow, kind: int) -> dict[int, list[int]]:
    """The steps that printed or read something, in order, each with its rows of `effects`."""
    effects = flow.thread.stream.effects
    found: dict[int, list[int]] = {}
    for row in np.flatnonzero(effects["kind"] == kind).tolist():
        found.setdefault(int(effects["step"][row]), []).append(row)
    return dict(sorted(found.items()))


def _sizes(flow: Flow, step: int) -> int:
    effects = flow.thread.stream.effects
    rows = [row for row in flow.queries.effects_of(step) if effects[row]["kind"] == OUTPUT]
    return sum(int(effects[row]["len"]) for row in rows)


def _made_of(flow: Flow, row: int, step: int) -> list[Operand]:
    size = int(flow.thread.stream.effects[row]["len"])
    found: list[Operand] = []
    for one in flow.queries.bytes_of(row, 0, size):
        if one.kind in OUTSIDE or not one.step or one.step == step:
            continue
        is_left = one.kind == "memory" and flow.is_call(one.step)
        found.append(Left(one.step, one.address or 0, 8 * one.length) if is_left else one.step)
    return found


def _is_same(comparison: Comparison, operand: Operand) -> bool:
    if isinstance(operand, int):
        return comparison.is_same(operand)
    return isinstance(operand, Left) and comparison.twin(operand.step) is not None


def _found(
    flow: Flow, step: int, last: int, seeds: list[Operand], *, is_short: bool = False
) -> ObservedFailure:
    where = flow.describer().names.line(step)
    words = f"what {where} printed" if not is_short else "the output, which ends too early"
    question = Question(
        Influence.FAILURE,
        flow.op_of(step),
        0,
        frozenset({step}),
        step,
        seeds=frozenset((one, ALL) for one in seeds) or frozenset({(step, ALL)}),
        silence=(last, step),
    )
    return ObservedFailure(flow, question, words, "not as in the passing run", (), words)
