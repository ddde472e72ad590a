"""How do we get the files of a git revision without changing the repository?"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whence.errors import UserError
from whence.subject.sources.git import git, git_environment, is_work_tree, what_git_says
from whence.subject.sources.tree import TreeWriter, make_executable


@dataclass(frozen=True, slots=True)
class _Repository:
    """A git repository to read commits and files from."""

    git_dir: Path
    work_tree: Path | None  # may hold checked-out submodules

    def command(self, *arguments: str) -> tuple[str | Path, ...]:
        # The work tree in a submodule's configuration may not exist, and git would fail.
        return ("--git-dir", self.git_dir, "--work-tree", self.git_dir, *arguments)

    def ask(self, *arguments: str) -> bytes | None:
        """Return the output of git, or None if it fails."""
        answer = git(*self.command(*arguments))
        return answer.stdout if answer.returncode == 0 else None


@dataclass(frozen=True, slots=True)
class Commit:
    repository: _Repository
    id: str

    def exists(self) -> bool:
        """Does the repository have the commit?  A clone may be too old or shallow."""
        return self.repository.ask("cat-file", "-e", f"{self.id}^{{commit}}") is not None


def _repository_at(directory: Path) -> _Repository | None:
    found = git("-C", directory, "rev-parse", "--absolute-git-dir")
    if found.returncode != 0:
        return None
    top = git("-C", directory, "rev-parse", "--show-toplevel")  # fails in a bare repository
    return _Repository(
        git_dir=_path_printed(found.stdout),
        work_tree=_path_printed(top.stdout) if top.returncode == 0 else None,
    )


def _path_printed(line: bytes) -> Path:
    return Path(os.fsdecode(line.removesuffix(b"\n")))


def find_commit(revision: str, repo: Path) -> Commit | None:
    """Return the commit that `revision` names in the repository around `repo`, or None."""
    repository = _repository_at(repo)
    if repository is None:
        why = what_git_says(git("-C", repo, "rev-parse", "--git-dir").stderr)
        raise UserError(
            f"There is no file or directory {revision!r}, and it cannot be a git revision"
            f" of {repo}: {why}\n"
            f"Check the path, or name a git repository with --repo.",
            slug="not-a-repository",
        )
    if revision.startswith("-"):  # git would take it for an option
        return None
    found = repository.ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    return Commit(repository, found.decode().strip()) if found else None


def check_out(commit: Commit, into: Path) -> None:
    """Write the files of `commit`.

    All get the time of the commit.  A file that is written later looks newer: `make` would
    generate `configure` again if `configure.ac` came after it.
    """
    tree = TreeWriter(into)
    _write_files(commit, tree, prefix="", modified=_time(commit))
    tree.make_links()


def _time(commit: Commit) -> int:
    """Return when the commit was made, in seconds, or now if that is in the future."""
    told = commit.repository.ask("show", "--no-patch", "--format=%ct", commit.id)
    return min(int(told or 0), int(time.time()))


def _write_files(commit: Commit, tree: TreeWriter, *, prefix: str, modified: int) -> None:
    """Write the files of `commit` below `prefix`, and give them the time `modified`.

    `git archive` or a checkout would apply attributes and filters, which change the bytes.
    """
    repository = commit.repository
    listing = repository.ask("ls-tree", "-r", "-z", "--full-tree", commit.id)
    if listing is None:
        raise _unreadable_object(repository, commit.id)
    with subprocess.Popen(
        ("git", *repository.command("cat-file", "--batch")),
        env=git_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as batch:
        for entry in os.fsdecode(listing).split("\0")[:-1]:
            description, _, name = entry.partition("\t")
            mode, _, object_id = description.split(" ")
            if mode == "160000":
                _write_submodule(commit, name, object_id, tree, prefix=prefix, modified=modified)
                continue
            content = _read_object(batch, object_id)
            if content is None:
                raise _unreadable_object(repository, object_id)
            if mode == "120000":
                tree.link(prefix + name, os.fsdecode(content))
            else:
                path = tree.place(prefix + name)
                path.write_bytes(content)
                if mode == "100755":
                    make_executable(path)
                os.utime(path, (modified, modified))


def _read_object(batch: subprocess.Popen[bytes], object_id: str) -> bytes | None:
    assert batch.stdin is not None
    assert batch.stdout is not None
    batch.stdin.write(object_id.encode() + b"\n")
    batch.stdin.flush()
    header = batch.stdout.readline().split()  # id, type and size, or: id "missing"
    if len(header) != 3:
        return None
    size = int(header[2])
    content = batch.stdout.read(size + 1)[:-1]  # a newline follows
    return content if len(content) == size else None


def _unreadable_object(repository: _Repository, object_id: str) -> UserError:
    return UserError(
        f"The git repository {repository.git_dir} lacks the object {object_id}.\n"
        f"If the clone is shallow or partial, fetch the rest. To check it, run: git fsck",
        slug="git-failed",
    )


def _write_submodule(
    commit: Commit, name: str, pinned: str, tree: TreeWriter, *, prefix: str, modified: int
) -> None:
    """Write the pinned commit of a submodule; an empty directory if no clone has the commit."""
    tree.place(prefix + name).mkdir(exist_ok=True)
    for repository in _clones_of_submodule(commit, name):
        submodule = Commit(repository, pinned)
        if submodule.exists():
            _write_files(submodule, tree, prefix=f"{prefix}{name}/", modified=modified)
            return


def _clones_of_submodule(commit: Commit, name: str) -> Iterator[_Repository]:
    """Yield the possible clones of the submodule at the path `name`."""
    repository = commit.repository
    if repository.work_tree and is_work_tree(repository.work_tree / name):
        checked_out = _repository_at(repository.work_tree / name)
        if checked_out:
            yield checked_out
    common = repository.ask("rev-parse", "--git-common-dir") or b""
    for git_dir in (repository.git_dir, repository.git_dir / _path_printed(common)):
        clones = git_dir / "modules"
        clone = clones / _submodule_name(commit, name)
        # The name comes from the commit: `../..` or a link would lead to another repository.
        if clone.is_dir() and clone.resolve().is_relative_to(clones.resolve()):
            yield _Repository(clone, work_tree=None)


def _submodule_name(commit: Commit, path: str) -> str:
    """Return the name of the submodule at `path` in .gitmodules; by default it is the path."""
    settings = commit.repository.ask(
        *("config", "-z", "--blob", f"{commit.id}:.gitmodules"),
        *("--get-regexp", r"^submodule\..*\.path$"),
    )
    for setting in os.fsdecode(settings or b"").split("\0"):
        key, _, value = setting.partition("\n")
        if value == path:
            return key.removeprefix("submodule.").removesuffix(".path")
    return path
