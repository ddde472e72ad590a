"""Is every subset of the changes one well-defined tree, from the bad to the good version?"""

from __future__ import annotations

from collections import Counter

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.changes.trees import (
    Files,
    comparison,
    contents,
    pairs,
    subsets,
    variant,
)
from whence.changes.tree import EntryKind, TreeNode, matches
from whence.model import Reverted
from whence.subject.workspace import Workspace

NOTHING: Reverted = frozenset()
KEPT = ("a", "*.py", "b/c.c", "sp*", "h.cpp/")


@settings(max_examples=50, deadline=None)
@given(pair=pairs)
def test_everything_reverted_is_the_good_tree_and_nothing_the_bad(
    pair: tuple[Files, Files],
) -> None:
    good, bad = pair
    with comparison(good, bad) as (changes, folder):
        assert variant(changes, bad, NOTHING) == bad
        assert variant(changes, bad, changes.everything) == good
        assert contents(folder / "bad") == bad
        assert contents(folder / "good") == good


@settings(max_examples=50, deadline=None)
@given(pair=pairs, data=st.data())
def test_a_workspace_becomes_any_variant_from_any_other(
    pair: tuple[Files, Files], data: st.DataObject
) -> None:
    good, bad = pair
    with comparison(good, bad) as (changes, folder):
        workspace = Workspace(folder / "work", changes)
        some = data.draw(st.lists(subsets(changes), max_size=4))
        for reverted in (*some, NOTHING, changes.everything, *some):
            workspace.become(reverted)
            assert contents(workspace.tree) == variant(changes, bad, reverted)
        workspace.become(changes.everything)
        assert contents(workspace.tree) == good
        workspace.become(NOTHING)
        assert contents(workspace.tree) == bad


@settings(max_examples=50, deadline=None)
@given(pair=pairs, data=st.data())
def test_equal_trees_have_equal_fingerprints_and_no_others(
    pair: tuple[Files, Files], data: st.DataObject
) -> None:
    good, bad = pair
    with comparison(good, bad) as (changes, _):
        seen: dict[bytes, Files] = {}
        for reverted in data.draw(st.lists(subsets(changes), max_size=8)):
            tree = variant(changes, bad, reverted)
            seen.setdefault(changes.fingerprint(reverted), tree)
            assert seen[changes.fingerprint(reverted)] == tree
        distinct = {frozenset(tree.items()) for tree in seen.values()}
        assert len(distinct) == len(seen)
        same = changes.fingerprint(NOTHING) == changes.fingerprint(changes.everything)
        assert same == (good == bad)


@settings(max_examples=50, deadline=None)
@given(pair=pairs)
@example(
    pair=(
        {"a.py": TreeNode(EntryKind.FILE, b"import os\nimport os\nimport os\nx = 1\nimport os")},
        {"a.py": TreeNode(EntryKind.FILE, b"if x:\nx = 1\nimport os\nif x:\nx = 1\n")},
    )
)
def test_every_change_has_an_effect_on_its_own(pair: tuple[Files, Files]) -> None:
    """Pieces of one block are excepted: if lines repeat, a single piece may have no effect."""
    good, bad = pair
    with comparison(good, bad) as (changes, _):
        pieces = Counter(change.block for change in changes.changes)
        for change in changes.changes:
            if pieces[change.block] > 1:
                continue
            assert variant(changes, bad, frozenset({change.id})) != bad
            assert variant(changes, bad, changes.everything - {change.id}) != good


@settings(max_examples=50, deadline=None)
@given(pair=pairs, keep=st.lists(st.sampled_from(KEPT), min_size=1), data=st.data())
def test_kept_paths_are_as_in_the_bad_tree_in_every_variant(
    pair: tuple[Files, Files], keep: list[str], data: st.DataObject
) -> None:
    good, bad = pair
    with comparison(good, bad, keep) as (changes, folder):
        workspace = Workspace(folder / "work", changes)
        for reverted in (data.draw(subsets(changes)), changes.everything, NOTHING):
            workspace.become(reverted)
            tree = contents(workspace.tree)
            assert tree == variant(changes, bad, reverted)
            assert _only(tree, keep) == _only(bad, keep)
        assert tree == bad


def _only(tree: Files, keep: list[str]) -> Files:
    return {path: node for path, node in tree.items() if matches(path, keep)}
