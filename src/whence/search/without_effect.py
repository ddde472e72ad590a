"""Which changes can have no effect, because neither version's build and test open their files?

Their files are as in the bad version in every variant: to write a manual again costs at least a run
of `make`, and often a program that the machine lacks.  Worse, a source of configure that is written
again makes every later variant call autoconf.  What was generated from an unopened source may be
opened, so other sources that a build asked about are no such files: what was made of a grammar is a
part of the program, and the change to explain may be in the grammar.
"""

from __future__ import annotations

from collections.abc import Mapping

from whence.changes.changeset import ChangeSet
from whence.model import Change, ChangeKind, Reverted, Run
from whence.search.space import Search, T
from whence.subject.no_sources import is_no_source


def find_without_effect(changes: ChangeSet, good: Run, bad: Run) -> Reverted:
    """Return the changes of files that neither version opens; none if that is not known."""
    if good.unread is None or bad.unread is None:
        return frozenset()
    unread = good.unread, bad.unread
    return frozenset(change.id for change in changes.changes if _is_without_effect(change, unread))


def _is_without_effect(change: Change, unread: tuple[Mapping[str, str], ...]) -> bool:
    has_same_files = change.kind in (ChangeKind.EDIT, ChangeKind.REPLACE)
    for path in {change.old_file, change.file}:
        harmless = {"", "listed"} if has_same_files or is_no_source(path) else {""}
        if has_same_files and is_no_source(path):
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
