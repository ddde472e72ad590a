"""Which events did a thread of a Python program log?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from whence.frontend.python.logged import END, MODULE, TYPE, Token, is_cut, read_log
from whence.trace.python.program import Loaded


class PythonType(NamedTuple):
    """A type of the program, as the recorder tells it."""

    module: str
    name: str  # qualified
    identity: int
    ancestors: tuple[int, ...]
    kind: str


@dataclass
class Events:
    """What one thread logged, in order."""

    ops: list[int] = field(default_factory=list)
    values: list[Token] = field(default_factory=list)
    modules: list[Loaded] = field(default_factory=list)
    types: dict[int, PythonType] = field(default_factory=dict)
    end: Token = None  # the exception that ended the program, if one did
    is_damaged: bool = False
    has_ended: bool = False


def read_events(path: Path, main: Path | None = None) -> Events:
    """The events of a log; modules and types of all threads are in that of the `main` one."""
    found = Events()
    for source in dict.fromkeys([main or path, path]):
        found.is_damaged |= is_cut(source)
        for op, value in read_log(source):
            if op < MODULE:  # numbers from there on are of records that are no ops
                if source == path:
                    found.ops.append(op)
                    found.values.append(value)
            elif op == MODULE:
                found.modules.append(Loaded(*value))
            elif op == TYPE:
                number, *rest = value
                found.types[number] = PythonType(*rest)
            elif op == END:
                found.end, found.has_ended = value, True
    return found
