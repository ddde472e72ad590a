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
        self._edits: dict[str, list[Change]] = {}  # by file of the good version
        for change in compare_trees(read_tree(good), read_tree(bad)).changes:
            self._add(change)

    def has(self, version: VersionName, file: str, line: int) -> bool:
        """Does a line lie in a change?"""
        return (version, file) in self._files or (version, file, line) in self._lines

    def in_bad(self, file: str, line: int) -> tuple[str, int] | None:
        """Return the place in the bad version where a line of the good version was, or still is."""
        if (VersionName.GOOD, file) in self._files:
            return None
        name, moved = file, 0
        for change in self._edits.get(file, ()):
            name = change.file
            if line in change.old.lines:
                inside = min(line - change.old.start, max(change.new.count - 1, 0))
                return name, change.new.start + inside
            if change.old.start < line:
                moved += change.new.count - change.old.count
        return name, line + moved

    def _add(self, change: Change) -> None:
        if change.kind is ChangeKind.EDIT:
            self._edits.setdefault(change.old_file, []).append(change)
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
