"""Is the answer right, and are the user's files as before, whatever a test does to its tree?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.nesting import nest
from tests.session.projects import numbered, numbers, write_files
from whence.subject.beneath import delete_tree

REPLACED = {  # what a test does to its tree before it ends
    "a link to the user's files": 'cd /; rm -rf "$WHENCE_TREE"; ln -s {users} "$WHENCE_TREE"',
    "nothing": 'cd /; rm -rf "$WHENCE_TREE"',
    "a file": 'cd /; rm -rf "$WHENCE_TREE"; echo >"$WHENCE_TREE"',
    "another directory": 'cd /; rm -rf "$WHENCE_TREE"; mkdir "$WHENCE_TREE"',
    "a copy": 'cd /; mv "$WHENCE_TREE" "$WHENCE_TREE.x"; cp -r {users} "$WHENCE_TREE"',
    "no permissions": "mkdir -p d/e; touch d/e/f; chmod 0 d/e d . numbers",
    "many levels": "i=0; while [ $i -lt 1100 ]; do mkdir d; cd d; i=$((i+1)); done",
}


def user_files(folder: Path) -> Path:
    users = folder / "users"
    write_files(users, {"numbers": numbers(6, "users"), "src/inner": "the user's"})
    return users


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.mark.parametrize("what", REPLACED)
def test_a_test_may_do_anything_to_its_tree(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = user_files(tmp_path)
    before = state_of(users)
    attack = REPLACED[what].replace("{users}", str(users))
    project = numbered(
        tmp_path / "project", 6, f"has 4 && failed=1\n({attack})\n[ $failed ] && ends 1"
    )
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "project" / "tmp"))
    result = project.result()
    assert {change for root in result.root for change in root.ids} == {4}
    assert state_of(users) == before
    assert os.listdir(tmp_path / "project" / "tmp") == []  # no workspace is left behind


def test_a_build_that_replaces_a_directory_by_a_link_changes_nothing_outside(
    tmp_path: Path,
) -> None:
    users = user_files(tmp_path)
    before = state_of(users)
    project = numbered(tmp_path / "project", 6, "has 4 && ends 1")
    for version in ("good", "bad"):
        write_files(project.folder / version, {"src/inner": f"{version}\n", "src/same": "same\n"})
    project.options = ("--build", f"rm -rf src && ln -s {users}/src src")
    found = project.found()
    assert found.culprits == {4}
    assert state_of(users) == before


def test_an_absolute_link_into_the_source_leads_into_the_copy(tmp_path: Path) -> None:
    project = numbered(tmp_path, 6, "echo attack >link; echo attack >far/link; has 4 && ends 1")
    for version in ("good", "bad"):
        folder = project.folder / version
        write_files(folder, {"target": "the user's\n", "far/away": ""})
        (folder / "link").symlink_to(folder / "target")
        (folder / "far" / "link").symlink_to(folder / "target")
        (folder / "all").symlink_to(folder)
    assert {change for root in project.result().root for change in root.ids} == {4}
    for version in ("good", "bad"):
        assert (project.folder / version / "target").read_text() == "the user's\n"


def test_a_link_to_another_place_stays_as_it_is(tmp_path: Path) -> None:
    """Only links into the version itself change: a test may need a file of the machine."""
    (tmp_path / "machine").write_text("7\n")
    project = numbered(tmp_path, 6, 'read x <link; [ "$x" = 7 ] || ends 125; has 4 && ends 1')
    for version in ("good", "bad"):
        (project.folder / version / "link").symlink_to(tmp_path / "machine")
    assert {change for root in project.result().root for change in root.ids} == {4}


@pytest.mark.parametrize("where", ["version", "build"])
def test_a_tree_may_have_any_depth(tmp_path: Path, where: str) -> None:
    project = numbered(tmp_path / "project", 6, "has 4 && ends 1")
    if where == "build":
        levels = REPLACED["many levels"]
        project.options = ("--build", f"[ -d d ] || ({levels})")
    else:
        for version in ("good", "bad"):
            nest(project.folder / version)
    result = project.result()
    assert {change for root in result.root for change in root.ids} == {4}
    for version in ("good", "bad"):
        delete_tree(project.folder / version)  # pytest cannot
