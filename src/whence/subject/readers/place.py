"""At which place did a run fail, and how does its signature name that place?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whence.model import Failure
from whence.subject.output_text import inside, masked, readable_path, steady
from whence.subject.tracebacks import Frame


def place_text(frame: Frame, tree: Path) -> str:
    """Return the place of a frame in a form for signatures."""
    place = steady(frame.file, tree)
    return f"{place}:{frame.function}" if frame.function else place


def failure_at(frames: Sequence[Frame], kind: str, message: str, text: str, tree: Path) -> Failure:
    """Return the failure at the first frame in the tree, or at the first frame.

    Its signature is `text` without values, and that place.
    """
    signature = masked(text, tree)
    if not frames:
        return Failure(kind, message, signature)
    place = next((frame for frame in frames if inside(frame.file, tree)), frames[0])
    signature += f" in {place_text(place, tree)}"
    return Failure(kind, message, signature, readable_path(place.file, tree), place.line)
