"""Which changes does a marked line of a small program meet?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from tests.changes.trees import FILE, Files, comparison
from whence.changes.changeset import ChangeSet
from whence.changes.tree import TreeNode
from whence.explain.meeting import Meeting
from whence.model import ChangeId

Version = str | Mapping[str, str | bytes]
HERE = b"HERE"  # marks the executed line


@contextmanager
def compared(good: Version, bad: Version, name: str = "a.c") -> Iterator[ChangeSet]:
    """Compare two versions: the text of a file `name`, or several files."""

    def files(version: Version) -> Files:
        texts = {name: version} if isinstance(version, str) else version
        return {
            path: TreeNode(FILE, text if isinstance(text, bytes) else text.encode())
            for path, text in texts.items()
        }

    with comparison(files(good), files(bad)) as (changes, _):
        yield changes


def marked(changes: ChangeSet, *, of_good: bool) -> tuple[str, int]:
    """Return the file and line with the mark HERE."""
    tree = changes.good if of_good else changes.bad
    for path in tree.entries:
        content = tree.node(path).content
        if HERE in content:
            return path, content[: content.index(HERE)].count(b"\n") + 1
    raise AssertionError("no line has the mark HERE")


def change_texts(changes: ChangeSet, ids: frozenset[ChangeId]) -> set[str]:
    """Return the added text of each change; for a pure removal, a minus and the removed text."""

    def words(text: bytes) -> str:
        return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text.decode())).strip()

    found = [changes.changes[i] for i in sorted(ids)]
    return {words(c.added) or f"-{words(c.removed)}" for c in found}


Ask = Callable[[Meeting, str, int], frozenset[ChangeId]]


def met(ask: Ask, good: Version, bad: Version, name: str = "a.c") -> set[str]:
    """Return the changes that the line HERE meets, as `change_texts` shows them."""
    with compared(good, bad, name) as changes:
        of_good = ask in (Meeting.removed_at, Meeting.removed_through)
        file, line = marked(changes, of_good=of_good)
        return change_texts(changes, ask(Meeting(changes), file, line))


def at(good: Version, bad: Version, name: str = "a.c") -> set[str]:
    return met(Meeting.at, good, bad, name)


def removed_at(good: Version, bad: Version, name: str = "a.c") -> set[str]:
    return met(Meeting.removed_at, good, bad, name)


def near(good: Version, bad: Version, name: str = "a.c") -> set[str]:
    return met(Meeting.near, good, bad, name)


def through(good: Version, bad: Version, name: str = "a.c") -> set[str]:
    return met(Meeting.through, good, bad, name)


def removed_through(good: Version, bad: Version, name: str = "a.c") -> set[str]:
    return met(Meeting.removed_through, good, bad, name)
