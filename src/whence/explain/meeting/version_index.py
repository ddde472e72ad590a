"""What is on one side of the comparison, the good version or the bad one?"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import language_of
from whence.explain.meeting.declarations import SourceDeclaration
from whence.explain.meeting.includes import Includes
from whence.explain.meeting.line_edits import edits_of
from whence.explain.meeting.source_file import SourceFile
from whence.model import ChangeId

Ids = frozenset[ChangeId]
_NONE: Ids = frozenset()


class VersionIndex:
    """A version: its files as far as they were asked for, and what happened to them."""

    def __init__(self, changes: ChangeSet, *, of_good: bool) -> None:
        self._changes, self._of_good = changes, of_good
        self._tree = changes.good if of_good else changes.bad
        self._files: dict[str, SourceFile | None] = {}
        self._names: dict[frozenset[str], dict[str, list[tuple[str, SourceDeclaration]]]] = {}
        self._shared: dict[str, list[tuple[str, SourceDeclaration]]] = {}
        self.edits = edits_of(changes, of_good=of_good)
        self.includes = Includes(self._tree)
        self.other: VersionIndex

    def file(self, path: str) -> SourceFile | None:
        """Read a file; None if it is not there or we do not know its language."""
        if path not in self._files:
            source = self._changes.source(path, of_good=self._of_good)
            content = self._tree.node(path).content if source else b""
            self._files[path] = SourceFile(source, content) if source else None
        return self._files[path]

    def path_there(self, path: str) -> str | None:
        """Return a file's path on the other side, if it is there."""
        return self.edits[path].other if path in self.edits else path

    def line_there(self, path: str, line: int) -> int | None:
        """Return the number of a line on the other side, if it is there."""
        return self.edits[path].counterpart(line) if path in self.edits else line

    def nearest_there(self, path: str, line: int) -> int:
        return self.edits[path].nearest(line) if path in self.edits else line

    def sees(self, path: str, declared_in: str) -> bool:
        return declared_in in self.includes.seen_from(path)

    def declarations_of(self, name: str, seen_from: str) -> list[tuple[str, SourceDeclaration]]:
        """Return the declarations of a name that a file sees, with where they are."""
        return self._seen_by(seen_from).get(name, [])

    def declarations_shared(self, name: str) -> list[tuple[str, SourceDeclaration]]:
        """Return the declarations of a name that all files share, where changes bear on them."""
        if name not in self._shared:
            self._shared[name] = [
                (path, declaration)
                for path in self._bearing
                # To search a text is quicker than to read a file of which nothing is needed.
                if path in self._files or name.encode() in self._tree.node(path).content
                if (file := self.file(path))
                for declaration in file.by_name.get(name, ())
                if declaration.is_shared
            ]
        return self._shared[name]

    @cached_property
    def _bearing(self) -> list[str]:
        """The files of C that changed, or that see one which did."""
        return [
            path
            for path in sorted(self._tree.entries)
            if language_of(path) in ("c", "cpp")
            and not self.edits.keys().isdisjoint(self.includes.seen_from(path))
        ]

    def declarations_seen(self, seen_from: str) -> list[SourceDeclaration]:
        return [found for some in self._seen_by(seen_from).values() for _, found in some]

    def _seen_by(self, path: str) -> dict[str, list[tuple[str, SourceDeclaration]]]:
        seen = self.includes.seen_from(path)
        if seen not in self._names:
            found: dict[str, list[tuple[str, SourceDeclaration]]] = defaultdict(list)
            for other in sorted(seen):
                file = self.file(other)
                for declaration in file.declarations if file else ():
                    found[declaration.name].append((other, declaration))
            self._names[seen] = dict(found)
        return self._names[seen]

    def touching(self, path: str, *lines: range) -> Ids:
        edits = self.edits.get(path)
        return _NONE.union(*(edits.touching(some) for some in lines)) if edits else _NONE

    def statement_lines(self, path: str, line: int) -> list[range]:
        """Return the lines of the statement at a line; the line itself if that is all we know."""
        file = self.file(path)
        statements = file.statements.at(line) if file else []
        return [lines for some in statements for lines in some.lines] or [range(line, line + 1)]

    def is_code(self, path: str, line: int) -> bool:
        """Is there more than blanks and comments on a line, as far as we know?"""
        file = self.file(path)
        return file is None or file.is_code(line)

    def conditions_met(self, path: str, line: int) -> Ids:
        """Return what changed the preprocessor's conditions that an unchanged line is under."""
        found = self._conditions_met(path, line)
        there, line_there = self.path_there(path), self.line_there(path, line)
        if there is None or line_there is None:
            return found
        return found | self.other._conditions_met(there, line_there)

    def _conditions_met(self, path: str, line: int) -> Ids:
        file = self.file(path)
        return self.touching(path, *file.conditions.around(line)) if file else _NONE

    def uncommented(self, path: str, line: int) -> Ids:
        """Return what made code here of what is in a comment on the other side."""
        there, line_there = self.path_there(path), self.line_there(path, line)
        file = self.other.file(there) if there is not None else None
        lines = file.comment_at(line_there) if file and line_there is not None else None
        if there is None or lines is None or not self.is_code(path, line):
            return _NONE
        return self.other.touching(there, lines)


def version_indexes(changes: ChangeSet) -> tuple[VersionIndex, VersionIndex]:
    """Return the good side and the bad one."""
    good, bad = VersionIndex(changes, of_good=True), VersionIndex(changes, of_good=False)
    good.other, bad.other = bad, good
    return good, bad
