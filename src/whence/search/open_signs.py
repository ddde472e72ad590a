"""Which changes must be reverted together so that what one of them opens is closed again?

Brackets within a function, and in C and C++ also comments and the conditionals of the preprocessor
within a file.  `structure` knows Python exactly.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from whence.changes.syntax import depth_changes, grammar_of
from whence.model import Change, ChangeId, ChangeKind

_IF = re.compile(rb"^[ \t]*#[ \t]*if", re.MULTILINE)
_ENDIF = re.compile(rb"^[ \t]*#[ \t]*endif\b", re.MULTILINE)


def tied_by_signs(changes: Iterable[Change]) -> Iterator[set[ChangeId]]:
    """Yield the changes that open something and those that close it again."""
    by_function: dict[tuple[str, str], list[Change]] = defaultdict(list)
    by_file: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        grammar = grammar_of(change.file)
        if change.kind is not ChangeKind.EDIT or grammar == "python":
            continue
        if change.function:
            by_function[change.file, change.function].append(change)
        if grammar in ("c", "cpp"):
            by_file[change.file].append(change)
    for own in by_function.values():
        yield from _groups(own, lambda text: depth_changes([text])[-1])
    for own in by_file.values():
        yield from _groups(own, _open_conditionals)
        yield from _groups(own, _open_comments)


def _groups(own: Iterable[Change], opened: Callable[[bytes], int]) -> Iterator[set[ChangeId]]:
    """Yield sets of changes after which as much is open as before, each in the order of the text.

    `opened` gives the number of signs that a text opens less those that it closes.
    """
    group: set[ChangeId] = set()
    depth = 0  # of the new text less that of the old text
    for change in own:
        more = opened(change.added) - opened(change.removed)
        depth += more
        if more:
            group.add(change.id)
        if not depth and group:
            yield group
            group = set()
    if group:
        yield group


def _open_conditionals(text: bytes) -> int:
    return len(_IF.findall(text)) - len(_ENDIF.findall(text))


def _open_comments(text: bytes) -> int:
    return text.count(b"/*") - text.count(b"*/")
