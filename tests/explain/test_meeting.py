"""Does a statement meet the changes of its own lines, and of lines removed next to it?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.trees import Files, comparison, pairs
from tests.explain.meetings import at, compared, near, removed_at
from whence.explain.meeting import Meeting
from whence.explain.meeting.line_edits import edits_of
from whence.model import ChangeKind
from whence.source_lines import lines_with_ends

CALL = """
int f(int a) {
  int x = a;
  g(x, /*HERE*/
    a %s,
    3);
  return x;
}
"""


def test_a_statement_meets_the_change_of_its_line() -> None:
    assert at("int f(void) { /*HERE*/\n}\n", "int f(int a) { /*HERE*/\n}\n") == {"int f(int a) {"}


def test_a_statement_meets_a_change_on_another_of_its_lines() -> None:
    assert at(CALL % "+ 1", CALL % "+ 2") == {"a + 2,"}


def test_a_statement_meets_the_removal_of_one_of_its_arguments() -> None:
    good = "int f(void) {\n  g(1, /*HERE*/\n    2,\n    3);\n}\n"
    assert at(good, good.replace("    2,\n", "")) == {"-2,"}


def test_a_statement_does_not_meet_the_changes_of_its_neighbours() -> None:
    good = "int f(int a) {\n  a = 1;\n  a++; /*HERE*/\n  a = 3;\n  return a;\n}\n"
    bad = good.replace("a = 1", "a = 7").replace("a = 3", "a = 9")
    assert at(good, bad) == set()


@pytest.mark.parametrize("body", ["{\n    y();\n  }", "\n    y();"], ids=["braces", "none"])
@pytest.mark.parametrize("word", ["if", "while"])
def test_a_condition_meets_the_changes_of_all_its_lines_but_not_of_its_body(
    word: str, body: str
) -> None:
    good = f"int f(int a) {{\n  {word} (a && /*HERE*/\n      a > 1) {body}\n  return 0;\n}}\n"
    bad = good.replace("a > 1", "a > 2").replace("y()", "z()")
    with compared(good, bad) as changes:
        meets = Meeting(changes)
        condition, call = changes.changes
        assert meets.at("a.c", 2) == meets.at("a.c", 3) == {condition.id}
        assert meets.at("a.c", call.new.start) == {call.id}


def test_a_loop_meets_the_changes_of_its_whole_head() -> None:
    good = "int f(int n) {\n  for (int i = 0; /*HERE*/\n       i < n;\n       i++)\n    y();\n}\n"
    assert at(good, good.replace("i < n", "i <= n")) == {"i <= n;"}
    assert at(good, good.replace("i++", "i += 2")) == {"i += 2)"}


def test_a_loop_meets_the_condition_at_its_end() -> None:
    good = "int f(int n) {\n  do {\n    y();\n  } while (n && /*HERE*/\n           n < 7);\n}\n"
    assert at(good, good.replace("< 7", "<= 7")) == {"n <= 7);"}


def test_a_switch_meets_its_labels_and_an_if_its_else() -> None:
    switch = (
        "int f(int n) {\n  switch (n) { /*HERE*/\n  case %d:\n    return 1;\n  }\n  return 0;\n}\n"
    )
    assert at(switch % 1, switch % 2) == {"case 2:"}
    choice = "int f(int n) {\n  if (n) /*HERE*/\n    y();\n  z();\n}\n"
    assert at(choice, choice.replace("  z", "  else\n  z")) == {"else"}


def test_a_switch_does_not_meet_the_comments_between_its_labels() -> None:
    text = """int f(int a) {
  switch (a) { /*HERE*/
  /* The first case
  ** %s.
  */
  case %d: return 1;
  }
  return 0;
}
"""
    assert at(text % ("is one", 1), text % ("was one", 2)) == {"case 2: return 1;"}


def test_an_else_if_is_a_statement_of_its_own() -> None:
    good = "int f(int n) {\n  if (n == 1) {\n    y();\n  } else if (n == 2) { /*HERE*/\n  }\n}\n"
    assert at(good, good.replace("n == 1", "n == 3")) == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        y,", "        z,"),
        ("@cached", "@once"),
        ("x: int", "x: str"),
        ("if x", "if not x"),
    ],
)
def test_statements_of_python_meet_the_changes_of_all_their_lines(before: str, after: str) -> None:
    good = """@cached
def f(
    x: int,
):
    g(x,
        y,
        z)
    with (a as b,
          c if x else d):
        pass
"""
    bad = good.replace(before, after)
    with compared(good, bad, "a.py") as changes:
        (change,) = changes.changes
        meets = Meeting(changes)
        met_at = {line for line in range(1, 11) if meets.at("a.py", line)}
    statements = [{1}, {2, 3, 4}, {5, 6, 7}, {8, 9}]
    assert met_at == next(lines for lines in statements if change.new.start in lines)


def test_a_new_file_is_met_at_each_of_its_lines() -> None:
    bad = "int f(void) {\n  return 1; /*HERE*/\n}\n"
    with compared({"b.c": "int x;\n"}, {"b.c": "int x;\n", "a.c": bad}) as changes:
        assert Meeting(changes).at("a.c", 2) == {0}


def test_a_renamed_file_is_met_under_its_new_name_and_removed_under_its_old_one() -> None:
    text = "".join(f"int f{i}(void) {{ return {i}; }}\n" for i in range(30))
    with compared({"old.c": text}, {"new.c": text.replace("return 7", "return 8")}) as changes:
        meets = Meeting(changes)
        (edit,) = [c.id for c in changes.changes if c.kind is ChangeKind.EDIT]
        assert meets.at("new.c", 8) == meets.removed_at("old.c", 8) == {edit}
        assert meets.at("old.c", 8) == meets.removed_at("new.c", 8) == frozenset()


def test_code_that_ran_only_in_the_good_version_meets_what_removed_it() -> None:
    good = "int f(int a) {\n  check(a, /*HERE*/\n        1);\n  return a;\n}\n"
    assert removed_at(good, "int f(int a) {\n  return a;\n}\n") == {"-check(a, 1);"}


@pytest.mark.parametrize(
    ("before", "after"), [("#if 0", "#endif"), ("/*", "*/")], ids=["condition", "comment"]
)
def test_disabled_code_meets_the_change_that_disabled_it(before: str, after: str) -> None:
    good = "int f(int a) {\n  check(a); // HERE\n  return a;\n}\n"
    bad = good.replace("  check(a); // HERE\n", f"{before}\n  check(a); // HERE\n{after}\n")
    assert len(removed_at(good, bad)) == 2
    assert len(at(bad, good)) == (2 if before == "/*" else 0)


def test_a_deletion_is_near_the_statements_before_and_after_it() -> None:
    good = "int f(int a) {\n  a++;\n  check(a);\n\n  // and so\n  y();\n  return a;\n}\n"
    bad = good.replace("  check(a);\n", "")
    for line in ("a++;", "y();"):
        assert near(good, bad.replace(line, line + " // HERE")) >= {"-check(a);"}
    assert near(good, bad.replace("return a;", "return a; // HERE")) == set()


def test_a_deletion_from_a_block_is_near_what_decides_that_the_block_runs() -> None:
    good = "int f(int a) {\n  if (a) { /*HERE*/\n    check(a);\n  }\n  return a;\n}\n"
    assert near(good, good.replace("    check(a);\n", "")) == {"-check(a);"}


def test_code_that_became_a_comment_is_a_deletion() -> None:
    good = "int f(int a) {\n  check(a);\n  return a; /*HERE*/\n}\n"
    assert near(good, good.replace("check(a);", "// check(a);")) == {"// check(a);"}
    assert near(good.replace("check", "// check"), good.replace("check", "// recheck")) == set()


@settings(max_examples=30, deadline=None)
@given(pair=pairs)
def test_every_line_of_a_change_meets_it(pair: tuple[Files, Files]) -> None:
    with comparison(*pair) as (changes, _):
        meets = Meeting(changes)
        for change in changes.changes:
            for line in change.new.lines if change.added else ():
                assert change.id in meets.at(change.file, line)
            for line in change.old.lines if change.removed else ():
                assert change.id in meets.removed_at(change.old_file, line)


@settings(max_examples=20, deadline=None)
@given(pair=pairs)
def test_every_query_works_on_arbitrary_files(pair: tuple[Files, Files]) -> None:
    with comparison(*pair) as (changes, _):
        meets = Meeting(changes)
        everything = changes.everything
        for change in changes.changes:
            meets.declares(change.id)
            for line in range(20):
                assert meets.near(change.file, line) <= everything
                assert meets.through(change.file, line) <= everything
                assert meets.removed_through(change.old_file, line) <= everything


@settings(max_examples=30, deadline=None)
@given(pair=pairs)
def test_unchanged_lines_have_the_same_text_in_both_versions(pair: tuple[Files, Files]) -> None:
    good, bad = pair
    with comparison(good, bad) as (changes, _):
        for path, edits in edits_of(changes, of_good=False).items():
            lines = lines_with_ends(bad[path].content)
            changed = {n for c in changes.changes if c.file == path for n in c.new.lines}
            for number, line in enumerate(lines, start=1):
                other = edits.counterpart(number)
                assert (other is None) == (
                    number in changed or edits.other is None or bool(edits.whole)
                )
                if other is not None and edits.other is not None:
                    assert lines_with_ends(good[edits.other].content)[other - 1] == line
                    assert edits.nearest(number) == other


@settings(max_examples=30, deadline=None)
@given(
    numbers=st.lists(st.integers(0, 9), min_size=1, max_size=12),
    edited=st.lists(st.integers(0, 9), min_size=1, max_size=12),
)
def test_statements_of_one_line_meet_exactly_the_changes_of_a_diff(
    numbers: list[int], edited: list[int]
) -> None:
    good, bad = (
        "void f(void) {\n" + "".join(f"  g({n});\n" for n in some) + "}\n"
        for some in (numbers, edited)
    )
    with compared(good, bad) as changes:
        meets = Meeting(changes)
        for line in range(2, len(edited) + 2):
            assert meets.at("a.c", line) == {c.id for c in changes.changes if line in c.new.lines}
        for line in range(2, len(numbers) + 2):
            removed = {c.id for c in changes.changes if line in c.old.lines}
            assert meets.removed_at("a.c", line) == removed
