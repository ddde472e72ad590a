"""How do we read lines, paths and values from the output of a program?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

MAX_LINE = 4000  # limit on characters of a line: it bounds the cost of a regex; guessed
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def without_colours(text: str) -> str:
    """Return the text without terminal colours and carriage returns."""
    return _COLOUR.sub("", text).replace("\r", "")


@cache
def _roots(tree: Path) -> tuple[Path, ...]:
    """Return the tree's path as given and without symbolic links: programs print either."""
    return tree.absolute(), tree.resolve()


def inside(path: str, tree: Path) -> str | None:
    """Return the path relative to the tree, or None if it is not in the tree.

    A relative path counts as relative to the tree if such a file exists there, without its `..`
    parts: compilers that run in a subdirectory print such paths.
    """
    try:
        normal = Path(os.path.normpath(path))
        if normal.is_absolute():
            roots = [root for root in _roots(tree) if root in normal.parents]
            return normal.relative_to(roots[0]).as_posix() if roots else None
        parts = [part for part in normal.parts if part != ".."]
        return "/".join(parts) if parts and tree.joinpath(*parts).is_file() else None
    except (OSError, ValueError):  # not a valid file name
        return None


def readable_path(path: str, tree: Path) -> str:
    """Return the path for people: relative to the tree, or as printed."""
    return inside(path, tree) or path


def steady(path: str, tree: Path) -> str:
    """Return the path in a form for signatures: equal in all workspaces."""
    return inside(path, tree) or base_name(path)


def base_name(path: str) -> str:
    """Return the last part of a Unix or Windows path."""
    return path.replace("\\", "/").rpartition("/")[2]


_VALUES = re.compile(
    r" at 0x[0-9a-fA-F]+(?=>)|0x[0-9a-fA-F]+|\btmp[a-z0-9_]{8}\b|\b[0-9a-f]{12,}\b"
    r"|(?<![\w.])-?\d+(?:\.\d+)*(?:e[-+]?\d+)?"
)


def masked(text: str, tree: Path) -> str:
    """Return the text with `#` for values that may differ between runs of one failure."""
    for root in map(str, _roots(tree)):
        text = text.replace(root + os.sep, "").replace(root, "")
    return _VALUES.sub("#", text)


def last_line(text: str) -> str:
    """Return the last line that is not blank, or ""."""
    lines = (line.strip() for line in reversed(without_colours(text[-20 * MAX_LINE :]).split("\n")))
    return next(filter(None, lines), "")[:MAX_LINE]


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def lines_with(text: str, needle: str) -> Iterator[tuple[str, int]]:
    """Yield the lines that contain `needle`, each with the index of its end in the text."""
    at = text.find(needle)
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, _end_of_line(text, at)
        yield text[start:end][:MAX_LINE], end
        at = text.find(needle, end)


def lines_after(text: str, end: int, count: int) -> Iterator[str]:
    """Yield up to `count` lines after the line that ends at `end`; all of them if it is -1."""
    while count and end < len(text):
        start, end, count = end + 1, _end_of_line(text, end + 1), count - 1
        yield text[start:end][:MAX_LINE]
