"""Which bytes does a stream hold at the end, and where do two contents differ first?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from whence.trace.recording import STDOUT
from whence.trace.written import Piece, WrittenStream, first_difference

BYTES = st.binary(max_size=12)


@given(BYTES, BYTES, BYTES)
def test_the_first_difference_is_the_end_of_what_both_share(
    shared: bytes, one: bytes, other: bytes
) -> None:
    one, other = shared + one, shared + other
    pairs = zip(one, other, strict=False)
    at = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    assert first_difference(one, other) == (None if one == other else at)


@dataclass(frozen=True)
class Texts:
    """A thread whose rows of output have these texts."""

    texts: tuple[bytes | None, ...]

    def output_text(self, row: int) -> bytes | None:
        return self.texts[row]


WRITES = st.lists(st.tuples(st.integers(0, 9), st.binary(min_size=1, max_size=5)), min_size=1)


@given(WRITES, st.booleans())
def test_the_content_is_what_a_file_would_hold(
    writes: list[tuple[int, bytes]], sequential: bool
) -> None:
    if sequential:
        starts = [sum(len(text) for _, text in writes[:k]) for k in range(len(writes))]
        writes = [(start, text) for start, (_, text) in zip(starts, writes, strict=True)]
    thread = cast(Any, Texts(tuple(text for _, text in writes)))
    pieces = [Piece(thread, row, at, len(text)) for row, (at, text) in enumerate(writes)]
    stream = WrittenStream(STDOUT, "stdout", 0, "stdout", tuple(pieces))
    content: dict[int, tuple[int, int]] = {}  # by offset: the byte and the row that wrote it
    for row, (at, text) in enumerate(writes):
        content |= {at + k: (byte, row) for k, byte in enumerate(text)}
    size = max(content) + 1
    assert stream.content == bytes(content.get(k, (0, 0))[0] for k in range(size))
    for k in range(size):
        piece = stream.piece_at(k)
        assert (None if piece is None else piece.row) == content.get(k, (0, None))[1]


def test_an_unknown_text_has_its_length() -> None:
    thread = cast(Any, Texts((b"a", None)))
    pieces = (Piece(thread, 0, 0, 1), Piece(thread, 1, 1, 3))
    assert len(WrittenStream(STDOUT, "stdout", 0, "stdout", pieces).content) == 4
