"""Are files written and deleted below a folder only, whatever a test did to the folder?"""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.subject.beneath import Beneath, delete_tree

NOBODY = 65534  # an ordinary user, whom permissions stop


def as_nobody(do: Callable[[], object], *folders: Path) -> None:
    """Do something in a process of an ordinary user who owns these folders."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                for folder in folders:
                    for path in (folder, *folder.rglob("*")):
                        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            do()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitpid(process, 0)[1] == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; those of pytest are closed."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def users(tmp_path: Path) -> Path:
    """A folder of the user's, which must stay as it is."""
    folder = tmp_path / "users"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.c").write_text("the user's")
    (folder / "a.c").write_text("the user's")
    return folder


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def tree(tmp_path: Path) -> Beneath:
    (tmp_path / "tree").mkdir()
    return Beneath(tmp_path / "tree")


def test_nothing_is_written_through_a_link_in_place_of_a_directory(
    tree: Beneath, users: Path
) -> None:
    (tree.root / "src").symlink_to(users / "src")
    before = state_of(users)
    tree.set_time("src/a.c")
    tree.delete("src/a.c")
    assert not tree.remove_empty("src/a.c")
    assert tree.names("src") == []
    assert tree.status("src/a.c") is None
    assert state_of(users) == before
    tree.write("src/a.c", b"ours", 0o644)
    assert (tree.root / "src" / "a.c").read_bytes() == b"ours"
    assert not (tree.root / "src").is_symlink()
    assert state_of(users) == before


def test_a_link_is_replaced_and_what_it_leads_to_stays(tree: Beneath, users: Path) -> None:
    before = state_of(users)
    operations: tuple[Callable[[], None], ...] = (
        lambda: tree.write("a.c", b"ours", 0o755),
        lambda: tree.copy(users / "a.c", "a.c"),
        lambda: tree.make_folder("a.c"),
        lambda: tree.make_link("a.c", "elsewhere"),
        lambda: tree.delete("a.c"),
        lambda: tree.set_mode("a.c", 0o600),
        lambda: tree.set_time("a.c", 0),
    )
    for operation in operations:
        tree.delete("a.c")
        (tree.root / "a.c").symlink_to(users / "a.c")
        operation()
        assert state_of(users) == before


def test_a_folder_that_was_replaced_is_noticed(tree: Beneath, users: Path) -> None:
    assert tree.is_in_place
    tree.root.rename(tree.root.with_name("moved"))
    assert not tree.is_in_place
    tree.root.symlink_to(users)
    assert not tree.is_in_place
    tree.root.unlink()
    tree.root.mkdir()
    assert not tree.is_in_place
    tree.root.rmdir()
    tree.root.write_text("a file")
    assert not tree.is_in_place


def test_a_copy_keeps_content_mode_and_time(tree: Beneath, users: Path) -> None:
    (users / "a.c").chmod(0o751)
    os.utime(users / "a.c", ns=(1, 123_456_789))
    tree.copy(users / "a.c", "deep/down/a.c")
    status = tree.status("deep/down/a.c")
    assert status is not None
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o751, 123_456_789)


def test_a_tree_without_permissions_is_written_and_deleted(open_folder: Path) -> None:
    (open_folder / "tree" / "a" / "b").mkdir(parents=True)
    tree = Beneath(open_folder / "tree")
    (tree.root / "a" / "b" / "file").write_text("x")
    (tree.root / "a" / "b" / "file").chmod(0)

    def work() -> None:
        for folder in ("a/b", "a", "."):
            (tree.root / folder).chmod(0)
        tree.write("a/b/new", b"1", 0o644)
        tree.write("a/b/file", b"2", 0o644)
        for folder in ("a/b", "a"):
            (tree.root / folder).chmod(0o500)
        tree.delete("a")
        assert tree.names(".") == []

    as_nobody(work, tree.root)


@pytest.mark.parametrize("mode", [0, 0o500, 0o300, 0o700])
def test_a_workspace_without_permissions_is_deleted(mode: int, open_folder: Path) -> None:
    home = open_folder / "home"
    (home / "work" / "tree" / "a" / "b").mkdir(parents=True)
    (home / "work" / "tree" / "a" / "b" / "file").write_text("x")

    def work() -> None:
        for folder in ("work/tree/a/b", "work/tree/a", "work/tree", "work"):
            (home / folder).chmod(mode)
        delete_tree(home / "work")
        assert not (home / "work").exists()

    as_nobody(work, home)


def test_directories_of_any_depth_are_deleted(tmp_path: Path) -> None:
    script = "import os\nfor _ in range(1500):\n  os.mkdir('directory'); os.chdir('directory')"
    (tmp_path / "work").mkdir()
    subprocess.run(["python3", "-c", script], cwd=tmp_path / "work", check=True)
    delete_tree(tmp_path / "work")
    assert os.listdir(tmp_path) == []


def test_links_are_deleted_and_what_they_lead_to_stays(tmp_path: Path, users: Path) -> None:
    before = state_of(users)
    work = tmp_path / "work"
    work.mkdir()
    (work / "link").symlink_to(users)
    (work / "inner").mkdir()
    (work / "inner" / "link").symlink_to(users / "a.c")
    delete_tree(work)
    (tmp_path / "link").symlink_to(users)
    delete_tree(tmp_path / "link")
    delete_tree(tmp_path / "not there")
    assert sorted(os.listdir(tmp_path)) == ["users"]
    assert state_of(users) == before


names = st.sampled_from(["a", "b", "c"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
steps_of_a_test = st.tuples(st.sampled_from(["write", "folder", "link", "delete"]), paths)


@given(st.lists(steps_of_a_test, max_size=12))
def test_each_operation_replaces_what_was_there(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    """A path is as the last operation left it, unless a later one replaced a part of it."""
    below = Beneath(tmp_path_factory.mktemp("tree"))
    expected: dict[str, str] = {}
    for kind, path in steps:
        if kind == "delete":
            below.delete(path)
        elif kind == "write":
            below.write(path, path.encode(), 0o644)
        elif kind == "folder":
            below.make_folder(path)
        else:
            below.make_link(path, "..")
        replaced = [path] if kind == "delete" else [path, *parents(path)]
        lost = {
            other
            for other in expected
            if other.startswith(f"{path}/") or (other in replaced and expected[other] != "folder")
        } | {path}
        blocked = kind == "delete" and any(
            expected.get(p) in ("write", "link") for p in parents(path)
        )
        if not blocked:
            for other in lost:
                expected.pop(other, None)
        if kind != "delete":
            expected |= dict.fromkeys(parents(path), "folder") | {path: kind}
    for path, kind in expected.items():
        found = below.root / path
        assert found.is_symlink() == (kind == "link")
        assert kind == "link" or found.is_dir() == (kind == "folder")
        assert kind != "write" or found.read_bytes() == path.encode()
    count = sum(1 for _ in below.root.rglob("*"))
    assert count == len(expected)


def parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:i]) for i in range(1, len(parts))]


def test_what_a_killed_deletion_leaves_is_below_the_deleted_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next whence finds the folder by its name, and deletes it with all that is in it."""
    tree = tmp_path / "tree"
    (tree / "a" / "b" / "c" / "d").mkdir(parents=True)
    (tree / "a" / "b" / "e").mkdir()
    steps = 0
    real = os.rmdir

    class KilledError(BaseException):
        pass

    def killed(*args: Any, **kwargs: Any) -> None:
        nonlocal steps
        steps += 1
        if steps == 2:
            raise KilledError
        real(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rmdir", killed)
        with pytest.raises(KilledError):
            delete_tree(tree)
    assert os.listdir(tmp_path) == ["tree"]
    delete_tree(tree)
    assert os.listdir(tmp_path) == []
