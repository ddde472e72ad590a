"""Does another value of one step make the failing run pass, where no branch does?"""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.chain.chaining import chain_of, check_chain
from whence.chain.wrong_output import right_beginning, wrong_number

DIFFERENCE = """\
#include <stdio.h>
static int difference(int a, int b) {
    int r = b - a; // 1
    return r;
}
int main(void) {
    int far = difference(7, 2); // 2
    int twice = far * 2; // 3
    printf("%d\\n", twice); // 4
    return 0;
}
"""


def test_a_number_is_solved_from_what_is_printed(tmp_path: Path) -> None:
    """The search goes back from `twice` to `r`, and not on to the arguments."""
    result = chain_of(tmp_path, DIFFERENCE, expect="10\n")
    assert result.passing is not None
    assert (result.passing.by, result.passing.line) == ("value", 3)
    assert result.passing.words == "with `r` at program.c:3 5, not -5"
    check_chain(result, DIFFERENCE, {"1": "r = -5 (passing: 5)", "3": "twice = -10 (passing: 10)"})


def test_the_argument_of_a_call_is_a_step_that_gives_a_value(tmp_path: Path) -> None:
    text = """\
def area(width, height):
    return width * height  # 2

side = 4
size = area(side, side + 1)  # 1
print(size)  # 3
"""
    result = chain_of(tmp_path, text, expect="16\n")
    assert result.passing is not None
    assert result.passing.by == "value"
    assert result.chain[-2].text == "size = area(side, side + 1)  # 1"


def test_a_text_of_the_run_is_tried_for_a_text(tmp_path: Path) -> None:
    text = """\
prices = {"tea": 3, "milk": 2}
item = "Tea"
key = item + ""
due = prices.get(key, 0)
print(due)
"""
    result = chain_of(tmp_path, text, expect="3\n")
    assert result.passing is not None
    assert result.status == "explained"


def test_a_number_that_is_lowered_moves_what_raising_it_does_not(tmp_path: Path) -> None:
    text = """\
#include <stdio.h>
int main(int argc, char **argv) {
    int inside = 18 + 2 * argc; // 1
    int left = inside > 20 ? 0 : 20 - inside; // 2
    printf("%d\\n", left); // 3
    return argv == NULL;
}
"""
    result = chain_of(tmp_path, text, expect="4\n")
    assert result.passing is not None
    assert result.passing.words == "with `inside` at program.c:3 16, not 20"


# --- what is wrong in an output ------------------------------------------------------------------


def test_the_first_wrong_word_is_right_if_all_of_it_is() -> None:
    right = right_beginning(b"5 lines, longest 15\n", b"6 lines, longest 14\n")
    assert right.is_in(b"6 lines, longest 15\n")
    assert not right.is_in(b"65 lines, longest 14\n")
    assert not right.is_in(b"5 lines, longest 14\n")


def test_output_that_is_too_long_must_be_right_as_a_whole() -> None:
    right = right_beginning(b"1\n2\n", b"1\n")
    assert right.is_in(b"1\n")
    assert not right.is_in(b"1\n3\n")


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_an_expected_output_is_right_and_the_failing_one_is_not(
    printed: bytes, expected: bytes
) -> None:
    right = right_beginning(printed, expected)
    assert right.is_in(expected)
    assert right.is_in(printed) == (printed == expected)


def test_the_first_wrong_number_has_a_place() -> None:
    number = wrong_number(b"a\nb 1 of 2.5\n", b"a\nb 1 of 4\n")
    assert number is not None
    assert (number.line, number.place, number.wanted) == (1, 1, 4)
    assert number.lacking(b"a\nb 1 of 3\n") == 1
    assert number.lacking(b"a\n") is None
    assert wrong_number(b"yes\n", b"no\n") is None


def test_a_number_of_the_program_is_raised_if_nothing_behind_the_failure_helps(
    tmp_path: Path,
) -> None:
    """What was never added to a set has no value; its damage is done twice."""
    text = """\
NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri"]
closed = set()


def close(first, last):
    for day in range(first, last):  # 1
        closed.add(day)


def moved(day):
    while day in closed:
        day += 1
    return day


close(1, 2)
print(NAMES[moved(2)], NAMES[moved(1)], NAMES[moved(2)])
"""
    result = chain_of(tmp_path, text, expect="Thu Thu Thu\n")
    assert result.passing is not None
    assert result.passing.words == "with `last` at program.py:6 3, not 2"
