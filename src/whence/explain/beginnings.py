"""Which changes lie in functions that get the same and give something else?

The causes lead from the failure upstream, as long as the runs of the two versions correspond.
These functions are found without that, so their changes are tried first.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.causes.comparison import Comparison
from whence.causes.differing_calls import differing_functions
from whence.explain.meeting import Meeting
from whence.model import ChangeId
from whence.trace.pairing import Version

_MAX_CHANGES = 12  # so many changes are worth the runs that try them; guessed


def changes_where_runs_part(comparison: Comparison, meeting: Meeting) -> tuple[ChangeId, ...]:
    """Return the changes of these functions, those of the first such call first."""
    pairing = comparison.alignment.pairing
    met: dict[int, frozenset[ChangeId]] = {}
    for bad, good in pairing.functions.items():
        held = {
            c for file, line in _lines(pairing.bad, bad, meeting) for c in meeting.at(file, line)
        }
        held |= {
            c for file, line in _lines(pairing.good, good, meeting)
            for c in meeting.removed_at(file, line)
        }  # fmt: skip
        if held:
            met[bad] = frozenset(held)
    pairs = {bad: pairing.functions[bad] for bad in met}
    found: dict[ChangeId, None] = {}
    for function in differing_functions(comparison, pairs):
        if len(found.keys() | met[function.bad]) <= _MAX_CHANGES:
            found |= dict.fromkeys(sorted(met[function.bad]))
    return tuple(found)


def _lines(version: Version, function: int, meeting: Meeting) -> Iterator[tuple[str, int]]:
    """Yield the lines of a function that lie in changed files."""
    if version.file_of(function) in meeting.touched:
        yield from sorted({(file, row) for file, row, _ in version.ops(function) if row})
