"""What does one version hold: its files, declarations and changed lines?"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import grammar_of
from whence.explain.meeting.declarations import SourceDeclaration
from whence.explain.meeting.includes import Includes
from whence.explain.meeting.line_edits import edits_of
from whence.explain.meeting.source_file import SourceFile
from whence.model import ChangeId

Ids = frozenset[ChangeId]
_NONE: Ids = frozenset()


class VersionIndex:
    """The good or the bad version: its files, read when needed, and the changes to them."""

    def __init__(self, changes: ChangeSet, *, of_good: bool) -> None:
        self._changes, self._of_good = changes, of_good
        self._tree = changes.good if of_good else changes.bad
        self._files: dict[str, SourceFile | None] = {}
        self._names: dict[frozenset[str], dict[str, list[tuple[str, SourceDeclaration]]]] = {}
        self._shared: dict[str, list[tuple[str, SourceDeclaration]]] = {}
        self.edits = edits_of(changes, of_good=of_good)
        self.includes = Includes(self._tree)
        self.other: VersionIndex
        # The Python files that a run loaded, by their paths in this version.  None: unknown.
        self.loaded: frozenset[str] | None = None

    def file(self, path: str) -> SourceFile | None:
        """Read a file; None if it does not exist or its language is unknown."""
        if path not in self._files:
            source = self._changes.source(path, of_good=self._of_good)
            content = self._tree.node(path).content if source else b""
            self._files[path] = SourceFile(source, content) if source else None
        return self._files[path]

    def may_matter(self, path: str) -> bool:
        """Can a file have an effect?  A Python file that no run loaded cannot."""
        return self.loaded is None or path in self.loaded or grammar_of(path) != "python"

    def other_path(self, path: str) -> str | None:
        """Return a file's path in the other version; None if the file does not exist there."""
        return self.edits[path].other if path in self.edits else path

    def other_line(self, path: str, line: int) -> int | None:
        """Return the number of a line in the other version; None if the line was changed."""
        return self.edits[path].counterpart(line) if path in self.edits else line

    def nearest_other_line(self, path: str, line: int) -> int:
        """Return the line of the other version at or before the same place."""
        return self.edits[path].nearest(line) if path in self.edits else line

    def sees(self, path: str, declared_in: str) -> bool:
        """Does a file include or import another, directly or not?"""
        return declared_in in self.includes.seen_from(path)

    def declarations_of(self, name: str, seen_from: str) -> list[tuple[str, SourceDeclaration]]:
        """Return the declarations of a name that a file sees, each with its file."""
        return self._seen_by(seen_from).get(name, [])

    def declarations_shared(self, name: str) -> list[tuple[str, SourceDeclaration]]:
        """Return the shared declarations of a name in files that changes can affect."""
        if name not in self._shared:
            self._shared[name] = [
                (path, declaration)
                for path in self._affected
                # Searching the text is faster than parsing a file that lacks the name.
                if path in self._files or name.encode() in self._tree.node(path).content
                if (file := self.file(path))
                for declaration in file.by_name.get(name, ())
                if declaration.is_shared
            ]
        return self._shared[name]

    @cached_property
    def _affected(self) -> list[str]:
        """The C and C++ files that changed, or that see a changed file."""
        return [
            path
            for path in sorted(self._tree.entries)
            if grammar_of(path) in ("c", "cpp")
            and not self.edits.keys().isdisjoint(self.includes.seen_from(path))
        ]

    def declarations_seen(self, seen_from: str) -> list[SourceDeclaration]:
        """Return all declarations that a file sees."""
        by_name = self._seen_by(seen_from)
        return [found for declarations in by_name.values() for _, found in declarations]

    def _seen_by(self, path: str) -> dict[str, list[tuple[str, SourceDeclaration]]]:
        """Return the declarations that a file sees, by name, each with its file."""
        seen = self.includes.seen_from(path)
        if seen not in self._names:
            found: dict[str, list[tuple[str, SourceDeclaration]]] = defaultdict(list)
            for other in filter(self.may_matter, sorted(seen)):
                file = self.file(other)
                for declaration in file.declarations if file else ():
                    found[declaration.name].append((other, declaration))
            self._names[seen] = dict(found)
        return self._names[seen]

    def touching(self, path: str, *lines: range) -> Ids:
        """Return the changes that touch some of the lines."""
        edits = self.edits.get(path)
        return _NONE.union(*map(edits.touching, lines)) if edits else _NONE

    def statement_lines(self, path: str, line: int) -> list[range]:
        """Return the lines of the statements at a line; the line alone if none is known."""
        file = self.file(path)
        statements = file.statements.at(line) if file else []
        lines = [lines for statement in statements for lines in statement.lines]
        return lines or [range(line, line + 1)]

    def is_code(self, path: str, line: int) -> bool:
        """Has a line more than blanks and comments?  True if the file is not parsed."""
        file = self.file(path)
        return file is None or file.is_code(line)

    def conditions_met(self, path: str, line: int) -> Ids:
        """Return the changes of preprocessor conditions around a line, in either version."""
        found = self._conditions_met(path, line)
        path_in_other, other_line = self.other_path(path), self.other_line(path, line)
        if path_in_other is None or other_line is None:
            return found
        return found | self.other._conditions_met(path_in_other, other_line)

    def _conditions_met(self, path: str, line: int) -> Ids:
        file = self.file(path)
        return self.touching(path, *file.conditions.around(line)) if file else _NONE

    def uncommented(self, path: str, line: int) -> Ids:
        """Return the changes that turned a comment of the other version into this line of code."""
        path_in_other, other_line = self.other_path(path), self.other_line(path, line)
        file = self.other.file(path_in_other) if path_in_other is not None else None
        lines = file.comment_at(other_line) if file and other_line is not None else None
        if path_in_other is None or lines is None or not self.is_code(path, line):
            return _NONE
        return self.other.touching(path_in_other, lines)


def version_indexes(changes: ChangeSet) -> tuple[VersionIndex, VersionIndex]:
    """Return the indexes of the good and of the bad version."""
    good, bad = VersionIndex(changes, of_good=True), VersionIndex(changes, of_good=False)
    good.other, bad.other = bad, good
    return good, bad
