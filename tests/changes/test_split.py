"""Where is a block of replaced lines split, and where must it not be split?"""

from __future__ import annotations

import textwrap
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.trees import FILE, comparison, lines
from whence.changes.split import BlockPiece, StatementStarts, split_block
from whence.changes.syntax import ParsedSource
from whence.changes.tree import TreeNode


def pieces(old: str, new: str, path: str = "m.py") -> list[tuple[str, str]]:
    """Return the changes from old to new, each as (removed, added)."""
    old, new = textwrap.dedent(old), textwrap.dedent(new)
    good, bad = {path: TreeNode(FILE, old.encode())}, {path: TreeNode(FILE, new.encode())}
    with comparison(good, bad) as (changes, _):
        return [(change.removed.decode(), change.added.decode()) for change in changes.changes]


def test_five_statements_each_slightly_changed_are_five_changes() -> None:
    old = [f"total_{n} = compute(items, {n})\n" for n in range(5)]
    new = [f"total_{n} = compute(items, {n} + 1)\n" for n in range(5)]
    assert pieces("".join(old), "".join(new)) == list(zip(old, new, strict=True))


def test_a_statement_of_several_lines_stays_in_one_piece() -> None:
    old = "first = call(\n    one,\n    two)\nsecond = other(one, two)\n"
    new = "first = call(\n    one1,\n    two2)\nsecond = other(one, two2)\n"
    assert pieces(old, new) == [
        ("    one,\n    two)\n", "    one1,\n    two2)\n"),
        ("second = other(one, two)\n", "second = other(one, two2)\n"),
    ]


def test_a_statement_that_was_added_between_two_changed_ones_is_a_change() -> None:
    assert pieces(
        "alpha = work(1, 2)\nbeta = work(3, 4)\n",
        "alpha = work(1, 9)\nassert alpha\nbeta = work(3, 9)\n",
    ) == [
        ("alpha = work(1, 2)\n", "alpha = work(1, 9)\n"),
        ("", "assert alpha\n"),
        ("beta = work(3, 4)\n", "beta = work(3, 9)\n"),
    ]


def test_statements_that_have_nothing_in_common_stay_together() -> None:
    assert len(pieces("alpha = 1\nbeta(2)\n", "for x in y:\n    print(x)\n")) == 1


def test_unbalanced_braces_are_not_split() -> None:
    """If they were split, one change alone would give `if (a) {` without its `}`."""
    assert pieces(
        "void f(void) {\n  if (a)\n    work(a, 1);\n  rest(a, 1);\n}\n",
        "void f(void) {\n  if (a) {\n    work(a, 2);\n  }\n  rest(a, 2);\n}\n",
        "f.c",
    ) == [
        ("  if (a)\n    work(a, 1);\n", "  if (a) {\n    work(a, 2);\n  }\n"),
        ("  rest(a, 1);\n", "  rest(a, 2);\n"),
    ]


def test_statements_of_different_indentation_are_not_split() -> None:
    old = "alpha = work(a, 1)\nbeta = work(b, 1)\n"
    new = "if c:\n    alpha = work(a, 2)\n    beta = work(b, 2)\n"
    assert len(pieces(old, new)) == 1


def test_text_in_an_unknown_language_is_split_by_lines() -> None:
    old, new = (
        ["some words here one\n", "more of them two\n"],
        ["some words here 1\n", "more of them 2\n"],
    )
    assert pieces("".join(old), "".join(new), "notes.txt") == list(zip(old, new, strict=True))


def test_lines_of_javascript_that_have_nothing_in_common_are_a_removal_and_an_addition() -> None:
    old = "  text = text.trim();\n"
    new = "  if (!pattern.test(name)) return null;\n"
    assert pieces(f"{{\n{old}}}\n", f"{{\n{new}}}\n", "a.js") == [(old, ""), ("", new)]


def test_a_line_of_javascript_that_became_another_one_is_one_change() -> None:
    old, new = "if (/^a+$/.test(name)) stop();\n", "if (/^b+$/.test(name)) stop();\n"
    assert pieces(old, new, "a.js") == [(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("call(one,\n", "other.thing({\n", "a.js"),  # no whole statements
        ("const name = 1;\n", "const name = list.map(x => x.y).join();\n", "a.js"),  # same name
        ("} else {\n", "work(1, 2);\n", "a.js"),
        ("one && \n", "two = 3;\n", "a.sh"),
        ("a word\n", "other text\n", "notes.txt"),  # no program
        ("// a remark\n", "work(1, 2);\n", "a.js"),
    ],
)
def test_halves_that_do_not_stand_alone_stay_together(old: str, new: str, path: str) -> None:
    assert pieces(old, new, path) == [(old, new)]


@pytest.mark.parametrize(("old_end", "new_end"), [("", "\n"), ("\n", ""), ("", "")])
def test_a_last_line_without_newline_keeps_its_block_together(old_end: str, new_end: str) -> None:
    old, new = "a = work(1)\nb = work(2)", "a = work(3)\nb = work(4)"
    assert pieces(old + old_end, new + new_end) == [(old + old_end, new + new_end)]


texts = st.lists(lines, min_size=1, max_size=10)
starts = st.sampled_from((None, "python", "c", "cpp"))


@settings(max_examples=300, deadline=None)
@given(old=texts, new=texts, language=starts, data=st.data())
def test_pieces_are_adjacent_and_cover_the_block(
    old: list[bytes], new: list[bytes], language: str | None, data: st.DataObject
) -> None:
    block = BlockPiece(*_range(data, old), *_range(data, new))
    starts = _starts(language, old), _starts(language, new)
    in_halves = language is None and data.draw(st.booleans())
    found = split_block(old, new, block, *starts, in_halves=in_halves)
    assert (found[0].old_first, found[0].new_first) == (block.old_first, block.new_first)
    assert (found[-1].old_last, found[-1].new_last) == (block.old_last, block.new_last)
    for a, b in pairwise(found):
        assert (a.old_last, a.new_last) == (b.old_first, b.new_first)
    for piece in found if len(found) > 1 else ():
        assert piece.old_last - piece.old_first + piece.new_last - piece.new_first > 0


def _range(data: st.DataObject, text: list[bytes]) -> tuple[int, int]:
    first = data.draw(st.integers(0, len(text)))
    return first, data.draw(st.integers(first, len(text)))


def _starts(language: str | None, text: list[bytes]) -> StatementStarts | None:
    if language is None:
        return None
    source = ParsedSource(language, b"".join(text))
    return lambda first, last: {line - 1 for line in source.statement_starts(first + 1, last)}
