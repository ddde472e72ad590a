"""Which Python processes were recorded, and which logs did each write?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from whence.frontend.trace_files import reading
from whence.trace.python.events import Events

PROCESS = "process.json"  # the file that describes a process


@dataclass(frozen=True)
class PythonLog:
    """The log of one thread of a Python process."""

    path: Path
    number: int
    kind: str  # "main" or "thread"

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @cached_property
    def events(self) -> Events:
        return Events(self.path, self.path.with_name("0.log"))

    @property
    def is_crashed(self) -> bool:
        return self.events.end is not None

    def __hash__(self) -> int:
        return hash(self.path)


@dataclass(frozen=True)
class PythonProcess:
    """One recorded Python process."""

    folder: Path
    document: dict[str, Any]

    @property
    def pid(self) -> int:
        return int(self.document["pid"])

    @property
    def arguments(self) -> list[str]:
        return [str(argument) for argument in self.document["argv"]]

    @property
    def standard_targets(self) -> tuple[str, ...]:
        """Return nothing: the log has no text of the output, which could be compared."""
        return ()

    @property
    def is_full(self) -> bool:
        """Did the log reach its maximal size, so that the rest was not recorded?"""
        return bool(self.document.get("full"))

    @cached_property
    def logs(self) -> list[PythonLog]:
        """The logs of its threads, the main thread's first."""
        files = sorted(self.folder.glob("*.log"), key=lambda path: int(path.stem))
        return [
            PythonLog(path, int(path.stem), "thread" if int(path.stem) else "main")
            for path in files
        ]

    @property
    def has_main_log(self) -> bool:
        return any(log.kind == "main" for log in self.logs)

    def __hash__(self) -> int:
        return hash(self.folder)


def python_processes(folder: Path) -> list[PythonProcess]:
    """Return the recorded processes in the order in which they started."""
    found = []
    for path in folder.glob(f"*/{PROCESS}"):
        with reading(path):
            process = PythonProcess(path.parent, json.loads(path.read_text("utf-8")))
            if not isinstance(process.arguments, list) or process.pid < 0:
                raise ValueError("it describes no process")
            found.append((float(process.document.get("started", 0)), process))
    return [process for _, process in sorted(found, key=lambda one: one[0])]
