"""Which lines of which files differ?  Git finds them.

The files are put into a new repository in a temporary directory.  Neither the user's repository
nor the user's git configuration affects the result.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from whence.errors import UserError
from whence.model import Span
from whence.source_lines import distinct_newlines
from whence.temporary import temporary_folder

_MIN_FREE = 2**20  # bytes; with less free space, a failure of git counts as a full disk; guessed
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file of the old version and its counterpart in the new version."""

    old: str
    new: str
    hunks: tuple[tuple[Span, Span], ...] | None  # None: binary


def half_open(span: Span) -> tuple[int, int]:
    """Return the lines of a span as [first, last), from 0."""
    first = span.start - 1 if span.count else span.start
    return first, first + span.count


def span_of(first: int, last: int) -> Span:
    """Return the lines [first, last), from 0, as a span."""
    return Span(first + 1, last - first) if last > first else Span(first, 0)


GitFile = tuple[str, bytes]  # git's mode (100644, 100755 or 120000) and the content


def diff_files(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[FilePair]:
    """Pair the files of both versions, including renamed files, and find the lines that differ.

    A file that only one version has and that was not renamed is in no pair.
    """
    if not old or not new:
        return []
    with _repository(
        {path: ("100644", distinct_newlines(content)) for path, content in old.items()},
        {path: ("100644", distinct_newlines(content)) for path, content in new.items()},
    ) as git:
        common = ("diff-tree", "-r", "-M", "-l5000", "--no-rename-empty", "--diff-filter=MR")
        raw = git(*common, "--raw", "-z", "old", "new")
        patch = git(*common, "-p", "-U0", "--histogram", "--no-ext-diff", "--no-textconv",
                    "--no-color", "--full-index", "old", "new")  # fmt: skip
    pairs = list(_pairs(raw))
    sections = list(_sections(patch))
    assert len(pairs) == len(sections), "git lists the same pairs in both formats"
    return [FilePair(a, b, hunks) for (a, b), hunks in zip(pairs, sections, strict=True)]


def make_patch(old: Mapping[str, GitFile], new: Mapping[str, GitFile]) -> bytes:
    """Return a patch from old to new for `git apply`; it includes binary files."""
    with _repository(old, new) as git:
        return git("diff-tree", "-r", "-p", "-M", "--binary", "--full-index", "--no-ext-diff",
                   "--no-textconv", "--no-color", "old", "new")  # fmt: skip


def no_git() -> UserError:
    """Return the error for a missing git."""
    return UserError(
        "git is not installed, or not on the PATH.\n"
        "Install git, or add it to the PATH: whence compares the two versions with it.",
        slug="no-git",
    )


@contextmanager
def _repository(old: Mapping[str, GitFile], new: Mapping[str, GitFile]) -> Iterator[_Git]:
    """Give a repository with the branches `old` and `new`."""
    with temporary_folder("diff") as folder:
        git = _Git(folder)
        git("init", "--quiet", "--bare", "--template=", ".")  # no attributes, no sample hooks
        git("fast-import", "--quiet", stdin=b"".join(_import_stream(old, new)))
        yield git


class _Git:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._env = {
            **clean,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "LC_ALL": "C",
        }

    def __call__(self, *arguments: str, stdin: bytes = b"") -> bytes:
        command = ["git", "-c", f"core.attributesFile={os.devnull}", *arguments]
        try:
            done = subprocess.run(
                command, cwd=self._folder, env=self._env, input=stdin, capture_output=True
            )
        except FileNotFoundError:
            raise no_git() from None
        if done.returncode != 0:
            raise self._failed(done.stderr)
        return done.stdout

    def _failed(self, errors: bytes) -> Exception:
        # Git has many messages for a full disk.
        if shutil.disk_usage(self._folder).free < _MIN_FREE:
            return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._folder))
        return UserError(
            f"git could not compare the two versions: {os.fsdecode(errors).strip()}\n"
            "Git works in a temporary directory below TMPDIR, which must be writable.",
            slug="git-failed",
        )


def _import_stream(old: Mapping[str, GitFile], new: Mapping[str, GitFile]) -> Iterator[bytes]:
    for branch, files in (("old", old), ("new", new)):
        yield b"commit refs/heads/%s\n" % branch.encode()
        yield b"committer whence <whence> 0 +0000\ndata 0\n"
        for path, (mode, content) in files.items():
            yield b"M %s inline %s\ndata %d\n" % (mode.encode(), _quoted(path), len(content))
            yield content
            yield b"\n"


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path)
    for character, escape in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n")):
        raw = raw.replace(character, escape)
    return b'"' + raw + b'"'


def _pairs(raw: bytes) -> Iterator[tuple[str, str]]:
    fields: Iterable[bytes] = iter(raw.split(b"\0"))
    for header in fields:
        if not header:
            continue
        old = os.fsdecode(next(iter(fields)))
        renamed = header.rsplit(b" ", 1)[1].startswith(b"R")
        yield old, os.fsdecode(next(iter(fields))) if renamed else old


def _sections(patch: bytes) -> Iterator[tuple[tuple[Span, Span], ...] | None]:
    """Yield the hunks of each file.  Content lines are skipped by count, never interpreted."""
    lines = patch.split(b"\n")
    hunks: list[tuple[Span, Span]] | None = None
    binary = started = False
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if line.startswith(b"diff --git "):
            if started:
                yield None if binary else tuple(hunks or ())
            started, binary, hunks = True, False, []
        elif line.startswith(b"Binary files "):
            binary = True
        elif (match := _HUNK.match(line)) and hunks is not None:
            a, b, c, d = (int(group or 1) for group in match.groups())
            hunks.append((Span(a, b), Span(c, d)))
            for _ in range(b + d):
                i += 1
                i += i < len(lines) and lines[i].startswith(b"\\ No newline")
    if started:
        yield None if binary else tuple(hunks or ())
