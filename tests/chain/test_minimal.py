"""Is a failure-inducing set minimal, and do the index and the chain have FIC's properties?"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace.tiny_runs import sample
from whence.chain.minimal import Induced, minimal_set
from whence.program.ids import Step
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.queries import Queries

sets = st.frozensets(st.integers(0, 9))


@given(inducing=st.sets(sets, min_size=1), size=st.integers(1, 10))
def test_no_member_of_a_minimal_set_can_be_left_out(
    inducing: set[frozenset[int]], size: int
) -> None:
    """Definition 5, for any oracle: also one that is not monotone."""
    everything = list(range(size))

    def induces(kept: Sequence[int]) -> Induced:
        is_known = frozenset(kept) in {*inducing, frozenset(everything)}
        return Induced.YES if is_known else Induced.NO

    found = minimal_set(everything, induces)
    assert induces(found) is Induced.YES
    if len(found) > 1:
        for member in found:
            assert induces([each for each in found if each != member]) is not Induced.YES


@given(needed=st.frozensets(st.integers(0, 30), min_size=1, max_size=3))
def test_a_needed_set_is_found_whatever_else_is_unclear(needed: frozenset[int]) -> None:
    def induces(kept: Sequence[int]) -> Induced:
        return Induced.YES if needed <= frozenset(kept) else Induced.UNCLEAR

    assert frozenset(minimal_set(range(31), induces)) == needed


@given(seeds=st.tuples(st.integers(0, 2**32 - 1), st.integers(2, 12)))
@settings(max_examples=40, deadline=None)
def test_the_structural_index_preserves_the_order(seeds: tuple[int, int]) -> None:
    """Theorem 1: of two steps with counterparts, the counterpart of the first comes first.

    The second run leaves out some branches as levels, as an alignment of two versions does.
    """
    seed, modulus = seeds
    queries = Queries(sample(seed, 150).stream)
    one = ExecutionIndexes(queries, lambda op: op % modulus != 1)
    other = Queries(sample(seed, 90).stream)  # the same run, cut short
    two = ExecutionIndexes(other, lambda op: op % modulus != 1)
    last = Step(0)
    for step in queries.stream.every_step:
        found = two.step_at(one.index_of(step))
        if found is not None:
            assert found > last
            last = found
