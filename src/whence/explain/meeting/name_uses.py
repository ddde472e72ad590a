"""Which changed names does a statement reach through the names that it uses?

A name leads to its declarations, these lead to the names that they use, and so on: a macro leads to
the macros in its body, a table to its initialisers, a variable to its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from whence.changes.syntax import grammar_of
from whence.explain.meeting.changed_names import ChangedName
from whence.explain.meeting.declarations import DeclarationKind, SourceDeclaration
from whence.explain.meeting.lexemes import NameUse
from whence.explain.meeting.source_file import SourceFile
from whence.explain.meeting.version_index import Ids, VersionIndex

_NONE: Ids = frozenset()
_DECLARED_BEFORE_USE = {
    DeclarationKind.MACRO,
    DeclarationKind.TYPE,
    DeclarationKind.ENUMERATOR,
    DeclarationKind.FIELD,
}
_TYPE_KINDS = {DeclarationKind.MACRO, DeclarationKind.TYPE, DeclarationKind.ENUMERATOR}
# A file, a name that it uses, and whether the name only gives the type of something.
_Visit = tuple[str, NameUse, bool]


class NameUses:
    """The changed names that statements of one version reach."""

    def __init__(self, version: VersionIndex, changed: Mapping[str, Sequence[ChangedName]]) -> None:
        self._version, self._changed = version, changed
        self._reached: dict[_Visit, list[ChangedName]] = {}

    def at(self, path: str, line: int) -> Ids:
        """Return the changes of the names that the statement at a line reaches."""
        return _NONE.union(*(changed.changes for changed in self.names_at(path, line)))

    def names_at(self, path: str, line: int) -> Iterator[ChangedName]:
        """Yield the changed names that the statement at a line reaches."""
        file = self._version.file(path)
        found = self._from_statement(path, file, line) if file else ()
        return (changed for changed in found if self._applies(changed, path, line))

    def _from_statement(self, path: str, file: SourceFile, line: int) -> Iterator[ChangedName]:
        function = file.function_at(line)
        local = file.local_to(function) if function else {}
        used = file.used_at(line)
        if function and any(use.name == "return" for use in used):
            used |= {NameUse(function.name)}  # a return depends on the function's return type
        for use in used:
            seen = [] if use.is_member else local.get(use.name, [])
            hiding = [d for d in seen if d.is_local and (d.scope is None or line in d.scope)]
            visits = [visit for d in hiding for visit in _beyond(path, d, False)]
            for visit in visits if hiding else [(path, use, False)]:
                yield from self._reach(visit)
            for changed in () if use.is_member else self._changed.get(use.name, ()):
                declaration = changed.declaration
                if declaration.is_local and function and declaration.owner == function.name:
                    yield changed

    def _applies(self, changed: ChangedName, path: str, line: int) -> bool:
        """Does the line see the declaration: is it in its scope, or after it?"""
        declaration = changed.declaration
        if changed.version is not self._version:
            path, line = (
                self._version.other_path(path) or "",
                self._version.nearest_other_line(path, line),
            )
        if declaration.scope is not None:
            return line in declaration.scope
        comes_first = declaration.sort in _DECLARED_BEFORE_USE and grammar_of(path) in (
            "c",
            "cpp",
        )
        return not comes_first or changed.file != path or declaration.lines[0].start <= line

    def _reach(self, start: _Visit) -> list[ChangedName]:
        """Return the changed declarations that a name leads to."""
        if start not in self._reached:
            found: list[ChangedName] = []
            seen, todo = {start}, [start]
            while todo:
                path, use, is_type = visit = todo.pop()
                found += self._changes_of(visit)
                for where, declaration in self._declarations(path, use, is_type):
                    from_file = path if self._version.sees(path, where) else where
                    new = {*_beyond(from_file, declaration, is_type)} - seen
                    seen |= new
                    todo += new
            self._reached[start] = found
        return self._reached[start]

    def _declarations(
        self, path: str, use: NameUse, is_type: bool
    ) -> Iterator[tuple[str, SourceDeclaration]]:
        """Yield the declarations that a name can mean, each with its file."""
        language = grammar_of(path)
        seen = self._version.declarations_of(use.name, path)
        is_shared = any(declaration.is_shared for _, declaration in seen)
        elsewhere = self._version.declarations_shared(use.name) if is_shared else []
        for where, declaration in (*seen, *elsewhere):
            if _fits(declaration, use, is_type, language):
                yield where, declaration

    def _changes_of(self, visit: _Visit) -> Iterator[ChangedName]:
        """Yield the changed declarations that a name can mean."""
        path, use, is_type = visit
        for changed in self._changed.get(use.name, ()):
            declaration = changed.declaration
            if (
                not (declaration.is_local or changed.is_new)
                and _fits(declaration, use, is_type, grammar_of(path))
                and (declaration.is_shared or self._sees(path, changed))
            ):
                yield changed

    def _sees(self, path: str, changed: ChangedName) -> bool:
        """Does a file see a changed declaration, in the version that has it?"""
        own = path if changed.version is self._version else self._version.other_path(path)
        return own is not None and changed.version.sees(own, changed.file)


def _beyond(path: str, declaration: SourceDeclaration, is_type: bool) -> Iterator[_Visit]:
    """Yield the names that a declaration leads to."""
    yield from ((path, use, is_type) for use in declaration.uses)
    yield from ((path, use, True) for use in declaration.types)


def _fits(
    declaration: SourceDeclaration, use: NameUse, is_type: bool, language: str | None
) -> bool:
    """Can the name mean this declaration?"""
    sort = declaration.sort
    if is_type and sort not in _TYPE_KINDS:
        return False
    if declaration.is_layout and (is_type or use.is_pointed_to):
        return False
    if language != "c" or sort is DeclarationKind.MACRO:
        return True
    return use.is_member == (sort is DeclarationKind.FIELD)
