"""Which events did a thread of a Python program log?"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from whence.frontend.python.logged import END, MODULE, TYPE, Token
from whence.trace.python.kernel import DamagedLog, Kernel, Tokens
from whence.trace.python.program import Loaded

# Kinds of types by their number in replay.c; 0 stands for an unknown type.
TYPE_KINDS = (
    "", "object", "list", "tuple", "set", "dict", "str", "int", "float", "bytes", "enum",
    "function", "builtin", "class", "module", "method", "exception", "known",
)  # fmt: skip
_MAX_TYPES = 2**24  # more types than any program has


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
            try:
                self._add(MODULE + record, tokens[number])
            except (TypeError, ValueError):
                raise DamagedLog(path) from None

    def _add(self, record: int, value: Token) -> None:
        if record == MODULE:
            self.modules.append(Loaded(*value))
        elif record == TYPE:
            number, *rest = value
            made = PythonType(*rest)
            addresses = (made.identity, *made.ancestors)
            if not 0 <= number < _MAX_TYPES or made.kind not in TYPE_KINDS[1:]:
                raise ValueError(f"type {number} is a {made.kind}")
            if not all(type(one) is int and 0 <= one < 2**63 for one in addresses):
                raise ValueError(f"type {number} has no address")
            self.types[number] = made
        elif record == END:
            self.end, self.has_ended = value, True
