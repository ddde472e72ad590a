"""Which sections does a long recorded run have, and which of them are laid out?

`Replay.open` cuts a long run into sections (see sections.c).  A section is laid out once: its rows
stay in the columns beside the log.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from whence.frontend.c.replay.program import Array

FIRST_SECTION = 1 << 26  # steps that are laid out when a log is opened; guessed
SECTION = 1 << 24  # steps of each section after these, at least; guessed
SAVED_PER_STEP = 1  # limit on the bytes that are saved for sections; 0: none; guessed

ROW = np.dtype(
    [(name, "<u8") for name in (
        "at", "log", "links", "mixed", "runs", "activations", "effects", "writes", "copied",
        "visits", "pages", "errno_at")]
    + [(name, "<u4") for name in (
        "step", "instance", "n_frames", "n_decisions", "n_variadic", "stretch", "called",
        "external", "resumed", "least_write")]
)  # fmt: skip
PAGE = np.dtype(
    [("number", "<u8"), ("at", "<u8"), ("section", "<u4"), ("definer", "<u4"), ("fill", "<u4"),
     ("pad", "<u4")]
)  # fmt: skip
VISITS = np.dtype([("stretch", "<u4"), ("count", "<u4")])
FILES = ("sections", "sections.index", "pages", "pages.index", "visits", "copies.bits")
_LAID = "sections.laid"  # one byte for each section: 1 if it is laid out


class SavedSections:
    """The files that describe the sections of one run."""

    def __init__(self, out: Path, totals: dict[str, int]) -> None:
        """`totals` are the numbers of rows of the whole run, by the names of fields of ROW."""
        self._out = out
        index = np.fromfile(out / "sections.index", ROW)
        first, last = np.zeros(1, ROW), np.zeros(1, ROW)
        for name, number in totals.items():
            last[name] = number
        self.rows: Array = np.concatenate([first, index, last])

    def __len__(self) -> int:
        return len(self.rows) - 1

    @cached_property
    def states(self) -> Array:
        return _bytes(self._out / "sections")

    @cached_property
    def pages(self) -> Array:
        """The saved pages, ordered by number and section."""
        rows: Array = np.fromfile(self._out / "pages.index", PAGE)
        return rows[np.lexsort((rows["section"], rows["number"]))]

    @cached_property
    def page_bytes(self) -> Array:
        return _bytes(self._out / "pages")

    @cached_property
    def copies(self) -> Array:
        return _bytes(self._out / "copies.bits")

    @cached_property
    def visits(self) -> tuple[Array, Array, Array]:
        """Return stretches, sections and counts, ordered by stretch and section."""
        rows = np.fromfile(self._out / "visits", VISITS)
        starts = np.append(self.rows["visits"][1:-1].astype(np.int64), len(rows))
        sections = np.repeat(np.arange(len(starts)), np.diff(starts, prepend=0))
        order = np.argsort(rows["stretch"], kind="stable")
        return rows["stretch"][order], sections[order], rows["count"][order].astype(np.int64)

    # --- which are laid out ---------------------------------------------------------------------

    @cached_property
    def _laid(self) -> bytearray:
        try:
            known = bytearray((self._out / _LAID).read_bytes())
        except OSError:
            known = bytearray()
        return known if len(known) == len(self) else bytearray([1] + [0] * (len(self) - 1))

    def is_laid_out(self, number: int) -> bool:
        return bool(self._laid[number])

    def note_laid_out(self, number: int) -> None:
        self._laid[number] = 1
        (self._out / _LAID).write_bytes(self._laid)


def _bytes(path: Path) -> Array:
    empty: Array = np.zeros(0, np.uint8)
    return np.memmap(path, np.uint8, "r") if path.stat().st_size else empty
