"""How do we read lines, paths and values out of what a program printed?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LONGEST_LINE = 4000  # no message worth reading is longer; it bounds what a regex can cost
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def without_colours(text: str) -> str:
    """The text without terminal colours and carriage returns."""
    return _COLOUR.sub("", text).replace("\r", "")


@cache
def _roots(tree: Path) -> tuple[Path, ...]:
    """The tree's path as given and without symbolic links: programs print either."""
    return tree.absolute(), tree.resolve()


def inside(path: str, tree: Path) -> str | None:
    """The path relative to the tree, or None if it is not of the tree.

    A relative path is taken as one of the tree, or of some directory below it, as compilers
    that run there print it, if there is such a file.
    """
    try:
        normal = Path(os.path.normpath(path))
        if normal.is_absolute():
            roots = [root for root in _roots(tree) if root in normal.parents]
            return normal.relative_to(roots[0]).as_posix() if roots else None
        parts = [part for part in normal.parts if part != ".."]
        return "/".join(parts) if parts and tree.joinpath(*parts).is_file() else None
    except (OSError, ValueError):  # no file can have this name
        return None


def shown_value(path: str, tree: Path) -> str:
    return inside(path, tree) or path


def steady(path: str, tree: Path) -> str:
    """The path in a form for signatures."""
    return inside(path, tree) or base_name(path)


def base_name(path: str) -> str:
    """The last part of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2]


_VALUES = re.compile(
    r" at 0x[0-9a-fA-F]+(?=>)|0x[0-9a-fA-F]+|\btmp[a-z0-9_]{8}\b|\b[0-9a-f]{12,}\b"
    r"|(?<![\w.])-?\d+(?:\.\d+)*(?:e[-+]?\d+)?"
)


def masked(text: str, tree: Path) -> str:
    """The text without the values that differ between equal failures."""
    for root in map(str, _roots(tree)):
        text = text.replace(root + os.sep, "").replace(root, "")
    return _VALUES.sub("#", text)


def last_line(text: str) -> str:
    lines = (
        line.strip() for line in reversed(without_colours(text[-20 * LONGEST_LINE :]).split("\n"))
    )
    return next(filter(None, lines), "")[:LONGEST_LINE]


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def lines_with(text: str, needle: str) -> Iterator[tuple[str, int]]:
    """The lines that hold `needle`, each with the place in the text where it ends."""
    at = text.find(needle)
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, _end_of_line(text, at)
        yield text[start:end][:LONGEST_LINE], end
        at = text.find(needle, end)


def lines_after(text: str, end: int, count: int) -> Iterator[str]:
    """Up to `count` lines after the one that ends at `end`; all of them if `count` is -1."""
    while count and end < len(text):
        start, end, count = end + 1, _end_of_line(text, end + 1), count - 1
        yield text[start:end][:LONGEST_LINE]
