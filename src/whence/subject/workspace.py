"""How does a directory become one variant after another and keep what was built in it?

Only the files that differ between two variants are written, so an incremental build rebuilds only
what depends on them.  A file that is again as in the last build gets back the time that it had
then: what was built from it is up to date.  Files that a test leaves are removed; files that a
build leaves are kept.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from whence.changes.tree import EntryKind, TreeNode
from whence.model import Reverted
from whence.subject.file_states import FileState, delete_path, file_states, is_directory

_TICK = 0.02  # seconds in which file systems may give two writes the same time stamp; guessed


class Variants(Protocol):
    """What a workspace needs: a base tree, and the nodes of each variant at touched paths."""

    @property
    def base(self) -> Path: ...
    @property
    def base_kinds(self) -> Mapping[str, EntryKind]: ...
    @property
    def touched(self) -> frozenset[str]: ...
    @property
    def everything(self) -> Reverted: ...
    def nodes(self, reverted: Reverted) -> dict[str, TreeNode]: ...


class Workspace:
    """A directory `tree` that holds one variant at a time."""

    def __init__(self, folder: Path, variants: Variants) -> None:
        self.tree = folder
        self._variants = variants
        self._nodes: dict[str, TreeNode] = {}
        self._last_end = 0.0
        self._built: tuple[dict[str, TreeNode], dict[str, int]] | None = None
        self._untouched = {
            path: kind for path, kind in variants.base_kinds.items() if path not in variants.touched
        }
        self._create()

    def _create(self) -> None:
        self.tree.mkdir(parents=True)
        for path, kind in self._untouched.items():
            self._restore(path, kind)

    def _restore(self, path: str, kind: EntryKind) -> None:
        source, target = self._variants.base / path, self.tree / path
        self._make_room(path)
        if kind is EntryKind.DIRECTORY:
            target.mkdir()
        else:
            shutil.copy2(source, target, follow_symlinks=False)

    def become(self, reverted: Reverted) -> None:
        """Turn the tree into a variant: afterwards every touched path is as in the variant."""
        # A source written within the same tick as the last build's output might not look newer.
        time.sleep(max(0.0, min(_TICK, self._last_end + _TICK - time.time())))
        nodes = self._variants.nodes(reverted)
        for path in sorted(self._nodes.keys() - nodes.keys(), reverse=True):
            self._remove(path)
        for path in sorted(nodes):
            if self._nodes.get(path) != nodes[path]:
                self._write(path, nodes[path])
        self._nodes = nodes

    @property
    def nodes(self) -> Mapping[str, TreeNode]:
        """The touched paths of the variant that the tree holds."""
        return self._nodes

    @property
    def built_nodes(self) -> Mapping[str, TreeNode] | None:
        """The touched paths when the last build began; None before the first build."""
        return None if self._built is None else self._built[0]

    def begin_build(self) -> None:
        """Note that a build begins, which may read the files as they are now."""
        times = {
            path: (self.tree / path).stat().st_mtime_ns
            for path, node in self._nodes.items()
            if node.kind in (EntryKind.FILE, EntryKind.EXECUTABLE)
        }
        self._built = self._nodes, times

    def outdate(self, paths: Iterable[str]) -> None:
        """Make files look newer than everything that was built from them."""
        time.sleep(max(0.0, min(_TICK, self._last_end + _TICK - time.time())))
        for path in paths:
            os.utime(self.tree / path)
            if self._built is not None:
                self._built[1].pop(path, None)

    def finished(self) -> None:
        """Note the time: a command that may have written files has just ended."""
        self._last_end = time.time()

    def files(self) -> dict[str, FileState]:
        """Return the state of each path in the tree."""
        return file_states(self.tree)

    def clear_up(self, before: Mapping[str, FileState]) -> None:
        """Undo what a test did to the tree since `before`, but keep compiled Python files."""
        after = self.files()
        for path in sorted(after.keys() - before.keys(), reverse=True):
            if "__pycache__/" not in f"{path}/":
                self._delete(self.tree / path)
        for path in sorted(before):  # a directory comes before its contents
            if after.get(path) == before[path]:
                continue
            if stat.S_ISDIR(before[path][-1]):
                self._write(path, TreeNode(EntryKind.DIRECTORY, b""))
                (self.tree / path).chmod(stat.S_IMODE(before[path][-1]))
            elif path in self._nodes:
                self._write(path, self._nodes[path])
            elif path in self._untouched:
                self._restore(path, self._untouched[path])

    def _write(self, path: str, node: TreeNode) -> None:
        target = self.tree / path
        if node.kind is EntryKind.DIRECTORY and is_directory(target):
            return  # keep what was built in it
        self._make_room(path)
        if node.kind is EntryKind.DIRECTORY:
            target.mkdir()
        elif node.kind is EntryKind.LINK:
            target.symlink_to(os.fsdecode(node.content))
        else:
            target.write_bytes(node.content)
            target.chmod(0o755 if node.kind is EntryKind.EXECUTABLE else 0o644)
            if self._built is not None and self._built[0].get(path) == node:
                modified = self._built[1].get(path)
                if modified is not None:
                    os.utime(target, ns=(time.time_ns(), modified))

    def _remove(self, path: str) -> None:
        """Remove a path of the variant, and the directories that become empty."""
        target = self.tree / path
        if is_directory(target) and self._nodes[path].kind is EntryKind.DIRECTORY:
            with contextlib.suppress(OSError):  # something was built in it
                target.rmdir()
        else:
            self._delete(target)
        self._prune(target.parent)

    def _make_room(self, path: str) -> None:
        """Remove whatever is at a path, and create its directory if necessary."""
        self._delete(self.tree / path)
        (self.tree / path).parent.mkdir(parents=True, exist_ok=True)

    def _delete(self, target: Path) -> None:
        delete_path(target)
        if target.suffix == ".py":
            # Python compares a .pyc file's recorded size and whole seconds with its source.  Two
            # variants may have both in common, so remove the compiled file.
            cache = target.parent / "__pycache__"
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                for name in os.listdir(cache):
                    if name.startswith(f"{target.stem}.") and name.endswith(".pyc"):
                        (cache / name).unlink(missing_ok=True)

    def _prune(self, folder: Path) -> None:
        """Remove a directory and its parents while they are empty and not part of the variant."""
        while folder != self.tree and not self._is_entry(folder):
            cache = folder / "__pycache__"
            if cache.is_dir() and len(os.listdir(folder)) == 1:
                shutil.rmtree(cache)
            try:
                folder.rmdir()
            except OSError:  # not empty, or already removed
                return
            folder = folder.parent

    def _is_entry(self, folder: Path) -> bool:
        path = folder.relative_to(self.tree).as_posix()
        return path in self._untouched or path in self._nodes
