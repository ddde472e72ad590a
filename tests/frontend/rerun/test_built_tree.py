"""Is a tree as it was built again, and are the user's files as before, whatever a test did?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.nesting import nest
from whence.frontend.rerun.built_tree import BuiltTree
from whence.subject.beneath import delete_tree


@pytest.fixture
def users(tmp_path: Path) -> Path:
    """The user's own files, which have the names of those in the tree."""
    folder = tmp_path / "users"
    (folder / "sub").mkdir(parents=True)
    (folder / "text").write_text("the user's")
    (folder / "sub" / "input").write_text("the user's")
    return folder


@pytest.fixture
def built(tmp_path: Path) -> BuiltTree:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "text").write_text("built")
    (tree / "sub" / "input").write_text("built")
    (tree / "inside").symlink_to("sub")
    return BuiltTree(tree, tmp_path / "copy")


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(p): (p.stat().st_ino, p.stat().st_mtime_ns, p.read_bytes()) for p in files}


def link_in_place_of_the_tree(tree: Path, users: Path) -> None:
    shutil.rmtree(tree)
    tree.symlink_to(users)


def link_in_place_of_a_folder(tree: Path, users: Path) -> None:
    shutil.rmtree(tree / "sub")
    (tree / "sub").symlink_to(users / "sub")


def copy_in_place_of_the_tree(tree: Path, users: Path) -> None:
    tree.rename(tree.with_name(f"moved{len(list(tree.parent.iterdir()))}"))
    shutil.copytree(users, tree)


def nothing_in_place_of_the_tree(tree: Path, _: Path) -> None:
    shutil.rmtree(tree)


def many_levels(tree: Path, __: Path) -> None:
    nest(tree)


@pytest.mark.parametrize(
    "attack",
    [
        link_in_place_of_the_tree,
        link_in_place_of_a_folder,
        copy_in_place_of_the_tree,
        nothing_in_place_of_the_tree,
        many_levels,
    ],
)
def test_a_test_may_do_anything_to_its_tree(
    built: BuiltTree, users: Path, attack: Callable[[Path, Path], None]
) -> None:
    before = state_of(users)
    for _ in range(2):
        attack(built.tree, users)
        built.restore()
        assert not built.tree.is_symlink()
        assert sorted(os.listdir(built.tree)) == ["inside", "sub", "text"]
        assert not (built.tree / "sub").is_symlink()
        assert (built.tree / "text").read_text() == "built"
        assert (built.tree / "sub" / "input").read_text() == "built"
    assert state_of(users) == before


@pytest.mark.parametrize("name", ["link/input", "file"])
def test_an_input_is_not_written_through_a_link_that_the_build_made(
    tmp_path: Path, users: Path, name: str
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "link").symlink_to(users / "sub")
    (tree / "file").symlink_to(users / "text")
    before = state_of(users)
    built = BuiltTree(tree, tmp_path / "copy")
    built.write(name, b"new")
    assert (tree / name).read_bytes() == b"new"
    built.restore()
    assert (tree / "link").is_symlink()
    assert (tree / "file").is_symlink()
    assert state_of(users) == before


def test_an_input_is_written_through_a_link_inside_the_tree(built: BuiltTree) -> None:
    built.write("inside/input", b"new")
    assert (built.tree / "inside").is_symlink()
    assert (built.tree / "sub" / "input").read_bytes() == b"new"
    built.restore()
    assert (built.tree / "sub" / "input").read_text() == "built"


def test_a_tree_of_any_depth_is_copied(tmp_path: Path, users: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    many_levels(tree, users)
    built = BuiltTree(tree, tmp_path / "copy")
    delete_tree(tree)
    built.restore()
    depth, here = 0, str(tree)
    while names := os.listdir(here):
        depth, here = depth + 1, f"{here}/{names[0]}"
    assert depth == 1100
    for folder in (tree, tmp_path / "copy"):  # pytest cannot delete them
        delete_tree(folder)
