"""Is a git revision fetched completely and exactly, without a change to the repository?"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from whence.subject.sources import fetch

from .fetching import LATIN1, Fetch, add_submodule, commit, contents, fails, git, write, write_all


def test_a_revision_gives_the_exact_bytes_of_its_tree(repo: Path, get: Fetch) -> None:
    files = {
        ".gitattributes": b"*.txt text eol=crlf\nsecret export-ignore\nid export-subst ident\n",
        "unix.txt": b"a\nb",
        "secret": b"1",
        "id": b"$Format:%H$ $Id$\n",
        "binary": b"\r\n\0\xff",
        LATIN1: b"\n",
        "d/with space\n": b"",
    }
    write_all(repo, files)
    write(repo, run=b"#!")
    (repo / "run").chmod(0o755)
    (repo / "link").symlink_to("./d")
    commit(repo)
    assert get("HEAD") == {**files, "run": ("x", b"#!"), "link": "-> ./d"}


def test_all_files_of_a_revision_have_the_time_of_its_commit(repo: Path, tmp_path: Path) -> None:
    """None may look newer than another: `make` would generate files again."""
    names = ["configure", "configure.ac", "run"]
    write_all(repo, dict.fromkeys(names, b"#!"))
    (repo / "run").chmod(0o755)
    commit(repo)
    when = int(git(repo, "show", "-s", "--format=%ct", "HEAD"))
    found = fetch("HEAD", repo=repo, into=tmp_path / "found")
    assert [(found / name).stat().st_mtime for name in names] == [when] * 3


def test_every_way_to_name_a_revision_works(repo: Path, get: Fetch) -> None:
    for content in (b"1", b"2", b"3"):
        write(repo, f=content)
        commit(repo)
    git(repo, "tag", "-a", "-m", "first", "v1.4", "HEAD~2")
    git(repo, "branch", "topic/two", "HEAD~1")
    short = git(repo, "rev-parse", "--short", "HEAD").strip()
    named = {spec: get(spec)["f"] for spec in ("v1.4", "topic/two", "HEAD~2", "main", short)}
    assert named == {"v1.4": b"1", "topic/two": b"2", "HEAD~2": b"1", "main": b"3", short: b"3"}


def test_the_users_repository_is_not_touched(
    repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repo, a=b"1", b=b"1")
    commit(repo)
    write(repo, a=b"2")
    git(repo, "add", "a")
    write(repo, a=b"3", c=b"new")
    os.utime(repo / "b")  # git would refresh its index
    before = contents(repo)
    get("HEAD")
    get(repo)
    monkeypatch.chdir(repo)
    get("HEAD")
    assert contents(repo) == before
    assert git(repo, "status", "--porcelain") == "MM a\n?? c\n"


def test_a_revision_is_complete_if_repo_is_a_subdirectory(
    repo: Path, tmp_path: Path, get: Fetch
) -> None:
    write_all(repo, {"top": b"", "sub/f": b""})
    commit(repo)
    inside = fetch("HEAD", repo=repo / "sub", into=tmp_path / "inside")
    assert contents(inside) == get("HEAD") == {"top": b"", "sub/f": b""}


def test_bare_repositories_and_linked_work_trees_have_revisions(repo: Path, tmp_path: Path) -> None:
    write(repo, f=b"1")
    commit(repo)
    git(repo, "clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    write(tmp_path / "linked", f=b"2")
    commit(tmp_path / "linked")
    bare = fetch("HEAD", repo=tmp_path / "bare", into=tmp_path / "1")
    linked = fetch("HEAD", repo=tmp_path / "linked", into=tmp_path / "2")
    assert (contents(bare), contents(linked)) == ({"f": b"1"}, {"f": b"2"})


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
def test_the_environment_of_a_git_hook_has_no_effect(
    repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    write(repo, f=b"1")
    commit(repo)
    monkeypatch.setenv(variable, "/nowhere")
    assert get("HEAD") == get(repo) == {"f": b"1"}


def test_a_submodule_is_part_of_a_revision(repo: Path, tmp_path: Path, get: Fetch) -> None:
    add_submodule(repo, tmp_path / "library")
    whole = get("HEAD")
    assert whole["lib/l.c"] == b"1"

    write(repo / "lib", l__c=b"2")
    commit(repo / "lib")
    commit(repo, "newer library")
    assert get("HEAD")["lib/l.c"] == b"2"
    assert get("HEAD~1") == whole

    git(repo, "submodule", "--quiet", "deinit", "--force", "lib")
    assert get("HEAD~1") == whole

    (repo / "lib").rmdir()
    assert get("HEAD~1") == whole

    shutil.rmtree(repo / ".git" / "modules")
    assert get("HEAD~1") == {".gitmodules": whole[".gitmodules"], "lib": None}


def test_a_submodule_in_a_submodule_is_part_of_a_revision(
    repo: Path, tmp_path: Path, get: Fetch
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    add_submodule(outer, tmp_path / "library")
    git(repo, "submodule", "--quiet", "add", str(outer), "outer")
    git(repo, "submodule", "--quiet", "update", "--init", "--recursive")
    commit(repo)
    whole = get("HEAD")
    assert whole["outer/lib/l.c"] == b"1"
    git(repo, "submodule", "--quiet", "deinit", "--force", "outer")
    assert get("HEAD") == whole


def test_a_path_wins_over_a_revision(
    repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(repo, {"docs/f": b"1"})
    commit(repo)
    git(repo, "branch", "docs")
    monkeypatch.chdir(repo)
    assert get("docs") == {"f": b"1"}
    assert get("heads/docs") == {"docs/f": b"1"}


@pytest.mark.parametrize("spec", ["v9", "./missing/dir", "missing.tar.gz", "--all", "", "HEAD:f"])
def test_the_error_for_an_unknown_source_lists_the_kinds_of_sources(
    repo: Path, get: Fetch, spec: str
) -> None:
    write(repo, f=b"")
    commit(repo)
    fails(get, spec, "no-such-source", f"no file or directory {spec!r}", "pypi:NAME==VERSION")


def test_a_revision_needs_a_repository(tmp_path: Path, get: Fetch) -> None:
    fails(get, "HEAD", "not-a-repository", str(tmp_path / "repo"), "--repo")
    (tmp_path / "repo").mkdir()
    fails(get, "HEAD", "not-a-repository", "not a git repository")


def test_a_lost_object_is_named(repo: Path, get: Fetch) -> None:
    write(repo, f=b"1")
    commit(repo)
    name = git(repo, "rev-parse", "HEAD:f").strip()
    (repo / ".git" / "objects" / name[:2] / name[2:]).unlink()
    fails(get, "HEAD", "git-failed", name)


def test_a_missing_git_is_reported(repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    fails(get, "HEAD", "no-git", "Install git")
