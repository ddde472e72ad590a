"""Which sections does a long recorded run have, and which of them are laid out?

`Replay.open` cuts a long run into sections (see sections.c).  A section is laid out once: its rows
stay in the columns beside the log.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from whence.frontend.c.replay.program import Array
from whence.program.kept import seal
from whence.program.mapped_files import map_file

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
_LAID = "sections.laid"  # for each section the seal of its rows, "" if it is not laid out
_BY_INSTANCE = ("stretch.u32", "first.u32", "activation.u32", "control.u32")


class SavedSections:
    """The files that describe the sections of one run."""

    def __init__(
        self, out: Path, totals: dict[str, int], kinds: Mapping[str, np.dtype[Any]]
    ) -> None:
        """`totals` are the numbers of rows of the whole run, by the names of fields of ROW.

        `kinds` has the type of the rows of each column.
        """
        self._out, self._kinds = out, kinds
        index = np.fromfile(out / "sections.index", ROW)
        first, last = np.zeros(1, ROW), np.zeros(1, ROW)
        for name, number in totals.items():
            last[name] = number
        self.rows: Array = np.concatenate([first, index, last])

    def __len__(self) -> int:
        return len(self.rows) - 1

    @cached_property
    def states(self) -> Array:
        return map_file(self._out / "sections")

    @cached_property
    def pages(self) -> Array:
        """The saved pages, ordered by number and section."""
        rows: Array = np.fromfile(self._out / "pages.index", PAGE)
        return rows[np.lexsort((rows["section"], rows["number"]))]

    @cached_property
    def page_bytes(self) -> Array:
        return map_file(self._out / "pages")

    @cached_property
    def copies(self) -> Array:
        return map_file(self._out / "copies.bits")

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
    def starts(self) -> dict[str, Array]:
        """The first row of each section, and the number of rows, of the columns with sections."""
        steps, instances = (self.rows[name].astype(np.int64) for name in ("step", "instance"))
        # instmap has an entry for step 64, 128, ..., and one for the time before the first step.
        entries = np.where(np.arange(len(steps)) > 0, steps // 64 + 1, 0)
        return {
            **dict.fromkeys(_BY_INSTANCE, instances),
            "links.u32": self.rows["links"].astype(np.int64),
            "linkbase.u64": (instances + 63) // 64,
            "instmap.u32": entries,
            "writes": self.rows["writes"].astype(np.int64),
            "copied": self.rows["copied"].astype(np.int64),
        }

    @cached_property
    def _laid(self) -> set[int]:
        """The sections that are known to be laid out."""
        return set()

    @cached_property
    def _seals(self) -> list[str]:
        try:
            found = json.loads((self._out / _LAID).read_text("ascii"))
        except (OSError, ValueError, RecursionError):
            found = []
        fits = isinstance(found, list) and len(found) == len(self)
        return [str(one) for one in found] if fits else [""] * len(self)

    def is_laid_out(self, number: int) -> bool:
        if number not in self._laid and self._seals[number]:
            if self._seals[number] == self._seal(number):
                self._laid.add(number)
            else:
                self._seals[number] = ""
        return number in self._laid

    def note_laid_out(self, number: int) -> None:
        self._laid.add(number)
        self._seals[number] = self._seal(number)
        (self._out / _LAID).write_text(json.dumps(self._seals), "ascii")

    def _seal(self, number: int) -> str:
        """Return the seal of the rows of a section in all columns."""
        parts: list[Any] = [str(number)]
        for name, starts in self.starts.items():
            size = self._kinds[name].itemsize
            low, high = (size * int(starts[number + k]) for k in (0, 1))
            parts += [name, map_file(self._out / name)[low:high]]
        return seal(*parts)
