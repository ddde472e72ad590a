"""How is one variant after another built for recording in the same tree?

What an earlier build left is used again, as in the search: a build writes only what depends on the
files that differ.  A Makefile may not say which headers a source includes.  So every source that
may include a changed file looks newer than what was built from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from whence.changes.tree import TreeNode
from whence.model import Reverted
from whence.subject.beneath import delete_tree
from whence.subject.build_steps import BuildSteps
from whence.subject.definitions import SOURCES
from whence.subject.file_states import FileState
from whence.subject.include_graph import IncludeGraph
from whence.subject.workspace import Variants, Workspace


class WarmTree:
    """A tree that becomes one variant after another, and keeps what was built in it."""

    def __init__(self, folder: Path, variants: Variants) -> None:
        """`folder` is emptied first."""
        delete_tree(folder)
        self._variants = variants
        self._workspace = Workspace(folder / "tree", variants)
        self._steps = BuildSteps(self._workspace, folder / "steps")
        self._given = variants.touched | variants.base_kinds.keys()  # the files that are not built
        self._built: Mapping[str, FileState] | None = None  # as the last build left the tree
        self.trace: Path | None = None  # the trace with the modules of the last build

    @property
    def path(self) -> Path:
        return self._workspace.tree

    @property
    def is_usable(self) -> bool:
        """Was something built here that a further build can use?"""
        return self.trace is not None and not self._workspace.is_lost

    def become(self, reverted: Reverted) -> bool:
        """Hold this variant; return whether the next build will do for all that depends on it.

        A generated source that includes a changed file must not look newer than what it was
        generated from.
        """
        before = self._workspace.built_nodes
        self._workspace.become(reverted)
        includers = [] if before is None else self._includers(before)
        self._workspace.outdate(includers)
        return all(path in self._given for path in includers)

    def outdate(self, paths: Iterable[str]) -> None:
        """Let the next build make everything again that depends on these files."""
        paths = frozenset(paths)
        self._workspace.outdate(sorted(paths))
        self._steps.outdate(paths)

    def begin_build(self, command: str) -> str:
        """Return the command without the steps that need not run; it is about to be run."""
        self._workspace.begin_build()
        return self._steps.begin(command)

    def end_build(self) -> None:
        """Note what the build left: what the test changes from now on is undone."""
        self._workspace.finished()
        self._steps.end()
        self._built = self._workspace.files()

    def clear_up(self) -> None:
        """Undo what the test did to the tree."""
        self._workspace.finished()
        if self._built is not None:
            self._workspace.clear_up(self._built)

    def _includers(self, before: Mapping[str, TreeNode]) -> list[str]:
        """Return the sources that may include a file which differs from the last build."""
        now = self._workspace.nodes
        differing = {path for path in now.keys() | before if now.get(path) != before.get(path)}
        included = {path for path in differing if not path.endswith(SOURCES)}
        if not included:
            return []
        graph = IncludeGraph(self.path, self._variants.touched)
        sources = [path for path in graph.files() if path.endswith(SOURCES)]
        return [
            source
            for source in sorted(sources)
            if source not in differing
            and (self.path / source).is_file()
            and included & graph.reachable(source)
        ]
