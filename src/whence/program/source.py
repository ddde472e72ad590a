"""How is a place in the source named, and what text is there?"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path

from whence.source_lines import decoded_lines


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the source; `file` is relative to the tree, or absolute if it lies outside."""

    file: str
    line: int
    column: int
    function: str

    @property
    def is_outside(self) -> bool:
        """Is the place in a file outside the program's tree, such as a system header?"""
        return self.file.startswith("/")


def shown_path(name: str) -> str:
    """Return a file's path as a user writes it: relative in the tree, absolute outside."""
    return posixpath.normpath(name)


# What follows the value of a `switch` that has no case for it.
NO_CASE = " (no case)"


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name and a value, as the source writes them."""

    name: str
    value: str


class SourceLines:
    """The text of source files: the copies kept with a trace, or else the files in place."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._known: dict[str, list[str]] = {}

    def line(self, file: str, number: int) -> str:
        """Return a line of a file, stripped; "" if it is not available."""
        lines = self.of(file)
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def of(self, file: str) -> list[str]:
        """Return the lines of a file; [] if it is not available."""
        if file not in self._known:
            self._known[file] = self._read(file)
        return self._known[file]

    def _read(self, file: str) -> list[str]:
        # `_kept / file` is `file` itself if that is absolute: files outside the tree stay in place.
        path = self._kept / file
        if path.is_file():
            return decoded_lines(path.read_bytes())
        return []
