"""What counts as one change, example by example."""

from __future__ import annotations

from collections.abc import Sequence

from trees import EXECUTABLE, FILE, Files, comparison, variant

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
