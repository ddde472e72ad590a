"""The program of one Python process: what can be asked of it without running it."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from whence.program.source import Place
from whence.trace.columns import NONE, U32, Code
from whence.trace.python.maydefine import analysed
from whence.trace.python.process import PythonProcess
from whence.trace.python.program import Loaded, PythonProgram
from whence.trace.recording import Branching, Comparable, Image, Sort
from whence.trace.relevance import Relevance

_ANY_NAME = frozenset({"call", "binary", "inplace", "unary", "compare"})


class PythonImage(Image):
    """The modules that a process loaded."""

    process: PythonProcess

    def __init__(
        self, process: PythonProcess, folder: Path, tree: Path, loaded: list[Loaded]
    ) -> None:
        super().__init__(process, folder)
        self.program = PythonProgram(loaded, folder / "modules")
        self._shown = [_shown(module.file, tree) for module in self.program.modules]
        self._digests = [module.digest for module in loaded]

    @property
    def shown_files(self) -> list[str]:
        """The path of each module as a user writes it."""
        return self._shown

    @property
    def key(self) -> str:
        return hashlib.sha256("\n".join(self._digests).encode()).hexdigest()[:32]

    @property
    def code(self) -> Code:
        return self.program.code

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
            found[start:end] = numbers[self._shown[function.module]]
        return found

    @cached_property
    def file_names(self) -> list[str]:
        return list(dict.fromkeys(self._shown))

    @cached_property
    def is_library(self) -> npt.NDArray[np.bool_]:
        """None is: outside of the tree only the test itself is recorded."""
        return np.zeros(len(self.program.functions), bool)

    def place(self, op: int) -> Place | None:
        row = self.program.row[op]
        if not row:
            return None
        function = self.program.functions[self.program.function_of(op)]
        return Place(self._shown[function.module], row, self.program.col[op] + 1, function.name)

    def sort(self, op: int) -> Sort:
        program = self.program
        opcode, callee = program.opcode[op], None
        if opcode == "call":
            looked = program.uses[op][0]
            is_op = looked is not None and looked >= 0
            callee = program.name[looked] or "" if is_op and looked is not None else ""
        # An operator that was exchanged is still the same place of the program.
        what = opcode if opcode in _ANY_NAME else f"{opcode} {program.name[op] or ''}"
        return Sort(what, callee, len(program.uses[op]))

    def compared_as(self, op: int) -> Comparable:
        return Comparable.PLAIN

    def is_plain_call(self, op: int) -> bool:
        return self.program.opcode[op] == "call"

    def branching(self, function: int) -> Branching:
        one = self.program.functions[function]
        blocks = range(one.first_block, one.first_block + one.n_blocks)
        following: dict[int, list[int]] = {
            block: list(self.program.following[block]) for block in blocks
        }
        return Branching(following, [])

    def _analysed(self) -> Relevance:
        return analysed(self.program)


def _shown(file: str, tree: Path) -> str:
    """A file as users write it: in the tree by its path there, else by its whole path."""
    for root in (tree, tree.resolve()):
        if Path(file).is_relative_to(root):
            return Path(file).relative_to(root).as_posix()
    return file
