"""What is in one version of the project?"""

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


class EntryKind(Enum):
    """What a path is; like git, we know of a file's mode only whether it is executable."""

    FILE = "file"
    EXECUTABLE = "executable"
    LINK = "link"
    DIRECTORY = "directory"  # only one without entries is an entry of its own

    @property
    def is_file(self) -> bool:
        return self in (EntryKind.FILE, EntryKind.EXECUTABLE)


@dataclass(frozen=True, slots=True)
class Entry:
    kind: EntryKind
    digest: bytes  # of the content, or of a link's target


@dataclass(frozen=True, slots=True)
class TreeNode:
    """An entry with its content: what a variant has at one path."""

    kind: EntryKind
    content: bytes


@dataclass(frozen=True)
class Tree:
    """A version on disk.  Paths are relative, with `/`; nothing in it changes while we read it."""

    root: Path
    entries: Mapping[str, Entry]

    def node(self, path: str) -> TreeNode:
        kind = self.entries[path].kind
        return TreeNode(kind, read_content(self.root / path, kind))


def digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def read_content(path: Path, kind: EntryKind) -> bytes:
    """Return a file's bytes or a link's target; nothing for a directory."""
    try:
        if kind is EntryKind.LINK:
            return os.fsencode(os.readlink(path))
        return path.read_bytes() if kind.is_file else b""
    except PermissionError:
        raise UserError(
            f"{path} cannot be read.\nMake it readable (chmod u+r), or leave it out of the source.",
            slug="unreadable-file",
        ) from None


def entry_kind(mode: int) -> EntryKind | None:
    """Return what a file with this `st_mode` is to us; None for sockets, pipes and devices."""
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.DIRECTORY
    if stat.S_ISREG(mode):
        return EntryKind.EXECUTABLE if mode & stat.S_IXUSR else EntryKind.FILE
    return None


def read_tree(root: Path) -> Tree:
    """Read every file below `root`."""
    entries = {
        path: Entry(kind, digest(read_content(root / path, kind))) for path, kind in _walk(root)
    }
    return Tree(root, entries)


def _walk(root: Path, below: str = "") -> Iterator[tuple[str, EntryKind]]:
    for item in sorted(os.scandir(root / below), key=lambda item: item.name):
        path = f"{below}{item.name}"
        kind = entry_kind(item.stat(follow_symlinks=False).st_mode)
        if kind is EntryKind.DIRECTORY:
            yield from list(_walk(root, f"{path}/")) or [(path, kind)]
        elif kind is not None:
            yield path, kind


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return every directory that holds one of the paths, however deep."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def matches(path: str, globs: Iterable[str]) -> bool:
    """Does a glob name this path, its file name, or a directory that holds it?"""
    return any(
        fnmatchcase(candidate, glob.rstrip("/").removeprefix("./"))
        for glob in globs
        for candidate in (path, path.rpartition("/")[2], *folders_of([path]))
    )
