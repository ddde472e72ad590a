"""Does reverting a set mend the fault, or does it only steer around faulty code?

With the set reverted the test passes.  If changed code that lies on the way of the damage does
not even run any more then, it may be that code which is at fault, and the set only led there.
"""

from __future__ import annotations

from collections.abc import Iterable

from whence.causes.tree import CauseSearch
from whence.explain.meeting import Meeting
from whence.model import Cause, ChangeId, Reverted


def steered_around(
    tree: CauseSearch, causes: Iterable[Cause], meeting: Meeting, reverted: Reverted
) -> frozenset[ChangeId]:
    """The changes on the way of the damage whose code runs no more with others reverted.

    `tree` compares the failing run with the one where these are reverted; `causes` are those on
    the way.
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
            if steps and all(comparison.twin(step) is None for step in steps):
                found |= others
    return frozenset(found)
