"""How does a tree get back to what its build left, after a test has written into it?"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

State = tuple[int, int, int, int]  # mode, time of change, size and inode of a file


class BuiltTree:
    """A tree and a copy of it, from which each run starts anew.

    Programs know where they were built, so every run takes place in the same folder.  Only files
    that a run changed are copied back.
    """

    def __init__(self, tree: Path, copy: Path) -> None:
        """Copy `tree`, as it is now, to the new folder `copy`."""
        self.tree, self._copy = tree, copy
        shutil.copytree(tree, copy, symlinks=True)
        self._states = dict(_states(tree))

    def restore(self) -> None:
        """Undo everything that happened to the tree since it was copied."""
        now = dict(_states(self.tree))
        for path in sorted(now.keys() - self._states.keys(), reverse=True):
            _delete(self.tree / path)
        for path in sorted(self._states):  # a folder comes before the files in it
            if now.get(path) != self._states[path]:
                self._restore(path)

    def _restore(self, path: str) -> None:
        source, target = self._copy / path, self.tree / path
        if source.is_dir() and not source.is_symlink():
            if not target.is_dir() or target.is_symlink():
                _delete(target)
                target.mkdir()
            target.chmod(stat.S_IMODE(source.stat().st_mode))
        else:
            _delete(target)
            shutil.copy2(source, target, follow_symlinks=False)
        self._states[path] = _state(target.lstat())


def _states(folder: Path, below: str = "") -> Iterator[tuple[str, State]]:
    """Yield every path below a folder with what shows whether it was changed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = below + entry.name
            yield path, _state(entry.stat(follow_symlinks=False))
            if entry.is_dir(follow_symlinks=False):
                yield from _states(Path(entry.path), f"{path}/")


def _state(status: os.stat_result) -> State:
    if stat.S_ISDIR(status.st_mode):  # files that come and go in a folder do not change it
        return status.st_mode, 0, 0, status.st_ino
    return status.st_mode, status.st_mtime_ns, status.st_size, status.st_ino


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
