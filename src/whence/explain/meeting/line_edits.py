"""Which changes touch these lines?  For both versions, and from the lines of one to the other's."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field

from whence.changes.changeset import ChangeSet
from whence.model import Change, ChangeId, Span

_NONE: frozenset[ChangeId] = frozenset()


@dataclass
class LineEdits:
    """What happened to one file of one version.

    Each edit takes the lines after line `first` up to line `last`; none if the two are equal.
    """

    other: str | None  # the file's path in the other version
    whole: frozenset[ChangeId] = _NONE  # changes of the content as a whole
    ids: list[ChangeId] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)  # the last line in the other version

    def add(self, change: Change, here: Span, there: Span) -> None:
        first = here.start - (here.count > 0)
        self.ids.append(change.id)
        self.firsts.append(first)
        self.lasts.append(first + here.count)
        self.others.append(there.start - (there.count > 0) + there.count)

    def touching(self, lines: range) -> frozenset[ChangeId]:
        """Return what changed some of the lines, or took something away from between them."""
        first = bisect.bisect_right(self.lasts, lines.start - 1)
        last = bisect.bisect_left(self.firsts, lines.stop - 1)
        return self.whole.union(self.ids[first:last])

    def within(self, after: int, before: int) -> list[ChangeId]:
        """Return the edits that lie altogether after one line and before another."""
        first = bisect.bisect_left(self.firsts, after)
        last = bisect.bisect_right(self.lasts, before - 1)
        return self.ids[first:last]

    def nearest(self, line: int) -> int:
        """Return the line of the other version that is at or before the same place."""
        at = bisect.bisect_left(self.firsts, line) - 1
        return line if at < 0 else self.others[at] + max(0, line - self.lasts[at])

    def counterpart(self, line: int) -> int | None:
        """Return where an unchanged line is in the other version; None for a changed one."""
        if self.other is None or self.whole:
            return None
        at = bisect.bisect_left(self.firsts, line) - 1
        if at < 0:
            return line
        return None if self.lasts[at] >= line else line + self.others[at] - self.lasts[at]


def edits_of(changes: ChangeSet, *, of_good: bool) -> Mapping[str, LineEdits]:
    """Return what happened to each file of a version that is not as it was."""
    found: dict[str, LineEdits] = {}
    for delta in changes.deltas:
        here, there = (delta.old, delta.new) if of_good else (delta.new, delta.old)
        path, other = delta.new_path, delta.old_path
        if of_good:
            path, other = other, path
        if here is None:
            continue
        whole = {delta.content} if there is not None else {delta.presence}
        edits = LineEdits(other if there else None, frozenset(c for c in whole if c is not None))
        for edit in delta.edits:
            change = changes.changes[edit.change]
            spans = (change.old, change.new) if of_good else (change.new, change.old)
            edits.add(change, *spans)
        found[path] = edits
    return found
