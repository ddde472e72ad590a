"""At which place did it fail, and how does a signature say so?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whence.model import Failure
from whence.subject.output_text import inside, masked, shown_value, steady
from whence.subject.tracebacks import Frame


def place_text(frame: Frame, tree: Path) -> str:
    """The frame in a form for signatures."""
    place = steady(frame.file, tree)
    return f"{place}:{frame.function}" if frame.function else place


def failure_at(frames: Sequence[Frame], kind: str, message: str, said: str, tree: Path) -> Failure:
    """The failure at the first frame of the tree, or else at the first one.

    Its signature is what was `said`, without the values, and that place.
    """
    signature = masked(said, tree)
    if not frames:
        return Failure(kind, message, signature)
    place = next((frame for frame in frames if inside(frame.file, tree)), frames[0])
    signature += f" in {place_text(place, tree)}"
    return Failure(kind, message, signature, shown_value(place.file, tree), place.line)
