"""Which events did a thread of a Python program log?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from whence.frontend.python.logged import (
    END,
    MODULE,
    STARTED,
    STARTS,
    THREAD,
    TYPE,
    Token,
    is_cut,
    read_log,
)
from whence.program.ids import Op
from whence.trace.python.events import PythonType
from whence.trace.python.program import Loaded


@dataclass
class Events:
    """The log of one thread."""

    # For each event, in order:
    ops: list[Op] = field(default_factory=list)
    values: list[Token] = field(default_factory=list)
    # Records of threads: the number of events before each, its kind and its value.
    switches: list[tuple[int, int, int]] = field(default_factory=list)
    # For the process:
    modules: list[Loaded] = field(default_factory=list)
    types: dict[int, PythonType] = field(default_factory=dict)  # by number in the log
    end: Token = None  # the exception that ended the program, if one did
    is_damaged: bool = False  # does the log end in the middle of a chunk?
    has_ended: bool = False  # does the log contain the end of the program?


def read_events(path: Path, main: Path | None = None) -> Events:
    """Return the events of a log.  The log of the `main` thread contains all modules and types."""
    found = Events()
    for source in dict.fromkeys([main or path, path]):
        found.is_damaged |= is_cut(source)
        for op, value in read_log(source):
            if op < MODULE:  # larger numbers denote records that are not events
                if source == path:
                    found.ops.append(Op(op))
                    found.values.append(value)
            elif op in (THREAD, STARTS, STARTED):
                if source == path:
                    found.switches.append((len(found.ops), op, value))
            elif op == MODULE:
                found.modules.append(Loaded(*value))
            elif op == TYPE:
                number, *rest = value
                found.types[number] = PythonType(*rest)
            elif op == END:
                found.end, found.has_ended = value, True
    return found
