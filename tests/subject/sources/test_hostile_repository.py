"""Does a repository that is only read run any of its programs?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whence.service.repository import current_repository
from whence.subject.sources.git import reading_environment

from .fetching import Fetch, commit, git, write


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """A folder in which every program of the hostile repository leaves a file."""
    found = tmp_path / "marks"
    found.mkdir()
    return found


def hostile(repo: Path, marks: Path) -> None:
    """Let the repository name a program in every setting that can name one."""

    def program(name: str) -> str:
        script = marks.parent / f"{name}.sh"
        script.write_text(f"#!/bin/sh\ntouch {marks}/{name}\ncat 2>/dev/null\n")
        script.chmod(0o755)
        return str(script)

    settings = {
        "core.fsmonitor": program("fsmonitor"),
        "core.sshCommand": program("ssh"),
        "core.pager": program("pager"),
        "core.alternateRefsCommand": program("alternates"),
        "diff.external": program("external"),
        "diff.x.textconv": program("textconv"),
        "diff.x.command": program("command"),
        "filter.x.clean": program("clean"),
        "filter.x.smudge": program("smudge"),
        "filter.x.required": "true",
        "filter.y.process": program("process"),
        "log.showSignature": "true",
        "gpg.program": program("gpg"),
        "credential.helper": program("credential"),
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{program('remote')}",
        "protocol.ext.allow": "always",
    }
    for name, value in settings.items():
        git(repo, "config", name, value)
    hooks = repo / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
    ):
        hook = hooks / name
        hook.write_text(f"#!/bin/sh\ntouch {marks}/hook-{name}\n")
        hook.chmod(0o755)


@pytest.fixture
def attacked(repo: Path, marks: Path) -> Path:
    (repo / ".gitattributes").write_text("*.a filter=x diff=x\n*.b filter=y diff=x\n")
    write(repo, **{"f.a": b"1\n", "f.b": b"1\n", "g": b"1\n"})
    commit(repo)
    hostile(repo, marks)
    for name in ("f.a", "f.b", "g"):
        (repo / name).write_bytes(b"2\n")
        os.utime(repo / name, (1, 1))
    return repo


def test_a_repository_that_is_read_runs_none_of_its_programs(
    attacked: Path, get: Fetch, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert get("HEAD")["f.a"] == b"1\n"
    assert get(attacked)["f.a"] == b"2\n"
    monkeypatch.chdir(attacked)
    changed = current_repository().changed("HEAD", None)
    assert changed.keys() >= {"f.a", "f.b", "g"}
    assert not list(marks.iterdir())


def test_a_missing_object_is_not_fetched(attacked: Path, get: Fetch, marks: Path) -> None:
    blob = git(attacked, "rev-parse", "HEAD:g").strip()
    (attacked / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(Exception, match="lacks the object"):
        get("HEAD")
    assert not list(marks.iterdir())


def test_the_name_of_a_submodule_does_not_lead_out_of_the_repository(
    repo: Path, get: Fetch, tmp_path: Path
) -> None:
    evil = tmp_path / "evil.git"
    evil.mkdir()
    git(evil, "init", "-q", "-b", "main")
    write(evil, secret=b"1")
    commit(evil)
    pinned = git(evil, "rev-parse", "HEAD").strip()
    (repo / ".git" / "modules").mkdir()
    name = "../../../evil.git/.git"
    (repo / ".gitmodules").write_text(f'[submodule "{name}"]\n\tpath = sub\n\turl = ./x\n')
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{pinned},sub")
    git(repo, "add", ".gitmodules")
    git(repo, "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "x")
    assert "sub/secret" not in get("HEAD")


def test_settings_that_the_user_gives_by_variables_are_kept() -> None:
    given = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    found = reading_environment(given, {"a.b": "c"})
    keys = [found[f"GIT_CONFIG_KEY_{number}"] for number in range(int(found["GIT_CONFIG_COUNT"]))]
    assert keys[0] == "safe.directory"
    assert {"core.fsmonitor", "a.b"} < set(keys)
