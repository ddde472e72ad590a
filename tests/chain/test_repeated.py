"""Which passing run is chosen, and are several executions of one statement mended together?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chain.chaining import chain_of, check_chain
from whence.chain.wrong_output import wrong_words

SHARES = """\
#include <stdio.h>
static int share(int n) {
    int part = n - 1; // 1
    return part;
}
int main(void) {
    int one = share(4); // 2
    int other = share(7);
    printf("%d %d\\n", one, other); // 3
    return 0;
}
"""
SHARES_PYTHON = """\
def share(n):
    part = n - 1  # 1
    return part

one = share(4)  # 2
other = share(7)
print(one, other)  # 3
"""


@pytest.mark.parametrize("text", [SHARES, SHARES_PYTHON], ids=["c", "python"])
def test_several_executions_of_one_step_get_other_values(tmp_path: Path, text: str) -> None:
    result = chain_of(tmp_path, text, expect="5 8\n")
    assert result.passing is not None
    assert result.passing.words.endswith("and altered at 1 other execution of it")
    marks = [link.text[-1] for link in result.chain if link.text[-1].isdecimal()]
    assert marks[-2:] == ["2", "3"]
    assert result.status == "explained"


MARKS = """\
#include <stdio.h>
int main(void) {
    int kinds[] = {1, 2, 1, 2};
    for (int i = 0; i < 4; i++) {
        if (kinds[i] == 3) // 1
            puts("even");
        else
            puts("odd"); // 2
    }
    return 0;
}
"""


def test_several_executions_of_one_branch_go_the_other_way(tmp_path: Path) -> None:
    """To force the branch each time prints four wrong words."""
    result = chain_of(tmp_path, MARKS, expect="odd\neven\nodd\neven\n")
    assert result.passing is not None
    assert (result.passing.by, result.passing.line) == ("switch", 5)
    assert result.passing.words.endswith("and altered at 1 other execution of it")
    check_chain(result, MARKS)


BY_CHANCE = """\
#include <stdio.h>
#include <string.h>
static int fee(int amount, const char *name) {
    if (strcmp(name, "zoe") == 0)
        amount = 12;
    if (amount > 10) // 1
        return 2;
    return 5; // 2
}
int main(void) {
    int due = fee(10, "ada"); // 3
    printf("%d\\n", due); // 4
    return 0;
}
"""


def test_a_branch_at_its_bound_comes_before_one_that_helps_by_chance(tmp_path: Path) -> None:
    """If `ada` counts as `zoe`, the fee is right, too."""
    result = chain_of(tmp_path, BY_CHANCE, expect="2\n")
    check_chain(result, BY_CHANCE)


TESTED = """\
#include <stdio.h>
int main(void) {
    int kind = 3;
    int size = kind * 2; // 1
    int is_wide = 0;
    if (size == 8) // 2
        is_wide = 1;
    printf("%d\\n", is_wide); // 3
    return 0;
}
"""
TESTED_PYTHON = """\
def name_of(path):
    return path[2:]  # 1

kind = "plain"
if name_of("a.gz") == ".gz":  # 2
    kind = "packed"
print(kind)  # 3
"""


def test_the_chain_begins_at_what_a_forced_branch_tests(tmp_path: Path) -> None:
    result = chain_of(tmp_path, TESTED, expect="1\n")
    check_chain(result, TESTED, {"1": "size = 6 (passing: 8)"})


def test_the_text_that_a_branch_compares_with_is_tried(tmp_path: Path) -> None:
    result = chain_of(tmp_path, TESTED_PYTHON, expect="packed\n")
    check_chain(result, TESTED_PYTHON)


def test_a_branch_stays_the_root_if_the_value_only_hides_the_failure(tmp_path: Path) -> None:
    """Without the first output `size` may be anything: the branch still goes the same way."""
    text = """\
#include <stdio.h>
static int size;
static void show(const char *name) {
    if (size == 0) // 1
        size = 4;
    printf("%.*s\\n", size, name); // 2
}
int main(void) {
    show("four");
    show("four and more");
    return 0;
}
"""
    result = chain_of(tmp_path, text.replace("size = 4", "size = name[4] ? 13 : 4"),
                      expect="four\nfour and more\n")  # fmt: skip
    assert result.passing is not None
    assert result.passing.by == "switch"


def test_wrong_words_are_counted() -> None:
    assert wrong_words(b"a b c\n", b"a b c\n") == 0
    assert wrong_words(b"a x c\n", b"a b c\n") == 1
    assert wrong_words(b"a\n", b"a b c\n") == 2
    assert wrong_words(b"x y a b\n", b"a b\n") == 2
    assert wrong_words(b"1.5, 3\n", b"1.25, 3\n") == 1
    assert wrong_words(b"x " * 5000, b"x\n") is None
