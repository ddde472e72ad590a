"""Which changed names does a statement reach by what it uses?

From a name to its declarations, from these to the names that they use, and so on: a macro to the
macros in its body, a table to what initialises it, a variable to its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from whence.changes.syntax import language_of
from whence.explain.meeting.changed_names import ChangedNames
from whence.explain.meeting.declarations import DeclarationKind, SourceDeclaration
from whence.explain.meeting.lexemes import Use
from whence.explain.meeting.source_file import SourceFile
from whence.explain.meeting.version_index import Ids, VersionIndex

_NONE: Ids = frozenset()
_DECLARED_FIRST = {
    DeclarationKind.MACRO,
    DeclarationKind.TYPE,
    DeclarationKind.ENUMERATOR,
    DeclarationKind.FIELD,
}
_OF_TYPES = {DeclarationKind.MACRO, DeclarationKind.TYPE, DeclarationKind.ENUMERATOR}
# A file, a name in it, and whether it only says of what type something is.
_Stop = tuple[str, Use, bool]


class NameUses:
    """What statements of one side reach."""

    def __init__(self, side: VersionIndex, changed: Mapping[str, Sequence[ChangedNames]]) -> None:
        self._side, self._changed = side, changed
        self._reached: dict[_Stop, list[ChangedNames]] = {}

    def at(self, path: str, line: int) -> Ids:
        """Return the changes of names that the statement at a line reaches."""
        file = self._side.file(path)
        found = self._from_statement(path, file, line) if file else ()
        return _NONE.union(*(c.changes for c in found if self._applies(c, path, line)))

    def _from_statement(self, path: str, file: SourceFile, line: int) -> Iterator[ChangedNames]:
        function = file.function_at(line)
        local = file.local_to(function) if function else {}
        used = file.used_at(line)
        if function and any(use.name == "return" for use in used):
            used |= {Use(function.name)}  # it gives what the head of the function says
        for use in used:
            seen = [] if use.is_member else local.get(use.name, [])
            hiding = [d for d in seen if d.is_local and (d.scope is None or line in d.scope)]
            stops = [stop for d in hiding for stop in _beyond(path, d, False)]
            for stop in stops if hiding else [(path, use, False)]:
                yield from self._reach(stop)
            for changed in () if use.is_member else self._changed.get(use.name, ()):
                it = changed.declaration
                if it.is_local and function and it.owner == function.name:
                    yield changed

    def _applies(self, changed: ChangedNames, path: str, line: int) -> bool:
        """Is the line where the declaration is seen: in its scope, or after it?"""
        declaration = changed.declaration
        if changed.side is not self._side:
            path, line = self._side.path_there(path) or "", self._side.nearest_there(path, line)
        if declaration.scope is not None:
            return line in declaration.scope
        comes_first = declaration.sort in _DECLARED_FIRST and language_of(path) in ("c", "cpp")
        return not comes_first or changed.file != path or declaration.lines[0].start <= line

    def _reach(self, start: _Stop) -> list[ChangedNames]:
        """Return the changed declarations that a name leads to."""
        if start not in self._reached:
            found: list[ChangedNames] = []
            seen, todo = {start}, [start]
            while todo:
                path, use, is_type = stop = todo.pop()
                found += self._changes_of(stop)
                for where, declaration in self._declarations(path, use, is_type):
                    here = path if self._side.sees(path, where) else where
                    new = {*_beyond(here, declaration, is_type)} - seen
                    seen |= new
                    todo += new
            self._reached[start] = found
        return self._reached[start]

    def _declarations(
        self, path: str, use: Use, is_type: bool
    ) -> Iterator[tuple[str, SourceDeclaration]]:
        """Yield what a name can stand for, with where it is declared."""
        language = language_of(path)
        seen = self._side.declarations_of(use.name, path)
        is_shared = any(declaration.is_shared for _, declaration in seen)
        elsewhere = self._side.declarations_shared(use.name) if is_shared else []
        for where, declaration in (*seen, *elsewhere):
            if _fits(declaration, use, is_type, language):
                yield where, declaration

    def _changes_of(self, stop: _Stop) -> Iterator[ChangedNames]:
        path, use, is_type = stop
        for changed in self._changed.get(use.name, ()):
            declaration = changed.declaration
            if (
                not (declaration.is_local or changed.is_new)
                and _fits(declaration, use, is_type, language_of(path))
                and (declaration.is_shared or self._sees(path, changed))
            ):
                yield changed

    def _sees(self, path: str, changed: ChangedNames) -> bool:
        here = path if changed.side is self._side else self._side.path_there(path)
        return here is not None and changed.side.sees(here, changed.file)


def _beyond(path: str, declaration: SourceDeclaration, is_type: bool) -> Iterator[_Stop]:
    yield from ((path, use, is_type) for use in declaration.uses)
    yield from ((path, use, True) for use in declaration.types)


def _fits(declaration: SourceDeclaration, use: Use, is_type: bool, language: str | None) -> bool:
    """Can the name stand for this?"""
    sort = declaration.sort
    if is_type and sort not in _OF_TYPES:
        return False
    if declaration.is_layout and (is_type or use.is_pointed_to):
        return False
    if language != "c" or sort is DeclarationKind.MACRO:
        return True
    return use.is_member == (sort is DeclarationKind.FIELD)
