"""What counts as one change?  One example per rule."""

from __future__ import annotations

from collections.abc import Sequence

from tests.changes.trees import EMPTY, EXECUTABLE, FILE, Files, comparison, variant
from whence.changes.tree import TreeNode
from whence.model import ChangeKind


def text(content: bytes) -> TreeNode:
    return TreeNode(FILE, content)


def kinds(good: Files, bad: Files, keep: Sequence[str] = ()) -> list[tuple[ChangeKind, str]]:
    with comparison(good, bad, keep) as (changes, _):
        return [(change.kind, change.file) for change in changes.changes]


def test_the_executable_bit_and_binary_content_change_independently() -> None:
    good, bad = {"a": TreeNode(FILE, b"\0old")}, {"a": TreeNode(EXECUTABLE, b"\0new")}
    with comparison(good, bad) as (changes, _):
        mode, content = changes.changes
        assert (mode.kind, content.kind) == (ChangeKind.MODE, ChangeKind.REPLACE)
        assert variant(changes, bad, frozenset({mode.id})) == {"a": TreeNode(FILE, b"\0new")}
        assert variant(changes, bad, frozenset({content.id})) == {
            "a": TreeNode(EXECUTABLE, b"\0old")
        }


def test_filling_an_empty_directory_is_no_change_of_its_own() -> None:
    """It is a directory in both versions, so it is a directory in every variant."""
    good, bad = {"d": EMPTY}, {"d/x": text(b"x\n"), "d/y": text(b"y\n")}
    assert kinds(good, bad) == [(ChangeKind.ADD, "d/x"), (ChangeKind.ADD, "d/y")]
    assert kinds(bad, good) == [(ChangeKind.DELETE, "d/x"), (ChangeKind.DELETE, "d/y")]
    with comparison(good, bad) as (changes, _):
        assert variant(changes, bad, frozenset({changes.changes[0].id})) == {"d/y": text(b"y\n")}
        assert variant(changes, bad, changes.everything) == good


def test_a_directory_of_both_versions_exists_even_if_all_its_files_are_reverted() -> None:
    good, bad = {"d/e/old": text(b"x\n")}, {"d/e/new": text(b"\0")}
    with comparison(good, bad) as (changes, _):
        added = next(change.id for change in changes.changes if change.kind is ChangeKind.ADD)
        assert variant(changes, bad, frozenset({added})) == {"d/e": EMPTY}


def test_an_added_or_removed_empty_directory_is_a_change() -> None:
    assert kinds({}, {"d": EMPTY}) == [(ChangeKind.ADD, "d")]
    assert kinds({"d/e": EMPTY}, {}) == [(ChangeKind.DELETE, "d/e")]


def test_a_path_that_conflicts_with_a_kept_path_is_removed_from_the_good_tree() -> None:
    below = {"d": text(b"file\n")}, {"d/kept": text(b"k\n"), "d/more": text(b"m\n")}
    assert kinds(*below, keep=["kept"]) == [(ChangeKind.ADD, "d/more")]
    above = {"d/kept/x": text(b"x\n")}, {"d/kept": text(b"file\n")}
    assert kinds(*above, keep=["kept"]) == []
