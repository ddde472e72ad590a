"""Which changes can have no effect, because neither version's build and test open their files?

Their files are as in the bad version in every variant: to write a manual again costs at least a run
of `make`, and often a program that the machine lacks.  Worse, a source of configure that is written
again makes every later variant call autoconf.  What was generated from an unopened source may be
opened, so other sources that a build asked about are no such files: what was made of a grammar is a
part of the program, and the change to explain may be in the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from whence.changes.changeset import ChangeSet
from whence.model import Change, ChangeKind, Reverted, Run
from whence.search.space import Search, T

# Names of files from which no program is made: documents, and what only autoconf and automake read.
# `make` asks whether they are newer than others.
_NO_SOURCES = re.compile(
    r"\.(?:[1-8](?:\.in)?|adoc|docbook|eps|fig|html?|info(?:-\d+)?|jpe?g|man|md|mdoc|me|mm|ms|pdf|png"
    r"|po|pot|ps|rst|svg|tex|texi|texinfo|txi|txt)$"
    r"|(?:^|/)(?:ABOUT|AUTHORS|BUGS|CHANGES|COPYING|ChangeLog|HACKING|INSTALL|LICEN[CS]E|NEWS|README"
    r"|THANKS|TODO)[^/]*$"
    r"|\.(?:ac|am|m4)$|(?:^|/)(?:configure\.in|acconfig\.h|stamp-\w+(?:\.in)?)$"
)


def find_without_effect(changes: ChangeSet, good: Run, bad: Run) -> Reverted:
    """Return the changes of files that neither version opens; none if that is not known."""
    if good.unread is None or bad.unread is None:
        return frozenset()
    unread = good.unread, bad.unread
    return frozenset(change.id for change in changes.changes if _is_without_effect(change, unread))


def _is_without_effect(change: Change, unread: tuple[Mapping[str, str], ...]) -> bool:
    has_same_files = change.kind in (ChangeKind.EDIT, ChangeKind.REPLACE)
    for path in {change.old_file, change.file}:
        harmless = {"", "listed"} if has_same_files or _NO_SOURCES.search(path) else {""}
        if has_same_files and _NO_SOURCES.search(path):
            harmless.add("asked")
        if any(by_path.get(path) not in harmless for by_path in unread):
            return False
    return True


def leaving_out(search: Search[T], without_effect: Reverted) -> Search[T]:
    """Run a search in which these changes are never reverted."""
    try:
        asked = next(search)
        while True:
            run = yield asked - without_effect
            asked = search.send(run)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # StopIteration.value is Any
