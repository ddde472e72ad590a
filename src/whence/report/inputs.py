"""How are the inputs of a run shown to a person?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from whence.inputs import InputRange, InputSource, SourceKind

_MAX_RANGES = 4  # ranges of one source that are listed; guessed: more are hard to read
_NUMBERED = (SourceKind.STDIN, SourceKind.FILE, SourceKind.STREAM)  # whose bytes users count


def input_words(inputs: Sequence[InputRange]) -> list[str]:
    """Return one phrase for each source: "argument 2", "in.txt (bytes 0 to 3)"."""
    literals = [each for each in inputs if each.source.kind is SourceKind.LITERAL]
    others = [each for each in inputs if each.source.kind is not SourceKind.LITERAL]
    groups = groupby(others, key=lambda each: each.source)
    words = [_words(source, list(ranges)) for source, ranges in groups]
    return words + [
        _literals(name, list(ranges))
        for name, ranges in groupby(literals, key=lambda each: each.source.name)
    ]


def process_input_words(inputs: Sequence[InputRange]) -> list[str]:
    """Return the same phrases, but only the number of arguments instead of a list of them."""
    arguments = sum(each.source.kind is SourceKind.ARGUMENT for each in inputs)
    others = [each for each in inputs if each.source.kind is not SourceKind.ARGUMENT]
    count = [f"{arguments} argument{'s' * (arguments != 1)}"] if arguments else []
    return count + input_words(others)


def _literals(name: str, ranges: Sequence[InputRange]) -> str:
    count = len({one.source for one in ranges})
    return ranges[0].source.words if count == 1 else f"{count} literals of {name}"


def _words(source: InputSource, ranges: Sequence[InputRange]) -> str:
    if source.kind not in _NUMBERED:
        return source.words
    filled = [one for one in ranges if one.stop > one.start]
    if not filled:
        return source.words
    if len(filled) > _MAX_RANGES:
        filled = [InputRange(source, filled[0].start, filled[-1].stop)]
    listed = ", ".join(f"{one.start} to {one.stop - 1}" for one in filled)
    return f"{source.words} (bytes {listed})"
