"""Where in the source is an op, and how does the source write what it does?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property

import numpy as np

from whence.frontend.c.ir import Function, Instruction, Module
from whence.frontend.c.names import CNames
from whence.frontend.c.reader import read_module
from whence.frontend.c.tables import NONE, Description
from whence.program.source import Place, shown_path

Values = Callable[[str], int | None]  # returns the value that a register of the function held


class ModuleSource:
    """One module: its IR, read when needed, and its names."""

    def __init__(self, description: Description) -> None:
        self.description = description
        functions = description.arrays["functions"]
        self._starts = [int(first) for first in functions["first_op"]]
        self._registers: dict[str, dict[str, int]] = {}
        self._instructions: dict[str, list[Instruction]] = {}
        self._function_names = [description.names[int(name)] for name in functions["name"]]

    @property
    def description_function_names(self) -> list[str]:
        """Return the linker names of the recorded functions, in order."""
        return self._function_names

    @cached_property
    def module(self) -> Module:
        return read_module(self.description.text, lazily=True)

    @cached_property
    def names(self) -> CNames:
        return CNames(self.module)

    def function_of(self, op: int) -> str:
        """Return the linker name of the function that contains an op."""
        return self._function_names[bisect_right(self._starts, op) - 1]

    def function(self, op: int) -> Function:
        return self.module.functions[self.function_of(op)]

    def register(self, op: int, name: str) -> int | None:
        """Return the op that defines a register of the function that contains `op`."""
        function = self.function_of(op)
        if function not in self._registers:
            start = self._starts[bisect_right(self._starts, op) - 1]
            self._registers[function] = {
                i.result: start + number
                for number, i in enumerate(self._flat(function))
                if i.result
            }
        return self._registers[function].get(name)

    def instruction(self, op: int) -> Instruction:
        """Return the instruction of op number `op` of the module."""
        offset = op - self._starts[bisect_right(self._starts, op) - 1]
        return self._flat(self.function_of(op))[offset]

    def _flat(self, function: str) -> list[Instruction]:
        if function not in self._instructions:
            blocks = self.module.functions[function].blocks
            self._instructions[function] = [i for block in blocks for i in block.instructions]
        return self._instructions[function]

    def ops(self, function: str) -> range:
        """Return the ops of a function."""
        start = self._starts[self._function_names.index(function)]
        return range(start, start + len(self._flat(function)))

    def branches(self, function: str) -> list[int]:
        """Return the ops of a function that branch on a condition."""
        return [
            op
            for op in self.ops(function)
            if (found := self.instruction(op)).opcode == "br" and len(found.operands) > 1
        ]

    @cached_property
    def _used(self) -> frozenset[int]:
        return frozenset(np.unique(self.description.arrays["use_def"]).tolist())

    def is_used(self, op: int) -> bool:
        """Does another op use the result of this one?"""
        return op in self._used

    def place(self, op: int) -> Place | None:
        """Return the place of an op in the source; None if the compiler did not give it."""
        arrays = self.description.arrays
        line, file = int(arrays["op_row"][op]), int(arrays["op_file"][op])
        if not line or file == NONE:
            return None
        name = shown_path(self.description.names[file])
        column = int(arrays["op_column"][op])
        return Place(name, line, column, self.function_of(op))
