"""Are the answers about one step what the run was?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace.tiny_runs import Node, Sample, sample
from tests.trace.truth import callbacks, coming_from
from whence.program.ids import Instance, Step, Stretch
from whence.trace import positions
from whence.trace.columns import CALL, LINK, Stream
from whence.trace.memory_writes import MemoryRange
from whence.trace.queries import OUTSIDE, Dependence, Part, Queries

seeds = st.integers(0, 2**32 - 1)
examples = settings(max_examples=40, deadline=None)


def steps_of(found: Sample) -> Sequence[Step]:
    return found.stream.every_step


def as_nodes(found: Sample, dependences: Iterable[Dependence]) -> set[Node]:
    """Return the nodes of dependences; a part counts only for calls that entered or copied."""
    nodes = [node for d in dependences if d.kind not in OUTSIDE for node in nodes_of(d)]
    return {distinct(found, node) for node in nodes}


def nodes_of(d: Dependence) -> list[Node]:
    assert d.step is not None
    if d.address is None:
        return [(d.step, d.part)]
    return [(d.step, d.part, d.address + k) for k in range(d.length)]


def distinct(found: Sample, node: Node) -> Node:
    if len(node) == 3:
        return node
    step, part = Step(node[0]), node[1]
    queries = Queries(found.stream)
    call = found.stream.code.kind[found.truth.op[step]] == CALL
    parted = call and (queries.entered(step) or queries.is_copy(step))
    return (step, part) if parted else (step, Part.VALUE)


@given(seed=seeds)
@examples
def test_positions_are_those_of_the_run(seed: int) -> None:
    found = sample(seed)
    queries = Queries(found.stream)
    for step in steps_of(found):
        instance, op = queries.instance_of(step), queries.op_of(step)
        assert (instance, op) == (found.truth.instance[step], found.truth.op[step])
        assert queries.step_of(instance, op) == step
        assert queries.activation_of(step) == found.truth.activation[step]
        assert queries.controlling_step(step) == (found.truth.control[step] or None)
        assert queries.incoming_branch(step) == (coming_from(found, step) or None)


@pytest.mark.parametrize("near", [0, 64])
@given(seed=seeds)
@examples
def test_definitions_are_those_of_the_run(near: int, seed: int) -> None:
    """Registers are found by walking back, or (near = 0) by the index of stretches."""
    found = sample(seed)
    queries, returned = Queries(found.stream), callbacks(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positions, "NEAR", near)
        for step in steps_of(found):
            for part in Part:
                true = {distinct(found, n) for n in found.truth.data[(step, part)] if n[0]}
                true |= {(ret, Part.VALUE) for ret in returned.get(step, [])}
                assert as_nodes(found, queries.definitions(step, part)) == true, (step, part)


@given(seed=seeds)
@examples
def test_a_copied_byte_comes_from_the_byte_that_it_is_a_copy_of(seed: int) -> None:
    found = sample(seed)
    queries, returned = Queries(found.stream), callbacks(found)
    for node, nodes in found.truth.data.items():
        if len(node) == 3:
            step, part, address = node
            true = {distinct(found, n) for n in nodes if n[0]}
            true |= {(ret, Part.VALUE) for ret in returned.get(step, [])}
            definitions = queries.definitions(Step(step), part, MemoryRange(address, 1))
            assert as_nodes(found, definitions) == true


@given(seed=seeds)
@examples
def test_the_definitions_of_a_load_cover_its_bytes(seed: int) -> None:
    found = sample(seed)
    queries = Queries(found.stream)
    for load, least in found.truth.loads.items():
        step = Step(load)
        definitions = queries.loaded(queries.instance_of(step), queries.op_of(step))
        assert min(d.step or 0 for d in definitions) == least
        if queries.is_copy(step):
            continue
        runs = [d for d in queries.definitions(step) if d.length]
        ends = [run.offset + run.length for run in runs]
        assert [run.offset for run in runs] == [0, *ends[:-1]][: len(runs)]


@given(seed=seeds)
@examples
def test_the_instance_before_another_is_of_the_same_activation(seed: int) -> None:
    found = sample(seed)
    stream, queries = found.stream, Queries(found.stream)
    for instance in map(Instance, range(len(stream.first))):
        of_activation = stream.activation == stream.activation[instance]
        before = np.flatnonzero(of_activation[:instance])
        assert queries.previous_instance(instance) == (before[-1] if len(before) else None)


@given(seed=seeds)
@examples
def test_the_last_write_is_the_last_write(seed: int) -> None:
    """Compare with replaying all writes in order, byte by byte."""
    found = sample(seed)
    queries = Queries(found.stream)
    rows = found.stream.writes
    for before in range(1, found.stream.steps, 37):
        for start, size in ((995, 20), (1003, 1), (1000, 5), (1000, 0)):
            bytes_: dict[int, int | None] = {start + k: None for k in range(size)}
            for row in rows[rows["step"] < before]:
                for address in range(int(row["addr"]), int(row["addr"]) + int(row["len"])):
                    if address in bytes_:
                        bytes_[address] = int(row["step"])
            runs = queries.last_write(start, size, Step(before))
            assert [run.step for run in runs for _ in range(run.length)] == list(bytes_.values())


@given(seed=seeds)
@examples
def test_callers_are_the_activations_around_a_step(seed: int) -> None:
    found = sample(seed)
    queries, parents = Queries(found.stream), found.stream.activations["parent"]
    for step in steps_of(found)[::11]:
        chain: list[int] = [*queries.callers(step), 0]
        assert chain[0] == found.truth.activation[step]
        assert [int(parents[inner]) for inner in chain[:-1]] == chain[1:]


def test_a_stream_comes_back_from_disk_and_keeps_its_indexes(tmp_path: Path) -> None:
    found = sample(7)
    found.stream.save(tmp_path)
    stream = Stream.load(tmp_path, found.stream.code, found.stream.steps)
    queries = Queries(stream)
    stretch = Stretch(int(stream.stretch[0]))
    instances = Queries(found.stream).instances_of(stretch)
    assert queries.instances_of(stretch)[:].tolist() == instances[:].tolist()
    assert (tmp_path / "by-stretch.u32").stat().st_size == 4 * len(stream.first)
    step = stream.every_step[-1]
    assert queries.definitions(step) == Queries(found.stream).definitions(step)


def test_a_run_that_was_not_cut_knows_its_length(tmp_path: Path) -> None:
    found = sample(7)
    whole = found.stream.code.stretch_ops[found.stream.stretch[-1]]
    found.stream.save(tmp_path)
    steps = Stream.load(tmp_path, found.stream.code).steps
    assert steps == found.stream.first[-1] + whole - 1


def test_a_step_that_was_not_executed_is_refused() -> None:
    queries = Queries(sample(1).stream)
    with pytest.raises(ValueError, match="not in 1"):
        queries.instance_of(Step(0))


def test_the_samples_are_varied() -> None:
    """The properties above hold trivially for samples without these."""
    streams = [sample(seed).stream for seed in range(100)]
    assert sum(len(stream.mixed) for stream in streams) > 50
    assert sum(len(stream.copied) for stream in streams) > 50
    assert sum(np.any(np.diff(s.effects["step"].astype(int)) < 0) for s in streams) > 3
    assert sum(bool(stream.code.flags[0] & LINK) for stream in streams) > 3
    assert max(int(stream.activations["depth"].max()) for stream in streams) > 20
