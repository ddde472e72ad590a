"""What is known about a Python program without running it?

A program consists of the modules that a process loaded.  The recorder wrote a description of each.
Here they are joined: operations, blocks and functions are numbered in the whole program.  Each
block is cut into *stretches*: a logged operation with the silent ones before it.  So one event of
the log is one instance of a stretch.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whence.program.graph import controlling_edges, post_dominators
from whence.program.ids import Block, Op, Stretch
from whence.trace.columns import BRANCH, CALL, LINK, NONE, PLAIN, RETURN, Code

BRANCHES = frozenset({"branch", "either", "next", "try", "match"})
LOADS = frozenset({"load", "attr", "item", "import_from"})
VARIABLES = frozenset({"load", "store", "delete", "param"})  # operations on variables
BODIES = frozenset({"def", "class", "lambda", "genexpr"})  # operations whose extra is a function
Use = int | None  # an operation, -1 - index of a constant of its module, or None if left out
Json = Any  # a part of a module's description


class Loaded(NamedTuple):
    """The record of the log that a process loaded a module."""

    base: int  # the number of its first operation
    name: str
    file: str
    digest: str  # names the file of its description
    ops: int  # the number of its operations


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function, class body or module."""

    name: str  # qualified
    kind: str  # "function", "generator", "coroutine", "lambda", "genexpr", "class" or "module"
    row: int  # its first line
    last: int  # its last line
    params: tuple[str, ...]
    first_op: Op
    n_ops: int
    first_block: Block
    n_blocks: int
    parent: int  # the function around it; -1: none
    module: int  # its index in `PythonProgram.modules`


@dataclass(frozen=True, slots=True)
class PythonModule:
    """A module that the process loaded."""

    name: str
    file: str
    base: int  # the number of its first operation
    constants: tuple[object, ...]


def unmarked_name(name: str | None) -> str:
    """Return a variable's name without the marks by which variables of one name are told apart."""
    return (name or "").rstrip("'")


class PythonProgram:
    """The modules of one process, as one program."""

    def __init__(self, loaded: Iterable[Loaded], descriptions: Path) -> None:
        self.modules: list[PythonModule] = []
        self.functions: list[PythonFunction] = []
        # For each operation:
        self.opcode: list[str] = []
        self.uses: list[tuple[Use, ...]] = []
        self.row: list[int] = []
        self.col: list[int] = []
        self.name: list[str | None] = []
        self.extra: list[Json] = []  # its meaning depends on the opcode
        self.text: list[str | None] = []
        self.logged: list[bool] = []
        # For each block:
        self.following: list[tuple[Block, ...]] = []
        self.block_function: list[int] = []
        self._blocks: list[tuple[int, int]] = []  # first operation, number of operations
        self._controlling: dict[int, list[tuple[Block, ...]]] = {}  # by function
        with _without_collector():
            for module in loaded:
                path = descriptions / f"{module.digest}.json"
                self._add(module, json.loads(path.read_text("utf-8")))
            self._cut()

    def _add(self, loaded: Loaded, found: Json) -> None:
        """Append a module with the description `found`."""
        base, first, block = loaded.base, len(self.functions), len(self._blocks)
        if base != len(self.opcode):
            raise ValueError(f"module {loaded.name} begins at op {base}, not {len(self.opcode)}")
        constants = tuple(map(decode_constant, found["constants"]))
        number = len(self.modules)
        self.modules.append(PythonModule(loaded.name, loaded.file, base, constants))
        for function in found["functions"]:
            parent = function["parent"]
            self.functions.append(
                PythonFunction(
                    function["name"],
                    function["kind"],
                    function["row"],
                    function["last"],
                    tuple(function["params"]),
                    Op(base + function["first_op"]),
                    function["n_ops"],
                    Block(block + function["first_block"]),
                    function["n_blocks"],
                    first + parent if parent is not None and parent >= 0 else -1,
                    number,
                )
            )
        for first_op, count, targets in found["blocks"]:
            self._blocks.append((base + first_op, count))
            self.following.append(tuple(Block(block + to) for to in targets if to >= 0))
        owners = [0] * len(found["blocks"])
        for at, function in enumerate(found["functions"]):
            for k in range(
                function["first_block"], function["first_block"] + function["n_blocks"]
            ):  # fmt: skip
                owners[k] = first + at
        self.block_function += owners
        ops = found["ops"]
        self.opcode += ops["opcode"]
        self.row += ops["row"]
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
        """Cut the blocks into stretches.

        A stretch begins with a block, after a logged operation, and with a `try`: that one also
        runs if an operation before it raised.
        """
        blocks = np.array(self._blocks, np.int64).reshape(-1, 2)
        firsts, count = blocks[:, 0], len(self.opcode)
        if blocks[:, 1].sum() != count or (firsts != np.cumsum(blocks[:, 1]) - blocks[:, 1]).any():
            raise ValueError("the blocks of a module do not follow each other")
        begins = np.fromiter(map("try".__eq__, self.opcode), bool, count)
        begins[1:] |= np.array(self.logged[:-1], bool)
        begins[firsts[blocks[:, 1] > 0]] = True
        starts = np.flatnonzero(begins)
        ends = np.append(starts, count)[1:]
        of_block = np.searchsorted(starts, firsts)
        of_stretch = np.repeat(np.arange(len(blocks)), blocks[:, 1])[starts]
        self.stretch_first: list[Op] = [*map(Op, starts.tolist())]
        self.stretch_ops: list[int] = (ends - starts).tolist()  # the number of operations
        self.stretch_block: list[Block] = of_stretch.tolist()
        self.block_first_stretch: list[Stretch] = of_block.tolist()
        self.block_stretches: list[int] = np.diff(np.append(of_block, len(starts))).tolist()
        self.op_stretch: list[Stretch] = (np.cumsum(begins) - 1).tolist()
        self._last_ops: list[Op] = (ends - 1).tolist()

    def block_ops(self, block: int) -> Sequence[Op]:
        """Return the operations of a block."""
        first, count = self._blocks[block]
        return _ops(first, count)

    def function_ops(self, function: int) -> Sequence[Op]:
        """Return the operations of a function."""
        return _ops(self.functions[function].first_op, self.functions[function].n_ops)

    def ops_of(self, stretch: int) -> Sequence[Op]:
        """Return the operations of a stretch."""
        return _ops(self.stretch_first[stretch], self.stretch_ops[stretch])

    def last_op(self, stretch: int) -> Op:
        """Return the last operation of a stretch; only that one can be logged."""
        return self._last_ops[stretch]

    def is_silent(self, stretch: int) -> bool:
        """Does the log contain no event for a stretch?"""
        return not self.logged[self._last_ops[stretch]]

    # --- control -------------------------------------------------------------------------------

    def controlling_blocks(self, function: int) -> list[tuple[Block, ...]]:
        """Return for each block of a function the blocks whose branches decide whether it runs."""
        if function not in self._controlling:
            first, count = self.functions[function].first_block, self.functions[function].n_blocks
            following = [[to - first for to in self.following[first + k]] for k in range(count)]
            failed = [k for k in range(count) if self._fails(first + k)]
            edges = controlling_edges(following, post_dominators(following, failed))
            self._controlling[function] = [
                tuple(sorted({Block(first + branch) for branch, _ in controlling}))
                for controlling in edges
            ]
        return self._controlling[function]

    def _fails(self, block: int) -> bool:
        """Does a block end with a failed assertion?

        The code after an assertion does not count as decided by it.
        """
        first, count = self._blocks[block]
        last = first + count - 1
        return count > 0 and self.opcode[last] == "raise" and self.name[last] == "assert"

    @cached_property
    def handlers(self) -> dict[int, int]:
        """The first line of the handlers of each try operation."""
        found: dict[int, int] = {}
        for op, opcode in enumerate(self.opcode):
            if opcode == "caught" and self.extra[op] is not None:
                found.setdefault(self.extra[op], self.row[op])
        return found

    @cached_property
    def elements(self) -> dict[int, list[int]]:
        """For each function, the operations whose values are elements of its comprehensions."""
        found: dict[int, list[int]] = {}
        for op, opcode in enumerate(self.opcode):
            if opcode == "comp":
                uses = [use for use in self.uses[op] if use is not None and use >= 0]
                found.setdefault(self.op_function[op], []).extend(uses)
        return found

    # --- columns -------------------------------------------------------------------------------

    def function_of(self, op: int) -> int:
        return self.op_function[op]

    @cached_property
    def op_function(self) -> list[int]:
        sizes = [count for _, count in self._blocks]
        found: list[int] = np.repeat(np.array(self.block_function, np.int64), sizes).tolist()
        return found

    @cached_property
    def is_in_generator(self) -> list[bool]:
        """For each operation: does it belong to a generator expression?"""
        return [self.functions[function].kind == "genexpr" for function in self.op_function]

    def constant(self, op: int, use: int) -> object:
        """Return the constant that a negative use of `op` stands for."""
        module = self.modules[self.functions[self.function_of(op)].module]
        return module.constants[-1 - use]

    @cached_property
    def kind(self) -> list[int]:
        kinds = {opcode: _kind(opcode) for opcode in {*self.opcode}}
        return [kinds[opcode] for opcode in self.opcode]

    @cached_property
    def code(self) -> Code:
        counts = [len(uses) for uses in self.uses]
        start = np.zeros(len(counts) + 1, np.uint32)
        np.cumsum(counts, out=start[1:])
        flat = [NONE if use is None or use < 0 else use for uses in self.uses for use in uses]
        links = list(map(LOADS.__contains__, self.opcode))
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
            function_first_block=_u32([function.first_block for function in functions]),
            function_blocks=_u32([function.n_blocks for function in functions]),
            function_first_op=_u32([function.first_op for function in functions]),
            function_ops=_u32([function.n_ops for function in functions]),
            names=tuple(function.name for function in functions),
        )


@contextmanager
def _without_collector() -> Iterator[None]:
    """Let no garbage be collected: millions of new lists, none in a cycle, would be searched."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _kind(opcode: str) -> int:
    if opcode in BRANCHES:
        return BRANCH
    if opcode == "return":
        return RETURN
    return CALL if opcode == "call" else PLAIN


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


@dataclass(frozen=True, slots=True)
class Display:
    """A container of constants in the source."""

    kind: str  # "list", "tuple", "set" or "dict"
    items: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class OtherConstant:
    """A constant that is not a plain value, such as an ellipsis."""

    text: str


def _ops(first: int, count: int) -> Sequence[Op]:
    ops: Any = range(first, first + count)
    return ops  # type: ignore[no-any-return]  # operations are ints


def _u32(column: Sequence[int]) -> Any:
    return np.array(column, np.uint32)
