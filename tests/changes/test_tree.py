"""Is a tree read correctly from disk, and which paths does a glob match?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.changes.trees import EMPTY, EXECUTABLE, FILE, LINK, contents, write_tree
from whence.changes.tree import EntryKind, TreeNode, folders_of, matches, read_tree


def test_a_tree_is_read_with_kinds_and_content(tmp_path: Path) -> None:
    tree = {
        "run": TreeNode(EXECUTABLE, b"#!/bin/sh\n"),
        "d/empty": EMPTY,
        "d/to nothing": TreeNode(LINK, b"nowhere"),
        os.fsdecode(b"caf\xe9"): TreeNode(FILE, b"\0\r\n"),
    }
    write_tree(tmp_path, tree)
    found = read_tree(tmp_path)
    assert {path: found.node(path) for path in found.entries} == tree == contents(tmp_path)


def test_a_directory_with_only_special_files_is_empty(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "d" / "pipe")
    entries = read_tree(tmp_path).entries
    assert {path: entry.kind for path, entry in entries.items()} == {"d": EntryKind.DIRECTORY}


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("tests", "tests/a/b.py"),
        ("tests/", "tests/a.py"),
        ("./tests/*.py", "tests/a.py"),
        ("*.py", "deep/down/a.py"),
        ("a[0-9]", "a7"),
        ("src/*", "src/a/b"),
    ],
)
def test_a_glob_matches_a_path_a_file_name_or_a_directory(glob: str, path: str) -> None:
    assert matches(path, [glob])


@pytest.mark.parametrize(
    ("glob", "path"), [("a", "b/a/c"), ("tests", "src/tests/a"), ("*.py", "a.pyc"), ("A", "a")]
)
def test_a_glob_matches_nothing_else(glob: str, path: str) -> None:
    assert not matches(path, [glob])


def test_folders_of_returns_all_directories_of_a_path() -> None:
    assert folders_of(["a/b/c", "a/d", "e"]) == {"a", "a/b"}
