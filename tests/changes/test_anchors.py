"""Is a function that was rewritten compared with itself, and not with its neighbours?"""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.trees import FILE, comparison
from whence.changes.anchors import same_functions
from whence.changes.changeset import ChangeSet
from whence.changes.syntax import ParsedSource
from whence.changes.tree import TreeNode

# The head of `finish`, a blank line and a brace stand nearer to each other than their functions do.
C_OLD = """
    static void upper(const struct set *set)
    {
        size_t i;
        for (i = 0; i < space.length; i++) {
            char *byte = &space.text[i];
            const char *found = strchr(set->text, *byte);
            if (found != NULL && *byte != 0)
                *byte = set->with[found - set->text];
        }
    }

    static void finish(struct output *output)
    {
        if (!silent)
            put_line(output, &space);
        flush(output);
    }
"""
C_NEW = """
    static void upper(const struct set *set, int more)
    {
        char *end = space.text + space.length;
        char *letter = space.text;

        while (letter < end) {
            size_t which = 0;
            while (set->text[which] != 0 && set->text[which] != *letter)
                which++;
            if (set->text[which] != 0)
                *letter = set->with[which];
            letter++;
        }
    }

    static void finish(struct output *output, int more)
    {
        int is_so = silent;
        if (!is_so)
            put_line(output, &space);
        flush(output);
    }
"""
PYTHON_OLD = """
    def first(items):
        total = 0
        for item in items:
            total += item
        return total

    def second(items):
        return max(items)
"""
PYTHON_NEW = """
    def second(items, default=0):
        total = 0
        for item in items:
            total = max(total, item)
        return total

    def first(items):
        return sum(items)
"""


def differences(old: str, new: str, path: str) -> list[tuple[str | None, str | None]]:
    """Return, for each change, the functions that its first old and new lines are in."""
    good, bad = ({path: TreeNode(FILE, textwrap.dedent(text).encode())} for text in (old, new))
    with comparison(good, bad) as (changes, _):
        check_whole_functions(changes, path)
        return [(each.file, each.function) for each in changes.changes]


def check_whole_functions(changes: ChangeSet, path: str) -> None:
    """With the changes of one function reverted, it is as in the good version, others are not."""
    good, bad = (changes.source(path, of_good=of_good) for of_good in (True, False))
    assert good is not None
    assert bad is not None
    pairs = same_functions(good, bad)
    assert pairs
    old, new = ((changes.good if of_good else changes.bad).node(path) for of_good in (True, False))
    for before, after in pairs:
        reverted = frozenset(
            each.id
            for each in changes.changes
            if (
                each.new.start in range(after.first, after.last + 1)
                if each.new.count
                else each.old.start in range(before.first, before.last + 1)
            )
        )
        text = changes.nodes(reverted)[path].content.splitlines()
        whole = new.content.splitlines()
        expected = [
            *whole[: after.first - 1],
            *old.content.splitlines()[before.first - 1 : before.last],
            *whole[after.last :],
        ]
        assert text == expected


def test_a_rewritten_function_of_c_is_compared_with_itself() -> None:
    assert differences(C_OLD, C_NEW, "m.c")


def test_a_function_that_moved_past_another_one_has_no_place_to_be_compared_at() -> None:
    assert differences(PYTHON_OLD, PYTHON_NEW, "m.py")


BODY = st.lists(
    st.sampled_from(["", "    int i;", "    i++;", "    f(i);", "    return;"]), max_size=6
)


@settings(max_examples=60)
@given(bodies=st.lists(st.tuples(BODY, BODY), min_size=1, max_size=4), changes_heads=st.booleans())
def test_every_function_can_be_reverted_alone(
    bodies: list[tuple[list[str], list[str]]], *, changes_heads: bool
) -> None:
    versions = []
    for version in (0, 1):
        more = ", int more" if version and changes_heads else ""
        lines = []
        for number, body in enumerate(bodies):
            lines += [f"void f{number}(int i{more})", "{", *body[version], "}", ""]
        versions.append("\n".join(lines) + "\n")
    if versions[0] != versions[1]:
        differences(versions[0], versions[1], "m.c")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b c", "a b c", "a b c"),
        ("a b c", "b c a", "b c"),
        ("a b a c", "a b c", "b c"),  # two functions with one name: which is which is not known
        ("a b", "c d", ""),
    ],
)
def test_functions_with_unique_names_that_kept_their_order(
    old: str, new: str, expected: str
) -> None:
    sources = (
        ParsedSource("c", "".join(f"int {name}(void)\n{{\n}}\n" for name in names.split()).encode())
        for names in (old, new)
    )
    found = [before.name for before, after in same_functions(*sources)]
    assert found == expected.split()
