"""What does the recorder's description of a module contain?

The runs of one command load mostly the same modules, so a description is read once for all of
them.  It is kept in a compact form: equal texts are one object, and numbers are in arrays.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any

Json = Any  # a part of a description
LEFT_OUT = -(1 << 31)  # stands in a flat list of uses for one that is left out
_MAX_OPS = 3_000_000  # limit on the operations of all descriptions that are kept; about 0.4 GB


@dataclass(frozen=True, slots=True)
class Display:
    """A container of constants in the source."""

    kind: str  # "list", "tuple", "set" or "dict"
    items: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class OtherConstant:
    """A constant that is not a plain value, such as an ellipsis."""

    text: str


@dataclass(frozen=True, slots=True)
class ModuleDescription:
    """What the recorder wrote about a module.  Numbers of operations count from its first one."""

    constants: tuple[object, ...]
    functions: Sequence[Json]
    # For each block:
    block_first: array[int]  # its first operation
    block_ops: array[int]  # the number of its operations
    target_counts: array[int]  # the number of blocks that may follow it
    targets: array[int]  # these blocks, of all blocks
    # For each operation:
    opcode: list[str]
    row: array[int]
    col: array[int]
    name: list[str | None]
    text: list[str | None]
    logged: list[bool]
    extra: list[Json]
    use_counts: array[int]
    uses: array[int]  # of all operations; negative: -1 - index of a constant, or LEFT_OUT


class _Kept:
    """The descriptions that were used last, by a hash of their text."""

    def __init__(self) -> None:
        self._found: OrderedDict[bytes, ModuleDescription] = OrderedDict()
        self._ops = 0

    def get(self, text: bytes) -> ModuleDescription:
        key = blake2b(text, digest_size=32).digest()
        found = self._found.pop(key, None)
        if found is None:
            found = _read(text)
            self._ops += len(found.opcode)
        self._found[key] = found
        while self._ops > _MAX_OPS and len(self._found) > 1:
            _, dropped = self._found.popitem(last=False)
            self._ops -= len(dropped.opcode)
        return found


_kept = _Kept()


def read_description(text: bytes) -> ModuleDescription:
    """Return the description that the text of a file of a trace contains."""
    return _kept.get(text)


def _read(text: bytes) -> ModuleDescription:
    found = json.loads(text)
    ops = found["ops"]
    uses, blocks = ops["uses"], found["blocks"]
    targets = [[to for to in each if to >= 0] for _, _, each in blocks]
    return ModuleDescription(
        tuple(map(decode_constant, found["constants"])),
        found["functions"],
        block_first=array("i", (first for first, _, _ in blocks)),
        block_ops=array("i", (count for _, count, _ in blocks)),
        target_counts=array("i", map(len, targets)),
        targets=array("i", chain.from_iterable(targets)),
        opcode=[*map(sys.intern, ops["opcode"])],
        row=array("i", ops["row"]),
        col=array("i", ops["col"]),
        name=_shared(ops["name"]),
        text=_shared(ops["text"]),
        logged=[*map(bool, ops["logged"])],
        extra=ops["extra"],
        use_counts=array("i", map(len, uses)),
        uses=array("i", (LEFT_OUT if use is None else use for use in chain.from_iterable(uses))),
    )


def _shared(texts: Iterable[str | None]) -> list[str | None]:
    """Return the texts, of which equal ones are one object."""
    return [None if text is None else sys.intern(text) for text in texts]


def decode_constant(found: Json) -> object:
    """Return a constant from its form in the description."""
    if not isinstance(found, dict):
        return found
    ((kind, value),) = found.items()
    if kind == "t":
        return Display("tuple", tuple(map(decode_constant, value)))
    if kind == "b":
        return bytes.fromhex(value)
    if kind == "f":
        return float(value)
    return int(value) if kind == "i" else value if kind == "s" else OtherConstant(value)
