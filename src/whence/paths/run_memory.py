"""Where is a recorded run while its conditions are read?

A run of a small program is read in some milliseconds, in which thirty files are written: what is
computed of its log.  On a disk that takes longer than all the rest, so a small run is moved to a
file system in memory, if the machine has one with enough room.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from whence.subject.scratch import scratch_folder

_MEMORY = Path("/dev/shm")  # where Linux has a file system in memory
_MAX_BYTES = 1 << 20  # of a run that is moved; what is computed of it is some times as large
_MIN_ROOM = 1 << 30  # bytes that must be free; guessed


class RunMemory:
    """Keeps small runs in memory."""

    def __init__(self, below: Path = _MEMORY) -> None:
        self._below, self._held = below, ExitStack()
        self._folder: Path | None = None
        self._is_tried = False

    def kept(self, out: Path) -> Path:
        """Return where a run is now, which was recorded into the folder `out`."""
        if _size(out) > _MAX_BYTES:
            return out
        folder = self._opened()
        if folder is None or shutil.disk_usage(folder).free < _MIN_ROOM:
            return out
        new = Path(tempfile.mkdtemp(dir=folder))
        shutil.copytree(out, new, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(out, ignore_errors=True)
        return new

    def close(self) -> None:
        """Delete all runs that are in memory."""
        self._held.close()
        self._folder, self._is_tried = None, False

    def _opened(self) -> Path | None:
        if not self._is_tried:
            self._is_tried = True
            try:
                self._folder = self._held.enter_context(scratch_folder(self._below))
            except OSError:  # there is none, or it is not for us
                self._folder = None
        return self._folder


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))
