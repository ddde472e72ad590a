"""How do we run git on the given repository, whatever the environment says?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from whence.changes.gitdiff import no_git

# Git sets these for its hooks and subcommands; they would select another repository.
_NAMES_A_REPOSITORY = (
    *("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"),
    *("GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
)


def git_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NAMES_A_REPOSITORY}
    return kept | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def git(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ("git", *arguments),
            env=git_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except FileNotFoundError:
        raise no_git() from None


def what_git_says(errors: bytes) -> str:
    """Return git's whole message: its later lines say what to do."""
    return os.fsdecode(errors).strip()


def is_work_tree(directory: Path) -> bool:
    return (directory / ".git").exists()
