"""Does reverting a set of changes mend the fault, or does it only avoid the faulty code?

The test passes with the set reverted.  Changed code may lie on the way to the failure and not run
at all in that fixed run.  Then that code may be at fault, and the set only led the run there: the
set is a dodge.
"""

from __future__ import annotations

from collections.abc import Iterable

from whence.causes.tree import CauseSearch
from whence.explain.meeting import Meeting
from whence.model import Cause, ChangeId, Reverted


def avoided_changes(
    tree: CauseSearch, causes: Iterable[Cause], meeting: Meeting, reverted: Reverted
) -> frozenset[ChangeId]:
    """Return the changes, outside `reverted`, whose code runs only in the failing run.

    `tree` compares the failing run with the fixed run, in which `reverted` is reverted.  `causes`
    are the causes on the way from the root to the failure.
    """
    comparison = tree.comparison
    if comparison is None:
        return frozenset()
    found: set[ChangeId] = set()
    for cause in causes:
        for statement in cause.statements:
            others = meeting.at(statement.file, statement.line) - reverted
            if not others:
                continue
            steps = tree.steps(cause.id, [(statement.file, statement.line)]).tolist()
            if steps and all(comparison.counterpart(step) is None for step in steps):
                found |= others
    return frozenset(found)
