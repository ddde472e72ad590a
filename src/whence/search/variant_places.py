"""Which changes are at a line of a variant?

A variant has the lines of the bad version, except that each reverted change has its old lines
again.  So a line of a variant, such as one that a compiler complains about, belongs to a change or
lies between two changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whence.model import Change, ChangeId, ChangeKind, Reverted


@dataclass(frozen=True, slots=True)
class VariantPlace:
    """What is known about a line of a variant."""

    owner: Change | None  # the change that the line belongs to, with its old or its new text
    # The changes of the function around the line.  For a line between two functions with changes,
    # those of the function before it: a compiler notices an open brace late.
    function: frozenset[ChangeId]


class VariantPlaces:
    """Finds the changes at the lines of any variant."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self._edits: dict[str, list[Change]] = defaultdict(list)
        functions: dict[tuple[str, str], set[ChangeId]] = defaultdict(set)
        self._renamed: dict[ChangeId, str] = {}  # the function of bad that removed lines were in
        for change in sorted(changes, key=lambda c: (c.file, c.new.start, c.old.start, c.id)):
            if change.kind is ChangeKind.EDIT:
                for path in (
                    {change.file, change.old_file} if change.inside is None else {change.file}
                ):
                    self._edits[path].append(change)
        for path, edits in self._edits.items():
            self._renamed |= _removed_inside(edits)
            for change in edits:
                if change.file == path and (function := self._function(change)):
                    functions[path, function].add(change.id)
        self._functions = {key: frozenset(found) for key, found in functions.items()}

    def _function(self, change: Change) -> str | None:
        return self._renamed.get(change.id, change.function)

    def function_of(self, change: Change) -> frozenset[ChangeId]:
        """Return the changes of the same function; only the change outside functions."""
        key = change.file, self._function(change) or ""
        return self._functions.get(key, frozenset({change.id}))

    def at(self, reverted: Reverted, file: str | None, line: int | None) -> VariantPlace | None:
        """Return the changes at a line; None if the file has no changes."""
        edits = self._edits.get(file or "")
        if not edits or line is None:
            return None
        starts: list[int] = []
        shift = 0  # lines that the variant has more than the bad version so far
        edits = [change for change in edits if change.inside not in reverted]
        for change in edits:
            starts.append(change.new.start + (change.new.count == 0) + shift)
            if change.id in reverted:
                shift += change.old.count - change.new.count
        before = bisect_right(starts, line) - 1
        for index in range(before, max(before - 2, -1), -1):  # an edit without lines may precede
            change = edits[index]
            count = (change.old if change.id in reverted else change.new).count
            if starts[index] <= line < starts[index] + count:
                return VariantPlace(change, self.function_of(change))
        return VariantPlace(None, self.function_of(edits[max(before, 0)]))


def _removed_inside(edits: Sequence[Change]) -> dict[ChangeId, str]:
    """Return the changes that only remove lines, and lie inside a function of another name.

    The function was renamed: its removed lines are of the old one, its other changes of the new.
    """
    found: dict[ChangeId, str] = {}
    waiting: list[ChangeId] = []
    function: str | None = None
    for change in edits:
        if not change.new.count:
            waiting.append(change.id)
            continue
        if function is not None and function == change.function:
            found |= dict.fromkeys(waiting, function)
        function, waiting = change.function, []
    return found
