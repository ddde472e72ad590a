"""Which operations of a program does a change alter?

A change alters the operations of the statements that it touches.  If it touches none, as a changed
constant, table or type does, it alters those that use a name which it declares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from whence.explain.meeting import Meeting
from whence.explain.meeting.version_index import Ids
from whence.model import ChangeId
from whence.program.ids import Op
from whence.trace.columns import NONE
from whence.trace.recording import Image

Meets = Callable[[str, int], Ids]  # file and line -> the changes that a statement there meets
OpsByChange = dict[ChangeId, frozenset[Op]]


class ChangedCode:
    """The altered operations of the programs of one version, found once for each program."""

    def __init__(self, meeting: Meeting, *, of_good: bool) -> None:
        self._own: Meets = meeting.removed_at if of_good else meeting.at
        self._through: Meets = meeting.removed_through if of_good else meeting.through
        self._known: dict[str, OpsByChange] = {}

    def operations(self, image: Image, changes: Ids) -> frozenset[Op]:
        """Return the operations that some changes alter; empty: the version has none."""
        if image.key not in self._known:
            self._known[image.key] = self._altered(image)
        known = self._known[image.key]
        return frozenset(op for change in changes for op in known.get(change, ()))

    def _altered(self, image: Image) -> OpsByChange:
        held: dict[ChangeId, set[Op]] = defaultdict(set)
        used: dict[ChangeId, set[Op]] = defaultdict(set)
        for (file, line), ops in _ops_by_line(image).items():
            for change in self._own(file, line):
                held[change].update(ops)
            for change in self._through(file, line):
                used[change].update(ops)
        return {change: frozenset(held.get(change) or used[change]) for change in {**held, **used}}


def _ops_by_line(image: Image) -> dict[tuple[str, int], list[Op]]:
    """Return the operations of each line of the program's tree."""
    found: dict[tuple[str, int], list[Op]] = defaultdict(list)
    known = np.flatnonzero((image.rows != 0) & (image.files != NONE))
    files, rows = image.files[known].tolist(), image.rows[known].tolist()
    for op, file, row in zip(known.tolist(), files, rows, strict=True):
        name = image.file_names[file]
        if not name.startswith("/"):
            found[name, row].append(Op(op))
    return found
