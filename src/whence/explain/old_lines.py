"""What was a line of the bad version in the good version?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

from whence.changes.moves import MovedCode
from whence.model import Change, ChangeKind
from whence.source_lines import decoded_lines

_MIN_SIMILARITY = 0.5  # least similarity of two versions of one line; guessed
_MAX_PAIRS = 400  # limit on the lines of one change that are compared with each other; guessed


class OldLines:
    """The lines of the bad version that changes added, each with the line that it replaced."""

    def __init__(self, changes: Iterable[Change], moved: Iterable[MovedCode] = ()) -> None:
        self._by_file: dict[str, list[Change]] = defaultdict(list)
        self._moved: set[tuple[str, int]] = set()  # lines that only moved
        for change in changes:
            if change.kind in (ChangeKind.EDIT, ChangeKind.ADD):
                self._by_file[change.file].append(change)
        for found in self._by_file.values():  # an edit of moved code before the change around it
            found.sort(key=lambda change: change.inside is None)
        for code in moved:
            for piece in code.equal:
                lines = range(piece.new_first + 1, piece.new_last + 1)
                self._moved.update((code.added.path, line) for line in lines)

    def text(self, file: str, line: int) -> str | None:
        """Return the line that this line replaced; "" if it is new, None if it did not change."""
        if (file, line) in self._moved:
            return None
        for change in self._by_file.get(file, ()):
            if line in change.new.lines:
                return _replaced(change, line - change.new.start)
        return None


def _replaced(change: Change, at: int) -> str:
    """Return the removed line that is most like the added line number `at`."""
    removed = [line.strip() for line in decoded_lines(change.removed)]
    added = [line.strip() for line in decoded_lines(change.added)]
    if len(removed) == len(added) == 1:
        return removed[0]
    if len(removed) * len(added) > _MAX_PAIRS:
        return removed[at] if len(removed) == len(added) else ""

    def similarity(old: str, new: str) -> float:
        return SequenceMatcher(None, old, new, autojunk=False).ratio()

    likely = [old for old in removed if old and similarity(old, added[at]) >= _MIN_SIMILARITY]
    best = max(likely, key=lambda old: similarity(old, added[at]), default="")
    if any(similarity(best, new) > similarity(best, added[at]) for new in added):
        return ""  # that line has become another one
    return best
