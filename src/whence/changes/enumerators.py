"""Which changes give the constants of an enumeration other values?

A new constant in the middle of an enumeration moves all that follow it.  Code that uses them is the
same in both versions, but tables that are written in the old order no longer fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import ParsedSource, grammar_of
from whence.model import Change, Reverted

_LISTS = "(enumerator_list) @list"
_GRAMMARS = ("c", "cpp")


class _Enumerator(NamedTuple):
    """A constant of an enumeration, and the lines of the whole list."""

    value: tuple[str, int]  # the text that the last explicit value has, and the distance from it
    lines: range


def renumbering(changes: ChangeSet, among: Reverted) -> Reverted:
    """Return which of some changes give a constant of both versions another value."""
    by_file: dict[str, list[Change]] = {}
    for change in changes.changes:
        if change.id in among and grammar_of(change.file) in _GRAMMARS:
            by_file.setdefault(change.file, []).append(change)
    return frozenset(
        change.id
        for file, own in by_file.items()
        for old, new in _renumbered(changes, file)
        for change in own
        if _meets(change.old.lines, old) or _meets(change.new.lines, new)
    )


def _meets(lines: range, others: range) -> bool:
    return bool(lines) and lines.start < others.stop and others.start < lines.stop


def _renumbered(changes: ChangeSet, file: str) -> Iterator[tuple[range, range]]:
    """Yield the lines of the lists, in both versions, in which a constant got another value."""
    sides = [changes.source(file, of_good=of_good) for of_good in (True, False)]
    if sides[0] is None or sides[1] is None:
        return
    old, new = (dict(_enumerators(source)) for source in sides if source is not None)
    for name in old.keys() & new.keys():
        if old[name].value != new[name].value:
            yield old[name].lines, new[name].lines


def _enumerators(source: ParsedSource) -> Iterator[tuple[str, _Enumerator]]:
    for each in source.captures(_LISTS, 1, source.last_line).get("list", ()):
        lines = range(each.start_point.row + 1, each.end_point.row + 2)
        if any(child.type.startswith("preproc") for child in each.named_children):
            continue  # which constants there are is not known
        anchor, distance = "", 0
        for child in each.named_children:
            name = child.child_by_field_name("name")
            value = child.child_by_field_name("value")
            if child.type != "enumerator" or name is None:
                continue
            if value is not None:
                anchor, distance = (value.text or b"").decode("utf-8", "replace"), 0
            yield (
                (name.text or b"").decode("utf-8", "replace"),
                _Enumerator((anchor, distance), lines),
            )
            distance += 1
