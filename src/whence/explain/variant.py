"""Which line of the good version is a line of a variant?

A variant has lines of its own numbering: those of the bad version, with what the reverted changes
took away brought back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from whence.model import Change, ChangeKind, Reverted


class VariantLines:
    """The lines of the bad version with some changes reverted."""

    def __init__(self, changes: Iterable[Change], reverted: Reverted) -> None:
        self._old_file: dict[str, str] = {}
        self._edits: dict[str, list[_Edit]] = defaultdict(list)
        moved: dict[str, int] = defaultdict(int)
        for change in sorted(changes, key=lambda c: (c.file, c.new.start, c.old.start)):
            self._old_file[change.file] = change.old_file
            if change.kind is not ChangeKind.EDIT:
                continue
            is_back = change.id in reverted
            span = change.old if is_back else change.new
            start = change.new.start + (change.new.count == 0) + moved[change.file]
            edit = _Edit(range(start, start + span.count), change, is_back)
            self._edits[change.file].append(edit)
            moved[change.file] += span.count - change.new.count

    def in_good(self, file: str, line: int) -> tuple[str, int] | None:
        """The good version's place of a line; None if the good version does not have it."""
        old_file = self._old_file.get(file, file)
        more = 0  # lines that the variant has before this one and the good version has not
        for lines, change, is_back in self._edits.get(file, ()):
            if line in lines:
                start = change.old.start + line - lines.start
                return (old_file, start) if is_back else None
            if lines.start > line:
                break
            more += len(lines) - change.old.count
        return old_file, line - more


class _Edit(NamedTuple):
    lines: range  # of the variant
    change: Change
    is_back: bool
