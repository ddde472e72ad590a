"""Which bytes did a recorded process write, to which streams, and which step wrote each byte?

A stream is what a process wrote to one open file: standard output, standard error, a file, a pipe.
Its content is what the file holds at the end: bytes that were written later replace earlier ones at
the same offset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from whence.program.ids import Step
from whence.program.rows import INPUT, OUTPUT, SOURCE
from whence.trace.recording import STDERR, STDIN, STDOUT, Process, Recording, Thread

_UNKNOWN = b"\xff"  # stands for each byte whose value is not known
_WORD = re.compile(rb"\w+|\W")
_NOWHERE = "/dev/null"


@dataclass(frozen=True)
class Piece:
    """The bytes that one row of `effects` wrote."""

    thread: Thread
    row: int
    offset: int  # of its first byte in the stream
    size: int

    @property
    def step(self) -> Step:
        return Step(int(self.thread.stream.effects["step"][self.row]))

    @property
    def text(self) -> bytes:
        text = self.thread.output_text(self.row)
        return _UNKNOWN * self.size if text is None else text


@dataclass(frozen=True)
class WrittenStream:
    """All that a process wrote to one open file."""

    kind: int  # STDOUT, STDERR or another kind of source
    name: str  # "stdout", "stderr", the path of a file, "pipe"
    number: int  # it is the nth stream of this name in its process
    target: str  # where a standard stream leads, such as "pipe:[17]"; else the name
    pieces: tuple[Piece, ...]  # in the order in which each thread wrote them
    second: bytes | None = None  # its content in a second run of the same version, if there is one

    @property
    def key(self) -> tuple[str, int]:
        """Equal for the streams of two runs that belong together."""
        return self.name, self.number

    @property
    def is_read_by_nobody(self) -> bool:
        return self.target == _NOWHERE

    @property
    def is_of_the_test(self) -> bool:
        """Does it lead to the output of the test itself, which no program of the test can read?

        whence lets the test write into files that have no name any more.
        """
        return self.kind in (STDOUT, STDERR) and self.target.endswith(" (deleted)")

    @cached_property
    def content(self) -> bytes:
        at, parts = 0, []
        for piece in self.pieces:
            if piece.offset != at:
                return self._painted()
            parts.append(piece.text)
            at += piece.size
        return b"".join(parts)

    def _painted(self) -> bytes:
        """Return the content of a file that was not written from its start to its end."""
        found = bytearray(max(piece.offset + piece.size for piece in self.pieces))
        for piece in self.pieces:
            found[piece.offset : piece.offset + piece.size] = piece.text
        return bytes(found)

    def piece_at(self, byte: int) -> Piece | None:
        """Return the piece that the byte of the content is from; None: nothing wrote it."""
        for piece in reversed(self.pieces):
            if piece.offset <= byte < piece.offset + piece.size:
                return piece
        return None


def written_streams(recording: Recording, process: Process) -> list[WrittenStream]:
    """Return the streams that a process wrote to, in the order in which they were opened."""
    image = recording.image(process)
    threads = [recording.thread(image, log) for log in process.logs]
    names: dict[int, tuple[int, str]] = {}
    pieces: dict[int, list[Piece]] = {}
    for thread in threads:
        names |= dict(_sources(thread))
        effects = thread.stream.effects
        for row in np.flatnonzero(effects["kind"] == OUTPUT).tolist():
            source = int(effects["source"][row])
            offset, size = int(effects["offset"][row]), int(effects["len"][row])
            pieces.setdefault(source, []).append(Piece(thread, row, offset, size))
    found = list(_named(names, pieces, process.standard_targets, is_mixed=len(threads) > 1))
    again = recording.second_run
    if again is None:
        return found
    number = [p.folder for p in recording.processes].index(process.folder)
    others = {s.key: s.content for s in written_streams(again, again.processes[number])}
    return [replace(stream, second=others.get(stream.key)) for stream in found]


def _named(
    names: dict[int, tuple[int, str]],
    pieces: dict[int, list[Piece]],
    targets: Sequence[str],
    *,
    is_mixed: bool,
) -> Iterator[WrittenStream]:
    """Yield the pieces of each source as a stream; `is_mixed`: several threads wrote them."""
    seen: dict[str, int] = {}
    for source in sorted(pieces.keys() & names.keys()):
        kind, name = names[source]
        number = seen[name] = seen.get(name, -1) + 1
        is_standard = kind in (STDOUT, STDERR) and len(targets) > kind - STDIN
        target = targets[kind - STDIN] if is_standard else name
        found = pieces[source]
        if is_mixed:  # the offsets tell in which order the threads wrote
            found = sorted(found, key=lambda piece: piece.offset)
        yield WrittenStream(kind, name, number, target, tuple(found))


def read_targets(recording: Recording, process: Process) -> set[str]:
    """Return where a process read from: the names of files, and where standard input leads."""
    image = recording.image(process)
    found: set[str] = set()
    for log in process.logs:
        thread = recording.thread(image, log)
        names, effects = dict(_sources(thread)), thread.stream.effects
        for source in np.unique(effects["source"][effects["kind"] == INPUT]).tolist():
            kind, name = names.get(source, (0, ""))
            is_standard = kind == STDIN and process.standard_targets
            found.add(process.standard_targets[0] if is_standard else name)
    return found


def named_sources(thread: Thread) -> Iterator[tuple[int, str]]:
    """Yield the sources that a thread used, each with its name."""
    for source, (_, name) in _sources(thread):
        yield source, name


def _sources(thread: Thread) -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield the sources that a thread used, each with its kind and name."""
    effects = thread.stream.effects
    for row in np.flatnonzero(effects["kind"] == SOURCE).tolist():
        name = thread.source_name(row)
        yield int(effects["source"][row]), (int(effects["arg"][row]), name)


# --- two runs ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class StreamDifference:
    """The first byte at which a stream of the failing run differs from the passing run."""

    failing: WrittenStream
    passing: WrittenStream
    byte: int

    @property
    def printed(self) -> bytes:
        """What the failing run wrote from this byte on."""
        return self.failing.content[self.byte :]

    @property
    def expected(self) -> bytes:
        """What the passing run wrote from this byte on."""
        return self.passing.content[self.byte :]


def stream_differences(
    failing: Sequence[WrittenStream], passing: Sequence[WrittenStream]
) -> Iterator[StreamDifference]:
    """Yield the streams of two runs of one program whose contents differ.

    A stream that only one of the runs has is compared with an empty one.
    """
    others = {stream.key: stream for stream in passing}
    for own, other in _paired(failing, others):
        printed = without_noise(own.content, other.content, other.second)
        byte = first_difference(printed, other.content)
        if byte is not None:
            yield StreamDifference(own, other, byte)


def _paired(
    failing: Sequence[WrittenStream], others: dict[tuple[str, int], WrittenStream]
) -> Iterator[tuple[WrittenStream, WrittenStream]]:
    unmatched = []
    for stream in failing:
        other = others.pop(stream.key, None)
        if other is None:
            unmatched.append(stream)
        else:
            yield stream, other
    # A file may have another name in each run (mkstemp): the first such file is the same one.
    left = list(others.values())
    for stream in unmatched:
        same_kind = [other for other in left if other.kind == stream.kind]
        if same_kind:
            left.remove(same_kind[0])
        yield stream, same_kind[0] if same_kind else _empty(stream)
    for other in left:
        yield _empty(other), other


def _empty(stream: WrittenStream) -> WrittenStream:
    return WrittenStream(stream.kind, stream.name, stream.number, stream.target, ())


def without_noise(printed: bytes, passing: bytes, second: bytes | None) -> bytes:
    """Return an output with the words of the passing run where that has others in each run.

    `second` is the output of a second run of the passing version.
    """
    if second is None or len(second) != len(passing) or second == passing:
        return printed
    found = bytearray(printed)
    for word in _WORD.finditer(passing):
        start, end = word.span()
        if second[start:end] != word[0] and end <= len(printed):
            found[start:end] = word[0]
    return bytes(found)


def first_difference(one: bytes, other: bytes) -> int | None:
    """Return the index of the first byte that differs; None if the bytes are the same."""
    if one == other:
        return None
    low, high = 0, min(len(one), len(other))
    while low < high:  # the first `low` bytes are the same, the first `high` + 1 are not
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
