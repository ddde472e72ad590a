"""Which new and deleted sources stand in the lists of build files?

`make` knows no rule for a source that its list has and the tree lacks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from whence.changes.changeset import ChangeSet, FileChanges
from whence.model import Change, ChangeId, ChangeKind

_BUILD_FILE = re.compile(
    r"(?:^|/)(?:(?:GNU)?[Mm]akefile[^/]*|CMakeLists\.txt|meson\.build|BUILD(?:\.bazel)?)$"
    r"|\.(?:mk|mak|cmake|pro)$"
)
_WORD = re.compile(rb"[\w.+-]+")


def tied_to_lists(changes: ChangeSet) -> Iterator[tuple[ChangeId, ChangeId]]:
    """Yield pairs of changes: to revert the first requires to revert the second.

    A new file is taken away only with its name in the lists.  A list gets the name of a deleted
    file back only with the file.
    """
    files: dict[str, list[Change]] = defaultdict(list)  # by the name without its ending
    for change in changes.changes:
        if change.kind in (ChangeKind.ADD, ChangeKind.DELETE):
            files[PurePosixPath(change.file).name.partition(".")[0]].append(change)
    if not files:
        return
    for file in changes.file_changes:
        if file.old is None or file.new is None or not _BUILD_FILE.search(file.new_path):
            continue
        for removed, added, owner in _texts(changes, file):
            old, new = _stems(removed), _stems(added)
            for stem in (old ^ new) & files.keys():
                for whole in files[stem]:
                    if whole.kind is ChangeKind.ADD and stem in new:
                        yield whole.id, owner
                    if whole.kind is ChangeKind.DELETE and stem in old:
                        yield owner, whole.id


def _texts(changes: ChangeSet, file: FileChanges) -> Iterator[tuple[bytes, bytes, ChangeId]]:
    """Yield the old and the new text of each change of a file."""
    if file.content is not None:
        assert file.old is not None
        assert file.new is not None
        yield file.old.content, file.new.content, file.content
    for edit in file.edits:
        change = changes.changes[edit.change]
        yield change.removed, change.added, change.id


def _stems(text: bytes) -> set[str]:
    """Return the names of files that a text may list, without their endings."""
    words: Iterable[bytes] = _WORD.findall(text)
    return {word.partition(b".")[0].decode("utf-8", "replace") for word in words if b"." in word}
