"""May the columns that a log was opened into be used again?

They may if this user's whence wrote them (see `whence.program.kept`), from this log and this
program.  Everything else is made again: whence's C code does not check the numbers in columns.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from whence.frontend.c.replay import Mismatch, ReplaySummary, Status
from whence.frontend.c.replay.program import Array
from whence.frontend.c.replay.sections import FILES as SECTION_FILES
from whence.program.kept import seal, seal_of_file
from whence.trace.columns import FILES

VERSION = 8  # of the format of the columns; others are made again
_META = "meta.json"
_CHECKPOINTS = ("checkpoints", "checkpoints.index")
# Columns whose rows are laid out section by section: each section has a seal of its own.
_SECTIONED = (
    *("stretch", "first", "activation", "control", "links", "linkbase", "instmap", "writes"),
    "copied",
)


class KeptColumns:
    """The columns of one log."""

    def __init__(self, out: Path, log: str, data: Array, program: str) -> None:
        """`out` holds the columns.  `data` is the log, and `program` stands for its program."""
        self._out, self._log, self._data, self._program = out, log, data, program

    def summary(self) -> ReplaySummary | None:
        """Return the summary of the log if its columns may be used; None if they may not."""
        try:
            text, _, signed = (self._out / _META).read_text("utf-8").rpartition("\n")
            if not signed or signed != seal(text):
                return None
            found = json.loads(text)
            if found["version"] != VERSION or found["source"] != self._source():
                return None
            if found["seals"] != self._seals(found["summary"]):
                return None
            saved = found["summary"]
            saved["status"] = Status(saved["status"])
            saved["mismatches"] = tuple(Mismatch(**row) for row in saved["mismatches"])
            return ReplaySummary(**saved)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def keep(self, meta: ReplaySummary) -> None:
        """Note that the columns are complete."""
        summary = asdict(meta)
        document = {
            "version": VERSION,
            "source": self._source(),
            "seals": self._seals(summary),
            "summary": summary,
        }
        text = json.dumps(document)
        (self._out / _META).write_text(f"{text}\n{seal(text)}", "utf-8")

    def _source(self) -> str:
        return seal(self._log, self._data, self._program)

    def _seals(self, summary: dict[str, Any]) -> dict[str, str]:
        is_cut = bool(summary["sections"])
        fields = [field for field in FILES if not (is_cut and field in _SECTIONED)]
        names = [*(FILES[field][0] for field in fields), *_CHECKPOINTS]
        return {
            name: seal_of_file(self._out / name)
            for name in (*names, *(SECTION_FILES if is_cut else ()))
        }
