"""Do programs of the shapes of the thesis, chapter VI, have the classes that it tells of?

Figure 6.2 is in test_explore_c.py.
"""

from __future__ import annotations

from pathlib import Path

from tests.paths.exploring import c_run, explored, outputs

HEADS = "#include <stdio.h>\n#include <stdlib.h>\n"
# Figure 6.4: an assignment to the input comes before the branch.
SHIFTED = (
    HEADS
    + """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), level = 0, unused = 0;
    n = n - 1;
    if (n > 0)
        level = 1;
    if (atoi(argv[2]) > 5)
        unused = 1;
    printf("%d\\n", level);
    return unused;
}
"""
)
# Figure 6.14: two outputs, each decided by other branches.
TWO_OUTPUTS = (
    HEADS
    + """
int main(int argc, char **argv) {
    int x = atoi(argv[1]), y = atoi(argv[2]), z = atoi(argv[3]), larger, chosen = 2;
    const char *size;
    larger = x - y > 0 ? x : y;
    if (x + y > 10)
        chosen = larger;
    if (z * z > 3)
        size = "large";
    else
        size = "small";
    puts(size);
    printf("%d\\n", chosen);
    return 0;
}
"""
)
# Figure 6.15: an element of a table that the program wrote, with an index that is an input.
WRITTEN_TABLE = (
    HEADS
    + """
int main(int argc, char **argv) {
    int table[2], i = atoi(argv[1]), found = 0;
    for (int k = 0; k < 2; k++)
        table[k] = k;
    if (i >= 0 && i < 2)
        if (table[i] > 0)
            found = 7;
    printf("%d\\n", found);
    return 0;
}
"""
)


def test_an_assignment_before_a_branch_is_a_part_of_its_condition(tmp_path: Path) -> None:
    found = explored(tmp_path, SHIFTED, "0 9", at="output")
    assert found.is_complete
    assert len(found.runs) == 2
    first = found.runs[0]
    assert [c_run(first.run).words(one) for one in first.run.conditions] == ["n <= 0"]
    assert outputs(found) == {b"0\n", b"1\n"}


def test_several_outputs_have_the_classes_of_all_of_them(tmp_path: Path) -> None:
    found = explored(tmp_path, TWO_OUTPUTS, "6 2 2", at="output")
    assert found.is_complete
    assert len(found.runs) == 6


def test_one_of_several_outputs_has_its_own_classes(tmp_path: Path) -> None:
    found = explored(tmp_path, TWO_OUTPUTS, "6 2 2", at="p.c:15:chosen")
    assert found.is_complete
    assert len(found.runs) == 3


def test_an_element_of_a_written_table_is_a_choice(tmp_path: Path) -> None:
    found = explored(tmp_path, WRITTEN_TABLE, "0", at="output")
    assert found.is_complete
    assert outputs(found) == {b"0\n", b"7\n"}
