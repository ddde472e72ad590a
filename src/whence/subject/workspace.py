"""How does a directory become one variant after another and keep what was built in it?

Before the first build, files have the times that they have in their version: a release holds files
that were generated from others, and whoever builds it may lack the generator.  After it, only the
files that differ between two variants are written, so an incremental build rebuilds only what
depends on them.  A file that is again as in the last build gets back the time that it had
then: what was built from it is up to date.  Files that a test leaves are removed; files that a
build leaves are kept.  Nothing is written outside of the directory: see `beneath`.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

from whence.changes.tree import EntryKind, TreeNode
from whence.model import Reverted
from whence.subject.beneath import Beneath
from whence.subject.file_states import FileState, file_states
from whence.subject.no_sources import find_made

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
    def written(self, *, of_good: bool) -> Mapping[str, int]:
        """Return when the files of a version were last written, in nanoseconds."""
        ...


class Workspace:
    """A directory `tree` that holds one variant at a time."""

    def __init__(self, folder: Path, variants: Variants) -> None:
        self.tree = folder
        self._variants = variants
        self._nodes: dict[str, TreeNode] = {}
        self._last_end = 0.0
        self._is_dated_as_good = False  # do the untouched files have the times of the good version?
        self._built: tuple[dict[str, TreeNode], dict[str, int]] | None = None
        self._untouched = {
            path: kind for path, kind in variants.base_kinds.items() if path not in variants.touched
        }
        self._create()

    def _create(self) -> None:
        self.tree.mkdir(parents=True)
        self._below = Beneath(self.tree)
        for path, kind in self._untouched.items():
            self._restore(path, kind)

    @property
    def is_lost(self) -> bool:
        """Has a command removed the tree, or put something else in its place?"""
        return not self._below.is_in_place

    def _restore(self, path: str, kind: EntryKind) -> None:
        self._forget_compiled(path)
        if kind is EntryKind.DIRECTORY:
            self._below.make_folder(path)
        else:
            self._below.copy(self._variants.base / path, path)

    def become(self, reverted: Reverted) -> None:
        """Turn the tree into a variant: afterwards every touched path is as in the variant."""
        # A source written within the same tick as the last build's output might not look newer.
        time.sleep(max(0.0, min(_TICK, self._last_end + _TICK - time.time())))
        nodes = self._variants.nodes(reverted)
        for path in sorted(self._nodes.keys() - nodes.keys(), reverse=True):
            self._remove(path)
        changed = [path for path in sorted(nodes) if self._nodes.get(path) != nodes[path]]
        now = time.time_ns()
        for path in changed:
            # With one time for all, no file that was generated looks older than its source.
            self._write(path, nodes[path], self._time_of(path, nodes[path], now))
        self._nodes = nodes
        if self._built is None and not self._last_end:  # no command has run here
            self._date(reverted)

    def _time_of(self, path: str, node: TreeNode, now: int) -> int:
        """Return the time that a file gets which is written again.

        What is made of a manual or of configure.ac may be in the release.  If such a file is again
        as in the bad version but looks new, `make` would make that from now on, in each variant.
        """
        if path not in self._made or self._as_bad.get(path) != node:
            return now
        return self._variants.written(of_good=False).get(path, now)

    @cached_property
    def _made(self) -> frozenset[str]:
        return find_made((*self._untouched, *self._as_bad))

    @cached_property
    def _as_bad(self) -> Mapping[str, TreeNode]:
        return self._variants.nodes(frozenset())

    def _date(self, reverted: Reverted) -> None:
        """Give the files the times of their version; those that are as in neither were written now.

        Then `make` generates again what depends on a file that is reverted, and nothing else.
        """
        is_good = reverted == self._variants.everything
        times = self._variants.written(of_good=is_good)
        as_bad = {} if is_good else self._as_bad
        now = time.time_ns()
        for path, node in self._nodes.items():
            if node.kind.is_file:
                is_whole = is_good or as_bad.get(path) == node
                self._below.set_time(path, times.get(path, now) if is_whole else now)
        if is_good or self._is_dated_as_good:
            for path, kind in self._untouched.items():
                if kind.is_file and path in times:
                    self._below.set_time(path, times[path])
        self._is_dated_as_good = is_good

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
            path: status.st_mtime_ns
            for path, node in self._nodes.items()
            if node.kind.is_file and (status := self._below.status(path)) is not None
        }
        self._built = self._nodes, times

    def outdate(self, paths: Iterable[str]) -> None:
        """Make files look newer than everything that was built from them."""
        time.sleep(max(0.0, min(_TICK, self._last_end + _TICK - time.time())))
        for path in paths:
            self._below.set_time(path)
            if self._built is not None:
                self._built[1].pop(path, None)

    def finished(self) -> None:
        """Note the time: a command that may have written files has just ended."""
        self._last_end = time.time()

    def files(self) -> dict[str, FileState]:
        """Return the state of each path in the tree."""
        return {} if self.is_lost else file_states(self.tree)

    def clear_up(self, before: Mapping[str, FileState]) -> None:
        """Undo what a test did to the tree since `before`, but keep compiled Python files.

        A tree that is lost stays lost.
        """
        if self.is_lost:
            return
        after = self.files()
        new = after.keys() - before.keys()
        for path in sorted(new):
            is_first = path.rpartition("/")[0] not in new  # else it was deleted with its directory
            if is_first and "__pycache__/" not in f"{path}/":
                self._delete(path)
        for path in sorted(before):  # a directory comes before its contents
            if after.get(path) == before[path]:
                continue
            if stat.S_ISDIR(before[path][-1]):
                self._write(path, TreeNode(EntryKind.DIRECTORY, b""))
                self._below.set_mode(path, stat.S_IMODE(before[path][-1]))
            elif path in self._nodes:
                self._write(path, self._nodes[path])
            elif path in self._untouched:
                self._restore(path, self._untouched[path])

    def _write(self, path: str, node: TreeNode, now: int | None = None) -> None:
        """Write a path of the variant; a file gets the time `now`, or that of the last build."""
        if node.kind is EntryKind.DIRECTORY and self._below.is_folder(path):
            return  # keep what was built in it
        self._forget_compiled(path)
        if node.kind is EntryKind.DIRECTORY:
            self._below.make_folder(path)
        elif node.kind is EntryKind.LINK:
            self._below.make_link(path, os.fsdecode(node.content))
        else:
            mode = 0o755 if node.kind is EntryKind.EXECUTABLE else 0o644
            self._below.write(path, node.content, mode)
            is_as_built = self._built is not None and self._built[0].get(path) == node
            modified = self._built[1].get(path, now) if self._built and is_as_built else now
            if modified is not None:
                self._below.set_time(path, modified)

    def _remove(self, path: str) -> None:
        """Remove a path of the variant, and the directories that become empty."""
        if self._below.is_folder(path) and self._nodes[path].kind is EntryKind.DIRECTORY:
            self._below.remove_empty(path)  # unless something was built in it
        else:
            self._delete(path)
        self._prune(path.rpartition("/")[0])

    def _delete(self, path: str) -> None:
        self._below.delete(path)
        self._forget_compiled(path)

    def _forget_compiled(self, path: str) -> None:
        """Remove what Python compiled from a file that is about to change.

        Python compares a .pyc file's recorded size and whole seconds with its source.  Two variants
        may have both in common.
        """
        folder, _, name = f"/{path}".rpartition("/")
        stem, _, kind = name.rpartition(".")
        if kind == "py":
            cache = f"{folder}/__pycache__".lstrip("/")
            for compiled in self._below.names(cache):
                if compiled.startswith(f"{stem}.") and compiled.endswith(".pyc"):
                    self._below.delete(f"{cache}/{compiled}")

    def _prune(self, folder: str) -> None:
        """Remove a directory and its parents while they are empty and not part of the variant."""
        while folder and folder not in self._untouched and folder not in self._nodes:
            if self._below.names(folder) == ["__pycache__"]:
                self._below.delete(f"{folder}/__pycache__")
            if not self._below.remove_empty(folder):
                return
            folder = folder.rpartition("/")[0]
