"""Which branches could have made a run differ by going the other way?

For relevant slices: branches whose untaken side may define what a load reads (potential
dependence), and branches one side of which never comes back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from whence.trace.columns import NONE, U32
from whence.trace.slicer import Potential

VERSION = 2  # of the tables that are kept
_OWN = ("guards", "printing", "writers_of_op", "writers_start", "writers")


@dataclass(frozen=True)
class Relevance:
    """What a program could do other than it did.

    Group g of reading ops may be written by writers[writers_start[g]:writers_start[g + 1]].
    """

    potential: Potential
    guards: npt.NDArray[np.bool_]  # for each stretch
    printing: U32  # sides of branches that may print, as rows of stretch and block
    writers_of_op: U32  # its group, or NONE
    writers_start: U32
    writers: U32  # ops

    def writers_for(self, op: int) -> list[int]:
        """The ops that may write what `op` reads."""
        group = int(self.writers_of_op[op])
        if group == NONE:
            return []
        first, last = (int(self.writers_start[group + k]) for k in (0, 1))
        return [int(writer) for writer in self.writers[first:last]]


def kept_relevance(folder: Path, key: str, analyse: Callable[[], Relevance]) -> Relevance:
    """What is kept in a trace's folder of the program `key`; if nothing is, it is analysed."""
    name = hashlib.sha256(f"{VERSION}\n{key}".encode()).hexdigest()
    path = folder / f"relevance-{name[:16]}.npz"
    with suppress(OSError, EOFError, KeyError, ValueError, BadZipFile):
        return _load(path)
    found = analyse()
    with suppress(OSError):  # a folder that cannot be written to has to do without
        _save(found, path)
    return found


def _load(path: Path) -> Relevance:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    own = {name: arrays.pop(name) for name in _OWN}
    try:
        return Relevance(Potential(**arrays), **own)
    except TypeError as error:
        raise ValueError(f"{path} has other tables") from error


def _save(found: Relevance, path: Path) -> None:
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        own = {name: getattr(found, name) for name in _OWN}
        np.savez(file, **own, **asdict(found.potential))
    partial.replace(path)  # so that a killed save leaves nothing half made
