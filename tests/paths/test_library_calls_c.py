"""Do functions of the C library that sort, cut texts or read numbers lead to all outcomes?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths.exploring import explored, outputs

HEAD = "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"

SORTED = """
struct pair { int key; char name; };
static int by_key(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    return x->key - y->key;
}
int main(int argc, char **argv) {
    struct pair all[4];
    for (int i = 0; i < 4; i++)
        all[i] = (struct pair){argv[1][i], 'a' + i};
    qsort(all, 4, sizeof *all, by_key);
    putchar(all[0].name);
    putchar(all[3].name);
    puts(all[2].key == 'x' ? " x" : "");
    return 0;
}
"""


@pytest.mark.parametrize("at", [None, "output"])
def test_each_order_of_what_qsort_sorts_is_found(tmp_path: Path, at: str | None) -> None:
    found = explored(tmp_path, HEAD + SORTED, "4213", at=at, most=150)
    ends = {output[:2] for output in outputs(found)}
    assert ends == {bytes([a, b]) for a in b"abcd" for b in b"abcd" if a != b}
    assert any(output.endswith(b" x\n") for output in outputs(found))


NAMES = """
static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
int main(int argc, char **argv) {
    char *names[3] = {argv[1], argv[2], argv[3]};
    qsort(names, 3, sizeof *names, by_text);
    puts(names[1] == argv[1] ? "first" : names[1] == argv[2] ? "second" : "third");
    return 0;
}
"""


def test_pointers_that_qsort_moves_point_to_their_texts(tmp_path: Path) -> None:
    found = explored(tmp_path, HEAD + NAMES, "m c x", most=40)
    assert outputs(found) == {b"first\n", b"second\n", b"third\n"}


LARGE = """
struct entry { char text[40]; };
static int by_text(const void *a, const void *b) {
    return ((const struct entry *)a)->text[0] - ((const struct entry *)b)->text[0];
}
int main(int argc, char **argv) {
    struct entry all[3] = {0};
    for (int i = 0; i < 3; i++)
        all[i].text[0] = argv[1][i];
    qsort(all, 3, sizeof *all, by_text);
    puts(all[0].text[0] == argv[1][2] ? "last is least" : "other");
    return 0;
}
"""


def test_elements_that_qsort_moves_by_their_addresses_are_followed(tmp_path: Path) -> None:
    found = explored(tmp_path, HEAD + LARGE, "abc", most=40)
    assert outputs(found) == {b"last is least\n", b"other\n"}


SEARCHED = """
static const int known[] = {3, 9, 27, 81};
static int compare(const void *key, const void *item) {
    return *(const int *)key - *(const int *)item;
}
int main(int argc, char **argv) {
    int key = atoi(argv[1]);
    const int *found = bsearch(&key, known, 4, sizeof *known, compare);
    printf("%d\\n", found ? (int)(found - known) : -1);
    return 0;
}
"""


@pytest.mark.parametrize("at", [None, "output"])
def test_each_element_that_bsearch_can_find_is_found(tmp_path: Path, at: str | None) -> None:
    found = explored(tmp_path, HEAD + SEARCHED, "5", at=at)
    assert outputs(found) == {b"-1\n", b"0\n", b"1\n", b"2\n", b"3\n"}
    assert found.is_complete


TOKENS = """
int main(int argc, char **argv) {
    char *name = strtok(argv[1], "=;");
    char *value = strtok(NULL, "=;");
    if (!name)
        puts("empty");
    else if (!value)
        puts("no value");
    else
        puts(strcmp(value, "on") == 0 ? "on" : "other");
    return 0;
}
"""


@pytest.mark.parametrize("at", [None, "output"])
def test_each_way_to_cut_a_text_into_tokens_is_found(tmp_path: Path, at: str | None) -> None:
    found = explored(tmp_path, HEAD + TOKENS, "'x=12'", at=at, most=80)
    assert outputs(found) == {b"empty\n", b"no value\n", b"on\n", b"other\n"}


COMMENTED = """
int main(void) {
    char line[32];
    while (fgets(line, sizeof line, stdin)) {
        char *hash = strchr(line, '#');
        if (hash)
            *hash = 0;
        char *word = strtok(line, " \\n");
        puts(!word ? "nothing" : *word == 'q' ? "q" : "word");
    }
    return 0;
}
"""


def test_what_could_have_cut_a_text_before_strtok_belongs_to_its_slice(tmp_path: Path) -> None:
    found = explored(tmp_path, HEAD + COMMENTED, "", stdin=b"ab\ncd\n", at="output", most=40)
    assert b"nothing\nword\n" in outputs(found)


UNIT = """
int main(int argc, char **argv) {
    char *end;
    errno = 0;
    double number = strtod(argv[1], &end);
    if (errno == ERANGE)
        puts("out of range");
    else if (*end == 'k')
        puts(number > 1000 ? "far" : number < 0 ? "behind" : number == 0 ? "here" : "near");
    else
        puts("no unit");
    return 0;
}
"""


def test_a_number_with_a_unit_may_be_any_number(tmp_path: Path) -> None:
    found = explored(tmp_path, HEAD + UNIT, "2.5k")
    assert {b"far\n", b"behind\n", b"here\n", b"near\n", b"no unit\n"} < outputs(found)
    assert b"out of range\n" in outputs(found)


WHOLE = """
int main(int argc, char **argv) {
    char *end;
    errno = 0;
    FUNCTION number = PARSE(argv[1], &end, 10);
    if (errno)
        puts("out of range");
    else if (*end)
        puts("more text");
    else
        puts(number > 1000000 ? "large" : "small");
    return 0;
}
"""


@pytest.mark.parametrize(("kind", "function"), [("long", "strtol"), ("unsigned long", "strtoul")])
@pytest.mark.parametrize("given", ["12", "-12", "99999999999999999999999"])
def test_a_whole_number_may_be_out_of_range(
    tmp_path: Path, kind: str, function: str, given: str
) -> None:
    source = WHOLE.replace("FUNCTION", kind).replace("PARSE", function)
    found = explored(tmp_path, HEAD + source, given)
    assert {b"out of range\n", b"large\n", b"small\n"} <= outputs(found)


FORMATS = """
int main(void) {
    char line[40], name[4];
    int a, b;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "at %3s %d:%d", name, &a, &b) == 3)
            puts(a * 60 + b > 720 ? "late" : "early");
        else if (sscanf(line, "%3s %2d-%d", name, &a, &b) == 3)
            puts(a > b ? "backwards" : "span");
        else
            puts("what");
    }
    return 0;
}
"""


def test_two_formats_that_are_tried_on_one_line_agree(tmp_path: Path) -> None:
    found = explored(tmp_path, HEAD + FORMATS, "", stdin=b"mon 8-9\nat tue 10:30\n", most=40)
    assert len(outputs(found)) > 5


def test_a_float_that_fits_into_no_float_of_32_bits_is_no_crash(tmp_path: Path) -> None:
    source = 'int main(int n, char **v) { puts(strtof(v[1], 0) > 5 ? "large" : "small"); }\n'
    found = explored(tmp_path, HEAD + source, "1e300")
    assert outputs(found) == {b"large\n", b"small\n"}
