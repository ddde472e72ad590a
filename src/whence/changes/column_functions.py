"""Which functions of C does the grammar not see, although their braces stand in the first column?

Old C writes the types of parameters between the name and the body, has no types, or hides them in
macros.  A parser without the preprocessor takes some of these functions for something else.  GNU
and Berkeley programs begin and end the body of each function in the first column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_MAX_HEADER = 40  # limit on the lines between the name of a function and its body; guessed
# The line with the name: `name (...`, perhaps after types.  A declaration would end with a `;`.
_NAMED = re.compile(rb"^(?:[A-Za-z_][\w\s*]*?[\s*])?([A-Za-z_]\w*)[ \t]*\((.*)$")
_END = re.compile(rb"}\s*(?:/[*/].*)?$")  # a structure would end with a `;`
_MACRO_OF_NAME = re.compile(rb"^\s*([a-z_]\w*)\s*[,)]")  # `DEFUN (name, ...)`
_KEYWORDS = frozenset({b"if", b"for", b"while", b"switch", b"return", b"sizeof", b"else", b"do"})


def column_functions(lines: Sequence[bytes]) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the first and the last line of each such function; lines are from 1 on."""
    braces = [(n, line[:1]) for n, line in enumerate(lines, 1) if line[:1] in (b"{", b"}")]
    for (begin, first), (end, second) in pairwise(braces):
        if (first, second) != (b"{", b"}") or not _END.match(lines[end - 1]):
            continue
        found = _header(lines, begin)
        if found is not None:
            name, line = found
            yield name.decode("utf-8", "replace"), line, end


def _header(lines: Sequence[bytes], begin: int) -> tuple[bytes, int] | None:
    """Return the name of the function whose body begins on a line, and the line of the name."""
    for number in range(begin - 1, max(begin - _MAX_HEADER, 1) - 1, -1):
        line = lines[number - 1]
        if line[:1] in (b"}", b"{") or line.count(b")") > line.count(b"("):
            return None  # another function, or the end of another declaration
        named = _NAMED.match(line)
        if named is None or line.rstrip().endswith(b";"):
            continue
        name, rest = named.groups()
        if name == name.upper():
            hidden = _MACRO_OF_NAME.match(rest)
            if hidden is None:
                return None
            name = hidden[1]
        return None if name in _KEYWORDS else (name, number)
    return None
