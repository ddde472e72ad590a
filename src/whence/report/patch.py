"""Which patch reverts the breaking changes in the bad version?"""

from __future__ import annotations

from whence.changes.changeset import ChangeSet
from whence.changes.gitdiff import GitFile, make_patch
from whence.changes.tree import EntryKind
from whence.model import Reverted

_MODES = {EntryKind.FILE: "100644", EntryKind.EXECUTABLE: "100755", EntryKind.LINK: "120000"}


def to_patch(changes: ChangeSet, reverted: Reverted) -> bytes:
    """Return a patch for `git apply` that turns the bad tree into the variant."""
    return make_patch(_files(changes, frozenset()), _files(changes, reverted))


def _files(changes: ChangeSet, reverted: Reverted) -> dict[str, GitFile]:
    return {
        path: (_MODES[node.kind], node.content)
        for path, node in changes.nodes(reverted).items()
        if node.kind in _MODES  # a patch cannot hold an empty directory
    }
