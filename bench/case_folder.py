"""Where are the real regressions that a benchmark measures?

They are not part of the checkout.  A user names their folder with `--cases`, or with
$WHENCE_BENCH_CASES; nothing else is looked at.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

VARIABLE = "WHENCE_BENCH_CASES"


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add `--cases` to a benchmark's options; `require` reads it."""
    parser.add_argument(
        "--cases",
        type=Path,
        metavar="DIR",
        default=os.environ.get(VARIABLE),
        help=f"folder with the real cases, python/*/case.json, c/*/case.json and real/*.toml"
        f" (default: ${VARIABLE})",
    )


def require(
    parser: argparse.ArgumentParser,
    folder: str | Path | None,
    hint: str,
    layouts: Sequence[str] = ("python", "c"),
) -> Path:
    """Return the folder with the cases, or end with exit status 2 and say how to name it.

    `hint` says what can be measured without real cases; it may be empty.  The folder has at least
    one of the folders `layouts`.
    """
    how = f"Name it with --cases DIR or ${VARIABLE}.{hint and f' {hint}'}"
    if folder is None:
        parser.error(f"this benchmark needs a folder with real cases. {how}")
    path = Path(folder).resolve()
    if not any((path / layout).is_dir() for layout in layouts):
        names = " or ".join(f"`{layout}`" for layout in layouts)
        parser.error(f"{path} has no folder {names} with cases. {how}")
    return path
