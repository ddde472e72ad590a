"""Does reordering put each condition behind those that decide that it counts?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from whence.paths.reorder import reorder


def test_the_last_condition_comes_first_if_nothing_decides_about_it() -> None:
    assert reorder(["b1", "b2"], lambda _a, _b: False) == ["b2", "b1"]


def test_what_decides_about_the_last_condition_comes_before_it() -> None:
    behind = {("b1", "b3")}
    assert reorder(["b1", "b2", "b3"], lambda a, b: (a, b) in behind) == ["b1", "b3", "b2"]


@given(st.integers(0, 8), st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7))))
def test_reordering_keeps_every_condition_and_every_dependence(
    count: int, pairs: set[tuple[int, int]]
) -> None:
    """`a` comes before `b` if `b` depends on it, directly or through others."""
    behind = {(a, b) for a, b in pairs if a < b < count}
    for middle in range(count):
        behind |= {(a, c) for a, m in behind if m == middle for n, c in behind if n == middle}
    found = reorder(list(range(count)), lambda a, b: (a, b) in behind)
    assert sorted(found) == list(range(count))
    assert all(found.index(a) < found.index(b) for a, b in behind)
