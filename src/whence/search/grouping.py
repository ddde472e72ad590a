"""How do reports show changes that belong together?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.model import Change, Hunk, Reported, Reverted, Span
from whence.search.isolate import units_of


def grouped_hunks(
    changes: Sequence[Change], units: Sequence[Reverted], *, is_sorted: bool = False
) -> tuple[Reported, ...]:
    """Return each unit as one reported change, sorted by file and line unless `is_sorted`."""
    found = [_joined([changes[change] for change in sorted(unit)]) for unit in units]
    if is_sorted:
        return tuple(found)
    return tuple(sorted(found, key=lambda r: (r.file, r.new.start, r.old.start, r.id)))


def _joined(pieces: list[Change]) -> Reported:
    first = pieces[0]
    by_id = {piece.id: piece for piece in pieces}
    return Reported(
        first.id,
        tuple(by_id),
        first.file,
        first.old_file,
        first.kind,
        _cover([piece.old for piece in pieces]),
        _cover([piece.new for piece in pieces]),
        tuple(
            _hunk([by_id[change] for change in sorted(unit)])
            for unit in units_of(pieces, frozenset(by_id))
        ),
        first.function,
    )


def _hunk(pieces: list[Change]) -> Hunk:
    return Hunk(
        _cover([piece.old for piece in pieces]),
        _cover([piece.new for piece in pieces]),
        b"".join(piece.removed for piece in pieces),
        b"".join(piece.added for piece in pieces),
    )


def _cover(spans: list[Span]) -> Span:
    """Return the smallest span that covers all spans."""
    first = min(span.start + (span.count == 0) for span in spans)
    last = max(span.start + (span.count or 1) for span in spans)
    return Span(first, last - first) if last > first else spans[0]
