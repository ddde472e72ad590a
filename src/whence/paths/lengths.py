"""Which inputs are longer or shorter than those of a run, where the run read a piece of input?

A condition speaks of the bytes that were read.  An input that is wanted often has another length:
one more digit, a longer word, another line.  A piece is what one loop or one library call read:
bytes in a row that the same branch tested, with the same result, or that one condition compares.  A
piece that was compared with a text gets that text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from whence.inputs import InputByte, InputSource, SourceKind
from whence.paths.conditions import ConditionKind
from whence.paths.program import Contents, PathRun
from whence.paths.terms import SPELLED

_MAX_PIECES = 40  # of a run; guessed
_MAX_GROWTH = 64  # bytes that one move adds; guessed


class _Piece(NamedTuple):
    source: InputSource
    start: int
    stop: int


def length_moves(run: PathRun) -> Iterator[Contents]:
    """Yield the inputs of a run with one piece longer or shorter, the longest pieces first."""
    seen: set[tuple[InputSource, bytes]] = set()
    for compared in run.path.compared:
        text = run.contents[compared.source]
        new = compared.put_into(text)
        if len(new) != len(text) and (compared.source, new) not in seen:
            seen.add((compared.source, new))
            yield {**run.contents, compared.source: new}
    pieces = sorted(set(_pieces(run)), key=lambda one: (one.start - one.stop, one))
    for piece in [*pieces[:_MAX_PIECES], *_lines(run.contents, pieces)]:
        text = run.contents[piece.source]
        for new in _changed(text, piece.start, piece.stop):
            if new != text and (piece.source, new) not in seen:
                seen.add((piece.source, new))
                yield {**run.contents, piece.source: new}
    for source in sorted(run.contents):
        if source.kind is SourceKind.LITERAL:
            for new in _other_displays(run.contents[source]):
                yield {**run.contents, source: new}


def _other_displays(text: bytes) -> Iterator[bytes]:
    """Yield a list, tuple, set or dict of a Python test with one item more, and with one less."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):  # the text of a str
        return
    if isinstance(node, ast.List | ast.Tuple | ast.Set) and node.elts:
        for items in ([*node.elts, node.elts[-1]], node.elts[:-1]):
            if items or not isinstance(node, ast.Set):
                yield ast.unparse(_display(node, items)).encode("ascii", "backslashreplace")
    elif isinstance(node, ast.Dict) and len(node.keys) > 1:
        fewer = ast.Dict(node.keys[:-1], node.values[:-1])
        yield ast.unparse(fewer).encode("ascii", "backslashreplace")


def _display(node: ast.List | ast.Tuple | ast.Set, items: list[ast.expr]) -> ast.expr:
    if isinstance(node, ast.Set):
        return ast.Set(items)
    return type(node)(items, ast.Load())


def _changed(text: bytes, start: int, stop: int) -> Iterator[bytes]:
    """Yield a text whose piece has one more byte, is twice as long, has one less, or is gone."""
    piece = text[start:stop]
    yield text[:stop] + piece[-1:] + text[stop:]
    if 1 < len(piece) <= _MAX_GROWTH:
        yield text[:stop] + piece + text[stop:]
    yield text[: stop - 1] + text[stop:]
    if len(piece) > 2:
        yield text[:start] + text[stop:]


def _pieces(run: PathRun) -> Iterator[_Piece]:
    """Yield what one loop or one call read."""
    by_branch: dict[object, list[tuple[InputSource, int]]] = {}
    for condition in run.conditions:
        found = _bytes_of(run, condition.fact.unknowns)
        if len(found) > 1:
            yield from _rows(found)
        elif found and condition.kind in (ConditionKind.BRANCH, ConditionKind.CASE):
            by_branch.setdefault(run.way(condition), []).extend(found)
    for own in by_branch.values():
        yield from _rows(own)


def _bytes_of(run: PathRun, unknowns: int) -> list[tuple[InputSource, int]]:
    """Return the input bytes that unknowns stand for, that exist and belong to no number."""
    found = []
    for one in run.unknowns.members(unknowns):
        what = one.what
        if isinstance(what, SPELLED):
            continue  # its digits follow from its value: it gets longer by itself
        if isinstance(what, InputByte) and what.offset < len(run.contents.get(what.source, b"")):
            found.append((what.source, what.offset))
    return found


def _rows(places: Sequence[tuple[InputSource, int]]) -> Iterator[_Piece]:
    """Yield bytes in a row as pieces."""
    last: _Piece | None = None
    for source, offset in sorted(set(places)):
        if last is not None and last.source == source and offset == last.stop:
            last = last._replace(stop=offset + 1)
            continue
        if last is not None:
            yield last
        last = _Piece(source, offset, offset + 1)
    if last is not None:
        yield last


def _lines(contents: Contents, pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Yield the last line of each source that was looked at and has several."""
    for source in sorted({piece.source for piece in pieces}):
        text = contents[source]
        start = text.rfind(b"\n", 0, len(text) - 1) + 1
        if 0 < start < len(text):
            yield _Piece(source, start, len(text))
