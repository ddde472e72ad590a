"""Which changes of Python code must be reverted together so that the code has a structure?

A diff aligns equal lines, wherever they are: `\"\"\"` or `else:` of one function with those of
another.  Between two changes of a file lie lines that both versions have.  If these lines are in a
string in one version only, or in other brackets or blocks, then reverting one of the two changes
leaves code that does not parse, or code in the wrong function.  So the two are tied.
"""

from __future__ import annotations

import ast
import itertools
import warnings
from collections import defaultdict
from collections.abc import Iterator

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import ParsedSource, grammar_of
from whence.model import Change, ChangeId, ChangeKind, Reverted, Span


class Structure:
    """Knows which variants hold Python code that does not parse, without running them."""

    def __init__(self, changes: ChangeSet) -> None:
        self._changes = changes
        self._groups = [*tied_by_structure(changes)]
        self._parses_always: dict[str, bool] = {}  # by path: do both versions parse?

    def is_lost(self, reverted: Reverted) -> bool:
        """Does a file not parse in a variant, although it does in both versions?

        Only files are parsed in which a tied change is reverted without another.
        """
        changes = self._changes.changes
        torn = {
            changes[min(group)].file
            for group in self._groups
            if not reverted.isdisjoint(group) and not group <= reverted
        }
        if not torn:
            return False
        nodes = self._changes.nodes(reverted)
        return any(
            self._parses_in_both(path) and not _parses(nodes[path].content)
            for path in torn & nodes.keys()
        )

    def _parses_in_both(self, path: str) -> bool:
        found = self._parses_always.get(path)
        if found is None:
            file = next(file for file in self._changes.file_changes if file.new_path == path)
            versions = (file.old, file.new)
            found = all(node is not None and _parses(node.content) for node in versions)
            self._parses_always[path] = found
        return found


def _parses(content: bytes) -> bool:
    """Is this Python code well formed?"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def tied_by_structure(changes: ChangeSet) -> Iterator[frozenset[ChangeId]]:
    """Yield sets of changes, each of one Python file, that must be reverted together."""
    by_file: dict[str, list[Change]] = defaultdict(list)
    for change in changes.changes:
        is_edit = change.kind is ChangeKind.EDIT and change.inside is None
        if is_edit and grammar_of(change.file) == "python":
            by_file[change.file].append(change)
    for own_changes in by_file.values():
        old = changes.source(own_changes[0].old_file, of_good=True)
        new = changes.source(own_changes[0].file, of_good=False)
        if old is not None and new is not None and len(own_changes) > 1:
            yield from _tied(own_changes, old, new)


def _tied(
    own_changes: list[Change], old: ParsedSource, new: ParsedSource
) -> Iterator[frozenset[ChangeId]]:
    """Yield the sets of one file.  A change between two that are tied has no code of its own."""
    names = {f.name for f in old.functions} & {f.name for f in new.functions}
    group: list[ChangeId] = []
    in_order = sorted(own_changes, key=lambda change: (_after(change.new), _after(change.old)))
    for change, follower in itertools.pairwise([*in_order, None]):
        assert change is not None
        group.append(change.id)
        before, after = _after(change.old), _after(change.new)
        is_tied = follower is not None and (
            not _fits(old, before, new, after) or _in_other_function(old, before, new, after, names)
        )
        if not is_tied:
            if len(group) > 1:
                yield frozenset(group)
            group = []


def _after(span: Span) -> int:
    """Return the first line after the lines of a change."""
    return span.start + (span.count or 1)


def _fits(old: ParsedSource, old_line: int, new: ParsedSource, new_line: int) -> bool:
    """Can the lines from here on in one version follow the lines before in the other one?"""
    before, after = old.open_before(old_line), new.open_before(new_line)
    if old.is_definition(old_line) and new.is_definition(new_line):
        # A definition may have a decorator or none.
        before, after = (
            tuple(each for each in opened if each[0] != "decorator") for opened in (before, after)
        )
    return before == after


def _in_other_function(
    old: ParsedSource, old_line: int, new: ParsedSource, new_line: int, names: set[str]
) -> bool:
    """Are equal lines in two functions of which one version at least has both?

    If no version has both, the function was renamed.
    """
    before, after = old.function_at(old_line), new.function_at(new_line)
    if before is None or after is None or before.name == after.name:
        return False
    return before.name in names or after.name in names
