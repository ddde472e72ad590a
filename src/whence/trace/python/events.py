"""Which events did a thread of a Python program log?"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from whence.frontend.python.logged import END, MODULE, TYPE, Token
from whence.trace.python.kernel import Kernel, Tokens
from whence.trace.python.program import Loaded


class PythonType(NamedTuple):
    """The record of the log about a type."""

    module: str
    name: str  # qualified
    identity: int  # the address of the type
    ancestors: tuple[int, ...]  # the identities of the types in its mro
    kind: str


class Events:
    """The log of one thread.  Its events stay in the kernel, which replays them."""

    def __init__(self, path: Path, main: Path | None = None) -> None:
        """Read a log.  The log of the `main` thread contains all modules and types."""
        self.kernel = Kernel()
        self.modules: list[Loaded] = []
        self.types: dict[int, PythonType] = {}  # by number in the log
        self.end: Token = None  # the exception that ended the program, if one did
        self.has_ended = False  # does the log contain the end of the program?
        self.is_damaged = False  # does the log end in the middle of a chunk?
        for source in dict.fromkeys([main or path, path]):
            self.is_damaged |= self.kernel.read(source, with_events=source == path)
        arrays = self.kernel.arrays()
        self.count = len(arrays["event_ops"])
        tokens = Tokens(arrays)
        records = zip(arrays["records"].tolist(), arrays["record_values"].tolist(), strict=True)
        for record, number in records:
            self._add(MODULE + record, tokens[number])

    def _add(self, record: int, value: Token) -> None:
        if record == MODULE:
            self.modules.append(Loaded(*value))
        elif record == TYPE:
            number, *rest = value
            self.types[number] = PythonType(*rest)
        elif record == END:
            self.end, self.has_ended = value, True
