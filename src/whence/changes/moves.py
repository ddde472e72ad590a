"""Which added lines are removed lines in another place, and what was edited in them?

A definition that moves to another file, or to another place of its file, is removed lines and added
lines to a diff of files.  An edit inside it is neither.  So the added lines are compared with the
removed ones: equal lines were moved, and what differs between them was edited.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from whence.changes.split import BlockPiece
from whence.model import ChangeId

_WORDS = re.compile(rb"\w+")
_MIN_WORDS = 2  # a line with fewer words, such as `return x`, may be equal by chance; guessed
_MAX_EQUAL = 8  # a line that was removed more often says nothing; guessed
_MIN_MOVED = 4  # least number of telling lines, equal in both, around an edit; guessed
_MAX_GAP = 30  # limit on the lines of one edit between moved lines; guessed
_MAX_CELLS = 4_000_000  # limit on the size of a comparison; guessed


@dataclass(frozen=True)
class LineBlock:
    """Consecutive lines of a file that a change removes or adds."""

    change: ChangeId
    path: str
    first: int  # the number of its first line, from 0
    lines: Sequence[bytes]


@dataclass(frozen=True)
class MovedCode:
    """Removed lines that were added in another place, perhaps edited."""

    removed: LineBlock
    added: LineBlock
    equal: tuple[BlockPiece, ...]  # the lines that are the same in both places
    edited: tuple[BlockPiece, ...]  # the lines between these that are not


def find_moved(removed: Sequence[LineBlock], added: Sequence[LineBlock]) -> Iterator[MovedCode]:
    """Yield the code that moved from a removed to an added block."""
    times = Counter(line for block in removed for line in block.lines)
    telling = {line for line, n in times.items() if n <= _MAX_EQUAL and _is_telling(line)}
    holding: dict[bytes, set[int]] = defaultdict(set)
    for number, block in enumerate(removed):
        for line in telling.intersection(block.lines):
            holding[line].add(number)
    for target in added:
        shared = Counter(number for line in set(target.lines) for number in holding.get(line, ()))
        taken: set[int] = set()
        for number, count in shared.most_common():
            source = removed[number]
            if count < _MIN_MOVED or source.change == target.change:
                continue
            if len(source.lines) * len(target.lines) <= _MAX_CELLS:
                found = _compared(source, target, telling, taken)
                if found.equal:
                    yield found


def _is_telling(line: bytes) -> bool:
    return len(_WORDS.findall(line)) >= _MIN_WORDS


def _compared(
    source: LineBlock, target: LineBlock, telling: set[bytes], taken: set[int]
) -> MovedCode:
    """Compare a removed with an added block.  Add the moved lines of the target to `taken`."""
    matcher = SequenceMatcher(None, source.lines, target.lines, autojunk=False)
    runs: list[tuple[BlockPiece, int]] = []  # equal lines, and how many of them are telling
    for i, j, size in matcher.get_matching_blocks():
        weight = sum(line in telling for line in target.lines[j : j + size])
        if weight and taken.isdisjoint(range(j, j + size)):
            runs.append((BlockPiece(i, i + size, j, j + size), weight))
    equal: list[BlockPiece] = []
    edited: list[BlockPiece] = []
    for at, (run, weight) in enumerate(runs):
        if weight >= _MIN_MOVED:
            equal.append(run)
        if at + 1 == len(runs):
            break
        following, other = runs[at + 1]
        gap = BlockPiece(run.old_last, following.old_first, run.new_last, following.new_first)
        lines = range(gap.new_first, gap.new_last)
        size = max(gap.old_last - gap.old_first, len(lines))
        if weight + other >= _MIN_MOVED and size <= _MAX_GAP and taken.isdisjoint(lines):
            equal += [run, following]
            edited.append(gap)
    taken.update(
        line for piece in (*equal, *edited) for line in range(piece.new_first, piece.new_last)
    )
    return MovedCode(
        source,
        target,
        tuple(_placed(piece, source, target) for piece in dict.fromkeys(equal)),
        tuple(_placed(piece, source, target) for piece in edited),
    )


def _placed(piece: BlockPiece, source: LineBlock, target: LineBlock) -> BlockPiece:
    """Return a piece of two blocks as a piece of their files."""
    return BlockPiece(
        source.first + piece.old_first,
        source.first + piece.old_last,
        target.first + piece.new_first,
        target.first + piece.new_last,
    )
