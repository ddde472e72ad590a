"""How does text reach the terminal, when parts of it come from programs, files and archives?

Every command prints through `open_console`.  What rich draws itself (colours, a moving line of progress)
stays; in all other text, characters that act on a terminal become visible signs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from whence.report.visible import visible


class VisibleConsole(Console):
    """A console on which text from outside cannot act."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible_lines(segment.text), segment.style)


def open_console(*, stderr: bool = False, **options: Any) -> Console:
    """Return the console for reports, or for messages and progress on standard error."""
    return VisibleConsole(stderr=stderr, highlight=False, soft_wrap=True, **options)


def visible_lines(text: str) -> str:
    """Return text of several lines with a visible sign for each character that would act."""
    return "\n".join(map(visible, text.split("\n")))
