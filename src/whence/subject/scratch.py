"""Where are temporary copies kept, and when are they deleted?"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.subject.beneath import delete_tree

_PREFIX = "whence-of-"  # of a temporary directory's name; the process id follows


@contextmanager
def scratch_folder(below: Path | None = None) -> Iterator[Path]:
    """Give a temporary directory for the versions and the workspaces; delete it afterwards.

    It is created in `below`, or in the system's directory for temporary files.
    """
    below = below or Path(tempfile.gettempdir())
    _sweep(below)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=below)).resolve()
    try:
        yield folder
    finally:
        delete_tree(folder)


def _sweep(below: Path) -> None:
    """Delete the directories that killed processes of this user have left behind."""
    for folder in below.glob(f"{_PREFIX}*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            delete_tree(folder)
        except (ValueError, OverflowError, PermissionError):
            continue
