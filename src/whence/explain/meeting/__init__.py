"""Which changes does an executed statement meet?  (Δ ∩ Θ of AFTER's Algorithm 1.)

A statement meets the changes of its own lines, of lines that are gone where it is, and of what
it uses.  All of this is read off the sources, by name: it may be too much, which costs runs.
"""

from __future__ import annotations

import copy
from functools import cached_property

from whence.changes.changeset import ChangeSet
from whence.explain.meeting.changed_names import ChangedNames, changed_names, idle_changes
from whence.explain.meeting.name_uses import NameUses
from whence.explain.meeting.version_index import Ids, VersionIndex, version_indexes
from whence.model import ChangeId

_NONE: Ids = frozenset()
_MOST_HELD = 8  # changes to one statement; of more, those to its first line count


class Meeting:
    """Answers for the changes between two trees; a file is named as in the tree it is of."""

    def __init__(self, changes: ChangeSet) -> None:
        self._changes = changes
        self._good, self._bad = version_indexes(changes)
        self._held: dict[tuple[VersionIndex, str, int], Ids] = {}
        self._sought: Ids = _NONE

    def seeking(self, sought: Ids) -> Meeting:
        """Return the same, but that these are met by their statement however many others it has."""
        found = copy.copy(self)
        found._held, found._sought = {}, sought
        return found

    def at(self, file: str, line: int) -> Ids:
        """Return the changes that made the statement at a line of the bad version what it is."""
        return self._holding(self._bad, file, line)

    def removed_at(self, file: str, line: int) -> Ids:
        """Return the changes that took away the statement at a line of the good version."""
        found = self._holding(self._good, file, line)
        return found | (self._good.conditions_met(file, line) - self._idle)

    def near(self, file: str, line: int) -> Ids:
        """Return the changes that took code away right before or after a line of the bad version.

        Only comments and blank lines lie between that place and the statement at the line.
        """
        edits = self._bad.edits.get(file)
        if edits is None:
            return _NONE
        found: set[ChangeId] = set()
        for lines in self._bad.statement_lines(file, line):
            before, after = lines.start - 1, lines.stop
            while not self._bad.is_code(file, before):
                before -= 1
            while not self._bad.is_code(file, after):
                after += 1
            found.update(edits.within(before, after))
        return frozenset(change for change in found if self._only_takes(change))

    def through(self, file: str, line: int) -> Ids:
        """Return the changes that the statement at a line of the bad version meets by using names.

        Those of declarations, initialisers, macros, types, heads of functions, and of the
        preprocessor's conditions around it.
        """
        found = self._bad.conditions_met(file, line) - self._idle
        return found | self._users[self._bad].at(file, line)

    def removed_through(self, file: str, line: int) -> Ids:
        """Return what `through` does, for a statement of the good version."""
        found = self._good.conditions_met(file, line) - self._idle
        return found | self._users[self._good].at(file, line)

    def declares(self, change: ChangeId) -> frozenset[str]:
        """Return the names that a change declares otherwise, outside of statements that run."""
        return frozenset(
            name
            for name, declarations in self._changed.items()
            if any(change in changed.changes for changed in declarations)
        )

    def _holding(self, side: VersionIndex, file: str, line: int) -> Ids:
        if file not in side.edits:
            return _NONE
        key = (side, file, line)
        if key not in self._held:
            lines = side.statement_lines(file, line)
            own = range(line, line + 1)
            found = side.touching(file, own, *lines)
            if len(found) > _MOST_HELD:  # a switch, and every changed label of it
                found = side.touching(file, own) | (found & self._sought)
            self._held[key] = found | side.uncommented(file, line)
        return self._held[key]

    def _only_takes(self, change: ChangeId) -> bool:
        """Does a change take away code, and give none?"""
        it = self._changes.changes[change]
        return any(self._good.is_code(it.old_file, line) for line in it.old.lines) and not any(
            self._bad.is_code(it.file, line) for line in it.new.lines
        )

    @cached_property
    def _idle(self) -> Ids:
        return idle_changes(self._changes.changes)

    @cached_property
    def _changed(self) -> dict[str, list[ChangedNames]]:
        return changed_names(self._changes, self._good, self._bad)

    @cached_property
    def _users(self) -> dict[VersionIndex, NameUses]:
        return {side: NameUses(side, self._changed) for side in (self._good, self._bad)}
