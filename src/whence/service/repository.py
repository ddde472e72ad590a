"""Which git repository is the user in, and which commits do its revisions name?

git finds the repository as it does for the user: with $GIT_DIR and the like if git itself started
us.  It starts no program that the repository's configuration names.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from whence.changes.gitdiff import no_git
from whence.errors import UserError
from whence.subject.sources.git import reading_environment

_FILTER = r"^filter\..*\.(clean|smudge|process|required)$"  # settings that name programs


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that git finds from the current directory."""

    git_dir: Path
    work_tree: Path | None  # the top of the work tree, if the user is in it
    prefix: str  # the current directory, relative to the top: "" or "sub/"

    @property
    def place(self) -> Path:
        """The directory by which git finds the repository without its environment variables."""
        return self.work_tree or self.git_dir

    def revision(self, name: str) -> str:
        """Return a name of the commit `name` that cannot be mistaken for a file or directory."""
        commit = commit_of(name)
        if commit is None:
            raise UserError(
                f"There is no revision {name!r} in {self.place}.\n"
                "Name a commit, a tag or a branch: git log --oneline --all shows them. A shallow "
                "clone lacks the older ones: git fetch --unshallow --tags",
                slug="no-such-revision",
            )
        return commit if ":" in name or os.path.lexists(name) else name

    def changed(self, good: str, bad: str | None) -> dict[str, str]:
        """Return the files that differ, each with A (added), D (deleted) or another letter.

        If `bad` is None, it is the work tree, with new files and without ignored ones.
        """
        versions = [good] if bad is None else [good, bad]
        listed = _ask(
            *("diff", "--name-status", "--no-renames", "--no-relative", "-z", *versions, "--"),
            settings=_without_filters(),
        )
        words = (listed or "").split("\0")
        found = dict(zip(words[1::2], words[0::2], strict=False))
        if bad is None:
            new = _ask("ls-files", "-o", "--exclude-standard", "--full-name", "-z", ":(top)") or ""
            found |= dict.fromkeys(filter(None, new.split("\0")), "A")
        return found


def current_repository() -> Repository:
    """Return the repository of the current directory."""
    git_dir = _run("rev-parse", "--absolute-git-dir")
    if git_dir.returncode != 0:
        raise UserError(
            f"git finds no repository here: {os.fsdecode(git_dir.stderr).strip()}\n"
            "Go to a directory of it, or name it: git -C DIRECTORY whence ...",
            slug="not-a-repository",
        )
    found = Path(os.fsdecode(git_dir.stdout).removesuffix("\n"))
    top, prefix = _ask("rev-parse", "--show-toplevel"), _ask("rev-parse", "--show-prefix")
    # A work tree without a .git of its own is only known to git's environment.
    if top is None or not Path(top, ".git").exists():
        return Repository(found, None, "")
    return Repository(found, Path(top), prefix or "")


def commit_of(name: str) -> str | None:
    if name.startswith("-"):  # git would read it as an option
        return None
    return _ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")


def first_bad() -> str:
    """Return the commit that a finished git bisect has found; it has a parent."""
    log = _ask("bisect", "log")
    if log is None:
        raise UserError(
            "No git bisect is under way here, so there is no first bad commit to explain.\n"
            "Use --bisect before git bisect reset; after it: git whence COMMIT^ COMMIT -- TEST",
            slug="no-bisect",
        )
    found = re.findall(r"(?m)^# first (\S+) commit: \[([0-9a-f]+)\]", log)
    term, commit = found[-1] if found else ("", "")
    if not found or commit_of(f"refs/bisect/{term}") != commit:  # the bisect went on after that
        possible = len(re.findall(r"(?m)^# possible first ", log))
        raise UserError(
            "git bisect has not found the first bad commit yet"
            + (f": it is one of {possible}, as some were skipped.\n" if possible else ".\n")
            + "Go on with git bisect good, bad or run; or name two versions yourself, however many "
            "commits apart: git whence GOOD BAD -- TEST",
            slug="bisect-not-finished",
        )
    if commit_of(f"{commit}^") is None:
        raise UserError(
            f"The first bad commit, {commit_title(commit)}, has no parent to compare it with.\n"
            "If the clone is shallow, fetch the rest: git fetch --unshallow",
            slug="no-such-revision",
        )
    return str(commit)


def commit_title(commit: str) -> str:
    """Return a commit as people name it: its short hash and its subject."""
    return _ask("log", "-1", "--format=%h %s", commit, "--") or commit


def _without_filters() -> dict[str, str]:
    """Return settings that turn off the programs which convert files of the work tree."""
    names = _ask("config", "-z", "--name-only", "--get-regexp", _FILTER) or ""
    return {
        name: "false" if name.endswith(".required") else ""
        for name in filter(None, names.split("\0"))
    }


def _ask(*arguments: str, settings: Mapping[str, str] = MappingProxyType({})) -> str | None:
    """Return what git prints, without the last line end; None if it fails."""
    answer = _run(*arguments, settings=settings)
    printed = os.fsdecode(answer.stdout)
    return printed.removesuffix("\n") if answer.returncode == 0 else None


def _run(
    *arguments: str, settings: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ("git", *arguments),
            env=reading_environment(os.environ, settings),
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except FileNotFoundError:
        raise no_git() from None
