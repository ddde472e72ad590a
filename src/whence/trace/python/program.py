"""What is known about a Python program without running it?

A program consists of the modules that a process loaded.  The recorder wrote a description of each.
Here they are joined: operations, blocks and functions are numbered in the whole program.  Each
block is cut into *stretches*: a logged operation with the silent ones before it.  So one event of
the log is one instance of a stretch.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from whence.frontend.trace_files import reading
from whence.program.graph import controlling_edges, post_dominators
from whence.program.ids import Block, Op, Stretch
from whence.trace.columns import BRANCH, CALL, LINK, NONE, PLAIN, RETURN, Code
from whence.trace.python.descriptions import LEFT_OUT, ModuleDescription, read_description

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


class Uses(Sequence[tuple[Use, ...]]):
    """The uses of each operation.  A tuple is made when it is asked for."""

    def __init__(self) -> None:
        self.starts = array("i", [0])  # of each operation in `flat`, and the end
        self.flat = array("i")  # negative: a constant, or LEFT_OUT

    def add(self, module: ModuleDescription, base: int) -> None:
        """Append the operations of a module, of which the first gets the number `base`."""
        starts = np.cumsum(np.array(module.use_counts, np.int64)) + len(self.flat)
        self.starts.frombytes(starts.astype(np.int32).tobytes())
        uses = np.array(module.uses, np.int32)
        uses[uses >= 0] += base
        self.flat.frombytes(uses.tobytes())

    @overload
    def __getitem__(self, op: int) -> tuple[Use, ...]: ...
    @overload
    def __getitem__(self, op: slice) -> Sequence[tuple[Use, ...]]: ...
    def __getitem__(self, op: Any) -> Any:
        if isinstance(op, slice):
            return [self[at] for at in range(*op.indices(len(self)))]
        found = tuple(self.flat[self.starts[op] : self.starts[op + 1]])
        if LEFT_OUT in found:
            return tuple(None if use == LEFT_OUT else use for use in found)
        return found

    def __len__(self) -> int:
        return len(self.starts) - 1


class PythonProgram:
    """The modules of one process, as one program."""

    def __init__(self, loaded: Iterable[Loaded], descriptions: Path) -> None:
        self.modules: list[PythonModule] = []
        self.functions: list[PythonFunction] = []
        # For each operation:
        self.opcode: list[str] = []
        self.uses = Uses()
        self.row = array("i")
        self.col = array("i")
        self.name: list[str | None] = []
        self.extra: list[Json] = []  # its meaning depends on the opcode
        self.text: list[str | None] = []
        self.logged: list[bool] = []
        # For each block:
        self.following: list[tuple[Block, ...]] = []
        self.block_function = array("i")
        self._firsts, self._sizes = array("i"), array("i")  # first operation, number of operations
        self._controlling: dict[int, list[tuple[Block, ...]]] = {}  # by function
        digest = blake2b(digest_size=16)
        with _without_collector():
            for module in loaded:
                path = descriptions / f"{module.digest}.json"
                with reading(path):
                    content = path.read_bytes()
                    digest.update(content)
                    self._add(module, read_description(content))
            with reading(descriptions):
                self._cut()
        self.content_hash = digest.hexdigest()

    def _add(self, loaded: Loaded, found: ModuleDescription) -> None:
        """Append a module with the description `found`."""
        base, first, block = loaded.base, len(self.functions), len(self._sizes)
        if base != len(self.opcode):
            raise ValueError(f"module {loaded.name} begins at op {base}, not {len(self.opcode)}")
        number = len(self.modules)
        self.modules.append(PythonModule(loaded.name, loaded.file, base, found.constants))
        for function in found.functions:
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
        self._firsts.extend(base + first_op for first_op in found.block_first)
        self._sizes += found.block_ops
        start = 0
        for count in found.target_counts:
            targets = found.targets[start : start + count]
            self.following.append(tuple(Block(block + to) for to in targets))
            start += count
        owners = [0] * len(found.block_ops)
        for at, function in enumerate(found.functions):
            for k in range(
                function["first_block"], function["first_block"] + function["n_blocks"]
            ):  # fmt: skip
                owners[k] = first + at
        self.block_function.extend(owners)
        self.opcode += found.opcode
        self.row += found.row
        self.col += found.col
        self.name += found.name
        self.text += found.text
        self.logged += found.logged
        self.uses.add(found, base)
        shared: dict[int, int] = {}  # one object for each number
        for opcode, extra in zip(found.opcode, found.extra, strict=True):
            if opcode in VARIABLES or opcode in BODIES:
                extra = None if extra is None else shared.setdefault(extra, extra + first)
            elif opcode == "caught":
                extra = None if extra is None else extra + base
            self.extra.append(extra)

    # --- stretches -----------------------------------------------------------------------------

    def _cut(self) -> None:
        """Cut the blocks into stretches.

        A stretch begins with a block, after a logged operation, and with a `try`: that one also
        runs if an operation before it raised.
        """
        firsts, sizes = (np.array(part, np.int64) for part in (self._firsts, self._sizes))
        count = len(self.opcode)
        if sizes.sum() != count or (firsts != np.cumsum(sizes) - sizes).any():
            raise ValueError("the blocks of a module do not follow each other")
        begins = np.fromiter(map("try".__eq__, self.opcode), bool, count)
        begins[1:] |= np.array(self.logged[:-1], bool)
        begins[firsts[sizes > 0]] = True
        starts = np.flatnonzero(begins)
        ends = np.append(starts, count)[1:]
        of_block = np.searchsorted(starts, firsts)
        of_stretch = np.repeat(np.arange(len(sizes)), sizes)[starts]
        self.stretch_first: Sequence[Op] = _ints(starts)
        self.stretch_ops: Sequence[int] = _ints(ends - starts)  # the number of operations
        self.stretch_block: Sequence[Block] = _ints(of_stretch)
        self.block_first_stretch: Sequence[Stretch] = _ints(of_block)
        self.block_stretches: Sequence[int] = _ints(np.diff(np.append(of_block, len(starts))))
        self.op_stretch: Sequence[Stretch] = _ints(np.cumsum(begins) - 1)
        self._last_ops: Sequence[Op] = _ints(ends - 1)

    def block_ops(self, block: int) -> Sequence[Op]:
        """Return the operations of a block."""
        return _ops(self._firsts[block], self._sizes[block])

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
        last = self._firsts[block] + self._sizes[block] - 1
        return (
            self._sizes[block] > 0 and self.opcode[last] == "raise" and self.name[last] == "assert"
        )

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
    def op_function(self) -> Sequence[int]:
        found: Sequence[int] = _ints(np.repeat(np.array(self.block_function), self._sizes))
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
        flat = np.array(self.uses.flat, np.int64)
        links = list(map(LOADS.__contains__, self.opcode))
        before = np.zeros(len(links) + 1, np.int64)
        np.cumsum(links, out=before[1:])
        firsts = np.array(self.stretch_first, np.int64)
        ends = firsts + np.array(self.stretch_ops, np.int64)
        functions = self.functions
        return Code(
            use_start=np.array(self.uses.starts, np.uint32),
            use_def=np.where(flat < 0, NONE, flat).astype(np.uint32),
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


def _ops(first: int, count: int) -> Sequence[Op]:
    ops: Any = range(first, first + count)
    return ops  # type: ignore[no-any-return]  # operations are ints


def _ints(column: npt.NDArray[np.int64]) -> Any:
    """Return a column as a sequence of Python's ints that takes four bytes for each."""
    buffer: Any = np.ascontiguousarray(column, np.int32)
    return memoryview(buffer)


def _u32(column: Sequence[int]) -> Any:
    return np.array(column, np.uint32)
