"""Which input has the same numbers, with room for larger ones?

Code that takes a line apart reads a number digit by digit, so the conditions of a run are about
numbers of as many digits.  With zeros in front a number has more digits and is the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from whence.augment.hinted_inputs import Hints
from whence.inputs import InputByte, InputSource
from whence.paths.program import Contents, PathRun

_NUMBER = re.compile(rb"(?<![\w.])\d+(?!\w)")
_ZEROS = re.compile(rb"(?<![\w.])0+(?=\d)")
_DIGITS = frozenset(b"0123456789")
_MIN_WIDTH = 4  # digits of a number that has room; guessed
_MAX_NUMBERS = 40  # of an input whose numbers get room; guessed


def with_room(run: PathRun, hints: Hints) -> Contents | None:
    """Return the inputs of a run with zeros before the numbers that are read by their digits.

    There is room for one digit more than the constants of the changed lines have.
    """
    width = max([_MIN_WIDTH, *(len(str(number)) + 1 for number in hints.numbers)])
    read = {
        one.what.source
        for one in run.unknowns.all
        if isinstance(one.what, InputByte) and one.recorded in _DIGITS
    }
    found = dict(run.contents)
    for source in read:
        text = found[source]
        if len(_NUMBER.findall(text)) <= _MAX_NUMBERS:
            found[source] = _NUMBER.sub(lambda number: number[0].rjust(width, b"0"), text)
    return found if found != run.contents else None


def without_zeros(contents: Contents, free: Collection[InputSource]) -> Contents:
    """Return the inputs without the zeros before numbers."""
    return {
        source: _ZEROS.sub(b"", text) if source in free else text
        for source, text in contents.items()
    }
