"""Which changes does a statement meet in files that are hard to parse?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain, explain_python
from tests.explain.meetings import at, compared, near, through
from whence.explain.meeting import Meeting

GOOD = """#define LIMIT 3
int f(int n) {
  g(n,
    1);
  check(n);
  return n + LIMIT; /*HERE*/
}
"""
BAD = GOOD.replace("LIMIT 3", "LIMIT 4").replace("    1", "    2").replace("  check(n);\n", "")


def answers(good: bytes, bad: bytes) -> list[frozenset[int]]:
    """Return the changes that the two statements of BAD meet: by line and by name."""
    with compared({"a.c": good}, {"a.c": bad}) as changes:
        meets = Meeting(changes)
        call, gives = 3, 5
        return [meets.at("a.c", call), meets.near("a.c", gives), meets.through("a.c", gives)]


PLAIN = [{1}, {2}, {0}]


def test_these_are_the_changes_of_a_plain_file() -> None:
    assert answers(GOOD.encode(), BAD.encode()) == PLAIN


def test_windows_line_ends_make_no_difference() -> None:
    good, bad = (text.replace("\n", "\r\n").encode() for text in (GOOD, BAD))
    assert answers(good, bad) == PLAIN


@pytest.mark.parametrize("blank", ["\f\n", "\v\n", "\r", "/* \x1c\x1d\x1e\x85\u2028\u2029 */\n"])
def test_other_line_breaks_count_as_for_the_compiler(blank: str) -> None:
    """`blank` is one line for the compiler, and other lines for git or for `str.splitlines`."""
    good, bad = ((blank + text).encode() for text in (GOOD, BAD))
    with compared({"a.c": good}, {"a.c": bad}) as changes:
        meets = Meeting(changes)
        found = [meets.at("a.c", 4), meets.near("a.c", 6), meets.through("a.c", 6)]
    assert found == PLAIN


def test_a_missing_last_newline_makes_no_difference() -> None:
    assert answers(GOOD.encode().rstrip(), BAD.encode().rstrip()) == PLAIN


def test_bytes_that_are_not_utf8_make_no_difference() -> None:
    good, bad = (text.encode().replace(b"HERE", b"caf\xe9 \xff") for text in (GOOD, BAD))
    assert answers(good, bad) == PLAIN
    good, bad = (text.replace(b"LIMIT", b"LIM\xe9T") for text in (good, bad))
    assert answers(good, bad)[:2] == PLAIN[:2]


def test_a_broken_function_does_not_hide_those_before_it() -> None:
    rest = b"int broken(int a {\n  if (a ==) {{ return ;;\n}\n"
    assert answers(GOOD.encode() + rest, BAD.encode() + rest) == PLAIN


def test_a_file_that_cannot_be_parsed_is_read_line_by_line() -> None:
    good = "@@@ ((( {{{ \n)]] !\n  x y z 1 /*HERE*/\n}}} ;;;\n"
    assert at(good, good.replace("z 1", "z 2")) == {"x y z 2"}


@pytest.mark.parametrize("name", ["notes.txt", "run.sh", "Makefile"])
def test_a_file_in_an_unknown_language_is_read_line_by_line(name: str) -> None:
    good = "one\ntwo HERE\nthree\nfour\n"
    assert at(good, good.replace("two", "2"), name) == {"2 HERE"}
    assert near(good, good.replace("three\n", ""), name) == {"-three"}
    assert through(good, good.replace("four", "4"), name) == set()


def test_a_replaced_binary_file_is_met_at_each_of_its_lines() -> None:
    with compared({"a.c": b"\0one"}, {"a.c": b"\0two"}) as changes:
        assert Meeting(changes).at("a.c", 1) == Meeting(changes).removed_at("a.c", 1) == {0}


def test_a_condition_split_by_the_preprocessor_is_met() -> None:
    good = """int f(int n) {
  if (n > 1
#ifdef A
      && n < %d
#endif
  ) { /*HERE*/
    g(n);
  }
  return n;
}
"""
    assert through(good % 5, (good % 5).replace("#ifdef A", "#ifndef A")) in (set(), {"#ifndef A"})
    with compared(good % 5, good % 6) as changes:
        assert Meeting(changes).at("a.c", 4) == {0}


def test_a_table_with_conditions_in_it_is_met_by_its_users() -> None:
    good = """static const int table[] = {
#ifdef A
  1,
#else
  2,
#endif
  3,
};
int f(int n) {
  return table[n]; /*HERE*/
}
"""
    assert through(good, good.replace("  3,", "  4,")) == {"4,"}
    assert through(good, good.replace("  2,", "  5,")) == {"5,"}


def test_braces_that_only_the_preprocessor_can_balance_do_not_hide_what_follows() -> None:
    good = """#ifdef A
int f(int n) {
#else
int f(long n) {
#endif
  return n + 1;
}
static int limit = 3;
int g(int n) {
  return limit + n; /*HERE*/
}
"""
    assert through(good, good.replace("limit = 3", "limit = 4")) == {"static int limit = 4;"}


def test_macros_that_look_like_qualifiers_do_not_hide_a_declaration() -> None:
    good = "API int CALL limit(int a);\nAPI int CALL f(int n) {\n  return limit(n); /*HERE*/\n}\n"
    assert through(good, good.replace("limit(int a)", "limit(long a)")) != set()


def test_long_chains_do_not_exceed_the_recursion_limit() -> None:
    chain = "".join(f"  else if (n == {i})\n    g({i});\n" for i in range(3000))
    choice = f"int f(int n) {{\n  if (n)\n    g(n);\n{chain}  g(X); /*HERE*/\n}}\n"
    conditions = "".join(f"#elif N == {i}\n#define X {i}\n" for i in range(200))
    good = f"#if N\n{conditions}#endif\n{choice}"
    assert through(good, good.replace("#define X 199", "#define X 7")) == {"#define X 7"}
    terms = "".join(f"n * {i} +\n" for i in range(3000))
    good = f"int f(int n) {{\n  return {terms} 0; /*HERE*/\n}}\n"
    assert at(good, good.replace("n * 7 +", "n * 8 +")) == {"n * 8 +"}


def test_a_long_table_is_read_quickly() -> None:
    use = "int f(int n) {\n  return t[n][0] + N4999; /*HERE*/\n}\n"
    rows = "".join(f"  {{{i}, {i}}},\n" for i in range(20000))
    good = f"static int t[][2] = {{\n{rows}}};\n{use}"
    assert through(good, good.replace("{77, 77}", "{77, 78}")) == {"{77, 78},"}
    names = "".join(f"  N{i},\n" for i in range(5000))
    good = f"enum e {{\n{names}}};\n{use}"
    assert through(good, good.replace("  N7,\n", "  N7 = 9,\n")) == {"N7 = 9,"}


def test_an_empty_file_and_a_missing_line_meet_nothing() -> None:
    with compared({"a.c": b"", "b.c": b"int x;\n"}, {"a.c": b"", "b.c": b"int y;\n"}) as changes:
        meets = Meeting(changes)
        for file, line in (("a.c", 1), ("b.c", 99), ("b.c", 0), ("none.c", 1)):
            assert meets.at(file, line) == meets.removed_at(file, line) == frozenset()
            assert meets.near(file, line) == meets.through(file, line) == frozenset()


BREAKS = "\f\v\x1c\x1d\x1e\x85\u2028\u2029"


def test_line_breaks_in_comments_do_not_shift_the_chain_of_a_c_program(tmp_path: Path) -> None:
    """`explain` compares each line of the chain with the line of the program."""
    answer = explain(
        tmp_path,
        f"""
         #include <assert.h>
         /*{BREAKS}*/
         static int half(int n) {{ /*{BREAKS}*/
        -    return n / 2;
        +    return n / 3; // [wrong]
         }}
         int main(void) {{ /*{BREAKS}*/
             int h = half(8); // [call]
             assert(h == 4); // [failure]
         }}
        """,
        harmless=False,
    )
    assert answer.links == ["wrong", "call", "failure"]


def test_line_breaks_in_comments_do_not_shift_the_chain_of_a_python_program(
    tmp_path: Path,
) -> None:
    answer = explain_python(
        tmp_path,
        f"""
         # {BREAKS}
         def half(n):  # {BREAKS}
        -    return n // 2
        +    return n // 3  # [wrong]
         h = half(8)  # [call]
         assert h == 4  # [failure]
        """,
        harmless=False,
    )
    assert answer.links == ["wrong", "call", "failure"]
