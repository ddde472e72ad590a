"""What is known about the program of one Python process without looking at a run?"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from whence.frontend.recorded_run import MODULES
from whence.frontend.trace_files import reading
from whence.program.ids import Block
from whence.program.source import Place
from whence.trace.columns import NONE, U32, Code
from whence.trace.python.maydefine import analysed
from whence.trace.python.process import PythonProcess
from whence.trace.python.program import Loaded, PythonProgram, unmarked_name
from whence.trace.python.program_tables import ProgramTables
from whence.trace.recording import Branching, Comparable, Image, Sort
from whence.trace.relevance import Relevance

# Operations that stay the same operation if their operator or their callee is exchanged.
_ANY_NAME = frozenset({"call", "binary", "inplace", "unary", "compare"})


class PythonImage(Image):
    """The modules that a process loaded."""

    process: PythonProcess

    def __init__(
        self, process: PythonProcess, folder: Path, tree: Path, loaded: list[Loaded]
    ) -> None:
        super().__init__(process, folder)
        self.program = PythonProgram(loaded, folder / MODULES)
        # For each module: its file as users write it.
        self.module_files = [_name_in_tree(module.file, tree) for module in self.program.modules]
        self._digests = [module.digest for module in loaded]

    @property
    def key(self) -> str:
        return hashlib.sha256("\n".join(self._digests).encode()).hexdigest()[:32]

    @property
    def identity(self) -> str:
        return self.program.content_hash

    @property
    def code(self) -> Code:
        return self.program.code

    @cached_property
    def tables(self) -> ProgramTables:
        """The program as replay.c reads it."""
        with reading(self.folder / MODULES):
            return ProgramTables(self.program)

    @cached_property
    def function_names(self) -> list[str]:
        return [function.name for function in self.program.functions]

    @cached_property
    def rows(self) -> U32:
        return np.array(self.program.row, np.uint32)

    @cached_property
    def files(self) -> U32:
        numbers = {name: number for number, name in enumerate(self.file_names)}
        found = np.full(len(self.program.opcode), NONE, np.uint32)
        for function in self.program.functions:
            start, end = function.first_op, function.first_op + function.n_ops
            found[start:end] = numbers[self.module_files[function.module]]
        return found

    @cached_property
    def file_names(self) -> list[str]:
        return list(dict.fromkeys(self.module_files))

    @cached_property
    def is_library(self) -> npt.NDArray[np.bool_]:
        """For each function: False.  Outside the tree only the test is recorded."""
        return np.zeros(len(self.program.functions), bool)

    def place(self, op: int) -> Place | None:
        row = self.program.row[op]
        if not row:
            return None
        function = self.program.functions[self.program.function_of(op)]
        return Place(
            self.module_files[function.module], row, self.program.col[op] + 1, function.name
        )

    def sort(self, op: int) -> Sort:
        program = self.program
        opcode, callee = program.opcode[op], None
        if opcode == "call":
            use = program.uses[op][0]
            callee = "" if use is None or use < 0 else program.name[use] or ""
        what = opcode if opcode in _ANY_NAME else f"{opcode} {unmarked_name(program.name[op])}"
        return Sort(what, callee, 0 if callee else len(program.uses[op]))

    def compared_as(self, op: int) -> Comparable:
        return Comparable.PLAIN

    def is_plain_call(self, op: int) -> bool:
        return self.program.opcode[op] == "call"

    def branching(self, function: int) -> Branching:
        first = self.program.functions[function].first_block
        blocks = range(first, first + self.program.functions[function].n_blocks)
        following = {Block(block): [*map(Block, self.program.following[block])] for block in blocks}
        return Branching(following, [])

    def _analysed(self) -> Relevance:
        return analysed(self.program)


def _name_in_tree(file: str, tree: Path) -> str:
    """Return a file as users write it: relative to the tree if it is in the tree."""
    for root in (tree, tree.resolve()):
        if Path(file).is_relative_to(root):
            return Path(file).relative_to(root).as_posix()
    return file
