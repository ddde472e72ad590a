"""Which line of the good version is this line of a variant?

A variant numbers its lines in its own way: it has the lines of the bad version, except that each
reverted change has its old lines again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from whence.model import Change, ChangeId, ChangeKind, Reverted


class VariantLines:
    """The lines of the bad version with some changes reverted."""

    def __init__(self, changes: Iterable[Change], reverted: Reverted) -> None:
        self._old_file: dict[str, str] = {}
        self._new_files: set[str] = set()
        self._lines: dict[ChangeId, range] = {}
        self._edits: dict[str, list[_VariantEdit]] = defaultdict(list)
        self._inner: dict[str, list[_VariantEdit]] = defaultdict(list)  # reverted, in moved code
        changes = sorted(changes, key=lambda c: (c.file, c.new.start, c.old.start))
        inner = [
            change
            for change in changes
            if change.inside is not None and change.id in reverted and change.inside not in reverted
        ]
        grown: dict[ChangeId | None, int] = defaultdict(int)  # lines of moved code more than in bad
        for change in inner:
            grown[change.inside] += change.old.count - change.new.count
        shift: dict[str, int] = defaultdict(int)  # lines that the variant has more than bad so far
        for change in changes:
            if change.inside is not None:
                continue
            self._old_file[change.file] = change.old_file
            if change.kind is ChangeKind.ADD and change.id not in reverted:
                self._new_files.add(change.file)
            if change.kind is not ChangeKind.EDIT:
                continue
            is_reverted = change.id in reverted
            count = change.old.count if is_reverted else change.new.count + grown[change.id]
            start = change.new.start + (change.new.count == 0) + shift[change.file]
            edit = _VariantEdit(range(start, start + count), change, is_reverted)
            self._edits[change.file].append(edit)
            self._lines[change.id] = edit.lines
            shift[change.file] += count - change.new.count
        self._add_inner(inner)

    def _add_inner(self, inner: Iterable[Change]) -> None:
        """Add the edits of moved code, after those around them."""
        edits = {edit.change.id: edit for edits in self._edits.values() for edit in edits}
        shift: dict[ChangeId | None, int] = defaultdict(int)
        for change in inner:
            if change.inside not in shift:
                around = edits.get(change.inside) if change.inside is not None else None
                shift[change.inside] = around.lines.start - around.change.new.start if around else 0
            start = change.new.start + (change.new.count == 0) + shift[change.inside]
            lines = range(start, start + change.old.count)
            self._inner[change.file].append(_VariantEdit(lines, change, True))
            self._lines[change.id] = lines
            shift[change.inside] += change.old.count - change.new.count

    def of_change(self, change: ChangeId) -> range | None:
        """Return the lines of an edit in the variant; None if the change is no edit."""
        return self._lines.get(change)

    def in_good(self, file: str, line: int) -> tuple[str, int] | None:
        """Return the place of a line in the good version; None if that version lacks the line."""
        for lines, change, _ in self._inner.get(file, ()):
            if line in lines:
                return change.old_file, change.old.start + line - lines.start
        if file in self._new_files:
            return None
        old_file = self._old_file.get(file, file)
        shift = 0  # lines that the variant has more than the good version, before this line
        for lines, change, is_reverted in self._edits.get(file, ()):
            if line in lines:
                start = change.old.start + line - lines.start
                return (old_file, start) if is_reverted else None
            if lines.start > line:
                break
            shift += len(lines) - change.old.count
        return old_file, line - shift


class _VariantEdit(NamedTuple):
    lines: range  # in the variant
    change: Change
    is_reverted: bool
