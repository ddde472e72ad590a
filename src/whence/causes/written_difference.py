"""Which steps made the bytes that the failing run wrote differ from those of a passing run?

The first byte that differs decides, not the statements that print.  At that byte the failing run
may have written another value; it may lack what the passing run wrote there; or it may have written
something that the passing run did not write.
"""

from __future__ import annotations

from dataclasses import replace

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.printed_bytes import byte_sources, call_arguments, printed_before, printed_from
from whence.causes.questions import FailedValue, Silence
from whence.logic.logic import ALL
from whence.program.ids import Step
from whence.trace.alignment import Alignment
from whence.trace.flow import Flow, Left, Operand, StoredBits
from whence.trace.recording import STDERR, STDOUT, Thread
from whence.trace.slicer import ByteRange
from whence.trace.written import (
    Piece,
    StreamDifference,
    WrittenStream,
    stream_differences,
    written_streams,
)

_SHOWN = 50  # characters of a line that a sentence quotes; guessed


def written_failure(difference: StreamDifference, failing: Flow, passing: Flow) -> ObservedFailure:
    """Return the first byte that differs as the failure of a thread of the failing run."""
    byte = difference.byte
    own = _piece_of(difference.failing, byte, failing.thread)
    other = _piece_of(difference.passing, byte, passing.thread)
    found = _Sources(Comparison(Alignment(failing, passing)), byte)
    found.compare(own, other)
    step = own.step if own is not None else Step(failing.thread.stream.steps)
    last = printed_before(failing.thread, step)
    question = FailedValue(
        op=failing.op_of(step),
        step=step,
        seeds=frozenset((operand, ALL) for operand in found.operands) or frozenset({(step, ALL)}),
        bears_on=frozenset(found.too_short),
        silence=Silence(last, step, tuple(found.missing), tuple(found.moved)),
    )
    where = stream_name(difference.failing, failing.thread)
    words, outcome, subject = _words(difference, where)
    return ObservedFailure(failing, question, words, outcome, (), subject, difference.failing)


def against(failure: ObservedFailure, passing: Flow) -> ObservedFailure:
    """Return a failure of the output as it shows beside another passing run."""
    stream, thread = failure.stream, passing.thread
    if stream is None:
        return failure
    others = written_streams(thread.recording, thread.image.process)
    for difference in stream_differences([stream], others):
        if difference.failing.key == stream.key and _is_written_by(difference, failure.flow.thread):
            return replace(written_failure(difference, failure.flow, passing), notes=failure.notes)
    return failure


def _is_written_by(difference: StreamDifference, thread: Thread) -> bool:
    """Did the thread write the differing byte, as far as the failing run has one?"""
    piece = difference.failing.piece_at(difference.byte)
    return piece is None or piece.thread.log.number == thread.log.number


def _piece_of(stream: WrittenStream, byte: int, thread: Thread) -> Piece | None:
    """Return the piece that a byte is from, if this thread wrote it."""
    piece = stream.piece_at(byte)
    return piece if piece is not None and piece.thread.log.number == thread.log.number else None


class _Sources:
    """What made the byte of the failing run, and what made the byte of the passing run instead."""

    def __init__(self, comparison: Comparison, byte: int) -> None:
        self._comparison, self._byte = comparison, byte
        self.operands: set[Operand] = set()
        self.missing: list[Step] = []  # steps of the passing run that the failing run lacks
        self.moved: list[Step] = []  # steps that wrote the byte, and another one in the passing run
        self.too_short: set[Step] = set()  # outputs that should have gone on

    def compare(self, own: Piece | None, other: Piece | None) -> None:
        """Note the sources of the two pieces that the byte is from; None: there is no byte."""
        comparison = self._comparison
        there = None if other is None else comparison.alignment.failing_counterpart(other.step)
        if other is not None and there is None:
            self.missing.append(other.step)
        elif there is not None and (own is None or there != own.step):
            # The output before this one ended too early.
            self.too_short.add(there)
            self.operands.update(call_arguments(comparison.failing, there))
        if own is None:
            return
        here = comparison.counterpart(own.step)
        if here is None:  # only the failing run has this output
            self.operands.add(own.step)
            self._add_printed(own)
        elif other is not None and here == other.step:
            self._add_bytes(own, other)
        # Else both runs wrote this text, at another offset: it is not what went wrong.

    def _add_bytes(self, own: Piece, other: Piece) -> None:
        """Note what made the byte of two pieces that the same output wrote."""
        comparison = self._comparison
        sources = self._sources(comparison.failing, own)
        others = {_step_of(operand) for operand in self._sources(comparison.passing, other)}
        known = {_step_of(operand) for operand in sources}
        for step in sorted(others - {0}):
            counterpart = comparison.alignment.failing_counterpart(Step(step))
            if counterpart is None:
                self.missing.append(Step(step))
            elif counterpart not in known:
                self.operands.add(counterpart)
        for operand in sources:
            step = Step(_step_of(operand))
            counterpart = comparison.counterpart(step)
            if counterpart is None or counterpart in others:
                self.operands.add(operand)
            elif step and comparison.went_elsewhere(step):
                self.moved.append(step)
        if own.size != other.size or not self.operands:
            self._add_printed(own)

    def _sources(self, flow: Flow, piece: Piece) -> list[Operand]:
        at = self._byte - piece.offset
        return list(byte_sources(flow, piece.row, at, at + 1))

    def _add_printed(self, piece: Piece) -> None:
        """Note all that the row of a piece was printed from: its length may be wrong."""
        at = self._byte - piece.offset
        is_blank = piece.text[at : at + 1] in b" 0"
        criterion = ByteRange(piece.row, at, at + 1)
        printed = printed_from(self._comparison.failing, criterion, is_blank=is_blank)
        self.operands.update(operand for operand, _ in printed)


def _step_of(operand: Operand) -> int:
    if isinstance(operand, int):
        return operand
    return operand.step if isinstance(operand, StoredBits | Left) else 0


# --- words -------------------------------------------------------------------------------------


def stream_name(stream: WrittenStream, thread: Thread) -> str:
    """Return what a user calls a stream of the run of `thread`."""
    standard = {STDOUT: "standard output", STDERR: "standard error"}
    if stream.kind in standard:
        return standard[stream.kind]
    tree = thread.recording.document.get("tree")
    return stream.name.removeprefix(f"{tree}/") if tree else stream.name


def _words(difference: StreamDifference, where: str) -> tuple[str, str, str]:
    """Return the failure in words, its outcome, and what had this outcome."""
    byte, printed, expected = (
        difference.byte,
        difference.failing.content,
        difference.passing.content,
    )
    if not _is_text(printed, expected):
        subject = f"byte {byte} of {where}"
        outcome = _hexadecimal(difference.printed)
        return (
            f"{subject}: {outcome} instead of {_hexadecimal(difference.expected)}",
            outcome,
            subject,
        )
    number = printed.count(b"\n", 0, byte) + 1
    subject = f"line {number} of {where}"
    start = printed.rfind(b"\n", 0, byte) + 1
    outcome, wanted = _line(printed, start, byte), _line(expected, start, byte)
    if not difference.printed:
        if byte == start:
            words = f"{where} ends before line {number}, which should be {wanted}"
            return words, "missing", subject
        outcome = f"{outcome} without an end of line" if outcome == wanted else outcome
    if not difference.expected and byte == start:
        return f"line {number} of {where}, which should not be there: {outcome}", outcome, subject
    return f"{subject}: {outcome} instead of {wanted}", outcome, subject


def _is_text(*contents: bytes) -> bool:
    return all(b"\0" not in content for content in contents)


def _line(content: bytes, start: int, byte: int) -> str:
    """Return the line that starts at `start`, in quotes; of a long line the part around `byte`."""
    end = content.find(b"\n", byte)
    line = content[start : len(content) if end < 0 else end]
    low = max(0, byte - start - _SHOWN // 2) if len(line) > _SHOWN else 0
    shown = line[low : low + _SHOWN].decode("utf-8", "replace").encode("unicode_escape").decode()
    return f'{"…" if low else ""}"{shown}"{"…" if len(line) > low + _SHOWN else ""}'


def _hexadecimal(data: bytes) -> str:
    return data[:8].hex(" ") + ("…" if len(data) > 8 else "") if data else "the end"
