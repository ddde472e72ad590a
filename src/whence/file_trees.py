"""How is a tree listed and copied, however deep it is?

The functions of the standard library call themselves for each level.  A test, a build or a version
may nest a thousand directories.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path


def files_below(top: Path) -> Iterator[Path]:
    """Yield the files below a directory, in order; links to directories are not followed.

    A directory that cannot be read has no files.
    """
    for name, status in _entries(top, unreadable_is_empty=True):
        if not stat.S_ISDIR(status.st_mode):
            yield top / name


def copy_tree(source: Path, into: Path) -> None:
    """Copy a directory to a new one: files with modes and times, links as they are.

    Pipes, sockets and devices are left out.
    """
    into.mkdir(parents=True)
    folders = [("", source.stat())]
    for name, status in _entries(source, unreadable_is_empty=False):
        target = into / name
        if stat.S_ISDIR(status.st_mode):
            target.mkdir()
            folders.append((name, status))
        elif stat.S_ISLNK(status.st_mode) or stat.S_ISREG(status.st_mode):
            shutil.copy2(source / name, target, follow_symlinks=False)
    for name, status in reversed(folders):  # a directory may forbid to write into it
        (into / name).chmod(stat.S_IMODE(status.st_mode))
        os.utime(into / name, ns=(status.st_atime_ns, status.st_mtime_ns))


def _entries(top: Path, *, unreadable_is_empty: bool) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the path and the state of everything below `top`, a directory before its contents."""
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(top / below) as items:
                names = sorted(item.name for item in items)
        except OSError:
            if unreadable_is_empty:
                continue
            raise
        inner = []
        for name in names:
            path = f"{below}{name}"
            try:
                status = os.lstat(top / path)
            except FileNotFoundError:  # deleted by another process
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                inner.append(f"{path}/")
        waiting += reversed(inner)
