"""Which changes does an executed statement meet?

AFTER's Algorithm 1, line 9, intersects causes with changes.  A statement of a cause meets
1. the changes of its own lines,
2. the changes that removed lines next to it, and
3. the changes of names that it uses.
All of this is read from the sources, by name.  Too many changes may be met; that only costs runs.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import cached_property

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import grammar_of
from whence.explain.meeting.changed_names import ChangedName, changed_names, idle_changes
from whence.explain.meeting.declarations import DeclarationKind
from whence.explain.meeting.name_uses import NameUses
from whence.explain.meeting.version_index import Ids, VersionIndex, version_indexes
from whence.model import ChangeId, ChangeKind

_NONE: Ids = frozenset()
_MAX_HELD = 8  # with more changes to one statement, only those of its own line count; guessed


class Meeting:
    """Maps lines to the changes between two versions.

    A path is the one of the version that a method asks about: a renamed file has two paths.
    """

    def __init__(self, changes: ChangeSet) -> None:
        self._changes = changes
        self._good, self._bad = version_indexes(changes)
        self._held: dict[tuple[VersionIndex, str, int], Ids] = {}
        self._sought: Ids = _NONE

    def seeking(self, sought: Ids) -> Meeting:
        """Return a copy in which a statement meets the `sought` changes even if it holds many."""
        found = copy.copy(self)
        found._held, found._sought = {}, sought
        return found

    def limit_to_loaded(self, by_good: Iterable[str], by_bad: Iterable[str]) -> None:
        """Take these for all Python files that the runs of the two versions loaded.

        Say it before the first question about names: then other files are not read.
        """
        good, bad = {*by_good}, {*by_bad}
        good |= {path for path in map(self._bad.other_path, bad) if path is not None}
        bad |= {path for path in map(self._good.other_path, good) if path is not None}
        self._good.loaded, self._bad.loaded = frozenset(good), frozenset(bad)

    def in_lines(self, file: str, lines: range, *, of_good: bool) -> Ids:
        """Return the changes of code in some lines of one version."""
        edits = (self._good if of_good else self._bad).edits.get(file)
        return _NONE if edits is None else edits.touching(lines) - self._idle

    def at(self, file: str, line: int) -> Ids:
        """Return the changes that hold the statement at a line of the bad version."""
        return self._holding(self._bad, file, line)

    def removed_at(self, file: str, line: int) -> Ids:
        """Return the changes that removed the statement at a line of the good version."""
        found = self._holding(self._good, file, line)
        return found | (self._good.conditions_met(file, line) - self._idle)

    def removed_around(self, file: str, line: int) -> Ids:
        """Return the changes that took away the function or module around a line of the good
        version.

        They renamed it or removed its head, and its body may be as before.  Such code runs
        no more because nobody finds it any longer.  This is for Python, which looks names up.
        """
        if grammar_of(file) != "python":
            return _NONE
        if file in self._renamed:
            return self._renamed[file]
        old = self._changes.source(file, of_good=True)
        function = old.function_at(line) if old is not None else None
        path = self._good.other_path(file)
        new = self._changes.source(path, of_good=False) if path is not None else None
        if function is None or new is None:
            return _NONE
        if any(each.name == function.name for each in new.functions):
            return _NONE
        return self._holding(self._good, file, function.first)

    def near(self, file: str, line: int) -> Ids:
        """Return the changes that removed code right before or after a line of the bad version.

        Only comments and blank lines lie between the removed code and the statement at the line.
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
        return frozenset(change for change in found if self._only_removes(change))

    def through(self, file: str, line: int) -> Ids:
        """Return the changes of names that the statement at a line of the bad version uses.

        These change declarations, initialisers, macros, types, heads of functions, or the
        preprocessor conditions around the statement.
        """
        found = self._bad.conditions_met(file, line) - self._idle
        return found | self._users[self._bad].at(file, line)

    def line_of(self, change: ChangeId, file: str, line: int) -> int:
        """Return the line of a change that declares a name used at a line of the bad version.

        It is the first line of code in the change if no declaration begins in its lines.
        """
        found = self._changes.changes[change]
        declared = (
            lines.start
            for changed in self._users[self._bad].names_at(file, line)
            if changed.version is self._bad and changed.file == found.file
            for lines in changed.declaration.lines
            if change in changed.changes and lines.start in found.new.lines
        )
        code = (n for n in found.new.lines if self._bad.is_code(found.file, n))
        return min(declared, default=next(code, found.new.start))

    def removed_through(self, file: str, line: int) -> Ids:
        """Return the same as `through`, for a statement of the good version."""
        found = self._good.conditions_met(file, line) - self._idle
        return found | self._users[self._good].at(file, line)

    def of_static(self, name: str) -> Ids:
        """Return the changes of the variables of a name outside of functions, or that are static.

        A pointer may lead to such a variable from code that does not name it.
        """
        declared = self._changed.get(name, ()) if name else ()
        return _NONE.union(
            *(
                changed.changes
                for changed in declared
                if changed.declaration.sort is DeclarationKind.VARIABLE
            )
        )

    def declares(self, change: ChangeId) -> frozenset[str]:
        """Return the names whose declarations a change alters, outside of executable statements."""
        return frozenset(
            name
            for name, declarations in self._changed.items()
            if any(change in changed.changes for changed in declarations)
        )

    def _holding(self, version: VersionIndex, file: str, line: int) -> Ids:
        """Return the changes that touch the lines of the statement at a line."""
        if file not in version.edits:
            return _NONE
        key = (version, file, line)
        if key not in self._held:
            lines = version.statement_lines(file, line)
            own = version.touching(file, range(line, line + 1))
            found = version.touching(file, *lines) - self._comments
            if len(found) > _MAX_HELD:  # such as a switch with many changed labels
                found &= self._sought
            self._held[key] = own | found | version.uncommented(file, line)
        return self._held[key]

    def _only_removes(self, change_id: ChangeId) -> bool:
        """Does a change remove code and add none?"""
        change = self._changes.changes[change_id]
        removes = any(self._good.is_code(change.old_file, line) for line in change.old.lines)
        return removes and not any(self._bad.is_code(change.file, n) for n in change.new.lines)

    @cached_property
    def _renamed(self) -> dict[str, Ids]:
        """By its path in the good version: the change that gave a file another path."""
        return {
            change.old_file: frozenset({change.id})
            for change in self._changes.changes
            if change.kind is ChangeKind.RENAME
        }

    @cached_property
    def _idle(self) -> Ids:
        return idle_changes(self._changes.changes)

    @cached_property
    def _comments(self) -> Ids:
        """The changes of C or C++ files that touch no code, such as lines inside a comment."""
        return frozenset(
            change.id
            for change in self._changes.changes
            if change.kind is ChangeKind.EDIT
            and grammar_of(change.file) in ("c", "cpp")
            and not any(self._good.is_code(change.old_file, line) for line in change.old.lines)
            and not any(self._bad.is_code(change.file, line) for line in change.new.lines)
        )

    @cached_property
    def _changed(self) -> dict[str, list[ChangedName]]:
        return changed_names(self._changes, self._good, self._bad)

    @cached_property
    def _users(self) -> dict[VersionIndex, NameUses]:
        return {version: NameUses(version, self._changed) for version in (self._good, self._bad)}
