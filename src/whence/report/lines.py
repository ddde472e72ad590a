"""How does text become lines that fit into a terminal, without control characters?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path

from rich.console import Console
from rich.text import Text

from whence.report.visible import visible

SCREEN = 40  # lines of a common terminal; guessed


class TextLines:
    """Lines of text, none wider than the terminal."""

    def __init__(self, width: int) -> None:
        self.lines: list[Text] = []
        self.width = max(width, 20)
        self._console = Console(width=self.width)

    @property
    def text(self) -> Text:
        return Text("\n").join(self.lines)

    def line(self, line: Text | None = None) -> None:
        """Add a line, truncated to the width."""
        line = Text() if line is None else line
        line.truncate(self.width, overflow="ellipsis")
        self.lines.append(line)

    def add(
        self, words: Text, first: str = "", rest: str | None = None, *, most: int | None = None
    ) -> None:
        """Add words, wrapped; `first` is put before the first line, `rest` before the others.

        Words that do not fit into `most` lines are replaced by `…`.
        """
        rest = first if rest is None else rest
        room = self.width - max(len(first), len(rest))
        parts = list(words.wrap(self._console, room))
        if most is not None and len(parts) > most:
            parts[most - 1].rstrip()
            parts[most - 1].truncate(room - 1)
            parts[most - 1].append("…")
        for number, part in enumerate(parts[:most]):
            part.rstrip()
            self.line(Text(rest if number else first).append_text(part))


def plain_text(text: str) -> str:
    """Return the text as one line, with control characters replaced by signs."""
    return visible(text).replace("\t", " ")


def from_difference(lines: Sequence[str], room: int) -> list[str]:
    """Return the lines of a diff; long ones start where the old and the new line differ.

    A line that is too long is cut off at its end, and the difference would not be seen.
    """
    shown = list(lines)
    runs: list[tuple[str, list[int]]] = []
    for sign, numbers in groupby(range(len(lines)), key=lambda number: lines[number][:1]):
        runs.append((sign, list(numbers)))
    for (sign, old), (next_sign, new) in pairwise(runs):
        if (sign, next_sign) != ("-", "+") or len(old) != len(new):
            continue
        for pair in zip(old, new, strict=True):
            texts = [lines[number][1:] for number in pair]
            same = len(os.path.commonprefix(texts))
            if max(map(len, texts)) >= room and same > room // 2:
                for number in pair:
                    shown[number] = f"{lines[number][0]}… {lines[number][1:][same - room // 4 :]}"
    return shown


def shown_place(file: str, line: int) -> str:
    """Return a place as a terminal shows it, such as `shape.c:12`.

    A file outside of the tree has an absolute name.  It is named by the way from the current
    folder, or by its last two parts.
    """
    path = Path(file)
    if path.is_absolute():
        here = Path.cwd()
        inside = path.is_relative_to(here)
        file = str(path.relative_to(here)) if inside else "/".join(("…", *path.parts[-2:]))
    return f"{file}:{line}"
