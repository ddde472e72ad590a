"""Where does the chain begin if a wrong value was only copied before it was printed?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chain.chaining import chain_of, check_chain

# The fault is at 1: `lengths[at]` lacks what came before it.  No branch helps, and no value is
# computed there.  `lengths` is given to the function, and counts as right.
FARTHEST = """\
#include <stdio.h>
static int farthest(const int *lengths, int count) {
    int best[4] = {0};
    for (int at = 0; at < count; at++) {
        int far = lengths[at]; // 1
        best[at] = far; // 2
    }
    int last = best[count - 1]; // 3
    return last;
}
int main(void) {
    int lengths[] = {5, 9, 2};
    int far = farthest(lengths, 3); // 4
    printf("%d\\n", far); // 5
    return 0;
}
"""
FARTHEST_PYTHON = """\
def farthest(lengths):
    best = []
    for length in lengths:
        far = length  # 1
        best.append(far)
    last = best[-1]
    return last

far = farthest([5, 9, 2])
print(far)  # 5
"""


@pytest.mark.parametrize("text", [FARTHEST, FARTHEST_PYTHON], ids=["c", "python"])
def test_the_chain_begins_at_the_first_copy_that_the_function_made(
    tmp_path: Path, text: str
) -> None:
    result = chain_of(tmp_path, text, expect="16\n")
    marks = [link.text[-1] for link in result.chain]
    assert marks[0] == "1"
    assert marks[-1] == "5"


def test_the_branch_that_led_to_a_constant_is_reached(tmp_path: Path) -> None:
    """No key is right for the forced branch, so what it tests is given another value."""
    text = """\
def price(item, prices):
    key = item + ""
    if key in prices:  # 2
        found = prices[key]
    else:
        found = 0  # 3
    return found

due = price("Tea", {"tea": 3}) * 2  # 4
print(due)  # 5
"""
    result = chain_of(tmp_path, text, expect="6\n")
    lines = [link.text[-1] for link in result.chain if link.text[-1].isdecimal()]
    assert lines == ["2", "3", "4", "5"]


def test_what_a_function_was_given_is_not_the_root_of_a_branch(tmp_path: Path) -> None:
    """With another `time` in `main` the test passes, too; but the condition lacks a part."""
    text = """\
#include <stdio.h>
struct target { int time, is_stale; };
static int is_old(const struct target *one, const struct target *need) {
    if (need->time > one->time) // 1
        return 1;
    return 0; // 2
}
int main(void) {
    struct target one = {7, 0}, need = {3, 1};
    int old = is_old(&one, &need); // 3
    printf("%d\\n", old); // 4
    return 0;
}
"""
    result = chain_of(tmp_path, text, expect="1\n")
    assert result.passing is not None
    assert result.passing.by == "switch"
    check_chain(result, text)
