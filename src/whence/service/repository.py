"""In which git repository does the user stand, and what do its revisions stand for?

Here git is asked as the user would: with $GIT_DIR and the like, if git itself has started us.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from whence.changes.gitdiff import no_git
from whence.errors import UserError

_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that git finds from the current directory."""

    git_dir: Path
    work_tree: Path | None  # its top, if the user is in it
    prefix: str  # the current directory as seen from there: "" or "sub/"

    @property
    def place(self) -> Path:
        """Where others find it who do not know what git knows from its environment."""
        return self.work_tree or self.git_dir

    def revision(self, name: str) -> str:
        """Return what names the commit that git knows as `name`, and no file or directory."""
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

        The work tree is `bad` if that is None, with its new files and without ignored ones.
        """
        versions = [good] if bad is None else [good, bad]
        listed = _ask(
            "diff", "--name-status", "--no-renames", "--no-relative", "-z", *versions, "--"
        )
        words = (listed or "").split("\0")
        found = dict(zip(words[1::2], words[0::2], strict=False))
        if bad is None:
            new = _ask("ls-files", "-o", "--exclude-standard", "--full-name", "-z", ":(top)") or ""
            found |= dict.fromkeys(filter(None, new.split("\0")), "A")
        return found


def here() -> Repository:
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
    # Without a .git of its own, nobody but git knows which of the files are the project's.
    if top is None or not Path(top, ".git").exists():
        return Repository(found, None, "")
    return Repository(found, Path(top), prefix or "")


def commit_of(name: str) -> str | None:
    if name.startswith("-"):  # git would take it for an option
        return None
    return _ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")


def first_bad() -> str:
    """Return the commit that a finished git bisect has found; it has a parent."""
    log = _ask("bisect", "log")
    if log is None:
        raise UserError(
            "No git bisect is under way here, so there is no first bad commit to explain.\n"
            "Before git bisect reset, use --bisect; after it: git whence COMMIT^ COMMIT -- TEST",
            slug="no-bisect",
        )
    found = re.findall(r"(?m)^# first (\S+) commit: \[([0-9a-f]+)\]", log)
    term, commit = found[-1] if found else ("", "")
    if not found or commit_of(f"refs/bisect/{term}") != commit:  # or it went on after that
        possible = len(re.findall(r"(?m)^# possible first ", log))
        raise UserError(
            "git bisect has not found the first bad commit yet"
            + (f": it is one of {possible}, as some were skipped.\n" if possible else ".\n")
            + "Go on with git bisect good, bad or run; or name the two versions yourself, which "
            "may be many commits apart: git whence GOOD BAD -- TEST",
            slug="bisect-not-finished",
        )
    if commit_of(f"{commit}^") is None:
        raise UserError(
            f"The first bad commit, {about(commit)}, has no parent here to compare it with.\n"
            "If the clone is shallow, fetch the rest: git fetch --unshallow",
            slug="no-such-revision",
        )
    return str(commit)


def about(commit: str) -> str:
    """Return a commit as people name it: the start of its number, and its subject."""
    return _ask("log", "-1", "--format=%h %s", commit, "--") or commit


def _ask(*arguments: str) -> str | None:
    """What git prints, without the end of its last line; None if it fails."""
    answer = _run(*arguments)
    printed = os.fsdecode(answer.stdout)
    return printed.removesuffix("\n") if answer.returncode == 0 else None


def _run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ("git", *arguments),
            env={**os.environ, **_QUIET},
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except FileNotFoundError:
        raise no_git() from None
