"""Which changes of a structure's fields require changes of the values listed for them?

An object such as `struct options defaults = {1, 0, "utf-8"}` gets its values by position.  If a
field is added or removed without its value, the values after it go to the wrong fields.  A compiler
accepts this, or complains about other values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import ListedValues
from whence.model import Change, ChangeId, ChangeKind

ChangesByField = Mapping[tuple[str, str], Iterable[ChangeId]]
"""The changes that declare a field on their lines, by (structure, field)."""

_MAX_FIELD_CHANGES = 6  # with more changes of one structure it is unclear which belong together
_MAX_LISTING_CHANGES = 40  # limit on the changes of values listed for one structure; guessed


def tied_to_values(
    changes: ChangeSet, old_fields: ChangesByField, new_fields: ChangesByField
) -> Iterator[tuple[ChangeId, ChangeId]]:
    """Yield a change that alters how many fields a structure has, and one that lists values."""
    altering = _altering(old_fields, new_fields)
    if not altering:
        return
    listing = _listing(changes, _aliases(changes))
    for structure in sorted(altering.keys() & listing.keys()):
        fields, values = altering[structure], listing[structure]
        if len(fields) <= _MAX_FIELD_CHANGES and len(values) <= _MAX_LISTING_CHANGES:
            yield from ((field, value) for field in sorted(fields) for value in sorted(values))


def _altering(
    old_fields: ChangesByField, new_fields: ChangesByField
) -> dict[str, frozenset[ChangeId]]:
    """Return the changes that alter the number of fields, by structure."""
    count: dict[str, dict[ChangeId, int]] = defaultdict(lambda: defaultdict(int))
    for fields, sign in ((old_fields, -1), (new_fields, 1)):
        for (structure, _), owners in fields.items():
            for change in owners:
                count[structure][change] += sign
    return {
        structure: frozenset(change for change, more in own.items() if more)
        for structure, own in count.items()
        if any(own.values())
    }


def _aliases(changes: ChangeSet) -> dict[str, str]:
    """Return the structures that typedefs of changed files give another name to."""
    found: dict[str, str] = {}
    files = {change.file for change in changes.changes if change.kind is not ChangeKind.DELETE}
    for file in sorted(files):
        source = changes.source(file, of_good=False)
        if source is not None and source.language in ("c", "cpp"):
            found |= source.aliases()
    return found


def _listing(changes: ChangeSet, aliases: Mapping[str, str]) -> dict[str, set[ChangeId]]:
    """Return the changes that list more or fewer values for an object, by structure."""
    found: dict[str, set[ChangeId]] = defaultdict(set)
    for change in changes.changes:
        if change.kind is not ChangeKind.EDIT:
            continue
        old, new = (_listed(changes, change, of_good) for of_good in (True, False))
        for structure in old.keys() | new.keys():
            before, after = old.get(structure, (0, 0)), new.get(structure, (0, 0))
            # A change that adds whole objects to an array needs no other field.
            if before[0] != after[0] and before[1] == after[1]:
                found[aliases.get(structure, structure)].add(change.id)
    return found


def _listed(changes: ChangeSet, change: Change, of_good: bool) -> dict[str, tuple[int, int]]:
    """Return how many values and whole objects the lines of a change list, by structure."""
    path, span = (change.old_file, change.old) if of_good else (change.file, change.new)
    source = changes.source(path, of_good=of_good)
    if source is None or not span.count:
        return {}
    found: dict[str, tuple[int, int]] = {}
    each: ListedValues
    for each in source.listed_values(span.start, span.start + span.count - 1):
        values, objects = found.get(each.structure, (0, 0))
        found[each.structure] = (values + each.values, objects + each.objects)
    return found
