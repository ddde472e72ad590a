"""Where in the source is something, and what is written there?"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the source; `file` is relative to the tree, absolute if it lies elsewhere."""

    file: str
    line: int
    column: int
    function: str


def shown_path(name: str) -> str:
    """A file's path as a user writes it; in the tree it is relative, outside it is absolute."""
    return posixpath.normpath(name)


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name and a value, as a programmer writes them."""

    name: str
    value: str


class SourceLines:
    """The text of source files: those kept with a trace first, then those still in place."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._known: dict[str, list[str]] = {}

    def line(self, file: str, number: int) -> str:
        """A line of a file, stripped; empty if we do not have it."""
        lines = self.of(file)
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def of(self, file: str) -> list[str]:
        if file not in self._known:
            self._known[file] = self._read(file)
        return self._known[file]

    def _read(self, file: str) -> list[str]:
        # Joined to `_kept`, an absolute path is itself: a file outside the tree is still in place.
        path = self._kept / file
        if path.is_file():
            return path.read_text("utf-8", "replace").splitlines()
        return []
