"""What counts as one change, example by example."""

from __future__ import annotations

from collections.abc import Sequence

from tests.changes.trees import EMPTY, EXECUTABLE, FILE, Files, comparison, variant
from whence.changes.tree import Node
from whence.model import Kind


def text(content: bytes) -> Node:
    return Node(FILE, content)


def kinds(good: Files, bad: Files, keep: Sequence[str] = ()) -> list[tuple[Kind, str]]:
    with comparison(good, bad, keep) as (changes, _):
        return [(change.kind, change.file) for change in changes.changes]


def test_the_executable_bit_and_binary_content_change_independently() -> None:
    good, bad = {"a": Node(FILE, b"\0old")}, {"a": Node(EXECUTABLE, b"\0new")}
    with comparison(good, bad) as (changes, _):
        mode, content = changes.changes
        assert (mode.kind, content.kind) == (Kind.MODE, Kind.REPLACE)
        assert variant(changes, bad, frozenset({mode.id})) == {"a": Node(FILE, b"\0new")}
        assert variant(changes, bad, frozenset({content.id})) == {"a": Node(EXECUTABLE, b"\0old")}


def test_an_empty_directory_that_was_filled_is_no_change_of_its_own() -> None:
    """It is a directory in both versions, so it is one in every variant."""
    good, bad = {"d": EMPTY}, {"d/x": text(b"x\n"), "d/y": text(b"y\n")}
    assert kinds(good, bad) == [(Kind.ADD, "d/x"), (Kind.ADD, "d/y")]
    assert kinds(bad, good) == [(Kind.DELETE, "d/x"), (Kind.DELETE, "d/y")]
    with comparison(good, bad) as (changes, _):
        assert variant(changes, bad, frozenset({changes.changes[0].id})) == {"d/y": text(b"y\n")}
        assert variant(changes, bad, changes.everything) == good


def test_a_directory_of_both_versions_is_there_even_if_all_its_files_are_not() -> None:
    good, bad = {"d/e/old": text(b"x\n")}, {"d/e/new": text(b"\0")}
    with comparison(good, bad) as (changes, _):
        added = next(change.id for change in changes.changes if change.kind is Kind.ADD)
        assert variant(changes, bad, frozenset({added})) == {"d/e": EMPTY}


def test_an_empty_directory_that_came_or_went_is_a_change() -> None:
    assert kinds({}, {"d": EMPTY}) == [(Kind.ADD, "d")]
    assert kinds({"d/e": EMPTY}, {}) == [(Kind.DELETE, "d/e")]


def test_what_stands_in_the_way_of_a_kept_path_is_gone_from_the_good_tree_too() -> None:
    below = {"d": text(b"file\n")}, {"d/kept": text(b"k\n"), "d/more": text(b"m\n")}
    assert kinds(*below, keep=["kept"]) == [(Kind.ADD, "d/more")]
    above = {"d/kept/x": text(b"x\n")}, {"d/kept": text(b"file\n")}
    assert kinds(*above, keep=["kept"]) == []
