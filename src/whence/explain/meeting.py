"""Which changes does an executed statement meet?"""

from __future__ import annotations

from collections import defaultdict

from whence.changes.changeset import ChangeSet
from whence.model import ChangeId


class Meeting:
    """The changes by the lines that they hold."""

    def __init__(self, changes: ChangeSet) -> None:
        self._new: dict[tuple[str, int], set[ChangeId]] = defaultdict(set)
        self._old: dict[tuple[str, int], set[ChangeId]] = defaultdict(set)
        for change in changes.changes:
            for line in change.new.lines:
                self._new[change.file, line].add(change.id)
            for line in change.old.lines:
                self._old[change.old_file, line].add(change.id)

    def at(self, file: str, line: int) -> frozenset[ChangeId]:
        return frozenset(self._new.get((file, line), ()))

    def removed_at(self, file: str, line: int) -> frozenset[ChangeId]:
        return frozenset(self._old.get((file, line), ()))

    def near(self, file: str, line: int) -> frozenset[ChangeId]:  # noqa: ARG002  # to come
        return frozenset()

    def through(self, file: str, line: int) -> frozenset[ChangeId]:  # noqa: ARG002  # to come
        return frozenset()
