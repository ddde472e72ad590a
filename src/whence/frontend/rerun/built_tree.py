"""How does a tree get back to what its build left, after a test has written into it?"""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

from whence.subject.file_states import delete_path, file_state, file_states, is_directory


class BuiltTree:
    """A tree and a copy of it, from which each run starts anew.

    Programs know where they were built, so every run takes place in the same folder.  Only files
    that a run changed are copied back.
    """

    def __init__(self, tree: Path, copy: Path) -> None:
        """Copy `tree`, as it is now, to the new folder `copy`."""
        self.tree, self._copy = tree, copy
        shutil.copytree(tree, copy, symlinks=True)
        self._states = file_states(tree)

    def read(self, name: str) -> bytes | None:
        """Return a file as it was when the tree was copied; None if there was none."""
        path = self._copy / name
        return path.read_bytes() if path.is_file() else None

    def restore(self) -> None:
        """Undo everything that happened to the tree since it was copied."""
        now = file_states(self.tree)
        for path in sorted(now.keys() - self._states.keys(), reverse=True):
            delete_path(self.tree / path)
        for path in sorted(self._states):  # a folder comes before the files in it
            if now.get(path) != self._states[path]:
                self._restore(path)

    def _restore(self, path: str) -> None:
        source, target = self._copy / path, self.tree / path
        if is_directory(source):
            if not is_directory(target):
                delete_path(target)
                target.mkdir()
            target.chmod(stat.S_IMODE(source.stat().st_mode))
        else:
            delete_path(target)
            shutil.copy2(source, target, follow_symlinks=False)
        self._states[path] = file_state(target.lstat())
