"""Make sources of versions, and compare what is fetched from them."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from whence.errors import UserError

LATIN1 = os.fsdecode(b"caf\xe9.txt")  # a name that is not UTF-8

Fetch = Callable[[object], "dict[str, object]"]


def contents(top: Path) -> dict[str, object]:
    """Return a tree as a value.

    A file is its bytes, an executable file `("x", bytes)`, a link `"-> target"`, an empty
    directory None.
    """
    found: dict[str, object] = {}
    for path in top.rglob("*"):
        name = str(path.relative_to(top))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            data = path.read_bytes()
            found[name] = ("x", data) if path.stat().st_mode & stat.S_IXUSR else data
        elif not any(path.iterdir()):
            found[name] = None
    return found


def write(top: Path, **files: bytes) -> None:
    write_all(top, {name.replace("__", "."): data for name, data in files.items()})


def write_all(top: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)


def git(where: Path, *arguments: str) -> str:
    config = ("user.name=T", "user.email=t@example.org", "protocol.file.allow=always")
    options = [option for setting in config for option in ("-c", setting)]
    done = subprocess.run(
        ["git", "-C", where, *options, *arguments], check=True, capture_output=True
    )
    return os.fsdecode(done.stdout)


def commit(where: Path, message: str = "work") -> None:
    git(where, "add", "-A")
    git(where, "commit", "-q", "--allow-empty", "-m", message)


def add_submodule(repo: Path, library: Path) -> None:
    """Add a submodule to `repo`: path lib, name "library", one file."""
    write_all(library, {".gitignore": b"*.o\n", "l.c": b"1"})
    git(library, "init", "-q")
    commit(library)
    git(repo, "submodule", "--quiet", "add", "--name", "library", str(library), "lib")
    commit(repo, "submodule")


def fails(get: Fetch, spec: object, slug: str, *words: str) -> None:
    with pytest.raises(UserError) as caught:
        get(spec)
    assert caught.value.slug == slug
    for word in words:
        assert word in str(caught.value)
