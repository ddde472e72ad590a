"""Do the index, the sets and the two searches have the properties that FIC proves?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chain.run import CASES, versions
from tests.causes.explaining import built
from tests.chain.chaining import chain_of
from tests.trace.test_alignment import PROGRAM, aligned, flow_of, steps_of
from whence.causes.comparison import Comparison
from whence.chain.hierarchical import HierarchicalSearch, SetToInduce
from whence.chain.points import AlignedPoints, rising_points
from whence.model import ChainResult
from whence.program.ids import Step
from whence.service import chain_session
from whence.trace.alignment import Alignment


def links_of(result: ChainResult) -> list[tuple[int, tuple[str, ...], bool]]:
    return [(link.line, tuple(m.name for m in link.members), link.is_root) for link in result.chain]


@pytest.mark.parametrize("argument", ["1", "2", "40"])
def test_counterparts_of_one_program_are_in_the_order_of_their_steps(
    tmp_path: Path, argument: str
) -> None:
    """Theorem 1, for two runs of one program that go different ways."""
    alignment = aligned(tmp_path, PROGRAM, argument)
    found = [alignment.passing_counterpart(step) for step in steps_of(alignment.failing)]
    assert None in found  # the runs do differ
    assert is_rising(found)


ONE_LOOP = """
#include <stdio.h>
static int left[4], right[4];
int main(void) {
    int n = 3;
    for (int i = 0; i < n; i++) {
        left[i] = i * 2;
        right[i] = i + 5;
    }
    printf("%d\\n", left[1] + right[2]);
    return 0;
}
"""
TWO_LOOPS = ONE_LOOP.replace(
    """    for (int i = 0; i < n; i++) {
        left[i] = i * 2;
        right[i] = i + 5;
    }
""",
    """    int i = 0;
again:
    left[i] = i * 2;
    if (++i < n) goto again;
    i = 0;
more:
    right[i] = i + 5;
    if (++i < n) goto more;
""",
)


def is_rising(steps: Sequence[Step | None]) -> bool:
    known = [step for step in steps if step is not None]
    return all(one < other for one, other in pairwise(known))


def test_points_keep_the_order_when_statements_cross(tmp_path: Path) -> None:
    """Two versions may run statements in another order; the points that are compared keep it."""
    failing = flow_of(built(ONE_LOOP, tmp_path / "bad").run())
    alignment = Alignment(failing, flow_of(built(TWO_LOOPS, tmp_path / "good").run()))
    steps = steps_of(failing)
    assert not is_rising([alignment.passing_counterpart(step) for step in steps])
    points = AlignedPoints(Comparison(alignment), Step(len(steps)))
    kept = sorted(point for region in [None, *steps] for point in points.within(region))
    assert len(kept) > 10
    assert is_rising([alignment.passing_counterpart(point) for point in kept])


@given(others=st.permutations(range(1, 8)))
@settings(max_examples=60, deadline=None)
def test_as_few_points_as_possible_are_left_out(others: Sequence[int]) -> None:
    pairs = [(Step(n), Step(other)) for n, other in enumerate(others, 1)]
    kept = rising_points(pairs)
    values = [others[step - 1] for step in kept]
    assert kept == sorted(kept)
    assert values == sorted(values)
    longer = combinations(range(7), len(kept) + 1)
    assert not any(
        all(others[a] < others[b] for a, b in pairwise(chosen)) for chosen in longer
    )  # fmt: skip


MODEL = """\
#include <stdio.h>
static int doubled(int n) {
    int result = n << 1;
    return result;
}
int main(void) {
    int tall, slow, calm = 3;
    int step = 1;
    int wide = doubled(step);
    if (step > 0)
        tall = step << 2;
    else
        tall = 0;
    for (int i = 0; i < 3; i++)
        calm += i;
    slow = doubled(wide) + calm;
    return slow + tall > 6;
}
"""


def test_between_two_points_with_one_set_all_points_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Property 2, with the set of every aligned point computed; the chain is that of both searches.

    The linear search does not use the property: it goes back point by point.
    """
    sets: list[tuple[Step, frozenset[Step]]] = []

    class LinearSearch(HierarchicalSearch):
        def _last_change(self, points: Sequence[Step], target: SetToInduce) -> int | None:  # noqa: ARG002 - never halves
            return len(points) - 1

        def _at(self, point: Step, target: SetToInduce) -> SetToInduce:
            found = super()._at(point, target)
            sets.append((point, frozenset(value.step for value in found.values)))
            return found

    good = MODEL.replace("int step = 1", "int step = 0")
    by_dependences = chain_of(tmp_path, MODEL, good)
    by_levels = chain_of(tmp_path, MODEL, good, method="hierarchical")
    monkeypatch.setitem(chain_session._METHODS, "hierarchical", LinearSearch)
    one_by_one = chain_of(tmp_path, MODEL, good, method="hierarchical")
    assert links_of(by_dependences) == links_of(by_levels) == links_of(one_by_one)
    assert all(link.is_proved for link in one_by_one.chain)
    points = [point for point, _ in sets]
    assert len(points) > 2 * len(by_levels.chain)  # most points have the set of their neighbour
    assert points == sorted(points, reverse=True)
    changes = [now for (_, now), (_, before) in pairwise(sets) if now != before]
    assert len(changes) == len({*changes})  # no set comes back after another one


@pytest.mark.parametrize("name", ["c05_struct.c", "c10_recursion.c", "p01_flag.py.txt"])
@pytest.mark.parametrize("method", ["dependence", "hierarchical"])
def test_a_search_that_ends_at_a_right_state_ends_at_the_faulty_statement(
    tmp_path: Path, name: str, method: str
) -> None:
    """Theorem 2: the first set has one member, and that is the fault of the program."""
    case = CASES / name
    bad, good = versions(case)
    lines = case.read_text().splitlines()
    (fault,) = [number for number, line in enumerate(lines, 1) if "@{" in line]
    result = chain_of(tmp_path, bad, good, method=method, expect=EXPECTED[name])
    roots = [link for link in result.chain if link.is_root]
    assert [(link.line, len(link.members)) for link in roots] == [(fault, 1)]
    assert result.chain[0] == roots[0]


EXPECTED = {"c05_struct.c": "25\n", "c10_recursion.c": "3\n", "p01_flag.py.txt": "7\n"}
