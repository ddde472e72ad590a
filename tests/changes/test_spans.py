"""Are the lines, the order and the blocks of changes correct?"""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings

from tests.changes.trees import Files, comparison, pairs
from whence.changes.changeset import ChangeSet, blocks
from whence.model import Change, ChangeKind, Span


def lines_at(content: bytes, span: Span) -> bytes:
    """Return the lines of a span, numbered as by a compiler."""
    lines = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", content)
    return b"".join(lines[line - 1] for line in span.lines)


@settings(max_examples=50, deadline=None)
@given(pair=pairs)
def test_removed_and_added_are_the_lines_of_the_files(pair: tuple[Files, Files]) -> None:
    good, bad = pair
    with comparison(good, bad) as (changes, _):
        for change in changes.changes:
            if change.removed or change.kind is ChangeKind.EDIT:
                assert lines_at(good[change.old_file].content, change.old) == change.removed
            if change.added or change.kind is ChangeKind.EDIT:
                assert lines_at(bad[change.file].content, change.new) == change.added


@settings(max_examples=50, deadline=None)
@given(pair=pairs)
def test_changes_are_numbered_in_reading_order(pair: tuple[Files, Files]) -> None:
    with comparison(*pair) as (changes, _):
        assert [change.id for change in changes.changes] == list(range(len(changes.changes)))
        places = [(change.file, change.new.start) for change in changes.changes]
        assert places == sorted(places)


@settings(max_examples=50, deadline=None)
@given(pair=pairs)
def test_the_pieces_of_a_block_are_adjacent_and_blocks_are_not(pair: tuple[Files, Files]) -> None:
    with comparison(*pair) as (changes, _):
        for first, second in _neighbours(changes):
            gaps = (_first(second.old) - _end(first.old), _first(second.new) - _end(first.new))
            assert gaps == (0, 0) if first.block == second.block else min(gaps) > 0
        grouped = blocks(changes.changes)
        assert sorted(id_ for block in grouped for id_ in block) == sorted(changes.everything)
        for block in grouped:
            assert len({changes.changes[id_].file for id_ in block}) == 1
            assert sorted(block) == list(range(min(block), max(block) + 1))


def _neighbours(changes: ChangeSet) -> list[tuple[Change, Change]]:
    edits = [change for change in changes.changes if change.kind is ChangeKind.EDIT]
    return [(a, b) for a, b in pairwise(edits) if a.file == b.file]


def _first(span: Span) -> int:
    """Return the 0-based line before which the span begins."""
    return span.start - 1 if span.count else span.start


def _end(span: Span) -> int:
    return _first(span) + span.count
