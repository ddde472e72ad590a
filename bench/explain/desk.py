"""What does a version consist of while it is rewritten, and where may nothing be written?

Invariants:
1. Only a rename that is allowed to may write the bytes of a `Fault`.
2. Apart from renames, no rewrite changes a line that another one wrote, or a line beside it.  So
   each rewrite is a change of its own.
"""

from __future__ import annotations

import bisect
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bench.explain.source import Edit, Source, words_of

T = TypeVar("T")
Range = tuple[int, int]  # of bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """Whole lines of the faulty version, [start, end), and the correct lines in their place."""

    file: str
    start: int
    end: int
    old: bytes


@dataclass(frozen=True)
class Rewrite:
    """Edits that belong together and leave the program's behaviour unchanged."""

    kind: str  # rename, reordering, refactoring, feature, comment
    edits: Sequence[Edit]
    name: bytes | None = None  # the name whose use changes
    new_name: bytes | None = None  # its new name, if it is a variable or a function
    within: Range | None = None  # the scope of the name, if it is local


Recipe = Callable[[Source, "Desk"], Iterator[Rewrite]]


@dataclass
class Desk:
    """The files of one version while they are rewritten, with a seeded random generator."""

    files: dict[str, bytes]
    faults: list[Fault]
    rng: random.Random
    tangled: bool = False  # may a rename change the faulty lines?
    written: dict[str, list[Range]] = field(default_factory=lambda: defaultdict(list))
    sources: dict[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._read()

    def _read(self) -> None:
        # Headers of C++ are not rewritten: the recipes know no classes.
        is_cxx = any(file.endswith(".cc") for file in self.files)
        for file, text in self.files.items():
            if file.endswith(".cc" if is_cxx else (".c", ".h")) and (
                file not in self.sources or self.sources[file].text != text
            ):
                self.sources[file] = Source(file, text)

    @property
    def words(self) -> frozenset[bytes]:
        return frozenset().union(*(source.words for source in self.sources.values()))

    def fresh(self, stem: bytes) -> bytes:
        """Return a name that is not in use."""
        words = self.words
        return next(name for n in range(1, 10**6) if (name := b"%s_%d" % (stem, n)) not in words)

    def shuffled(self, things: Sequence[T]) -> list[T]:
        return self.rng.sample(things, len(things))

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    # --- writing -------------------------------------------------------------------------------

    def admits(self, rewrite: Rewrite) -> bool:
        in_correct_lines = any(rewrite.name in words_of(fault.old) for fault in self.faults)
        if in_correct_lines and not (self.tangled and rewrite.new_name):
            return False  # the edits would no longer fit the files
        by_file: dict[str, list[Edit]] = defaultdict(list)
        for edit in rewrite.edits:
            by_file[edit.file].append(edit)
        return all(not self._collides(file, edits, rewrite) for file, edits in by_file.items())

    def _collides(self, file: str, edits: list[Edit], rewrite: Rewrite) -> bool:
        source = self.sources.get(file)
        if source is None:
            return False
        margin = 0 if rewrite.new_name and self.tangled else 1
        kept = [
            _lines(source, fault.start, fault.end, margin=margin)
            for fault in self.faults
            if fault.file == file
        ]
        if rewrite.kind != "rename":
            kept += [_lines(source, *span, margin=1) for span in self.written[file]]
        for edit in edits:
            lines = _lines(source, edit.start, edit.end, margin=0)
            if rewrite.new_name and self.tangled and self._is_inside_fault(edit):
                continue
            if any(_overlap(lines, other) for other in kept):
                return True
        return False

    def touches_fault(self, rewrite: Rewrite) -> bool:
        """Does a function with a fault use the name?"""
        first, last = rewrite.within or (0, len(self.files[rewrite.edits[0].file]))
        return any(first <= fault.start < last for fault in self.faults)

    def _is_inside_fault(self, edit: Edit) -> bool:
        return any(
            fault.file == edit.file and fault.start <= edit.start and edit.end <= fault.end
            for fault in self.faults
        )

    def apply(self, rewrite: Rewrite) -> None:
        if rewrite.name and rewrite.new_name:
            self._rename_in_old(rewrite.name, rewrite.new_name, rewrite)
        for edit in sorted(rewrite.edits, key=lambda edit: edit.start, reverse=True):
            text = self.files.get(edit.file, b"")
            self.files[edit.file] = text[: edit.start] + edit.new + text[edit.end :]
            self.faults = [_fault_after(edit, fault) for fault in self.faults]
            spans = [_span_after(edit, span) for span in self.written[edit.file]]
            # The order makes sure that the same seed gives the same text.
            bisect.insort(spans, (edit.start, edit.start + len(edit.new)))
            self.written[edit.file] = spans
        self._read()

    def _rename_in_old(self, old: bytes, new: bytes, rewrite: Rewrite) -> None:
        """Rename in the correct lines as well, so that they fit the rest of the file."""
        first, last = rewrite.within or (0, 10**9)
        file = rewrite.edits[0].file
        self.faults = [
            replace(fault, old=renamed(fault.old, old, new))
            if rewrite.within is None or (fault.file == file and first <= fault.start < last)
            else fault
            for fault in self.faults
        ]

    def mended(self) -> dict[str, bytes]:
        """Return the files with the correct lines in place of the faulty ones."""
        files = dict(self.files)
        for fault in sorted(self.faults, key=lambda fault: fault.start, reverse=True):
            text = files[fault.file]
            files[fault.file] = text[: fault.start] + fault.old + text[fault.end :]
        return files


def renamed(text: bytes, old: bytes, new: bytes) -> bytes:
    """Return `text` with a variable renamed; fields of that name keep it."""
    return re.sub(rb"(?<![\w.])(?<!->)%s(?!\w)" % re.escape(old), new, text)


def _lines(source: Source, start: int, end: int, *, margin: int) -> Range:
    """Return the byte range of the lines of a range, with `margin` lines around them.

    An insertion between two lines lies on neither, but within a margin of both.
    """
    is_between = start == end == source.line_start(start)
    first = start if is_between else source.line_start(start)
    last = end if is_between else source.line_end(max(start, end - 1))
    for _ in range(margin):
        first = source.line_start(max(0, first - 1))
        last = source.line_end(last)
    return first, last


def _overlap(one: Range, other: Range) -> bool:
    """Do the ranges share a byte, or does an empty one lie strictly inside the other?"""
    if one[0] == one[1]:
        return other[0] < one[0] < other[1]
    return one[0] < other[1] and other[0] < one[1]


def _span_after(edit: Edit, span: Range) -> Range:
    shift = len(edit.new) - (edit.end - edit.start)
    start, end = span
    if edit.end <= start:
        return start + shift, end + shift
    if edit.start >= end:
        return span
    return min(start, edit.start), max(end, edit.end) + shift


def _fault_after(edit: Edit, fault: Fault) -> Fault:
    if edit.file != fault.file:
        return fault
    start, end = _span_after(edit, (fault.start, fault.end))
    return replace(fault, start=start, end=end)
