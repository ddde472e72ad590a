"""Is a directory copied completely, exactly and without version control data?"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import stat
from pathlib import Path

import pytest

from whence.subject.sources import fetch

from .fetching import LATIN1, Fetch, add_submodule, commit, contents, fails, write, write_all


def test_a_directory_is_copied_whole(tmp_path: Path, get: Fetch) -> None:
    top = tmp_path / "project"
    files = {"a/b/c.txt": b"crlf\r\nno end", LATIN1: b"\xff\0", "run": b"#!/bin/sh\n"}
    write_all(top, files)
    (top / "run").chmod(0o755)
    (top / "empty").mkdir()
    (top / "link").symlink_to("./a/b")
    (top / "dangling").symlink_to("/nowhere")
    assert get(top) == {
        **files,
        "run": ("x", b"#!/bin/sh\n"),
        "empty": None,
        "link": "-> ./a/b",
        "dangling": "-> /nowhere",
    }


def test_a_copy_keeps_times_and_can_be_written(tmp_path: Path) -> None:
    top = tmp_path / "project"
    write(top, old=b"")
    os.utime(top / "old", ns=(1_000_000_001, 2_000_000_002))
    (top / "old").chmod(0o400)
    copy = fetch(str(top), repo=tmp_path, into=tmp_path / "into") / "old"
    assert copy.stat().st_mtime_ns == 2_000_000_002
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_special_files_are_left_out(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "project"
    write_all(top, {"f": b"", ".hg/x": b"", "sub/.svn/x": b"", "sub/.git": b"gitdir: gone"})
    os.mkfifo(top / "pipe")
    monkeypatch.chdir(top)  # the address of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert get(top) == {"f": b"", "sub": None}


def test_a_copy_into_the_directory_itself_ends(tmp_path: Path) -> None:
    write(tmp_path, f=b"1")
    into = fetch(str(tmp_path), repo=tmp_path, into=tmp_path / "work" / "bad")
    assert contents(into) == {"f": b"1", "work": None}


def test_a_work_tree_gives_its_tracked_and_new_files(repo: Path, get: Fetch) -> None:
    files = {
        ".gitignore": b"*.o\n.venv\n",
        "tracked.c": b"1",
        "gone.c": b"",
        "d/x": b"",
        "e/x": b"4",
    }
    write_all(repo, files)
    commit(repo)
    write_all(repo, {"new.c": b"2", "main.o": b"", ".venv/bin/python": b"", "tracked.c": b"3"})
    (repo / "gone.c").unlink()
    shutil.rmtree(repo / "d")
    (repo / "d").symlink_to("e")  # d/x is still tracked, and still exists through the link
    assert get(repo) == {
        ".gitignore": files[".gitignore"],
        "tracked.c": b"3",
        "new.c": b"2",
        "d": "-> e",
        "e/x": b"4",
    }


def test_a_work_tree_gives_the_files_of_its_submodules(
    repo: Path, tmp_path: Path, get: Fetch
) -> None:
    add_submodule(repo, tmp_path / "library")
    write_all(repo / "lib", {"ignored.o": b"", "new.c": b"2"})
    found = get(repo)
    del found[".gitmodules"]
    assert found == {"lib/.gitignore": b"*.o\n", "lib/l.c": b"1", "lib/new.c": b"2"}


def test_an_unreadable_file_is_named(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "project", secret=b"")
    copying_fails(monkeypatch, errno.EACCES)
    fails(get, tmp_path / "project", "unreadable-source", str(tmp_path / "project" / "secret"))


def test_a_full_disk_is_reported_and_leaves_no_files(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "project", big=b"")
    copying_fails(monkeypatch, errno.ENOSPC)
    fails(get, tmp_path / "project", "disk-full", "full")
    assert not (tmp_path / "into" / "tree").exists()


def copying_fails(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def copyfile(source: Path, _: Path) -> None:
        raise OSError(number, os.strerror(number), str(source))

    monkeypatch.setattr(shutil, "copyfile", copyfile)


def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "into", precious=b"")
    with pytest.raises(ValueError, match="not empty"):
        fetch(str(tmp_path), repo=tmp_path, into=tmp_path / "into")
    assert (tmp_path / "into" / "precious").exists()
