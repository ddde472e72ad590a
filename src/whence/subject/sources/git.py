"""How do we read the given repository with git, whatever its settings and the environment say?"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from whence.changes.gitdiff import no_git

# Git sets these for its hooks and subcommands; they would select another repository.
_NAMES_A_REPOSITORY = (
    *("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"),
    *("GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
)


# Settings with which git runs no program of the repository and fetches nothing.
_HARMLESS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.alternateRefsCommand": "true",
    "diff.external": "",
    "log.showSignature": "false",  # true would start gpg.program
    "protocol.allow": "never",
}
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # for versions of git that fetch missing objects all the same
    "LC_ALL": "C",
}


def reading_environment(
    inherited: Mapping[str, str], settings: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return variables with which git only reads, whatever the repository's configuration says.

    A repository that came in an archive, or that someone else can write to, may name programs in
    its configuration.  `settings` are added to those that keep git from starting them.
    """
    first = inherited.get("GIT_CONFIG_COUNT", "")
    count = int(first) if first.isdigit() else 0
    found = {**inherited, **_QUIET}
    for number, (key, value) in enumerate({**_HARMLESS, **settings}.items(), start=count):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found | {"GIT_CONFIG_COUNT": str(count + len(_HARMLESS) + len(settings))}


def git_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NAMES_A_REPOSITORY}
    return reading_environment(kept)


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
