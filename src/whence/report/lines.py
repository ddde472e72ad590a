"""How does text become lines that fit into a terminal, without control characters?"""

from __future__ import annotations

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
