r"""Where does a line of source text end?

Clang and Python agree: a line ends at `\n`, at `\r\n`, and at a `\r` that no `\n` follows.  A form
feed is a blank.  `str.splitlines` also ends lines at form feeds and at seven other characters, and
git and tree-sitter end lines only at `\n`.  Line numbers come from the compiler, so whence splits
source text only with this module.
"""

from __future__ import annotations

import re

_END = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


def source_lines(text: str) -> list[str]:
    """Return the lines of a text, without their ends."""
    lines = _END.split(text)
    return lines if lines[-1] else lines[:-1]


def decoded_lines(content: bytes) -> list[str]:
    """Return the lines of a file, without their ends; bytes that are not UTF-8 are replaced."""
    return source_lines(content.decode("utf-8", "replace"))


def lines_with_ends(content: bytes) -> list[bytes]:
    """Return the lines of a file, each with its end; the last one may have none."""
    if b"\r" in content:
        return _LINE.findall(content)
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def only_newlines(content: bytes) -> bytes:
    r"""Return the content with `\n` for each `\r` that ends a line alone.

    Programs that end lines only at `\n` count the lines of the result as the compiler does.
    No byte moves.
    """
    return _LONE_RETURN.sub(b"\n", content) if b"\r" in content else content


def distinct_newlines(content: bytes) -> bytes:
    r"""Return the content with `\r\r\n` for each `\r` that ends a line alone.

    Like `only_newlines`, but two lines are equal in the result only if they were equal: no other
    line ends with `\r\r\n`.
    """
    return _LONE_RETURN.sub(b"\r\r\n", content) if b"\r" in content else content
