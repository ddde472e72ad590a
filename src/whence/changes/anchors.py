"""Which lines of two versions of a file belong to the same function?

A diff aligns equal lines.  Where functions were rewritten, few lines are equal, and some of these
by chance: a block of changed lines then ends in the middle of another function, and no part of it
can be reverted alone.  So such a file is compared function by function, and what is between them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from whence.changes.gitdiff import diff_files, half_open, span_of
from whence.changes.syntax import ParsedSource, SourceFunction
from whence.model import Span

_WORD = re.compile(rb"\w")
_SHARE = 3  # a function has moved if more than a third of its lines are elsewhere; guessed

Hunks = tuple[tuple[Span, Span], ...]
FunctionPair = tuple[SourceFunction, SourceFunction]
"""A function of the good version, and the one with its name in the bad version."""


def same_functions(old: ParsedSource, new: ParsedSource) -> list[FunctionPair]:
    """Return the functions of both versions whose names are unique and that kept their order."""
    before, after = (
        {function.name: function for function in _functions(source)} for source in (old, new)
    )
    pairs = [(before[name], after[name]) for name in before if name in after]
    return _in_order(pairs)


def is_torn(pairs: Sequence[FunctionPair], hunks: Hunks) -> bool:
    """Does a diff align the first or last line of a function with another line, or join functions?

    It joins two functions if one of its hunks has the end of one and the beginning of the other.
    """
    old, new = ([half_open(hunk[side]) for hunk in hunks] for side in (0, 1))

    def place(line: int, spans: list[tuple[int, int]]) -> tuple[int, int | None]:
        """Return the last hunk that begins before a line ends, and how far behind it the line is.

        None: the line is in the hunk.
        """
        at = bisect_left(spans, (line, 0)) - 1
        first, last = spans[at] if at >= 0 else (0, 0)
        return at, None if first < line <= last else line - last

    begins = [(place(one.first, old), place(other.first, new)) for one, other in pairs]
    ends = [(place(one.last, old), place(other.last, new)) for one, other in pairs]
    is_joined = any(
        found in end and found[1] is None
        for end, begin in zip(ends, begins[1:], strict=False)
        for found in begin
    )
    return is_joined or any(before != after for before, after in (*begins, *ends))


def without_moved(
    pairs: Sequence[FunctionPair], hunks: Hunks, old: Sequence[bytes]
) -> list[FunctionPair]:
    """Leave out the pairs whose lines a diff finds again outside of the new function.

    The old function has another name now, and the new one with its name may only call it.
    """
    spans = [(half_open(before), half_open(after)) for before, after in hunks]
    found: list[FunctionPair] = []
    for one, other in pairs:
        inside = outside = 0
        for line in range(one.first + 1, one.last):
            at = bisect_left(spans, ((line, 0), (0, 0))) - 1
            (_, last), (_, new_last) = spans[at] if at >= 0 else ((0, 0), (0, 0))
            if line > last and _WORD.search(old[line - 1]):
                is_inside = other.first <= line - last + new_last <= other.last
                inside, outside = inside + is_inside, outside + (not is_inside)
        if outside <= max(inside, (one.last - one.first) // _SHARE):
            found.append((one, other))
    return found


@dataclass(frozen=True, slots=True)
class TornFile:
    """The lines of a file in both versions, and the functions that both have."""

    old: Sequence[bytes]
    new: Sequence[bytes]
    functions: Sequence[FunctionPair]


def diff_by_function(files: Mapping[str, TornFile]) -> dict[str, Hunks]:
    """Return the hunks of files that are compared part by part.

    A file with a part that git takes for binary is left out.
    """
    places: dict[str, tuple[str, int, int]] = {}  # of the parts that git compares
    texts: tuple[dict[str, bytes], dict[str, bytes]] = ({}, {})
    found: dict[str, list[tuple[Span, Span]]] = {file: [] for file in files}
    for file, torn in files.items():
        old, new = torn.old, torn.new
        for a, b, c, d in _parts(len(old), len(new), torn.functions):
            if old[a:b] == new[c:d]:
                continue
            if a == b or c == d:
                found[file].append((span_of(a, b), span_of(c, d)))
                continue
            name = f"{len(places)}"
            places[name] = file, a, c
            texts[0][name], texts[1][name] = b"".join(old[a:b]), b"".join(new[c:d])
    for pair in diff_files(*texts):
        file, a, c = places[pair.new]
        if pair.hunks is None:
            found.pop(file, None)
        elif file in found:
            found[file] += [
                (Span(x.start + a, x.count), Span(y.start + c, y.count)) for x, y in pair.hunks
            ]
    return {file: tuple(sorted(hunks, key=_place)) for file, hunks in found.items()}


def _functions(source: ParsedSource) -> Iterator[SourceFunction]:
    """Yield the functions with a unique name that are in no other function, in order."""
    functions = [function for function in source.functions if not function.is_class]
    times = Counter(function.name for function in functions)
    end = 0
    for function in functions:
        if function.first > end:
            end = function.last
            if times[function.name] == 1:
                yield function


def _in_order(pairs: list[FunctionPair]) -> list[FunctionPair]:
    """Return the longest list of pairs that are in the same order in both versions."""
    ends: list[int] = []  # the first lines of the last pairs of the best lists, by length
    last: list[int] = []  # these pairs
    before: dict[int, int | None] = {}
    for number, (_, new) in enumerate(pairs):
        length = bisect_left(ends, new.first)
        before[number] = last[length - 1] if length else None
        ends[length : length + 1] = [new.first]
        last[length : length + 1] = [number]
    found: list[FunctionPair] = []
    at = last[-1] if last else None
    while at is not None:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _parts(
    old: int, new: int, pairs: Sequence[FunctionPair]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the lines [a, b) of old and [c, d) of new: each function, and what is between them."""
    cuts = [(0, 0)]
    for before, after in pairs:
        cuts += [(before.first - 1, after.first - 1), (before.last, after.last)]
    cuts.append((old, new))
    for (a, c), (b, d) in pairwise(cuts):
        yield a, b, c, d


def _place(hunk: tuple[Span, Span]) -> tuple[tuple[int, int], ...]:
    return tuple(map(half_open, hunk))
