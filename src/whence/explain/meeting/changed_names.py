"""Which declared names do the changes alter?

A name is changed if its declarations differ between the versions in shape or in the preprocessor
conditions around them.  The changes that touch one of these declarations have changed the name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import grammar_of
from whence.explain.meeting.declarations import DeclarationKind, SourceDeclaration
from whence.explain.meeting.lexemes import lexemes
from whence.explain.meeting.version_index import Ids, VersionIndex
from whence.model import Change, ChangeKind


class ChangedName(NamedTuple):
    """A declaration that differs from the other version, and the changes that altered it."""

    version: VersionIndex
    file: str  # a file that sees this one sees the declaration
    declaration: SourceDeclaration
    changes: Ids
    is_new: bool = False  # only this version has it, so a name in unchanged text cannot mean it


def changed_names(
    changes: ChangeSet, good: VersionIndex, bad: VersionIndex
) -> dict[str, list[ChangedName]]:
    """Return the changed declarations of both versions, by name."""
    idle = idle_changes(changes.changes)
    found: dict[str, list[ChangedName]] = defaultdict(list)
    for changed in (*_redeclared(good, bad), *_included(changes, good, bad)):
        if relevant := changed.changes - idle:
            found[changed.declaration.name].append(changed._replace(changes=relevant))
    return dict(found)


def idle_changes(changes: Iterable[Change]) -> Ids:
    """Return the changes of C or C++ code that alter only layout or comments."""
    return frozenset(
        change.id
        for change in changes
        if change.kind is ChangeKind.EDIT
        and grammar_of(change.file) in ("c", "cpp")
        and lexemes("c", change.removed) == lexemes("c", change.added)
    )


def _redeclared(good: VersionIndex, bad: VersionIndex) -> Iterator[ChangedName]:
    """Yield the declarations in changed files whose meaning differs between the versions."""
    functions = {*_touched_functions(good), *_touched_functions(bad)}
    everything = [*_declared(good, functions), *_declared(bad, functions)]
    by_key = defaultdict(list)
    for changed in everything:
        by_key[changed.declaration.key].append(changed)
    for same in by_key.values():
        if any(changed.changes for changed in same) and _meanings(same, good) != _meanings(
            same, bad
        ):
            is_new = len({changed.version for changed in same}) == 1
            for changed in same:
                # A new function or macro can replace one from outside the tree, which unchanged
                # text may use.  A new field, enumerator or type cannot.
                is_own = changed.declaration.sort in (
                    DeclarationKind.FIELD,
                    DeclarationKind.ENUMERATOR,
                    DeclarationKind.TYPE,
                )
                yield changed._replace(is_new=is_new and is_own)


def _meanings(same: list[ChangedName], version: VersionIndex) -> list[tuple[bytes, ...]]:
    """Return the meanings that one version gives to a name, sorted."""
    files = [(version.file(c.file), c.declaration) for c in same if c.version is version]
    return sorted(file.meaning(declaration) for file, declaration in files if file is not None)


def _declared(version: VersionIndex, functions: set[str]) -> Iterator[ChangedName]:
    """Yield the declarations of changed files: outside functions, and local to `functions`."""
    for path in filter(version.may_matter, sorted(version.edits)):
        file = version.file(path)
        if file is None:
            continue
        local = [
            declaration
            for _, _, function in file.functions
            if function.name in functions
            for declarations in file.local_to(function).values()
            for declaration in declarations
        ]
        for declaration in (*file.declarations, *local):
            lines = (*declaration.lines, *file.conditions_around(declaration))
            yield ChangedName(version, path, declaration, version.touching(path, *lines))


def _touched_functions(version: VersionIndex) -> Iterator[str]:
    """Yield the names of functions that changes touch."""
    for path in filter(version.may_matter, sorted(version.edits)):
        file = version.file(path)
        for first, last, function in file.functions if file else ():
            if version.touching(path, range(first, last + 1)):
                yield function.name


def _included(changes: ChangeSet, good: VersionIndex, bad: VersionIndex) -> Iterator[ChangedName]:
    """Yield the declarations that a C or C++ file sees because of a changed #include.

    A Python import is an executable statement: a cause meets its change like any other.
    """
    for change in changes.changes:
        if change.kind is not ChangeKind.EDIT or grammar_of(change.file) not in ("c", "cpp"):
            continue
        old = set(good.includes.named_by(change.old_file, change.removed))
        new = set(bad.includes.named_by(change.file, change.added))
        for version, path, named in ((good, change.old_file, old), (bad, change.file, new)):
            for included in sorted(named - (new if version is good else old)):
                for declaration in version.declarations_seen(included):
                    if _differs_by_include(version, path, declaration):
                        yield ChangedName(version, path, declaration, frozenset([change.id]))


def _differs_by_include(version: VersionIndex, path: str, declaration: SourceDeclaration) -> bool:
    """Does a file see other declarations of this thing than its counterpart does?"""
    counterpart = version.other_path(path)
    if counterpart is None:
        return True
    shapes = [
        [
            d.shape
            for _, d in index.declarations_of(declaration.name, file)
            if d.key == declaration.key
        ]
        for index, file in ((version, path), (version.other, counterpart))
    ]
    return shapes[0] != shapes[1]
