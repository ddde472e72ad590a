"""Which line of the good version is a line of a variant?

A variant has lines of its own numbering: those of the bad version, with what the reverted changes
took away brought back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from whence.model import Change, Kind, Reverted


class VariantLines:
    """The lines of the bad version with some changes reverted."""

    def __init__(self, changes: Iterable[Change], reverted: Reverted) -> None:
        self._whole: dict[str, str] = {}  # files that were brought back
        self._parts: dict[str, list[tuple[range, Change]]] = defaultdict(list)
        moved: dict[str, int] = defaultdict(int)
        edits = [c for c in changes if c.id in reverted]
        for change in sorted(edits, key=lambda c: (c.file, c.new.start, c.old.start)):
            if change.kind is Kind.DELETE:
                self._whole[change.old_file] = change.old_file
            if change.kind is not Kind.EDIT:
                continue
            start = change.new.start + (change.new.count == 0) + moved[change.file]
            self._parts[change.file].append((range(start, start + change.old.count), change))
            moved[change.file] += change.old.count - change.new.count

    def brought_back(self, file: str, line: int) -> tuple[str, int] | None:
        """The good version's place of a line that reverting brought back; None of any other."""
        if file in self._whole:
            return self._whole[file], line
        for lines, change in self._parts.get(file, ()):
            if line in lines:
                return change.old_file, change.old.start + line - lines.start
        return None
