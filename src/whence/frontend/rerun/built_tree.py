"""How does a tree get back to what its build left, after a test has written into it?"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from whence.file_trees import copy_tree
from whence.subject.beneath import Beneath, delete_tree
from whence.subject.file_states import file_state, file_states, is_directory


class BuiltTree:
    """A tree and a copy of it, from which each run starts anew.

    Programs know where they were built, so every run takes place in the same folder.  Only files
    that a run changed are copied back.  A test may put a link to the user's files in place of the
    tree or of a folder in it: nothing is written through a link.
    """

    def __init__(self, tree: Path, copy: Path) -> None:
        """Copy `tree`, as it is now, to the new folder `copy`."""
        self.tree, self._copy = tree, copy
        copy_tree(tree, copy)
        self._below = Beneath(tree)
        self._states = file_states(tree)

    def read(self, name: str) -> bytes | None:
        """Return a file as it was when the tree was copied; None if there was none."""
        path = self._copy / name
        return path.read_bytes() if path.is_file() else None

    def restore(self) -> None:
        """Undo everything that happened to the tree since it was copied."""
        if not self._below.is_in_place:
            self._make_anew()
            return
        now = file_states(self.tree)
        for path in sorted(now.keys() - self._states.keys(), reverse=True):
            self._below.delete(path)
        for path in sorted(self._states):  # a folder comes before the files in it
            if now.get(path) != self._states[path]:
                self._restore(path)

    def moved(self) -> None:
        """A copy has come to the place of the tree; the next `restore` takes care of its files."""
        self._below = Beneath(self.tree)

    def write(self, name: str, content: bytes) -> None:
        """Write an input file of the next run; `restore` brings back what was there.

        A link inside the tree is followed.  What would lie outside of the tree is written in place
        of the link that leads there.
        """
        top = os.path.realpath(self.tree)
        real = os.path.relpath(os.path.realpath(self.tree / name), top)
        if real == ".." or real.startswith("../"):
            real = os.path.normpath(name)
        status = self._below.status(real)
        self._below.write(real, content, 0o644 if status is None else stat.S_IMODE(status.st_mode))

    def _restore(self, path: str) -> None:
        source = self._copy / path
        if is_directory(source):
            if not self._below.is_folder(path):
                self._below.make_folder(path)
            self._below.set_mode(path, stat.S_IMODE(source.stat().st_mode))
        elif os.path.lexists(source):
            self._below.copy(source, path)
        else:
            return  # a pipe or socket, which is not copied
        status = self._below.status(path)
        assert status is not None
        self._states[path] = file_state(status)

    def _make_anew(self) -> None:
        """Put the copy where the tree was, whatever is there now."""
        delete_tree(self.tree)
        copy_tree(self._copy, self.tree)
        self._below = Beneath(self.tree)
        self._states = file_states(self.tree)
