"""Where do the sections of a long C run begin, and which of them ran a stretch?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from whence.frontend.c.replay import Replay
from whence.frontend.c.replay.sections import ROW
from whence.program.ids import Stretch
from whence.trace.columns import FILES, Code
from whence.trace.sections import Numbers, Sections


class ReplayedSections(Sections):
    """The sections of a replayed log."""

    def __init__(self, replay: Replay, code: Code) -> None:
        self._replay, self._stretches = replay, len(code.stretch_ops)
        saved = replay.sections
        starts = {name: saved.rows[name].astype(np.int64) for name in ROW.names or ()}
        self.steps, self.instances = starts["step"], starts["instance"]
        # The row of a section says this of the section before it.  Nothing says it of the last.
        self.least_writes = np.append(starts["least_write"][1:-1], 0)
        self.is_ordered = replay.meta.is_ordered
        self.columns = {
            field: saved.starts[name] for field, (name, _) in FILES.items() if name in saved.starts
        }

    def lay_out(self, number: int) -> None:
        self._replay.lay_out(number)

    def visits(self, stretch: Stretch) -> tuple[Numbers, Numbers]:
        stretches, sections, counts = self._replay.sections.visits
        low, high = np.searchsorted(stretches, [stretch, stretch + 1])
        return sections[low:high], counts[low:high]

    def visited(self) -> npt.NDArray[np.bool_]:
        stretches, sections, _ = self._replay.sections.visits
        found = np.zeros((len(self.steps) - 1, self._stretches), bool)
        found[sections, stretches] = True
        return found

    def instance_counts(self) -> Numbers:
        stretches, _, counts = self._replay.sections.visits
        found = np.zeros(self._stretches, np.int64)
        np.add.at(found, stretches, counts)
        return found

    def with_page(self, page: int, first: int, last: int) -> list[int]:
        rows = self._replay.sections.pages
        low, high = np.searchsorted(rows["number"], [page + 1, page + 2])
        # The row of section n holds what was accessed in the section before it.  Everything that
        # the first section wrote is in the row of section 1.  Nothing is saved after the last.
        accessed = set((rows["section"][low:high].astype(np.int64) - 1).tolist())
        accessed.add(len(self.steps) - 2)
        return [number for number in range(first, last + 1) if number in accessed]
