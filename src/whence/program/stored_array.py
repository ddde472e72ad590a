"""How is an array in a file read?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# Smaller files are read at once, in bytes; guessed.  A mapped file keeps a descriptor open, and a
# recorded run has dozens of small files for each of its threads.
_MAX_READ = 1 << 16


def stored_array(path: Path, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return the whole items in a file as an array that cannot be changed."""
    size = path.stat().st_size
    item = np.dtype(kind).itemsize
    if size < item:  # an empty file cannot be mapped
        return np.zeros(0, kind)
    if size > _MAX_READ:
        return np.memmap(path, kind, "r")
    array = np.fromfile(path, kind)
    array.flags.writeable = False
    return array
