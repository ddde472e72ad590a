"""Where are temporary copies kept, and when are they deleted?"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.subject.beneath import delete_tree
from whence.temporary import held_folder, left_behind


@contextmanager
def scratch_folder(below: Path | None = None) -> Iterator[Path]:
    """Give a temporary directory for the versions and the workspaces; delete it afterwards.

    It is created in `below`, or in the system's directory for temporary files.  Directories that
    killed processes left behind are deleted first.
    """
    below = below or Path(tempfile.gettempdir())
    for folder in left_behind(below):
        delete_tree(folder)
    with held_folder("work", below) as folder:
        try:
            yield folder
        finally:
            delete_tree(folder)
