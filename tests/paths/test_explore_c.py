"""Which inputs does the exploration of a C program find?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths.exploring import check_holds, explored, outputs, program
from tests.paths.generated import ARGUMENTS, STDIN_TEXT, generated
from whence.inputs import argument

# The program of the thesis, Figure 6.2: eight paths, three ways to compute `out`.
SIGNATURE = """
#include <stdio.h>
#include <stdlib.h>
int signature(int x, int y, int z) {
    int out, a, b = 2;
    if (x - y > 0)
        a = x;
    else
        a = y;
    if (x + y > 10)
        b = a;
    if (z * z > 3)
        fprintf(stderr, "large\\n");
    else
        fprintf(stderr, "small\\n");
    out = b;
    return out;
}
int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    printf("%d\\n", signature(atoi(argv[1]), atoi(argv[2]), atoi(argv[3])));
    return 0;
}
"""
# Figure 6.10: a table with an index that is an input.
TABLE = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int a[2] = {0, 1}, x = atoi(argv[1]), y = atoi(argv[2]);
    if (x < 0 || x > 1)
        return 3;
    if (a[x] > 0)
        puts(y > 0 ? "positive" : "negative");
    else
        puts("zero");
    return 0;
}
"""


def test_every_path_is_explored_once(tmp_path: Path) -> None:
    found = explored(tmp_path, SIGNATURE, "6 2 2")
    assert found.is_complete
    assert len(found.runs) == 8


def test_a_relevant_slice_is_explored_once_for_each_way_to_compute_the_variable(
    tmp_path: Path,
) -> None:
    found = explored(tmp_path, SIGNATURE, "6 2 2", at="p.c:16:out")
    assert found.is_complete
    assert [len(one.run.conditions) for one in found.runs] == [1, 2, 2]


def test_what_a_function_returns_has_its_own_classes(tmp_path: Path) -> None:
    found = explored(tmp_path, SIGNATURE, "6 2 2", at="return:signature")
    assert found.is_complete
    assert [len(one.run.conditions) for one in found.runs] == [1, 2, 2]


def test_an_element_of_a_table_is_a_choice(tmp_path: Path) -> None:
    found = explored(tmp_path, TABLE, "0 0")
    assert {b"positive\n", b"negative\n", b"zero\n", b""} <= outputs(found)


@pytest.mark.parametrize(
    ("body", "arguments", "wanted"),
    [
        ('puts(strcmp(argv[1], "key") ? "other" : "key");', "abc", {b"key\n", b"other\n"}),
        ('puts(strncmp(argv[1], "--", 2) ? "word" : "option");', "abc", {b"option\n", b"word\n"}),
        ('puts(isdigit((unsigned char)argv[1][0]) ? "digit" : "no");', "a", {b"digit\n", b"no\n"}),
        ('puts(strchr(argv[1], \'=\') ? "pair" : "single");', "abc", {b"pair\n", b"single\n"}),
        ('puts(strstr(argv[1], "ok") ? "yes" : "no");', "abcd", {b"yes\n", b"no\n"}),
        ('puts(strspn(argv[1], "xy") == 2 ? "two" : "else");', "abc", {b"two\n", b"else\n"}),
        ('puts(toupper(argv[1][0]) == \'Q\' ? "q" : "else");', "a", {b"q\n", b"else\n"}),
        ('puts(strtol(argv[1], 0, 10) > 4000 ? "far" : "near");', "7", {b"far\n", b"near\n"}),
        ('char *e; puts(strtol(argv[1], &e, 10) == 12 && !*e ? "12" : "no");', "7",
         {b"12\n", b"no\n"}),
        ('char *e; strtol(argv[1], &e, 10); puts(e == argv[1] ? "none" : "one");', "7",
         {b"none\n", b"one\n"}),
        ('char *e; long n = strtol(argv[1], &e, 10); puts(e == argv[1] ? "none" : n > 50 ? "far" : '
         '"near");', "x", {b"none\n", b"far\n", b"near\n"}),
        ('char *e; strtol(argv[1], &e, 10); puts(*e ? "rest" : "whole");', "7",
         {b"rest\n", b"whole\n"}),
        ('puts(argv[1][0] == \'-\' && argv[1][1] == \'v\' ? "version" : "other");', "x",
         {b"version\n", b"other\n"}),
        ('puts(strtol(argv[1], 0, 16) == 0xbeef ? "beef" : "no");', "0x12", {b"beef\n", b"no\n"}),
        ('double t = atof(argv[1]); puts(t * 2 > 75.5 ? "hot" : t < -1e3 ? "none" : "mild");',
         "20.5", {b"hot\n", b"none\n", b"mild\n"}),
        ('char *e; float t = strtof(argv[1], &e); puts(e == argv[1] ? "none" : t == 0.1f ? "0.1" : '
         '*e == \'%\' ? "percent" : "other");', "5e1%",
         {b"none\n", b"0.1\n", b"percent\n", b"other\n"}),
        ('int x, y; puts(sscanf(argv[1], "%2d-%2d", &x, &y) < 2 ? "bad" : x > 12 ? "month" : y < 1 '
         '? "day" : "good");', "10-20", {b"bad\n", b"month\n", b"day\n", b"good\n"}),
        ('char w[9]; double f; int n = sscanf(argv[1], "%8[a-z]:%lf", w, &f); '
         'puts(n < 1 ? "none" : n < 2 ? "word" : !strcmp(w, "hot") && f > 30 ? "hot" : "no");',
         "abc", {b"none\n", b"word\n", b"no\n", b"hot\n"}),
        ('int c = getopt(argc, argv, "ab:"); puts(c == \'a\' ? "a" : c == \'b\' ? optarg : c == -1 '
         '? "end" : "bad");', "-b x", {b"a\n", b"x\n", b"end\n", b"bad\n"}),
        ('switch (argv[1][0]) { case \'a\': puts("a"); break; case \'b\': puts("b"); break; '
         'case \'c\': puts("c"); break; default: puts("else"); }', "a",
         {b"a\n", b"b\n", b"c\n", b"else\n"}),
        ('int x = atoi(argv[1]); puts(x && 100 / x > 30 ? "much" : "little");', "9",
         {b"much\n", b"little\n"}),
        ('int s = 0; for (char *p = argv[1]; *p; p++) s = s * 31 + *p; '
         'puts(s == 3105 ? "hit" : "miss");', "aa", {b"hit\n", b"miss\n"}),
    ],
)  # fmt: skip
def test_library_functions_lead_from_inputs_to_branches(
    tmp_path: Path, body: str, arguments: str, wanted: set[bytes]
) -> None:
    heads = "".join(
        f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string", "ctype", "unistd")
    )
    source = f"{heads}int main(int argc, char **argv) {{ {body} return 0; }}\n"
    assert outputs(explored(tmp_path, source, arguments, most=20)) == wanted


@pytest.mark.parametrize(
    ("body", "stdin", "wanted"),
    [
        ('int a, b; puts(scanf("%d %d", &a, &b) == 2 && a * 3 == b + 100 ? "hit" : "miss");',
         b"1 2\n", {b"hit\n", b"miss\n"}),
        ('char line[40]; fgets(line, sizeof line, stdin); puts(atoi(line) > 500 ? "far" : "near");',
         b"12\n", {b"far\n", b"near\n"}),
        ('int c = getchar(); puts(c == \'{\' ? "open" : "else");', b"x", {b"open\n", b"else\n"}),
        ('char b[8]; long n = fread(b, 1, 4, stdin); '
         'puts(n == 4 && !memcmp(b, "PK\\3\\4", 4) ? "zip" : "no");',
         b"abcd", {b"zip\n", b"no\n"}),
    ],
)  # fmt: skip
def test_standard_input_leads_to_branches(
    tmp_path: Path, body: str, stdin: bytes, wanted: set[bytes]
) -> None:
    heads = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string"))
    source = f"{heads}int main(void) {{ {body} return 0; }}\n"
    assert outputs(explored(tmp_path, source, "", stdin=stdin, most=20)) == wanted


@pytest.mark.parametrize("seed", range(6))
def test_generated_programs_take_the_promised_paths(tmp_path: Path, seed: int) -> None:
    assert explored(tmp_path, generated(seed), ARGUMENTS, stdin=STDIN_TEXT, most=6).runs


# Programs of which a run once went another way than promised.
@pytest.mark.parametrize("seed", [21, 108, 124, 126, 129, 146, 161, 205, 273, 303, 1046])
def test_programs_that_once_diverged_take_the_promised_paths(tmp_path: Path, seed: int) -> None:
    at = "output" if seed % 2 else None
    assert explored(tmp_path, generated(seed), ARGUMENTS, at=at, stdin=STDIN_TEXT, most=6).runs


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 306))
def test_many_generated_programs_take_the_promised_paths(tmp_path: Path, seed: int) -> None:
    """Every other program is explored by slice."""
    at = "output" if seed % 2 else None
    assert explored(tmp_path, generated(seed), ARGUMENTS, at=at, stdin=STDIN_TEXT, most=6).runs


def test_what_a_function_returns_leads_from_inputs_to_branches(tmp_path: Path) -> None:
    source = """
#include <stdio.h>
#include <stdlib.h>
static int twice(int x) { return x > 3 ? 2 * x : x; }
int main(int argc, char **argv) {
    int y = twice(atoi(argv[1]));
    puts(twice(y) == 40 ? "forty" : "other");
    return 0;
}
"""
    assert outputs(explored(tmp_path, source, "1")) == {b"forty\n", b"other\n"}


# A value that a phi chose is looked at by the next operation.
CHOSEN = """
#include <stdio.h>
#include <stdlib.h>
static long comparison(long x, long y, int less) {
    return less ? x <= y : x >= y;
}
int main(int argc, char **argv) {
    long is_ordered = comparison(atol(argv[1]), atol(argv[2]), argc > 9);
    puts(is_ordered ? "ordered" : "not ordered");
    return 0;
}
"""


def test_a_comparison_that_a_phi_passes_on_is_a_condition(tmp_path: Path) -> None:
    found = explored(tmp_path, CHOSEN, "4 4")
    assert outputs(found) == {b"ordered\n", b"not ordered\n"}


# What a call reads depends on how much the calls before it read.
WORDS = """
#include <ctype.h>
#include <stdio.h>
int main(void) {
    int words = 0, numbers = 0, c;
    while ((c = getchar()) != EOF) {
        if (isalpha(c)) {
            while (isalpha(c = getchar()))
                ;
            ungetc(c, stdin);
            words++;
        } else if (isdigit(c)) {
            getchar();
            numbers++;
        }
    }
    printf("%d %d\\n", words, numbers);
    return 0;
}
"""


def test_how_far_the_input_was_read_belongs_to_a_slice(tmp_path: Path) -> None:
    found = explored(tmp_path, WORDS, "", at="output", stdin=b"ab 1", most=25)
    assert {b"1 1\n", b"2 0\n", b"0 2\n"} <= outputs(found)


# A word is compared with constants, which nothing writes, and a queue depends on all words before.
COMMANDS = """
#include <stdio.h>
#include <string.h>
static char queue[4];
static int count;
int main(void) {
    char line[20], word[10], name[10];
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%9s", word) != 1)
            continue;
        if (strcmp(word, "add") == 0) {
            if (sscanf(line, "%9s %9s", word, name) != 2)
                fprintf(stderr, "add what?\\n");
            else
                queue[count++ & 3] = name[0];
        } else if (strcmp(word, "run") == 0 && count > 0)
            printf("%c", queue[--count & 3]);
    }
    return 0;
}
"""


def test_a_slice_by_words_of_commands_is_explored_as_promised(tmp_path: Path) -> None:
    text = b"add x\nadd y\nrun\nadd z\n"
    found = explored(tmp_path, COMMANDS, "", at="output", stdin=text, most=25)
    assert {b"", b"y", b"x"} <= outputs(found)


# What isdigit looks at is a table of the library, which no scanf wrote.
LIBRARY_TABLE = """
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char word[16] = "";
    int x = 0;
    if (atoi(argv[1]) > 5)
        sscanf(argv[2], "%15s %d", word, &x);
    puts(isdigit((unsigned char)argv[2][0]) ? "digit" : "none");
    return 0;
}
"""


def test_a_call_whose_writes_are_known_did_not_write_what_a_library_holds(tmp_path: Path) -> None:
    found = explored(tmp_path, LIBRARY_TABLE, "6 a", at="output")
    assert outputs(found) == {b"digit\n", b"none\n"}
    assert len(found.runs) == 2  # the first argument decides nothing


# By cause: what the programs above have in common.
@pytest.mark.parametrize(
    ("body", "arguments", "wanted"),
    [
        # The condition on the byte is kept although only a float that is made of it has one.
        ("double f = argv[1][0] / 2.0; if (f < 20.5) puts(argv[1][0] & 4 ? \"4\" : \"no\"); "
         "else puts(\"high\");", "$", {b"4\n", b"no\n", b"high\n"}),
        # A float that fits into no int gives nothing that a solver may choose.
        ("puts((int)(atoi(argv[1]) * 5.0) == 7 ? \"seven\" : \"no\");", "1", {b"no\n"}),
        ("puts((int)(atoi(argv[1]) * 5.0) == 10 ? \"ten\" : \"no\");", "2000000000",
         {b"no\n", b"ten\n"}),
        ("int n = atoi(argv[1]); puts(1 << n == 16 ? \"16\" : n > 40 ? \"far\" : \"near\");", "50",
         {b"16\n", b"far\n", b"near\n"}),
        # A word begins where the spaces before it end.
        ("char w[9]; puts(sscanf(argv[1], \"%8s\", w) == 1 && strlen(w) == 3 ? \"3\" : \"no\");",
         "' ab'", {b"3\n", b"no\n"}),
    ],
)  # fmt: skip
def test_what_decides_a_condition_is_kept(
    tmp_path: Path, body: str, arguments: str, wanted: set[bytes]
) -> None:
    heads = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string"))
    source = f"{heads}int main(int argc, char **argv) {{ {body} return 0; }}\n"
    assert outputs(explored(tmp_path, source, arguments, most=20)) == wanted


# The code of these functions is not recorded.
@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('puts(strverscmp(argv[1], "1.5") > 0 ? "newer" : "older");', "strverscmp"),
        ('char t[9]; sprintf(t, "%d", v[0]); puts(t[0] == \'7\' ? "7" : "no");', "sprintf"),
    ],
)
def test_code_without_a_formula_is_named(tmp_path: Path, body: str, name: str) -> None:
    heads = "".join(f"#include <{head}.h>\n" for head in ("stdio", "stdlib", "string"))
    source = (
        f"#define _GNU_SOURCE\n{heads}int main(int argc, char **argv) {{\n"
        f"int v[2] = {{atoi(argv[1]), atoi(argv[2])}};\n{body} return argc > 9 ? v[1] : 0; }}\n"
    )
    opened = program(tmp_path, source, "5 3")
    run = opened.run(opened.first)
    check_holds(run)
    assert run.path.pinned_by(run.conditions).keys() == {name}


# Whether the text is a number decides whether the index is a condition.
INDEXED = """
#include <stdio.h>
#include <stdlib.h>
static int limit = 'm';
int main(int argc, char **argv) {
    int at = strtol(argv[1], NULL, 10);
    if (argv[3][0] < 'm')
        limit = 'q';
    puts(argv[2][at & 1] >= limit ? "far" : "near");
    return 0;
}
"""


def test_a_step_that_is_a_condition_in_another_run_has_its_place_in_the_order(
    tmp_path: Path,
) -> None:
    found = explored(tmp_path, INDEXED, "x ab c", at="output", most=40)
    assert outputs(found) == {b"far\n", b"near\n"}


def test_a_number_that_cannot_be_small_is_not_larger_than_needed(tmp_path: Path) -> None:
    """`atoi` cuts a number of 64 bits: without a wish, the solver takes one of those."""
    found = explored(
        tmp_path,
        "#include <stdio.h>\n#include <stdlib.h>\n"
        "int main(int argc, char **argv) {\n"
        "    int x = atoi(argv[1]), y = atoi(argv[2]);\n"
        '    puts((long)x * 3 + y > 70000 && x - y < 900 ? "far" : "near");\n'
        "    return 0;\n}\n",
        "7 7",
    )
    assert found.is_complete
    assert len(found.runs) == 3
    for one in found.runs:
        numbers = [int(one.run.contents[argument(number)]) for number in (1, 2)]
        assert all(abs(number) <= 1_000_000 for number in numbers)
