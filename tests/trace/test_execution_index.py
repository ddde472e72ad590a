"""Does each step of a run have an execution index of its own, which leads back to the step?"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace.tiny_runs import sample
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.queries import Queries

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_an_index_leads_back_to_its_step(seed: int) -> None:
    queries = Queries(sample(seed, 150).stream)
    indexes = ExecutionIndexes(queries)
    for step in queries.stream.every_step:
        assert indexes.step_at(indexes.index_of(step)) == step


@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_no_two_steps_have_the_same_index(seed: int) -> None:
    queries = Queries(sample(seed, 150).stream)
    indexes = ExecutionIndexes(queries)
    found = {indexes.index_of(step) for step in queries.stream.every_step}
    assert len(found) == queries.stream.steps


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_an_index_of_no_step_leads_nowhere(seed: int) -> None:
    queries = Queries(sample(seed, 150).stream)
    indexes = ExecutionIndexes(queries)
    assert indexes.step_at(()) is None
    index = indexes.index_of(queries.stream.every_step[-1])
    for k, level in enumerate(index):
        for other in (
            level._replace(rank=level.rank + 10**6),
            level._replace(times=level.times + 10**6),
        ):
            assert indexes.step_at((*index[:k], other, *index[k + 1 :])) is None


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_levels_that_do_not_count_are_left_out(seed: int) -> None:
    """The index then has the other levels only, and still leads back to its step."""
    queries = Queries(sample(seed, 150).stream)
    indexes = ExecutionIndexes(queries, lambda op: op % 3 != seed % 3)
    for step in queries.stream.every_step:
        index = indexes.index_of(step)
        assert all(level.op % 3 != seed % 3 for level in index[:-1])
        assert indexes.step_at(index) == step
