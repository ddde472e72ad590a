"""Does a program find its stack in the same place, whatever its variables are?"""

from __future__ import annotations

import subprocess

from hypothesis import given
from hypothesis import strategies as st

from whence.frontend.rerun.steady_stack import SteadyStack
from whence.frontend.test_execution import fixed_addresses

_START_OF_STACK = 25  # the field of /proc/PID/stat, counted from the one after the name

variables = st.dictionaries(
    st.text("ABCD", min_size=1, max_size=4), st.text("x", max_size=600), max_size=6
)


def start_of_stack(environment: dict[str, str], arguments: tuple[str, ...]) -> int:
    with fixed_addresses():
        command = ("/bin/cat", "/proc/self/stat", *arguments)
        run = subprocess.run(command, env=environment, capture_output=True, check=False)
    return int(run.stdout.rpartition(b")")[2].split()[_START_OF_STACK])


@given(runs=st.lists(st.tuples(variables, st.text("y", min_size=1, max_size=40)), min_size=2))
def test_the_stack_stays_where_it_is(runs: list[tuple[dict[str, str], str]]) -> None:
    place = SteadyStack()
    starts = {
        start_of_stack(place.filled(environment, (argument,)), (argument,))
        for environment, argument in runs
    }
    assert len(starts) == 1


def test_an_environment_that_grows_a_lot_is_filled_too() -> None:
    place = SteadyStack()
    small = place.filled({"A": "1"})
    large = place.filled({"A": "1" * 10_000})
    assert {**small, **large, "A": ""}.keys() == small.keys()
    assert large["A"] == "1" * 10_000


def test_without_the_fill_the_stack_moves() -> None:
    assert start_of_stack({"A": "1"}, ()) != start_of_stack({"A": "1" * 100}, ())
