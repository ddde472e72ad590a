"""Is a slice the closure of the true dependences?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.trace.tiny_programs import Op, Parameter
from tests.trace.tiny_runs import Node, Sample, sample, straight
from tests.trace.truth import callbacks, random_potential, true_slice, trusted_call
from whence.program.ids import Step
from whence.program.rows import COPY, OUTPUT, READ
from whence.trace.columns import BRANCH, CALL, RETURN
from whence.trace.queries import Part, Queries
from whence.trace.slicer import ByteRange, Slicer, executed_ops, slice_

seeds = st.integers(0, 2**32 - 1)
examples = settings(max_examples=120, deadline=None)


def check_slices(found: Sample, **options: Any) -> None:
    """Check the slices of several points, one by one and together."""
    steps = found.stream.steps
    points = {*range(1, steps + 1, 29), steps}
    slicer = Slicer(found.stream, **options)  # one slice must leave nothing to the next
    for criteria in [*([point] for point in points), sorted(points)[-3:]]:
        true = true_slice(found, [(step, Part.VALUE) for step in criteria], **options)
        assert slice_(found.stream, criteria, **options).tolist() == sorted(true)
        assert slicer.slice(criteria).tolist() == sorted(true)


def some_guards(found: Sample, random: np.random.Generator) -> Any:
    code = found.stream.code
    last = code.op_stretch[code.kind == BRANCH]
    guards = np.zeros(len(code.stretch_ops), bool)
    guards[last[random.random(len(last)) < 0.3]] = True
    return guards


@given(seed=seeds)
@example(seed=6552501)  # a call that reads what it printed into memory itself
@example(seed=39338968)  # a call that copies what it copied itself
@examples
def test_dynamic_slices(seed: int) -> None:
    check_slices(sample(seed))


@pytest.mark.parametrize(("data", "control"), [(True, False), (False, True), (False, False)])
@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_slices_of_data_or_control_alone(data: bool, control: bool, seed: int) -> None:
    check_slices(sample(seed), data=data, control=control)


@given(seed=seeds)
@examples
def test_relevant_slices(seed: int) -> None:
    found = sample(seed)
    check_slices(found, potential=random_potential(found, np.random.default_rng(seed)))


@given(seed=seeds)
@examples
def test_slices_through_trusted_functions(seed: int) -> None:
    found = sample(seed)
    trusted = np.random.default_rng(seed).random(len(found.functions)) < 0.5
    check_slices(found, trusted=trusted)


@given(seed=seeds)
@examples
def test_slices_with_guards(seed: int) -> None:
    found = sample(seed)
    check_slices(found, guards=some_guards(found, np.random.default_rng(seed)))


@given(seed=seeds)
@example(seed=1572469152)  # a call that reads what its own callback wrote: the walk starts again
@examples
def test_slices_with_all_options(seed: int) -> None:
    found, random = sample(seed), np.random.default_rng(seed)
    check_slices(
        found,
        potential=random_potential(found, random),
        guards=some_guards(found, random),
        trusted=random.random(len(found.functions)) < 0.3,
    )


@given(seed=seeds)
@example(seed=13214)  # bytes printed in a callback that returns in the same stretch
@examples
def test_slices_of_output_bytes(seed: int) -> None:
    found, random = sample(seed), np.random.default_rng(seed)
    stream = found.stream
    trusted = random.random(len(found.functions)) < 0.3 if seed % 2 else None
    guards = some_guards(found, random) if seed % 3 else None
    for row in np.flatnonzero(np.isin(stream.effects["kind"], [READ, COPY, OUTPUT]))[:8]:
        check_bytes(found, int(row), trusted=trusted, guards=guards)


def check_bytes(found: Sample, row: int, **options: Any) -> None:
    start, stop = 1, 3
    step = int(found.stream.effects["step"][row])
    nodes = [*made_of(found, step, row, start, stop), (found.truth.control[step], Part.ENTRY)]
    only = frozenset([step])
    outer = trusted_call(found, step, options["trusted"])
    if outer is not None:
        nodes.append((outer, Part.ARGUMENTS))
    true = true_slice(found, nodes, only=only, **options) - (only if outer is not None else set())
    found_steps = slice_(found.stream, [ByteRange(row, start, stop)], **options).tolist()
    assert found_steps == sorted(true)


def made_of(found: Sample, step: int, row: int, start: int, stop: int) -> list[Node]:
    made = found.truth.effects[row]
    if not made.bytes_ and made.argument < 0:
        returned: list[Node] = [(ret, Part.VALUE) for ret in callbacks(found).get(step, [])]
        return [*found.truth.data[(step, Part.ARGUMENTS)], *returned]
    uses = [made.uses[made.argument]] if made.argument >= 0 else made.uses
    return [*made.bytes_[start:stop], *(node for nodes in uses for node in nodes)]


def test_a_step_in_a_function_does_not_depend_on_its_return() -> None:
    """A step in f depends on the call of f, but not on what f returns later."""
    inside = Op("plain", uses=[Parameter(0)])
    later = Op("plain")
    given = Op("plain")
    call = Op("call", CALL, [given, None], target=1)
    found = straight(
        (0, [given, call, Op("ret", RETURN, [call])]),
        (1, [inside, later, Op("ret", RETURN, [later])]),
    )
    assert names(found, 3) == ["plain", "call", "plain"]  # given, call, inside
    assert names(found, 6) == ["call", "plain", "ret", "ret"]  # call, later, both returns


def test_a_trusted_function_inside_a_trusted_function_adds_nothing() -> None:
    """f calls h with what f loaded, but h does not use it."""
    loaded, made = Op("load", link=True, size=1), Op("plain")
    outer = Op("call", CALL, [None], target=1)
    inner = Op("call", CALL, [loaded, None], target=2)
    found = straight(
        (0, [Op("store", size=1), outer, Op("ret", RETURN, [outer])]),
        (0, [loaded, inner, Op("ret", RETURN, [inner])]),
        (1, [made, Op("ret", RETURN, [made])]),
    )
    trusted = np.array([False, True, True])
    assert names(found, found.stream.steps, trusted=trusted) == ["call", "ret"]


def names(found: Sample, criterion: int, **options: Any) -> list[str]:
    """Return the names of the operations of a slice, in order."""
    ops = {op.number: op.name for f in found.functions for b in f.blocks for op in b.ops}
    return [
        ops[found.truth.op[int(step)]]
        for step in slice_(found.stream, [Step(criterion)], **options)
    ]


def test_no_criteria_no_slice() -> None:
    assert len(slice_(sample(3).stream, [])) == 0


def test_a_step_that_was_not_executed_is_refused() -> None:
    with pytest.raises(ValueError, match="not in 1"):
        slice_(sample(3).stream, [Step(10**6)])


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_ops_are_counted_with_their_last_step(seed: int) -> None:
    stream = sample(seed).stream
    steps = np.flatnonzero(np.random.default_rng(seed).random(stream.steps) < 0.5) + 1
    counts, last = executed_ops(stream, steps.astype(np.uint32))
    ops: list[int] = [Queries(stream).op_of(Step(step)) for step in steps.tolist()]
    assert counts.tolist() == [ops.count(op) for op in range(len(counts))]
    assert {op: int(last[op]) for op in ops} == dict(zip(ops, steps.tolist(), strict=True))
