"""`git apply` with a patch for some changes turns the bad tree into the variant."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.trees import (
    EMPTY,
    EXECUTABLE,
    FILE,
    LINK,
    Files,
    comparison,
    contents,
    pairs,
    subsets,
    variant,
)
from whence.changes.tree import TreeNode, folders_of
from whence.model import Reverted
from whence.report.patch import to_patch


def applied(patch: bytes, tree: Path) -> Files:
    """Apply a patch to a copy of a tree outside any repository; return the result."""
    with tempfile.TemporaryDirectory(prefix="whence-test-") as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(tree, copy, symlinks=True)
        if patch:
            env = {**os.environ, "GIT_CEILING_DIRECTORIES": folder, "GIT_CONFIG_GLOBAL": os.devnull}
            command = ["git", "apply", "--whitespace=nowarn", "-"]
            done = subprocess.run(command, cwd=copy, input=patch, env=env, capture_output=True)
            assert done.returncode == 0, done.stderr.decode() + patch.decode("latin-1")
        return contents(copy)


def without_directories(tree: Files) -> Files:
    """Return the tree without empty directories: a patch cannot contain them."""
    return {path: node for path, node in tree.items() if node != EMPTY}


def git_takes_its_own_patch(pair: tuple[Files, Files]) -> bool:
    """Exclude two kinds of patches that git writes but cannot read.

    These have a directory whose name ends with a space, or a link renamed into a directory with
    the link's old name.
    """
    links = {path for tree in pair for path, node in tree.items() if node.kind is LINK}
    folders = folders_of(path for tree in pair for path in tree)
    return links.isdisjoint(folders) and not any(name.endswith(" ") for name in folders)


@settings(max_examples=50, deadline=None)
@given(pair=pairs.filter(git_takes_its_own_patch), data=st.data())
def test_a_patch_makes_the_variant(pair: tuple[Files, Files], data: st.DataObject) -> None:
    good, bad = map(without_directories, pair)
    with comparison(good, bad) as (changes, folder):
        reverted = data.draw(subsets(changes))
        became = applied(to_patch(changes, reverted), folder / "bad")
        assert without_directories(became) == without_directories(variant(changes, bad, reverted))


def check_patch(good: Files, bad: Files) -> bytes:
    with comparison(good, bad) as (changes, folder):
        patch = to_patch(changes, changes.everything)
        assert applied(patch, folder / "bad") == good
        assert to_patch(changes, Reverted()) == b""
        return patch


def test_a_patch_of_some_lines_holds_only_these() -> None:
    lines = [b"line %d\n" % number for number in range(30)]
    good, bad = list(lines), list(lines)
    bad[3], bad[20] = b"three\n", b"twenty\n"
    with comparison(
        {"a": TreeNode(FILE, b"".join(good))}, {"a": TreeNode(FILE, b"".join(bad))}
    ) as found:
        changes, _ = found
        patch = to_patch(changes, frozenset({changes.changes[0].id}))
    assert b"-three\n+line 3\n" in patch
    assert b"twenty" not in patch


def test_a_patch_renames_makes_executable_and_links() -> None:
    text = b"".join(b"line %d\n" % number for number in range(9))
    patch = check_patch(
        {
            "old": TreeNode(EXECUTABLE, text),
            "link": TreeNode(LINK, b"old"),
            "became": TreeNode(FILE, b"x\n"),
        },
        {
            "new": TreeNode(FILE, text),
            "link": TreeNode(LINK, b"new"),
            "became": TreeNode(LINK, b"new"),
        },
    )
    assert b"rename from new\nrename to old\n" in patch


def test_a_patch_holds_binary_content() -> None:
    assert b"GIT binary patch" in check_patch(
        {"a": TreeNode(FILE, b"\0\1")}, {"a": TreeNode(FILE, b"\0")}
    )
