"""Which lines of the two versions lie in a change?"""

from __future__ import annotations

from pathlib import Path

from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.model import Change, ChangeKind, Span, VersionName

_WHOLE = (ChangeKind.ADD, ChangeKind.DELETE, ChangeKind.REPLACE)


class ChangedLines:
    """The changed lines of both versions."""

    def __init__(self, good: Path, bad: Path) -> None:
        self._files: set[tuple[VersionName, str]] = set()  # that are changed as a whole
        self._lines: set[tuple[VersionName, str, int]] = set()
        for change in compare_trees(read_tree(good), read_tree(bad)).changes:
            self._add(change)

    def has(self, version: VersionName, file: str, line: int) -> bool:
        """Does a line lie in a change?"""
        return (version, file) in self._files or (version, file, line) in self._lines

    def _add(self, change: Change) -> None:
        sides = (
            (VersionName.GOOD, change.old_file, change.old),
            (
                VersionName.BAD,
                change.file,
                change.new,
            ),
        )
        for version, file, span in sides:
            if change.kind in _WHOLE:
                self._files.add((version, file))
            elif change.kind is ChangeKind.EDIT:
                self._lines.update((version, file, line) for line in _lines(span))


def _lines(span: Span) -> range:
    """Return the lines of a change; where lines were taken out, the two around the place."""
    return span.lines if span.count else range(span.start, span.start + 2)
