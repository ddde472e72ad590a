"""Which modules of a program come from an earlier build in the same tree?

A build that uses objects of an earlier build does not describe their modules again.  The trace of
its run needs all descriptions, and the journals name each source that is part of the program.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.frontend.recorded_run import MODULES

_LOG, _UNRECORDED = "log", "unrecorded"  # the journals that `compiling.py` writes


@contextmanager
def kept_modules(earlier: Path | None, modules: Path) -> Iterator[None]:
    """Build within: afterwards `modules` also has what is kept of the build in trace `earlier`."""
    yield
    if earlier is None:
        return
    new = {name: _entries(modules / name) for name in (_LOG, _UNRECORDED)}
    compiled = {entry.get("source") for entries in new.values() for entry in entries} - {None}
    made = {entry.get("output") or entry.get("link") for entry in new[_LOG]}
    for path in sorted((earlier / MODULES).iterdir()):
        if path.name not in new and not (modules / path.name).exists():
            os.link(path, modules / path.name)
    log = [
        entry
        for entry in _entries(earlier / MODULES / _LOG)
        if (entry.get("output") or entry.get("link")) not in made
    ]
    _write(modules / _LOG, log + new[_LOG])
    unrecorded = [
        entry
        for entry in _entries(earlier / MODULES / _UNRECORDED)
        if entry["source"] not in compiled
    ]
    _write(modules / _UNRECORDED, unrecorded + new[_UNRECORDED])


def _entries(journal: Path) -> list[dict[str, object]]:
    if not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_text("utf-8").splitlines()]


def _write(journal: Path, entries: list[dict[str, object]]) -> None:
    if entries:
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        journal.write_text(text, "utf-8")
