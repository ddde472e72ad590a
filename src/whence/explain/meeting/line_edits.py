"""Which changes touch these lines, and where are unchanged lines in the other version?"""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field

from whence.changes.changeset import ChangeSet
from whence.model import Change, ChangeId, Span

_NONE: frozenset[ChangeId] = frozenset()


@dataclass
class LineEdits:
    """The edits to one file of one version.

    Edit i covers the lines from firsts[i] + 1 to lasts[i]: none if the two are equal.
    """

    other: str | None  # the file's path in the other version; None: it does not exist there
    whole: frozenset[ChangeId] = _NONE  # changes of the content as a whole
    ids: list[ChangeId] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)  # the last line of edit i in the other version
    inner: list[tuple[range, Change]] = field(default_factory=list)  # edits of moved code

    def add(self, change: Change, own: Span, other: Span) -> None:
        """Add an edit after those before it.  `own` and `other` are its lines in both versions."""
        first = own.start - (own.count > 0)
        self.ids.append(change.id)
        self.firsts.append(first)
        self.lasts.append(first + own.count)
        self.others.append(other.start - (other.count > 0) + other.count)

    def touching(self, lines: range) -> frozenset[ChangeId]:
        """Return the changes that edit some of the lines, or remove lines between them."""
        first = bisect.bisect_right(self.lasts, lines.start - 1)
        last = bisect.bisect_left(self.firsts, lines.stop - 1)
        found = self.whole.union(self.ids[first:last])
        inner = [
            change
            for own, change in self.inner
            if own.start < lines.stop and lines.start + (not own) <= max(own.stop - 1, own.start)
        ]
        # The edit is what was changed there; the change around it only moved the code.
        return (found - {change.inside for change in inner}).union(c.id for c in inner)

    def within(self, after: int, before: int) -> list[ChangeId]:
        """Return the edits that lie entirely after one line and before another."""
        first = bisect.bisect_left(self.firsts, after)
        last = bisect.bisect_right(self.lasts, before - 1)
        inner = [c.id for own, c in self.inner if after < own.start and own.stop <= before]
        return [*self.ids[first:last], *inner]

    def nearest(self, line: int) -> int:
        """Return the line of the other version at or before the same place."""
        at = bisect.bisect_left(self.firsts, line) - 1
        return line if at < 0 else self.others[at] + max(0, line - self.lasts[at])

    def counterpart(self, line: int) -> int | None:
        """Return the number of an unchanged line in the other version; None if it was changed."""
        if self.other is None or self.whole:
            return None
        at = bisect.bisect_left(self.firsts, line) - 1
        if at < 0:
            return line
        return None if self.lasts[at] >= line else line + self.others[at] - self.lasts[at]


def edits_of(changes: ChangeSet, *, of_good: bool) -> Mapping[str, LineEdits]:
    """Return the edits to each changed file of one version, by its path there."""
    found: dict[str, LineEdits] = {}
    for file in changes.file_changes:
        own_node, other_node = (file.old, file.new) if of_good else (file.new, file.old)
        path, other = file.new_path, file.old_path
        if of_good:
            path, other = other, path
        if own_node is None:
            continue
        whole = {file.content} if other_node is not None else {file.presence}
        ids = frozenset(change for change in whole if change is not None)
        edits = LineEdits(other if other_node else None, ids)
        for edit in file.edits:
            change = changes.changes[edit.change]
            spans = (change.old, change.new) if of_good else (change.new, change.old)
            edits.add(change, *spans)
        found[path] = edits
    for change in changes.changes:
        if change.inside is not None:
            path, span = (change.old_file, change.old) if of_good else (change.file, change.new)
            start = span.start + (span.count == 0)
            found[path].inner.append((range(start, start + span.count), change))
    return found
