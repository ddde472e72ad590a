"""Which changes lie in functions that get the same and give something else?

The causes lead from the failure upstream, as long as the runs of the two versions correspond.
These functions are found without that, so their changes are tried first.
"""

from __future__ import annotations

from whence.causes.comparison import Comparison
from whence.causes.differing_calls import differing_functions, executed_functions
from whence.explain.meeting import Meeting
from whence.model import ChangeId
from whence.trace.pairing import Version

_MAX_CHANGES = 12  # so many changes are worth the runs that try them; guessed


def changes_where_runs_part(comparison: Comparison, meeting: Meeting) -> tuple[ChangeId, ...]:
    """Return the changes of these functions, those of the first such call first."""
    pairing = comparison.alignment.pairing
    ran = executed_functions(comparison.failing)
    pairs = {bad: good for bad, good in pairing.functions.items() if bad in ran}
    met = {
        bad: _changes_of(pairing.bad, bad, meeting, of_good=False)
        | _changes_of(pairing.good, good, meeting, of_good=True)
        for bad, good in pairs.items()
    }
    changed = {bad: good for bad, good in pairs.items() if met[bad]}
    found: dict[ChangeId, None] = {}
    for function in differing_functions(comparison, changed):
        if len(found.keys() | met[function.bad]) <= _MAX_CHANGES:
            found |= dict.fromkeys(sorted(met[function.bad]))
    return tuple(found)


def _changes_of(
    version: Version, function: int, meeting: Meeting, *, of_good: bool
) -> frozenset[ChangeId]:
    body = version.body(function)
    if body is None:
        return frozenset()
    return meeting.in_lines(body.file, range(body.first, body.last + 1), of_good=of_good)
