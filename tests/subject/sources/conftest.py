"""Fixtures: a function that fetches a version, and a repository."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from whence.subject.sources import fetch

from .fetching import Fetch, contents, git


@pytest.fixture
def get(tmp_path: Path) -> Fetch:
    """Return a function that fetches a version, with the repository `tmp_path/repo`."""

    def get_(spec: object) -> dict[str, object]:
        into = tmp_path / "into" / "tree"
        shutil.rmtree(into, ignore_errors=True)
        assert fetch(str(spec), repo=tmp_path / "repo", into=into) == into
        return contents(into)

    return get_


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    where = tmp_path / "repo"
    where.mkdir()
    git(where, "init", "-q", "-b", "main")
    return where
