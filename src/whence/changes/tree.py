"""Which files does one version of the project have?"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path

from whence.errors import UserError

_PART = 2**20  # bytes that are read at a time


class EntryKind(Enum):
    """The kind of a path.  As in git, the executable bit is the only part of a file's mode."""

    FILE = "file"
    EXECUTABLE = "executable"
    LINK = "link"
    DIRECTORY = "directory"  # only an empty directory is an entry

    @property
    def is_file(self) -> bool:
        return self in (EntryKind.FILE, EntryKind.EXECUTABLE)


@dataclass(frozen=True, slots=True)
class Entry:
    kind: EntryKind
    digest: bytes  # of the content, or of a link's target


@dataclass(frozen=True, slots=True)
class TreeNode:
    """An entry with its content: one path of a version or variant."""

    kind: EntryKind
    content: bytes


@dataclass(frozen=True)
class Tree:
    """A version on disk.  Paths are relative, with `/`.  Its files do not change while we read."""

    root: Path
    entries: Mapping[str, Entry]

    def node(self, path: str) -> TreeNode:
        kind = self.entries[path].kind
        return TreeNode(kind, read_content(self.root / path, kind))

    def written(self) -> dict[str, int]:
        """Return when each file of this version was last written, in nanoseconds.

        Files that were taken from the other version may not be there.
        """
        files = [path for path, entry in self.entries.items() if entry.kind.is_file]
        there = [path for path in files if (self.root / path).exists()]
        return {path: (self.root / path).lstat().st_mtime_ns for path in there}


def digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def read_content(path: Path, kind: EntryKind) -> bytes:
    """Return the bytes of a file or the target of a link; b"" for a directory."""
    return b"".join(_parts(path, kind))


def _digest_of(path: Path, kind: EntryKind) -> bytes:
    """Return the digest of a content without the whole of it in memory."""
    found = hashlib.sha256()
    for part in _parts(path, kind):
        found.update(part)
    return found.digest()


def _parts(path: Path, kind: EntryKind) -> Iterator[bytes]:
    try:
        if kind is EntryKind.LINK:
            yield os.fsencode(os.readlink(path))
        elif kind.is_file:
            with path.open("rb") as file:
                while part := file.read(_PART):
                    yield part
    except PermissionError:
        raise UserError(
            f"{path} cannot be read.\nMake it readable (chmod u+r), or remove it from the version.",
            slug="unreadable-file",
        ) from None


def entry_kind(mode: int) -> EntryKind | None:
    """Return the kind of a path with this `st_mode`; None for sockets, pipes and devices."""
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.DIRECTORY
    if stat.S_ISREG(mode):
        return EntryKind.EXECUTABLE if mode & stat.S_IXUSR else EntryKind.FILE
    return None


def read_tree(root: Path) -> Tree:
    """Read every file below `root`."""
    entries = {path: Entry(kind, _digest_of(root / path, kind)) for path, kind in _walk(root)}
    return Tree(root, entries)


def _walk(root: Path) -> Iterator[tuple[str, EntryKind]]:
    """Yield all paths that are entries, sorted."""
    waiting: list[tuple[str, EntryKind]] = [("", EntryKind.DIRECTORY)]
    while waiting:  # without recursion: a version may nest a thousand directories
        path, kind = waiting.pop()
        if kind is not EntryKind.DIRECTORY:
            yield path, kind
            continue
        below = f"{path}/" if path else ""
        inner = []
        for item in sorted(os.scandir(root / path), key=lambda item: item.name):
            inner_kind = entry_kind(item.stat(follow_symlinks=False).st_mode)
            if inner_kind is not None:
                inner.append((f"{below}{item.name}", inner_kind))
        if path and not inner:
            yield path, kind  # an empty directory
        waiting += reversed(inner)


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return every directory that holds one of the paths, at any depth."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def matches(path: str, globs: Iterable[str]) -> bool:
    """Does a glob match this path, its file name, or a directory that holds it?"""
    return any(
        fnmatchcase(candidate, glob.rstrip("/").removeprefix("./"))
        for glob in globs
        for candidate in (path, path.rpartition("/")[2], *folders_of([path]))
    )
