"""Is the smallest set of items found with which a run passes?"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from whence.environment.differing import line_changes, with_changes
from whence.environment.minimise import minimal

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=12)


@given(
    total=st.integers(1, 40),
    sets=st.lists(st.frozensets(st.integers(0, 39), min_size=1, max_size=4), min_size=1),
)
def test_each_item_of_the_set_is_needed(total: int, sets: list[frozenset[int]]) -> None:
    """The oracle is monotone: it passes with any superset of one of some sets."""
    wanted = [frozenset(item % total for item in one) for one in sets]

    def passes(items: Sequence[int]) -> bool:
        return any(one <= set(items) for one in wanted)

    found = minimal(range(total), passes)
    assert passes(found)
    assert not any(passes([item for item in found if item != left]) for left in found)


@given(total=st.integers(2, 12), passing=st.sets(st.frozensets(st.integers(0, 11))))
def test_the_set_passes_whatever_the_oracle(total: int, passing: set[frozenset[int]]) -> None:
    everything = frozenset(range(total))
    passing = {one & everything for one in passing} - {frozenset()} | {everything}
    assert frozenset(minimal(range(total), lambda items: frozenset(items) in passing)) in passing


def test_one_of_a_thousand_takes_few_runs() -> None:
    runs = []

    def passes(items: Sequence[int]) -> bool:
        runs.append(items)
        return 617 in items

    assert minimal(range(1000), passes) == [617]
    assert len(runs) <= 22


@given(good=LINES, bad=LINES)
def test_all_line_changes_together_give_the_other_content(
    good: list[bytes], bad: list[bytes]
) -> None:
    there, here = b"".join(good), b"".join(bad)
    changes = line_changes(there, here)
    assert with_changes(here, changes) == there
    assert with_changes(here, []) == here
