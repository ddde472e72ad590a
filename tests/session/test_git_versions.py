"""Are git revisions compared, and do the patches apply to the repository?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.session.projects import Ended, Project, numbers, write_files

GIT = ("git", "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
LONG = "".join(f"# line {i}\n" for i in range(20))


def git(repo: Path, *arguments: str) -> str:
    return subprocess.run(
        [*GIT, "-C", str(repo), *arguments], check=True, capture_output=True, text=True
    ).stdout


def commit(repo: Path) -> None:
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--allow-empty", "--message", "some work")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The test passes if `bin/tool` is executable, `lost` exists, and number 4 is good."""
    test = "[ -x bin/tool ] || ends 1; has 4 && ends 1; [ -e lost ] || ends 1"
    return Project(tmp_path, {}, {}, test, ("--repo", "repo", "--good", "v1", "--bad", "HEAD"))


@pytest.fixture
def repo(project: Project) -> Path:
    """A repository in which a file was renamed and edited, and the numbers were changed."""
    repo = project.folder / "repo"
    files = {"numbers": numbers(8, "good"), "bin/tool": f"#!/bin/sh\n{LONG}", "lost": "here\n"}
    write_files(repo, files | {"moved/from": f"{LONG}from\n"})
    (repo / "bin" / "tool").chmod(0o755)
    git(repo, "init", "--quiet")
    commit(repo)
    git(repo, "tag", "v1")
    (repo / "numbers").write_text(numbers(8, "bad"))
    git(repo, "mv", "moved/from", "moved/to")
    (repo / "moved" / "to").write_text(f"{LONG}to\n")
    commit(repo)
    return repo


def state(repo: Path) -> dict[str, object]:
    """Return the time and content of every file of a repository, including its index."""
    return {
        path.relative_to(repo).as_posix(): (path.lstat().st_mtime_ns, path.read_bytes())
        for path in sorted(repo.rglob("*"))
        if path.is_file()
    }


def files(ended: Ended) -> list[tuple[str, str]]:
    return [(root["kind"], root["file"]) for root in ended.document["root"]]


def test_two_revisions(project: Project, repo: Path) -> None:
    before = state(repo)
    ended = project.found()
    assert files(ended) == [("edit", "numbers")]
    assert "+4 bad" in ended.document["root"][0]["text"]
    assert state(repo) == before


def test_a_mode_alone_and_a_deleted_file(project: Project, repo: Path) -> None:
    (repo / "numbers").write_text(numbers(8, "good"))
    (repo / "bin" / "tool").chmod(0o644)
    (repo / "lost").unlink()
    commit(repo)
    ended = project.found()
    assert files(ended) == [("mode", "bin/tool"), ("delete", "lost")]


@pytest.mark.usefixtures("repo")
def test_a_rename_alone(project: Project) -> None:
    project.rewrite_test("[ -e moved/from ] || ends 1")
    assert files(project.found()) == [("rename", "moved/to")]


def test_the_work_tree_against_the_last_commit(project: Project, repo: Path) -> None:
    """Staged, edited and new files count; ignored files do not."""
    (repo / "numbers").write_text(numbers(8, "good"))
    write_files(repo, {".gitignore": "*.o\n"})
    commit(repo)
    (repo / "numbers").write_text(numbers(8, "bad"))
    write_files(repo, {"new": "file\n", "x.o": "object\n", "staged": "file\n"})
    git(repo, "add", "staged")
    before = state(repo)
    project.cwd = repo
    ended = project.found("--repo", ".", "--good", "HEAD", "--bad", ".")
    assert ended.document["changes"]["total"] == 10
    assert "+4 bad" in ended.document["root"][0]["text"]
    assert state(repo) == before


@pytest.mark.parametrize("harm", ["numbers", "mode", "delete", "rename"])
def test_the_patch_makes_the_test_pass(project: Project, repo: Path, harm: str) -> None:
    if harm != "numbers":
        (repo / "numbers").write_text(numbers(8, "good"))
    if harm == "mode":
        (repo / "bin" / "tool").chmod(0o644)
    elif harm == "delete":
        (repo / "lost").unlink()
    elif harm == "rename":
        git(repo, "mv", "bin/tool", "bin/utility")
    commit(repo)
    patch = project.folder / "patch"
    project.found("--patch", str(patch))
    assert passes(project, repo) is False
    git(repo, "apply", str(patch))
    assert passes(project, repo) is True


def passes(project: Project, tree: Path) -> bool:
    return subprocess.run(["sh", str(project.script)], cwd=tree, check=False).returncode == 0
