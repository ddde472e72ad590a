"""Which files below a folder has a command changed?"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

FileState = tuple[int, int, int, int]  # modification time, size, inode and mode


def file_states(folder: Path) -> dict[str, FileState]:
    """Return the state of each path below a folder; it differs if the file was changed.

    A folder that cannot be read has no paths.
    """
    return dict(_states(str(folder), ""))


def file_state(status: os.stat_result) -> FileState:
    if stat.S_ISDIR(status.st_mode):
        # A new entry changes the time of a directory, but not the directory itself.
        return 0, 0, 0, status.st_mode
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode


def is_directory(path: Path) -> bool:
    """Is the path a directory, and not a link to one?"""
    return path.is_dir() and not path.is_symlink()


def delete_path(path: Path) -> None:
    """Delete a file, a link, or a directory with its contents; nothing if there is none."""
    if is_directory(path):
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _states(folder: str, below: str) -> Iterator[tuple[str, FileState]]:
    with contextlib.suppress(OSError), os.scandir(folder) as items:
        for item in items:
            path = below + item.name
            with contextlib.suppress(FileNotFoundError):
                state = file_state(item.stat(follow_symlinks=False))
                yield path, state
                if stat.S_ISDIR(state[-1]):
                    yield from _states(item.path, f"{path}/")
