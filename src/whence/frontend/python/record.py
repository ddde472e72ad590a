from __future__ import annotations

from pathlib import Path

from whence.frontend.run import Recorded
from whence.subject.trial import Recipe


def record(
    tree: Path, recipe: Recipe, out: Path, *, max_trace: int = 0, twice: bool = False
) -> Recorded:
    raise NotImplementedError
