"""How is a part of a long run read without laying out the rest?

A long run is cut into sections.  The longest columns of its stream have holes.  The rows of a
section are written there when the section is laid out, which happens when one of them is read.  The
rows and their numbers are those of a stream that was laid out as a whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.program.ids import Stretch
from whence.program.mapped_files import release_pages

Numbers = npt.NDArray[np.int64]

MAX_READ = 8  # sections of a column that stay in memory after they were read; guessed


class Sections(ABC):
    """The sections of one stream.

    Section n holds the steps after steps[n] up to steps[n + 1], and the instances
    instances[n]..instances[n + 1].
    """

    steps: Numbers
    instances: Numbers
    # For each section the least step of its writes: unrecorded code writes after it called back.
    least_writes: Numbers
    is_ordered: bool  # are the rows of `writes` in the order of their steps?
    columns: dict[str, Numbers]  # the first row of each section, by the name of the column

    @abstractmethod
    def lay_out(self, number: int) -> None:
        """Write the rows of a section to the columns, unless they are there."""

    @abstractmethod
    def visits(self, stretch: Stretch) -> tuple[Numbers, Numbers]:
        """Return the sections in which a stretch ran, and how many instances each has of it."""

    @abstractmethod
    def visited(self) -> npt.NDArray[np.bool_]:
        """Return for each section, and each stretch, whether the stretch ran there."""

    @abstractmethod
    def instance_counts(self) -> Numbers:
        """Return for each stretch how many instances the run has of it."""

    @abstractmethod
    def with_page(self, page: int, first: int, last: int) -> list[int]:
        """Return the sections first..last that may have written to a page of memory."""

    def of_instance(self, instance: int) -> int:
        """Return the section of an instance."""
        return int(np.searchsorted(self.instances, instance, "right")) - 1

    def of_step(self, step: int) -> int:
        """Return the section of a step."""
        return int(np.searchsorted(self.steps, step, "left")) - 1


class SectionedColumn:
    """A column whose rows are laid out when they are read.

    It is no array: an operation on all of its rows would lay out the whole run.
    """

    def __init__(self, rows: npt.NDArray[Any], starts: Numbers, sections: Sections) -> None:
        """`starts` holds the first row of each section, and the number of rows."""
        self._rows, self._starts, self._sections = rows, starts, sections
        self._list = starts.tolist()
        self._laid = np.zeros(len(starts) - 1, bool)
        buffer: Any = rows
        self._view = memoryview(buffer) if rows.dtype.names is None and len(rows) else None
        self._low = self._high = 0  # rows low..high are laid out: the section that was read last
        self._read: set[int] = set()  # the sections that were read since memory was given back

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def mapped(self) -> npt.NDArray[Any]:
        """All rows, as the file holds them: those of sections that are not laid out are zero."""
        return self._rows

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int) and key >= 0:
            if not self._low <= key < self._high:
                self._move(key)
            return self._rows[key] if self._view is None else self._view[key]
        if isinstance(key, slice):
            start, stop, _ = key.indices(len(self._rows))
            if start < stop:
                self._need(*(int(at) for at in self._sections_of(np.array([start, stop - 1]))))
            return self._rows[key]
        if isinstance(key, int | np.integer):
            return self[int(key) % len(self._rows)]
        rows = np.asarray(key)
        assert rows.dtype != bool, "a mask would read all rows"
        for number in np.unique(self._sections_of(rows)).tolist():
            self._need(number, number)
        return self._rows[rows]

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a column with sections is no array: see whence.trace.columns.whole")

    def _sections_of(self, rows: npt.NDArray[Any]) -> Numbers:
        return np.searchsorted(self._starts, rows.astype(np.int64), "right") - 1

    def _move(self, row: int) -> None:
        if row >= len(self._rows):
            raise IndexError(row)
        number = bisect_right(self._list, row) - 1
        self._need(number, number)
        self._low, self._high = self._list[number], self._list[number + 1]

    def _need(self, first: int, last: int) -> None:
        for number in range(first, last + 1):
            if not self._laid[number]:
                self._sections.lay_out(number)
                self._laid[number] = True
            if number not in self._read:
                self._read.add(number)
                if len(self._read) > MAX_READ:
                    self._release()
                    self._read = {number}

    def _release(self) -> None:
        """Let the system take back the memory of the rows; rows read again are mapped again."""
        release_pages(self._rows)


class SectionedInstances:
    """The instances of one stretch, in order; sections are laid out when they are read."""

    def __init__(self, column: SectionedColumn, sections: Sections, stretch: Stretch) -> None:
        self._column, self._sections, self._stretch = column, sections, stretch
        self._numbers, counts = sections.visits(stretch)
        self._starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        self._known: dict[int, npt.NDArray[np.uint32]] = {}

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._part(*key.indices(len(self)))
        at = int(key) % len(self)
        place = int(np.searchsorted(self._starts, at, "right")) - 1
        return self._in_section(place)[at - int(self._starts[place])]

    def _part(self, start: int, stop: int, step: int) -> npt.NDArray[np.uint32]:
        assert step == 1, "instances are read in order"
        found = [np.zeros(0, np.uint32)]
        for place in range(len(self._numbers)):
            low, high = (int(self._starts[place + k]) for k in (0, 1))
            if max(low, start) < min(high, stop):
                found.append(self._in_section(place)[max(start - low, 0) : stop - low])
        return np.concatenate(found)

    def searchsorted(self, instance: Any) -> Any:
        """Return how many of the instances come before `instance`, or before each of several."""
        if np.ndim(instance):
            return np.array([self._before(each) for each in instance.tolist()], np.int64)
        return self._before(int(instance))

    def _before(self, instance: int) -> int:
        number = self._sections.of_instance(instance)
        place = int(np.searchsorted(self._numbers, number))
        before = int(self._starts[place])
        if place == len(self._numbers) or self._numbers[place] != number:
            return before
        return before + int(self._in_section(place).searchsorted(np.uint32(instance)))

    def _in_section(self, place: int) -> npt.NDArray[np.uint32]:
        found = self._known.get(place)
        if found is None:
            number = int(self._numbers[place])
            start, stop = (int(self._sections.instances[number + k]) for k in (0, 1))
            own = np.flatnonzero(self._column[start:stop] == self._stretch)
            found = self._known[place] = (own + start).astype(np.uint32)
        return found
