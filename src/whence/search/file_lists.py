"""Which new and deleted sources stand in the lists of build files?

`make` knows no rule for a source that its list has and the tree lacks.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

from whence.changes.changeset import ChangeSet, FileChanges
from whence.model import Change, ChangeId, ChangeKind

_BUILD_FILE = re.compile(
    r"(?:^|/)(?:(?:GNU)?[Mm]akefile[^/]*|CMakeLists\.txt|meson\.build|BUILD(?:\.bazel)?|configure)$"
    r"|\.(?:mk|mak|cmake|pro)$"
)
_FILE_NAME = re.compile(rb"[\w+-]+(?:\.[\w+-]+)+")
_OBJECT = re.compile(rb"([\w+-]+)\.(?:o|lo|obj|\$\(OBJEXT\))(?![\w+-])")


def tied_to_lists(changes: ChangeSet) -> Iterator[tuple[ChangeId, ChangeId]]:
    """Yield pairs of changes: to revert the first requires to revert the second.

    A new file is taken away only with its name in the lists.  A list gets the name of a deleted
    file back only with the file.
    """
    files: dict[bytes, list[Change]] = defaultdict(list)  # by the names that a list may have
    for change in changes.changes:
        if change.kind in (ChangeKind.ADD, ChangeKind.DELETE):
            path = PurePosixPath(change.file)
            for listed in {path.name, f"{path.stem}.o"}:
                files[os.fsencode(listed)].append(change)
    if not files:
        return
    for file in changes.file_changes:
        if file.old is None or file.new is None or not _BUILD_FILE.search(file.new_path):
            continue
        for removed, added, owner in _texts(changes, file):
            old, new = _names(removed), _names(added)
            for name in (old ^ new) & files.keys():
                for whole in files[name]:
                    if whole.kind is ChangeKind.ADD and name in new:
                        yield whole.id, owner
                    if whole.kind is ChangeKind.DELETE and name in old:
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


def _names(text: bytes) -> set[bytes]:
    """Return the names of files in a text; every object file is called `.o`."""
    return {*_FILE_NAME.findall(text), *(stem + b".o" for stem in _OBJECT.findall(text))}
