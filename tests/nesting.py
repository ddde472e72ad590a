"""A folder that is deeper than a path can be long."""

from __future__ import annotations

import os
from pathlib import Path


def nest(folder: Path) -> None:
    """Make 1,100 folders, one in the other, below a folder."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        for _ in range(1100):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
