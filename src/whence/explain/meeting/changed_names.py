"""Which names do the changes declare otherwise?

A name is changed where its declarations have another shape than on the other side, or are under
other conditions of the preprocessor; what touches one of these declarations has changed it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import language_of
from whence.explain.meeting.declarations import DeclarationKind, SourceDeclaration
from whence.explain.meeting.lexemes import lexemes
from whence.explain.meeting.version_index import Ids, VersionIndex
from whence.model import Change, ChangeKind


class ChangedNames(NamedTuple):
    """A declaration that is not as on the other side, and what changed it."""

    side: VersionIndex
    file: str  # who sees this file sees the declaration
    declaration: SourceDeclaration
    changes: Ids
    is_new: bool = False  # only this side has it: what both sides have cannot mean it


def changed_names(
    changes: ChangeSet, good: VersionIndex, bad: VersionIndex
) -> dict[str, list[ChangedNames]]:
    """Return the changed declarations of both sides, by name."""
    idle = idle_changes(changes.changes)
    found: dict[str, list[ChangedNames]] = defaultdict(list)
    for changed in (*_redeclared(good, bad), *_included(changes, good, bad)):
        if matter := changed.changes - idle:
            found[changed.declaration.name].append(changed._replace(changes=matter))
    return dict(found)


def idle_changes(changes: Iterable[Change]) -> Ids:
    """Return the changes of C code that only lay it out otherwise, or comment on it."""
    return frozenset(
        change.id
        for change in changes
        if change.kind is ChangeKind.EDIT
        and language_of(change.file) in ("c", "cpp")
        and lexemes("c", change.removed) == lexemes("c", change.added)
    )


def _redeclared(good: VersionIndex, bad: VersionIndex) -> Iterator[ChangedNames]:
    functions = {*_touched_functions(good), *_touched_functions(bad)}
    everything = [*_declared(good, functions), *_declared(bad, functions)]
    by_key = defaultdict(list)
    for changed in everything:
        by_key[changed.declaration.key].append(changed)
    for same in by_key.values():
        if any(changed.changes for changed in same) and _says(same, good) != _says(same, bad):
            is_new = len({changed.side for changed in same}) == 1
            for changed in same:
                # A new function or macro can take the place of one from outside of the tree.
                is_placed = changed.declaration.sort in (
                    DeclarationKind.FIELD,
                    DeclarationKind.ENUMERATOR,
                    DeclarationKind.TYPE,
                )
                yield changed._replace(is_new=is_new and is_placed)


def _says(same: list[ChangedNames], side: VersionIndex) -> list[tuple[bytes, ...]]:
    """Return all that one side says of a name, in whatever order."""
    files = [(side.file(c.file), c.declaration) for c in same if c.side is side]
    return sorted(file.says(declaration) for file, declaration in files if file is not None)


def _declared(side: VersionIndex, functions: set[str]) -> Iterator[ChangedNames]:
    """Yield what the changed files declare outside of functions, and in those of these names."""
    for path in sorted(side.edits):
        file = side.file(path)
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
            yield ChangedNames(side, path, declaration, side.touching(path, *lines))


def _touched_functions(side: VersionIndex) -> Iterator[str]:
    for path in sorted(side.edits):
        file = side.file(path)
        for first, last, function in file.functions if file else ():
            if side.touching(path, range(first, last + 1)):
                yield function.name


def _included(changes: ChangeSet, good: VersionIndex, bad: VersionIndex) -> Iterator[ChangedNames]:
    """Yield what a file of C sees otherwise because it includes something else.

    What Python imports is a statement that runs, and so is met as others are.
    """
    for change in changes.changes:
        if change.kind is not ChangeKind.EDIT or language_of(change.file) not in ("c", "cpp"):
            continue
        old = set(good.includes.named_by(change.old_file, change.removed))
        new = set(bad.includes.named_by(change.file, change.added))
        for side, path, named in ((good, change.old_file, old), (bad, change.file, new)):
            for included in sorted(named - (new if side is good else old)):
                for declaration in side.declarations_seen(included):
                    if _is_seen_otherwise(side, path, declaration):
                        yield ChangedNames(side, path, declaration, frozenset([change.id]))


def _is_seen_otherwise(side: VersionIndex, path: str, declaration: SourceDeclaration) -> bool:
    there = side.path_there(path)
    if there is None:
        return True
    shapes = [
        [
            d.shape
            for _, d in here.declarations_of(declaration.name, file)
            if d.key == declaration.key
        ]
        for here, file in ((side, path), (side.other, there))
    ]
    return shapes[0] != shapes[1]
