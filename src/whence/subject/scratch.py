"""Where do we keep our own copies while we work, and who cleans up after us?"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "whence-of-"  # of our temporary directories, before the number of the process


@contextmanager
def scratch_folder(below: Path | None = None) -> Iterator[Path]:
    """Give a directory of our own, gone afterwards, for the versions and the workspaces.

    It is in the directory for temporary files if not `below` another.
    """
    below = below or Path(tempfile.gettempdir())
    _sweep(below)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=below)).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(below: Path) -> None:
    """Remove what processes of this user that were killed have left behind."""
    for folder in below.glob(f"{_PREFIX}*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except (ValueError, OverflowError, PermissionError):
            continue
