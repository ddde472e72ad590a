"""Where no other input tells, the failure is followed back to where the runs begin to differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.darwin.comparing import compared, line_of
from whence.model import DarwinResult

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n"


def check_first(result: DarwinResult, version: str, line: int) -> None:
    """The first suspect is on this line; no other input was found."""
    first = result.suspects[0]
    assert (first.version.value, first.line) == (version, line), result.suspects
    assert not first.is_validated
    assert not first.agrees


COUNTED = (
    HEAD
    + """static int letters;
static int fee(void)
{
    int paid = letters - 2;
    return paid < 0 ? 0 : paid;
}
int main(int argc, char **argv)
{
    for (const char *at = argv[1]; *at != '\\0'; at++)
        if (*at != '-')
            letters++;
    printf("%d\\n", fee());
    return argc > 3;
}
"""
)


def test_a_wrong_value_that_no_input_reaches_by_a_formula(tmp_path: Path) -> None:
    """How often a loop ran is no formula over the input."""
    bad = COUNTED.replace("letters - 2", "letters - 1")
    check_first(compared(tmp_path, COUNTED, bad, "abc-d"), "bad", line_of(bad, "int paid"))


NESTED = (
    HEAD
    + """int main(int argc, char **argv)
{
    const char *problem = NULL;
    int depth = 0;
    for (const char *at = argv[1]; *at != '\\0' && problem == NULL; at++) {
        if (*at == '[')
            depth++;
        if (*at == ']')
            depth--;
        if (depth > 1)
            problem = "too deep";
    }
    puts(problem == NULL ? "fine" : problem);
    return argc > 3;
}
"""
)


def test_a_missing_branch_that_no_input_reaches_by_a_formula(tmp_path: Path) -> None:
    """The branch is named; those that both versions have, and that go the same way, come later."""
    bad = NESTED.replace('        if (depth > 1)\n            problem = "too deep";\n', "")
    check_first(compared(tmp_path, NESTED, bad, "[[x]]"), "good", line_of(NESTED, "depth > 1"))


RESTED = (
    HEAD
    + """struct job { int waited, boosted; };
static struct job jobs[2];
int main(int argc, char **argv)
{
    for (const char *at = argv[1]; *at != '\\0'; at++) {
        struct job *job = &jobs[*at == 'b'];
        if (job->boosted)
            puts("first");
        job->boosted = ++job->waited > 1;
        if (*at == 'r')
            job->waited = job->boosted = 0;
    }
    return argc > 3;
}
"""
)


def test_a_store_that_is_missing_among_others_of_a_line(tmp_path: Path) -> None:
    """It comes after the branch whose other side makes both versions do the same."""
    bad = RESTED.replace("job->waited = job->boosted = 0", "job->waited = 0")
    found = compared(tmp_path, RESTED, bad, "aara").suspects
    lines = [(one.version.value, one.line) for one in found]
    assert lines == [("bad", line_of(bad, "if (job->boosted)")), ("good", line_of(RESTED, "= 0;"))]


DECIDED = (
    HEAD
    + """static int is_early(int day)
{
    int early = day <= 10;
    return early;
}
int main(int argc, char **argv)
{
    int early = is_early(atoi(argv[1]));
    if (early)
        puts("early");
    return argc > 3;
}
"""
)


def test_a_truth_value_is_decided_where_it_is_compared(tmp_path: Path) -> None:
    """The branch only tests it."""
    bad = DECIDED.replace("day <= 10", "day < 10")
    result = compared(tmp_path, DECIDED, bad, "10")
    first = result.suspects[0]
    assert (first.version.value, first.line) == ("bad", line_of(bad, "day < 10"))
    assert first.agrees
    assert f"The branch at p.c:{line_of(bad, 'if (early)')} tests it." in first.because


KEYS = """import sys

def parsed(text):
    number, _, rest = text.partition("+")
    post = 3
    if rest:
        post = 3
        post += 1
    return int(number), post

if parsed(sys.argv[1]) > parsed(sys.argv[2]):
    print("newer")
else:
    print("not newer")
"""


def test_what_a_python_program_lacks_behind_the_branch_that_tells(tmp_path: Path) -> None:
    bad = KEYS.replace("        post += 1\n", "")
    result = compared(tmp_path, KEYS, bad, "1+x 1", name="p.py")
    lines = [(one.version.value, one.line) for one in result.suspects]
    assert lines[-1] == ("good", line_of(KEYS, "+= 1"))


SAVED = (
    HEAD
    + """static int saved[8], count;
int main(int argc, char **argv)
{
    int sum = 0;
    for (const char *at = argv[1]; *at != '\\0'; at++) {
        if (*at == '(')
            saved[count++] = (int)(at - argv[1]);
        if (*at == ')') {
            count--;
            sum += saved[count];
        }
    }
    printf("%d\\n", sum);
    return argc > 3;
}
"""
)


def test_an_element_at_a_constant_place_is_not_the_one_at_a_computed_place(tmp_path: Path) -> None:
    """Both versions stored both elements; the bad one reads the wrong one."""
    bad = SAVED.replace("saved[count];", "saved[0];")
    check_first(compared(tmp_path, SAVED, bad, "'a(b(c))'"), "bad", line_of(bad, "sum += saved[0]"))


QUOTED = (
    HEAD
    + """int main(int argc, char **argv)
{
    const char *text = argv[1];
    int i = 0, words = 0, escaped = 0;
    while (text[i] != '\\0') {
        if (text[i] == '!') {
            escaped++;
            i += 2;
            continue;
        }
        if (text[i] == '.')
            words++;
        i++;
    }
    printf("%d words\\n", words);
    return argc > 3;
}
"""
)


def test_a_branch_that_looks_at_the_wrong_element_is_named(tmp_path: Path) -> None:
    """A later branch that has another input is shown too; it went another way because of this."""
    bad = QUOTED.replace("text[i] == '!'", "text[i + 1] == '!'")
    result = compared(tmp_path, QUOTED, bad, "'a.b!.c.'")
    assert line_of(bad, "text[i + 1]") in {one.line for one in result.suspects}


WOKEN = (
    HEAD
    + """static int bytes[20], count, at;
static int has_next(void)
{
    return at + 1 < count;
}
int main(int argc, char **argv)
{
    int sum = 0;
    for (const char *c = argv[1]; *c != '\\0'; c++)
        bytes[count++] = *c - '0';
    bytes[count++] = 0;
    while (has_next())
        sum += bytes[at++];
    printf("%d\\n", sum);
    return argc > 3;
}
"""
)


def test_the_branch_of_both_versions_that_a_change_woke_is_a_suspect(tmp_path: Path) -> None:
    """The change took away what an unchanged test counts on."""
    bad = WOKEN.replace("    bytes[count++] = 0;\n", "")
    result = compared(tmp_path, WOKEN, bad, "123")
    found = {(one.line, one.is_changed) for one in result.suspects if one.version.value == "bad"}
    assert (line_of(bad, "return at + 1 < count;"), False) in found, result.suspects
    woken = next(one for one in result.suspects if not one.is_changed)
    assert "Both versions have this branch" in woken.because


SOUNDS = (
    HEAD
    + """int main(int argc, char **argv)
{
    for (const char *at = argv[1]; *at != '\\0'; at++) {
        char c = *at, next = at[1];
        if (c == next)
            continue;
        switch (c) {
        case 'k':
            putchar('C');
            break;
        case 'w':
            if (next == 'a' || next == 'o')
                putchar('W');
            break;
        default:
            putchar(c);
        }
    }
    putchar('\\n');
    return argc > 3;
}
"""
)


def test_a_branch_that_both_went_alike_comes_behind_one_of_the_bad_version(tmp_path: Path) -> None:
    """Other letters avoid the failure at branches that are right; the wrong one needs more text."""
    bad = SOUNDS.replace("next == 'o')", "next == 'o' || next == 0)")
    result = compared(tmp_path, SOUNDS, bad, "how")
    check_first(result, "bad", line_of(bad, "next == 0"))
    others = result.suspects[1:]
    assert all("goes the same way; it matters less" in one.because for one in others), others


def test_at_the_limit_on_runs_the_failure_is_still_followed_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whence.darwin.search.MAX_RUNS", 0)
    monkeypatch.setattr("whence.darwin.answer.MAX_RUNS", 0)
    bad = SAVED.replace("saved[count];", "saved[0];")
    result = compared(tmp_path, SAVED, bad, "'a(b(c))'")
    check_first(result, "bad", line_of(bad, "sum += saved[0]"))
    assert any("the limit on runs was reached" in note for note in result.notes)
    assert result.runs == 0
