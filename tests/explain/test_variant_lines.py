"""Which lines of the good version are the lines of a variant?"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from tests.explain.explaining import Pair
from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.explain.variant_lines import VariantLines
from whence.model import ChangeId

PAIR = """
    == text
    -gone first
     one
     two
    +new
    +new too
     three
    -four
    -five
    +4
     six
    -seven
     eight
    +new last
"""


def test_a_line_of_the_good_version_is_found(tmp_path: Path) -> None:
    pair = Pair.of(PAIR, harmless=False)
    pair.write(tmp_path)
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"))
    ids = [change.id for change in changes.changes]
    assert len(ids) >= 5
    for size in range(len(ids) + 1):
        for reverted in map(frozenset, combinations(ids, size)):
            lines = VariantLines(changes.changes, reverted)
            written = changes.nodes(reverted)["text"].content.decode().splitlines()
            check(lines, written, pair.good["text"])


def check(lines: VariantLines, written: list[str], good: list[str]) -> None:
    for number, text in enumerate(written, 1):
        place = lines.in_good("text", number)
        found = None if place is None else good[place[1] - 1]
        assert found == (text if text in good else None), (number, written)


def test_lines_of_unchanged_files_stay_the_same() -> None:
    assert VariantLines([], frozenset({ChangeId(0)})).in_good("a.c", 7) == ("a.c", 7)
