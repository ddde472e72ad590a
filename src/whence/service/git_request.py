"""Which two versions and which test does `git whence` compare?"""

from __future__ import annotations

import glob
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.errors import UserError
from whence.service.repository import Repository
from whence.service.shell_commands import run_in
from whence.service.test_files import NamedFiles, named_in

# Errors that can come from a test command that only works on the bad version.
_GOOD_UNUSABLE = ("good-fails", "good-is-broken", "test-not-found")


@dataclass(frozen=True)
class GitRequest:
    """What a user of `git whence` asks for, in terms of `whence explain`."""

    good: str
    bad: str
    test: str
    repo: Path
    named: NamedFiles  # changed files that the test command names

    @property
    def keep(self) -> tuple[str, ...]:
        """Globs of the test's own files, which stay as in the bad version."""
        return tuple(map(glob.escape, self.named.tests))

    def with_hints(self, error: UserError) -> UserError:
        """Return the error with hints about --keep and --no-keep, if they may help."""
        hints = []
        if self.named.tests:
            files = ", ".join(self.named.tests)
            hints.append(f"Every version had BAD's {files}; --no-keep leaves GOOD its own.")
        if self.named.others:
            keep = " ".join(f"--keep {shlex.quote(path)}" for path in self.named.others)
            hints.append(f"If the file that the test command names is the test itself: {keep}")
        if error.slug not in _GOOD_UNUSABLE or not hints:
            return error
        return UserError("\n".join([str(error), *hints]), slug=error.slug)


def request_for(
    repository: Repository,
    revisions: Sequence[str],
    test: str,
    *,
    folder: str,
    keep_tests: bool,
) -> GitRequest:
    """Return the request for one or two revisions (`revisions_of`) and a test command.

    The test runs in `folder` of the tree.  `keep_tests`: the test's own files are not changes.
    """
    good, bad = _versions(repository, revisions)
    changed = repository.changed(good, bad)
    named = named_in(test if keep_tests else "", folder, changed)
    _check_program_differs(named, changed)
    work_tree = "." if repository.work_tree == Path.cwd() else str(repository.work_tree)
    return GitRequest(good, bad or work_tree, run_in(folder, test), repository.place, named)


def revisions_of(words: Sequence[str]) -> list[str]:
    """Return the revisions that the words name; GOOD..BAD names two."""
    if len(words) == 1 and ".." in words[0].replace("...", ""):
        return [end or "HEAD" for end in words[0].split("..")]
    return list(words)


def _versions(repository: Repository, revisions: Sequence[str]) -> tuple[str, str | None]:
    """Return the good and the bad revision; None is the work tree."""
    if len(revisions) == 1 and repository.work_tree is None:
        raise UserError(
            f"{repository.git_dir} has no work tree here that could be BAD.\n"
            "Name a revision for it: git whence GOOD BAD -- TEST",
            slug="no-work-tree",
        )
    good, *bad = map(repository.revision, revisions)
    return good, bad[0] if bad else None


def _check_program_differs(named: NamedFiles, changed: Mapping[str, str]) -> None:
    if changed and not any(named.leaves(path) for path in changed):
        raise UserError(
            f"Only {', '.join(named.tests)} differs between GOOD and BAD, and the test command "
            "names it, so it is the test itself.\n"
            "If the test is new in BAD, the fault that it finds is older: choose an older GOOD. "
            "To find which of the test's own lines make it fail: --no-keep",
            slug="only-the-test-changed",
        )
