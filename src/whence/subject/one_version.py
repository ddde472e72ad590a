"""How is a single version given to a workspace that holds one variant after another?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from whence.changes.tree import EntryKind, Tree, TreeNode
from whence.model import Reverted
from whence.subject.definitions import SOURCES


class OneVersion:
    """A version without variants.

    Its C and C++ sources are the touched paths, so that it is seen which steps of a build read
    them.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.base: Path = tree.root
        self.base_kinds: Mapping[str, EntryKind] = {
            path: entry.kind for path, entry in tree.entries.items()
        }
        self.touched = frozenset(
            path
            for path, kind in self.base_kinds.items()
            if kind.is_file and path.endswith(SOURCES)
        )
        self.everything: Reverted = frozenset()
        self._nodes = {path: tree.node(path) for path in sorted(self.touched)}

    def nodes(self, reverted: Reverted) -> dict[str, TreeNode]:
        assert not reverted, "there is nothing to revert"
        return self._nodes

    def written(self, *, of_good: bool) -> Mapping[str, int]:  # noqa: ARG002 - there is only one
        return self._tree.written()
