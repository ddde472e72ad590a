"""Do indexes stand for steps, one for one and in order?"""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace.tiny import sample
from whence.trace.index import Element, index_of, step_at
from whence.trace.queries import Queries

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_an_index_leads_back_to_its_step(seed: int) -> None:
    queries = Queries(sample(seed, 150).stream)
    for step in range(1, queries.stream.steps + 1):
        assert step_at(queries, index_of(queries, step)) == step


@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_indexes_are_ordered_as_their_steps(seed: int) -> None:
    """So no two are the same."""
    queries = Queries(sample(seed, 150).stream)
    indexes = [index_of(queries, step) for step in range(1, queries.stream.steps + 1)]
    assert all(a < b for a, b in itertools.pairwise(indexes))


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_an_index_of_no_step_leads_nowhere(seed: int) -> None:
    queries = Queries(sample(seed, 150).stream)
    index = index_of(queries, queries.stream.steps)
    last: Element = index[-1]
    assert step_at(queries, ()) is None
    assert step_at(queries, index[:-1]) is None
    assert step_at(queries, (*index[:-1], last._replace(place=last.place + 10**6))) is None
    for k, element in enumerate(index[:-1]):
        other = element._replace(side=element.side + 1)
        assert step_at(queries, (*index[:k], other, *index[k + 1 :])) is None
        other = element._replace(turns=element.turns + 10**6)
        assert step_at(queries, (*index[:k], other, *index[k + 1 :])) is None
