"""How is a block of replaced lines split into independent changes?"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from whence.changes.halves import stand_alone
from whence.changes.syntax import depth_changes, tokens

_MIN_SIMILARITY = 0.6  # least share of common tokens of two versions of one statement; guessed
_MAX_CELLS = 250_000  # limit on the alignment table; a larger block is not split; guessed


@dataclass(frozen=True, slots=True)
class BlockPiece:
    """Old lines [old_first, old_last) become new lines [new_first, new_last), 0-based."""

    old_first: int
    old_last: int
    new_first: int
    new_last: int


# Returns the lines in [first, last), 0-based, on which a statement starts.
StatementStarts = Callable[[int, int], set[int]]


def split_block(
    old: Sequence[bytes],
    new: Sequence[bytes],
    block: BlockPiece,
    old_starts: StatementStarts | None,
    new_starts: StatementStarts | None,
    *,
    in_halves: bool = False,
) -> list[BlockPiece]:
    """Cut a block between statements: before and after each pair of an old and its new statement.

    If `in_halves`, old and new lines that have nothing in common are two pieces, if they stand
    alone.

    The pieces are adjacent and cover the block.  A cut requires the same number of open brackets in
    the old and the new text, and the same indentation of the next statements.  So any mixture of
    old and new pieces is likely to be well formed.
    """
    old_count, new_count = block.old_last - block.old_first, block.new_last - block.new_first
    if min(old_count, new_count) == 0 or (old_count == new_count == 1 and not in_halves):
        return [block]
    old_units = _units(block.old_first, block.old_last, old_starts)
    new_units = _units(block.new_first, block.new_last, new_starts)
    # A last line without a newline would be joined with the first line of a later piece.
    ends = (b"\n", b"\r")
    if not (old[block.old_last - 1].endswith(ends) and new[block.new_last - 1].endswith(ends)):
        return [block]
    old_text = [b"".join(old[a:b]) for a, b in old_units]
    new_text = [b"".join(new[a:b]) for a, b in new_units]
    pairs = _align(old_text, new_text)
    old_depth, new_depth = depth_changes(old_text), depth_changes(new_text)
    cuts = {(0, 0), (len(old_units), len(new_units))}
    for i, j in pairs:
        for a, b in ((i, j), (i + 1, j + 1)):
            if old_depth[a] == new_depth[b] and _same_indentation(old_text[a:], new_text[b:]):
                cuts.add((a, b))
    found = _pieces(block, old_units, new_units, sorted(cuts))
    if not in_halves:
        return found
    paired = {(old_units[i][0], new_units[j][0]) for i, j in pairs}
    return [half for piece in found for half in _halves(old, new, piece, paired)]


def _halves(
    old: Sequence[bytes], new: Sequence[bytes], piece: BlockPiece, paired: set[tuple[int, int]]
) -> list[BlockPiece]:
    """Cut a piece into the removal and the addition, if no statement became another one in it."""
    a, b, c, d = piece.old_first, piece.old_last, piece.new_first, piece.new_last
    has_pair = any(a <= i < b and c <= j < d for i, j in paired)
    if has_pair or a == b or c == d or not stand_alone(old[a:b], new[c:d]):
        return [piece]
    return [BlockPiece(a, b, c, c), BlockPiece(b, b, c, d)]


def _pieces(
    block: BlockPiece,
    old_units: list[tuple[int, int]],
    new_units: list[tuple[int, int]],
    cuts: list[tuple[int, int]],
) -> list[BlockPiece]:
    old_lines = [first for first, _ in old_units] + [block.old_last]
    new_lines = [first for first, _ in new_units] + [block.new_last]
    return [
        BlockPiece(old_lines[a], old_lines[c], new_lines[b], new_lines[d])
        for (a, b), (c, d) in itertools.pairwise(cuts)
    ]


def _units(first: int, last: int, starts: StatementStarts | None) -> list[tuple[int, int]]:
    """Split lines [first, last) into statements; into single lines if the language is unknown."""
    begins = set(range(first, last)) if starts is None else starts(first, last)
    borders = [first, *sorted(line for line in begins if first < line < last), last]
    return list(itertools.pairwise(borders))


def _same_indentation(old: list[bytes], new: list[bytes]) -> bool:
    if not old or not new:
        return True
    return len(old[0]) - len(old[0].lstrip()) == len(new[0]) - len(new[0].lstrip())


def _align(old: list[bytes], new: list[bytes]) -> list[tuple[int, int]]:
    """Pair the units in order so that the sum of their similarities is maximal."""
    if len(old) * len(new) > _MAX_CELLS:
        return []
    old_bags = [Counter(tokens(text)) for text in old]
    new_bags = [Counter(tokens(text)) for text in new]
    score = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    similarity = [[_similarity(a, b) for b in new_bags] for a in old_bags]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best = max(score[i + 1][j], score[i][j + 1])
            if similarity[i][j] >= _MIN_SIMILARITY:
                best = max(best, score[i + 1][j + 1] + similarity[i][j])
            score[i][j] = best
    pairs = []
    i = j = 0
    while i < len(old) and j < len(new):
        if score[i][j] == score[i + 1][j]:
            i += 1
        elif score[i][j] == score[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _similarity(a: Counter[bytes], b: Counter[bytes]) -> float:
    size = a.total() + b.total()
    return 2 * (a & b).total() / size if size else 1.0
