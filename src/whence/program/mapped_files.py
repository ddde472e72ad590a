"""How is a file read as an array, without being held in memory or kept open?

Python's `mmap` and numpy's `memmap` keep a file open as long as it is mapped.  A process may have
1,024 files open on most systems; a hundred recorded runs have more columns than that.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


class _Map:
    """A whole file in the memory of this process, to be read only."""

    def __init__(self, path: Path) -> None:
        self.size = 0  # nothing is mapped yet
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            found = _libc().mmap(
                None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0
            )  # fmt: skip
        if found == ctypes.c_void_p(-1).value:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), str(path))
        self.address, self.size = found, size

    @property
    def __array_interface__(self) -> dict[str, Any]:
        where = (self.address, True)  # True: no one may write there
        return {"version": 3, "shape": (self.size,), "typestr": "|u1", "data": where}

    def release(self) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):
            _libc().madvise(self.address, self.size, mmap.MADV_DONTNEED)

    def __del__(self) -> None:
        if self.size:
            _libc().munmap(self.address, self.size)


def map_file(path: Path, kind: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
    """Return the rows of a file; a part of a row at its end is left out."""
    item = np.dtype(kind)
    if path.stat().st_size < item.itemsize:  # an empty file cannot be mapped
        return np.zeros(0, item)
    data = np.asarray(_Map(path))
    return data[: len(data) // item.itemsize * item.itemsize].view(item)


def release_pages(rows: npt.NDArray[Any]) -> None:
    """Let the system take back the memory of mapped rows; what is read again is mapped again."""
    owner: object = rows
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, _Map):
        owner.release()


@cache
def _libc() -> Any:
    found = ctypes.CDLL(None, use_errno=True)
    size, number = ctypes.c_size_t, ctypes.c_int
    found.mmap.argtypes = (ctypes.c_void_p, size, number, number, number, ctypes.c_long)
    found.mmap.restype = ctypes.c_void_p
    found.madvise.argtypes = (ctypes.c_void_p, size, number)
    found.munmap.argtypes = (ctypes.c_void_p, size)
    return found
