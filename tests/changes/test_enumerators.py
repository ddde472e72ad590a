"""Which changes give the constants of an enumeration other values?"""

from __future__ import annotations

import pytest

from tests.changes.trees import FILE, comparison
from whence.changes.enumerators import renumbering
from whence.changes.tree import TreeNode

OLD = "enum kind { LETTER, BOX, PALLET };\nint most = 3;\n"


def renumbered(new: str, old: str = OLD) -> list[str]:
    """Return the new lines of the changes that give an old constant another value."""
    good, bad = ({"kinds.h": TreeNode(FILE, text.encode())} for text in (old, new))
    with comparison(good, bad) as (changes, _):
        found = renumbering(changes, changes.everything)
        return [c.added.decode() for c in changes.changes if c.id in found]


@pytest.mark.parametrize(
    "head",
    [
        "enum kind { LETTER, TUBE, BOX, PALLET };\n",
        "enum kind { BOX, LETTER, PALLET };\n",
        "enum kind { LETTER = 1, BOX, PALLET };\n",
        "enum kind { BOX, PALLET };\n",
    ],
    ids=["inserted", "swapped", "first", "removed"],
)
def test_old_constants_that_moved_are_found(head: str) -> None:
    assert renumbered(head + "int most = 4;\n") == [head]


@pytest.mark.parametrize(
    "head",
    [
        "enum kind { LETTER, BOX, PALLET, TUBE };\n",
        "enum kind {LETTER, BOX,   PALLET};\n",
        "enum other { LETTER, BOX, PALLET };\n",
    ],
    ids=["appended", "layout", "name"],
)
def test_constants_that_keep_their_values_are_none(head: str) -> None:
    assert renumbered(head + "int most = 4;\n") == []


def test_only_the_changes_that_are_asked_about_count() -> None:
    good, bad = ({"a.h": TreeNode(FILE, text)} for text in (b"enum { A, B };", b"enum { B, A };"))
    with comparison(good, bad) as (changes, _):
        assert renumbering(changes, frozenset()) == frozenset()
        assert renumbering(changes, changes.everything) == changes.everything
