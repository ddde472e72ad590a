"""Do programs of the shapes in the papers get the suspects that the papers name?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.darwin.comparing import check_suspect, compared, line_of

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def choice(condition: str, out: str = "first", other: str = "second") -> str:
    """Return a program that prints one of two words, by its argument."""
    return (
        HEAD
        + f"""int main(int argc, char **argv)
{{
    int inp = atoi(argv[1]);
    if ({condition})
        puts("{out}");
    else
        puts("{other}");
    return argc > 2;
}}
"""
    )


# Thesis, Figure 5.1: the tests are in another order, and the last one is wrong.
ORDERED = (
    HEAD
    + """int main(int argc, char **argv)
{
    int x = atoi(argv[1]), y = atoi(argv[2]), out = 0;
    if (x + y == 10) {
        if (y < 8) {
            if (x > 4)
                out = 1;
            else
                out = -1;
        }
    }
    printf("%d\\n", out);
    return argc > 3;
}
"""
)
REORDERED = ORDERED.replace("if (x + y == 10) {", "if (y < 8) {").replace(
    "        if (y < 8) {", "        if (x + y == 10) {"
)
WRONG = REORDERED.replace("if (x > 4)", "if (x - y >= 1)")


def test_only_the_wrong_one_of_three_reordered_branches_is_a_suspect(tmp_path: Path) -> None:
    result = compared(tmp_path, ORDERED, WRONG, "5 5")
    suspect = check_suspect(result, "bad", line_of(WRONG, "x - y >= 1"))
    assert suspect.condition == "x - y >= 1"
    assert suspect.failing == {"x": "5", "y": "5"}
    assert suspect.text == "if (x - y >= 1)"


def test_the_whole_path_gives_the_same_suspect_as_the_slice(tmp_path: Path) -> None:
    result = compared(tmp_path, ORDERED, WRONG, "5 5", by="path")
    check_suspect(result, "bad", line_of(WRONG, "x - y >= 1"))


def test_the_input_of_a_suspect_runs_without_whence(tmp_path: Path) -> None:
    """Both programs, built by hand, print the same with it."""
    result = compared(tmp_path, ORDERED, WRONG, "5 5")
    printed = []
    for version in ("good", "bad"):
        tree = tmp_path / version
        subprocess.run(["cc", "-o", "p", "p.c"], cwd=tree, check=True)
        ended = subprocess.run(
            result.suspects[0].test.command, shell=True, cwd=tree, capture_output=True, check=True
        )
        printed.append(ended.stdout)
    assert printed[0] == printed[1] == b"1\n"


def test_an_input_that_moved_to_another_part_of_the_inputs(tmp_path: Path) -> None:
    """DARWIN report, Figure 2."""
    good, bad = choice("inp != 1"), choice("inp != 1 && inp != 2")
    suspect = check_suspect(compared(tmp_path, good, bad, "2"), "bad", line_of(bad, "inp != 2"))
    assert suspect.condition == "inp != 1 && inp != 2"


def test_the_branch_that_the_failing_program_lacks_is_in_the_reference(tmp_path: Path) -> None:
    """DARWIN report, Figure 3: only the reference tells the failing input from others."""
    good = choice("inp == 1").replace('puts("second");', 'puts(inp == 2 ? "third" : "second");')
    bad = choice("inp == 2", "third", "second")
    suspect = check_suspect(compared(tmp_path, good, bad, "1"), "good", line_of(good, "inp == 1)"))
    assert "may lack" in suspect.because


LENGTH = (
    HEAD
    + """int main(int argc, char **argv)
{
    const char *text = argv[1];
    int length = text[1] - '0', palette = text[0] == 'P';
    if (!palette)
        puts("no palette");
    CHECK (length > 4) {
        puts("too long");
        return 0;
    }
    printf("%d colours\\n", length);
    return argc > 2;
}
"""
)


def test_a_length_check_that_an_else_skips(tmp_path: Path) -> None:
    """Thesis, Figure 5.4: `else if` instead of `if`."""
    good, bad = LENGTH.replace("CHECK", "if"), LENGTH.replace("CHECK", "else if")
    check_suspect(compared(tmp_path, good, bad, "N7"), "good", line_of(good, "length > 4"))


@pytest.mark.parametrize("by", ["slice", "path"])
def test_equal_demands_have_no_suspect_and_the_reason_is_told(tmp_path: Path, by: str) -> None:
    good = HEAD + 'int main(int c, char **v) { printf("%d\\n", atoi(v[1]) + 1); return c > 2; }\n'
    result = compared(tmp_path, good, good.replace("+ 1", "+ 2"), "5", by=by, predicates=False)
    assert not result.suspects
    assert result.reason is not None
    assert "a value that no branch tests" in result.reason


def test_a_wrong_assignment_that_no_branch_tests_is_a_suspect(tmp_path: Path) -> None:
    """Thesis, 5.2.3: the values of both programs are compared."""
    good = (
        HEAD
        + """static int area(int width, int height)
{
    int border = width + height;
    int size = width * height;
    return size + border;
}
int main(int argc, char **argv)
{
    printf("%d\\n", area(atoi(argv[1]), atoi(argv[2])));
    return argc > 3;
}
"""
    )
    bad = good.replace("width * height", "width * width")
    suspect = check_suspect(compared(tmp_path, good, bad, "3 5"), "bad", line_of(bad, "int size"))
    assert suspect.is_changed
    assert suspect.good == suspect.bad


def test_a_wrong_value_that_a_branch_tests_comes_before_the_branch(tmp_path: Path) -> None:
    good = (
        HEAD
        + """static int fee(int days)
{
    return days * 3;
}
int main(int argc, char **argv)
{
    if (fee(atoi(argv[1])) > 100)
        puts("high");
    else
        puts("low");
    return argc > 2;
}
"""
    )
    bad = good.replace("days * 3", "days * 2")
    result = compared(tmp_path, good, bad, "40")
    lines = [(one.version.value, one.line) for one in result.suspects]
    assert lines == [("bad", line_of(bad, "days * 2")), ("bad", line_of(bad, "> 100"))]


def test_a_fault_that_both_versions_have_is_in_unchanged_code(tmp_path: Path) -> None:
    """Thesis, Figure 5.7: a change elsewhere makes the faulty branch run."""
    good = (
        HEAD
        + """int main(int argc, char **argv)
{
    int first = argv[1][0] - '0', next = argv[1][1] - '0', flags = argv[1][2] - '0';
    int start = next;
    if (start != next && !(flags & 2))
        return puts("nothing");
    printf("data at %d\\n", next - start);
    return argc > 2 || first > 9;
}
"""
    )
    bad = good.replace("int start = next;", "int start = first;")
    result = compared(tmp_path, good, bad, "340")
    line = line_of(bad, "flags & 2")
    found = [one for one in result.suspects if one.line == line]
    assert found, result
    assert not found[0].is_changed


# DARWIN report, Figure 7: an escaped character is looked for at the wrong place.
RANGES = (
    HEAD
    + """static int spread(const char *text, char *out)
{
    int i, n = 0;
    for (i = 0; text[i] != '\\0'; i++) {
        if (i > 0 && text[i - 1] == '@')
            out[n++] = '=';
        else if (text[i] == '-' && i > 0 && text[i + 1] > text[i - 1])
            for (char c = text[i - 1] + 1; c < text[i + 1]; c++)
                out[n++] = c;
        else
            out[n++] = text[i];
    }
    out[n] = '\\0';
    return n;
}
int main(int argc, char **argv)
{
    char out[200];
    int n = spread(argv[1], out);
    printf("%d %s\\n", n, out);
    return argc > 2;
}
"""
)


def test_an_escape_that_is_looked_for_at_the_wrong_place(tmp_path: Path) -> None:
    bad = RANGES.replace("i > 0 && text[i - 1] == '@'", "i > 0 && text[i] == '@'")
    result = compared(tmp_path, RANGES, bad, "a-d@t")
    places = {(one.version.value, one.line) for one in result.suspects}
    assert ("bad", line_of(bad, "text[i] == '@'")) in places, places


# DARWIN report, Figure 4: a match that ends where the last one did is replaced once more.
MATCHES = (
    HEAD
    + """static int ends(const char *line, int i)
{
    while (line[i] == 'a')
        i++;
    return line[i] == '?' ? -1 : i;
}
int main(int argc, char **argv)
{
    const char *line = argv[1];
    int i = 0, m, last = -1;
    while (line[i] != '\\0') {
        m = ends(line, i);
        if (m >= 0 && last != m) {
            putchar('X');
            last = m;
        }
        if (m == -1 || m == i)
            putchar(line[i++]);
        else
            i = m;
    }
    putchar('\\n');
    return argc > 2;
}
"""
)


def test_a_part_of_a_condition_that_is_missing(tmp_path: Path) -> None:
    bad = MATCHES.replace("m >= 0 && last != m", "m >= 0")
    result = compared(tmp_path, MATCHES, bad, "aab")
    places = {one.in_bad for one in result.suspects}
    assert ("p.c", line_of(bad, "if (m >= 0)")) in places, result.suspects
