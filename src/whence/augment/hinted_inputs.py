"""Which inputs do the changed lines themselves suggest?

A limit that a change moves is a constant in its lines, and inputs at the limit or next to it show
the change.  So does a name that only the changed lines have.  To run such an input costs far less
than to solve a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from whence.inputs import SourceKind
from whence.paths.program import Contents, PathRun
from whence.paths.terms import NumberText, Pinned

NUMBER = re.compile(rb"(?<![\w.])(?:0[xX][0-9a-fA-F]+|[1-9]\d*|0)(?![\w.])")
TEXT = re.compile(rb"\"([^\"\\\n]{1,40})\"|'([^'\\\n]{1,40})'")
_MAX_HINTS = 8  # of each kind; guessed
_LARGEST = 1 << 31  # above this a number is a mask rather than a limit; guessed
_WHOLE = (SourceKind.ARGUMENT, SourceKind.VARIABLE, SourceKind.LITERAL)


@dataclass(frozen=True)
class Hints:
    """The constants in changed lines."""

    numbers: tuple[int, ...] = ()
    texts: tuple[bytes, ...] = ()

    @staticmethod
    def of(changed: Iterable[tuple[bytes, bytes]]) -> Hints:
        """Return the constants in lines that replaced others: of numbers, those that differ."""
        numbers, texts = dict[int, None](), dict[bytes, None]()
        for before, after in changed:
            for found in TEXT.finditer(b"\n".join((after, before))):
                texts[found[1] or found[2]] = None
            old, new = _numbers_in(before), _numbers_in(after)
            numbers.update(dict.fromkeys([*(new.keys() - old), *(old.keys() - new)]))
            numbers.update(new if new.keys() == old.keys() else {})
        return Hints(tuple(sorted(numbers))[:_MAX_HINTS], tuple(texts)[:_MAX_HINTS])


NO_HINTS = Hints()


def _numbers_in(text: bytes) -> dict[int, None]:
    found = [int(one[0], 0) for one in NUMBER.finditer(TEXT.sub(b"", text))]
    return dict.fromkeys(one for one in found if one < _LARGEST)


def hinted_numbers(run: PathRun, hints: Hints) -> Iterator[Contents]:
    """Yield the inputs of a run with a constant, or a number beside it, in place of a number."""
    values = dict.fromkeys(
        value for number in hints.numbers for value in (number, number + 1, number - 1)
    )
    places = [one.what for one in run.unknowns.all if isinstance(one.what, NumberText)]
    for value in values:
        for source, start, stop in places:
            text = run.contents[source]
            new = text[:start] + b"%d" % value + text[stop:]
            if new != text:
                yield {**run.contents, source: new}


def hinted_texts(run: PathRun, hints: Hints) -> Iterator[Contents]:
    """Yield the inputs of a run with a constant text in place of an argument that is no number."""
    numbers = {one.what.source for one in run.unknowns.all if isinstance(one.what, NumberText)}
    read = {one.what.source for one in run.unknowns.all if not isinstance(one.what, Pinned)}
    for text in hints.texts:
        for source in sorted(read):
            if source.kind in _WHOLE and source not in numbers and run.contents[source] != text:
                yield {**run.contents, source: text}
