"""Which branches could have changed a run by going the other way?

Relevant slices need branches whose untaken side may define what a load reads (potential
dependence), and branches with a side that never returns.
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

from whence.program.ids import Op
from whence.program.kept import is_kept, keep
from whence.trace.columns import NONE, U32
from whence.trace.slicer import Potential

VERSION = 4  # of the stored tables: raise it when they change
_OWN = ("guards", "printing", "reading", "raising", "writers_of_op", "writers_start", "writers")


@dataclass(frozen=True)
class Relevance:
    """Which branches of a program could have changed a run, found without running it.

    What an operation of group g reads may be written by the operations
    writers[writers_start[g]:writers_start[g + 1]].
    """

    potential: Potential
    guards: npt.NDArray[np.bool_]  # for each stretch: can the branch at its end stop the run?
    printing: U32  # sides of branches that may print, as rows of stretch and block
    reading: U32  # sides of branches that may read more input, likewise
    raising: U32  # sides of branches with operations that may raise, likewise; none in C
    writers_of_op: U32  # the group of each operation, or NONE
    writers_start: U32
    writers: U32

    def writers_for(self, op: Op) -> list[Op]:
        """Return the operations that may write what `op` reads."""
        group = int(self.writers_of_op[op])
        if group == NONE:
            return []
        first, last = (int(self.writers_start[group + k]) for k in (0, 1))
        return [Op(writer) for writer in self.writers[first:last].tolist()]


def kept_relevance(folder: Path, key: str, analyse: Callable[[], Relevance]) -> Relevance:
    """Return the tables stored in a trace's folder for program `key`; if none are, analyse it."""
    name = hashlib.sha256(f"{VERSION}\n{key}".encode()).hexdigest()
    path = folder / f"relevance-{name[:16]}.npz"
    if is_kept(path):
        with suppress(OSError, EOFError, KeyError, ValueError, BadZipFile):
            return _load(path)
    found = analyse()
    with suppress(OSError):  # in a read-only folder nothing is stored
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
    partial.replace(path)  # in one move: a killed save leaves no partial file
    keep(path)
