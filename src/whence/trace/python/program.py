"""What is known of a Python program without running it?

The modules that a process loaded, each with its description as the recorder wrote it, joined to
one numbering of ops, blocks and functions.  Ops are cut into *stretches*: a logged op with the
silent ones before it, so that one event of the log is one instance of a stretch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whence.program.graph import controlling_edges, post_dominators
from whence.trace.columns import BRANCH, CALL, LINK, NONE, PLAIN, RETURN, Code

BRANCHES = frozenset({"branch", "either", "next", "try", "match"})
LOADS = frozenset({"load", "attr", "item", "import_from"})
VARIABLES = frozenset({"load", "store", "delete", "param"})
BODIES = frozenset({"def", "class", "lambda", "genexpr"})
Use = int | None  # an op, -1 - a constant of its module, or nothing
Json = Any


class Loaded(NamedTuple):
    """That a process loaded a module: what the log says of it."""

    base: int
    name: str
    file: str
    digest: str
    ops: int


@dataclass(frozen=True, slots=True)
class PythonFunction:
    name: str
    kind: str
    row: int
    last: int
    params: tuple[str, ...]
    first_op: int
    n_ops: int
    first_block: int
    n_blocks: int
    parent: int  # the function around it; -1: none
    module: int


@dataclass(frozen=True, slots=True)
class PythonModule:
    name: str
    file: str
    base: int
    first_function: int
    constants: tuple[object, ...]


class PythonProgram:
    """The modules of one process, as one program."""

    def __init__(self, loaded: Iterable[Loaded], descriptions: Path) -> None:
        self.modules: list[PythonModule] = []
        self.functions: list[PythonFunction] = []
        self.opcode: list[str] = []
        self.uses: list[tuple[Use, ...]] = []
        self.row: list[int] = []
        self.end: list[int] = []
        self.col: list[int] = []
        self.name: list[str | None] = []
        self.extra: list[Json] = []
        self.text: list[str | None] = []
        self.logged: list[bool] = []
        self.following: list[tuple[int, ...]] = []  # of each block
        self._blocks: list[tuple[int, int]] = []  # first op, number of ops
        self.block_function: list[int] = []
        for module in loaded:
            path = descriptions / f"{module.digest}.json"
            self._add(module, json.loads(path.read_text("utf-8")))
        self._cut()

    def _add(self, loaded: Loaded, found: Json) -> None:
        base, first, block = loaded.base, len(self.functions), len(self._blocks)
        if base != len(self.opcode):
            raise ValueError(f"module {loaded.name} begins at op {base}, not {len(self.opcode)}")
        constants = tuple(constant_value(one) for one in found["constants"])
        number = len(self.modules)
        self.modules.append(PythonModule(loaded.name, loaded.file, base, first, constants))
        for one in found["functions"]:
            parent = one["parent"]
            self.functions.append(
                PythonFunction(
                    one["name"],
                    one["kind"],
                    one["row"],
                    one["last"],
                    tuple(one["params"]),
                    base + one["first_op"],
                    one["n_ops"],
                    block + one["first_block"],
                    one["n_blocks"],
                    first + parent if parent is not None and parent >= 0 else -1,
                    number,
                )
            )
        for first_op, count, targets in found["blocks"]:
            self._blocks.append((base + first_op, count))
            self.following.append(tuple(block + to for to in targets if to >= 0))
        owners = [0] * len(found["blocks"])
        for at, one in enumerate(found["functions"]):
            for k in range(one["first_block"], one["first_block"] + one["n_blocks"]):
                owners[k] = first + at
        self.block_function += owners
        ops = found["ops"]
        self.opcode += ops["opcode"]
        self.row += ops["row"]
        self.end += ops["end"]
        self.col += ops["col"]
        self.name += ops["name"]
        self.text += ops["text"]
        self.logged += map(bool, ops["logged"])
        self.uses += (
            tuple(use if use is None or use < 0 else use + base for use in uses)
            for uses in ops["uses"]
        )
        for opcode, extra in zip(ops["opcode"], ops["extra"], strict=True):
            if opcode in VARIABLES or opcode in BODIES:
                extra = None if extra is None else extra + first
            elif opcode == "caught":
                extra = None if extra is None else extra + base
            self.extra.append(extra)

    # --- stretches -----------------------------------------------------------------------------

    def _cut(self) -> None:
        self.stretch_first: list[int] = []
        self.stretch_ops: list[int] = []
        self.stretch_block: list[int] = []
        self.block_first_stretch: list[int] = []
        self.block_stretches: list[int] = []
        self.op_stretch = [0] * len(self.opcode)
        for block, (first, count) in enumerate(self._blocks):
            self.block_first_stretch.append(len(self.stretch_first))
            for start, end in self._pieces(first, first + count):
                for op in range(start, end):
                    self.op_stretch[op] = len(self.stretch_first)
                self.stretch_first.append(start)
                self.stretch_ops.append(end - start)
                self.stretch_block.append(block)
            self.block_stretches.append(len(self.stretch_first) - self.block_first_stretch[block])

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        for op in range(start, end):
            if self.opcode[op] == "try" and op > start:
                yield start, op  # it also runs where what is before it did not
                start = op
            if self.logged[op]:
                yield start, op + 1
                start = op + 1
        if start < end:
            yield start, end

    def block_ops(self, block: int) -> range:
        first, count = self._blocks[block]
        return range(first, first + count)

    def last_op(self, stretch: int) -> int:
        return self.stretch_first[stretch] + self.stretch_ops[stretch] - 1

    def is_silent(self, stretch: int) -> bool:
        return not self.logged[self.last_op(stretch)]

    # --- control -------------------------------------------------------------------------------

    @cached_property
    def deciders(self) -> list[tuple[int, ...]]:
        """For each block, the blocks with branches that decide that it runs."""
        found: list[tuple[int, ...]] = [()] * len(self._blocks)
        for function in self.functions:
            first, count = function.first_block, function.n_blocks
            following = [[to - first for to in self.following[first + k]] for k in range(count)]
            failed = [k for k in range(count) if self._fails(first + k)]
            edges = controlling_edges(following, post_dominators(following, failed))
            for at, deciding in enumerate(edges):
                found[first + at] = tuple(sorted({first + branch for branch, _ in deciding}))
        return found

    def _fails(self, block: int) -> bool:
        """Does it end with a failed assertion, on which what comes after does not depend?"""
        first, count = self._blocks[block]
        last = first + count - 1
        return count > 0 and self.opcode[last] == "raise" and self.name[last] == "assert"

    @cached_property
    def handlers(self) -> dict[int, int]:
        """The first line of the handlers of each try."""
        found: dict[int, int] = {}
        for op, opcode in enumerate(self.opcode):
            if opcode == "caught" and self.extra[op] is not None:
                found.setdefault(self.extra[op], self.row[op])
        return found

    @cached_property
    def elements(self) -> dict[int, list[int]]:
        """The ops of each function that give the elements of its comprehensions."""
        found: dict[int, list[int]] = {}
        for op, opcode in enumerate(self.opcode):
            if opcode == "comp":
                uses = [use for use in self.uses[op] if use is not None and use >= 0]
                found.setdefault(self.op_function[op], []).extend(uses)
        return found

    # --- for the columns -----------------------------------------------------------------------

    def function_of(self, op: int) -> int:
        return self.op_function[op]

    @cached_property
    def op_function(self) -> list[int]:
        return [self.block_function[self.stretch_block[stretch]] for stretch in self.op_stretch]

    @cached_property
    def is_in_generator(self) -> list[bool]:
        """For each op: is it in a generator expression?"""
        return [self.functions[function].kind == "genexpr" for function in self.op_function]

    def constant(self, op: int, use: int) -> object:
        module = self.modules[self.functions[self.function_of(op)].module]
        return module.constants[-1 - use]

    @cached_property
    def kind(self) -> list[int]:
        return [_kind(opcode) for opcode in self.opcode]

    @cached_property
    def code(self) -> Code:
        counts = [len(uses) for uses in self.uses]
        start = np.zeros(len(counts) + 1, np.uint32)
        np.cumsum(counts, out=start[1:])
        flat = [NONE if use is None or use < 0 else use for uses in self.uses for use in uses]
        links = [opcode in LOADS for opcode in self.opcode]
        before = np.zeros(len(links) + 1, np.int64)
        np.cumsum(links, out=before[1:])
        firsts = np.array(self.stretch_first, np.int64)
        ends = firsts + np.array(self.stretch_ops, np.int64)
        functions = self.functions
        return Code(
            use_start=start,
            use_def=np.array(flat, np.uint32),
            use_block=np.full(len(flat), NONE, np.uint32),
            kind=np.array(self.kind, np.uint8),
            flags=np.array(links, np.uint8) * np.uint8(LINK),
            stretch_first_op=_u32(self.stretch_first),
            stretch_ops=_u32(self.stretch_ops),
            stretch_links=(before[ends] - before[firsts]).astype(np.uint32),
            stretch_block=_u32(self.stretch_block),
            block_first_stretch=_u32(self.block_first_stretch),
            block_stretches=_u32(self.block_stretches),
            block_function=_u32(self.block_function),
            function_first_block=_u32([one.first_block for one in functions]),
            function_blocks=_u32([one.n_blocks for one in functions]),
            function_first_op=_u32([one.first_op for one in functions]),
            function_ops=_u32([one.n_ops for one in functions]),
            names=tuple(one.name for one in functions),
        )


def _kind(opcode: str) -> int:
    if opcode in BRANCHES:
        return BRANCH
    if opcode == "return":
        return RETURN
    return CALL if opcode == "call" else PLAIN


def constant_value(found: Json) -> object:
    """A constant as the description writes it."""
    if not isinstance(found, dict):
        return found
    ((kind, value),) = found.items()
    if kind == "t":
        return Display("tuple", tuple(map(constant_value, value)))
    if kind == "b":
        return bytes.fromhex(value)
    if kind == "f":
        return float(value)
    return int(value) if kind == "i" else value if kind == "s" else Other(value)


@dataclass(frozen=True, slots=True)
class Display:
    """A container of constants, as the source has it."""

    kind: str
    items: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """A constant that is no plain value, such as an ellipsis, by its text."""

    text: str


def _u32(found: Sequence[int]) -> Any:
    return np.array(found, np.uint32)
