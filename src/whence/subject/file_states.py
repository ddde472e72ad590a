"""Which files below a folder has a command changed?"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

FileState = tuple[int, int, int, int]  # modification time, size, inode and mode


def file_states(folder: Path) -> dict[str, FileState]:
    """Return the state of each path below a folder; it differs if the file was changed.

    A folder that cannot be read has no paths.
    """
    found: dict[str, FileState] = {}
    waiting = [""]
    while waiting:  # without recursion: a test may nest a thousand directories
        below = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(folder / below) as items:
            for item in items:
                with contextlib.suppress(FileNotFoundError):
                    path = below + item.name
                    found[path] = file_state(item.stat(follow_symlinks=False))
                    if stat.S_ISDIR(found[path][-1]):
                        waiting.append(f"{path}/")
    return found


def file_state(status: os.stat_result) -> FileState:
    if stat.S_ISDIR(status.st_mode):
        # A new entry changes the time of a directory, but not the directory itself.
        return 0, 0, 0, status.st_mode
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode


def is_directory(path: Path) -> bool:
    """Is the path a directory, and not a link to one?"""
    return path.is_dir() and not path.is_symlink()
