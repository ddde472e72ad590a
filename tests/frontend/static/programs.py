"""Small C programs, and what the analyses say about their lines."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from whence.frontend.c.aliases import Aliases, Cell
from whence.frontend.c.ir import Function, Instruction, Local, Module
from whence.frontend.c.maydefine import MayDefine
from whence.frontend.c.reader import read_module

_CLANG = [
    sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=all,undefined", "-O0", "-g", "-S",
    "-emit-llvm", "-w",
]  # fmt: skip


@lru_cache
def module(source: str) -> Module:
    """Return the module that the source is compiled to."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "m.c").write_text(source)
        done = subprocess.run(
            [*_CLANG, "m.c", "-o", "m.ll"], cwd=place, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return read_module(Path(place, "m.ll").read_text())


class Program:
    """A program with queries by source text."""

    def __init__(self, *sources: str) -> None:
        self.sources = sources
        self.modules = [module(source) for source in sources]
        self.aliases = Aliases(self.modules)
        self._may_define: MayDefine | None = None

    def written(self, text: str) -> set[str]:
        """Return the variables that the line with this text may write (not those of callees)."""
        return {
            self.name(cell)
            for m, function, op in self.ops(text)
            for cell in self.aliases.may_write(m, function.name, op)
        }

    def read(self, text: str) -> set[str]:
        """Return the variables that the line with this text may read."""
        return {
            self.name(cell)
            for m, function, op in self.ops(text)
            for cell in self.aliases.may_read(m, function.name, op)
        }

    def called(self, text: str) -> set[str]:
        return {
            name
            for m, function, op in self.ops(text)
            if op.callee is not None
            for _, name in self.aliases.called(m, function.name, op)
        }

    def deciding(self, text: str, variable: str) -> set[str]:
        """Return the lines of branches that may define `variable`, read on the line with `text`."""
        may_define = self._may_define = self._may_define or MayDefine(self.modules, self.aliases)
        found = set()
        for m, function, op in self.ops(text):
            cells = self.aliases.may_read(m, function.name, op)
            if op.opcode == "load" and variable in {self.name(cell) for cell in cells}:
                for module, name, block, _ in may_define.edges_defining(m, function.name, op):
                    branch = self.modules[module].functions[name].blocks[block].instructions[-1]
                    found.add(self._line(module, branch))
        return found

    def name(self, cell: Cell) -> str:
        """Return the name of a variable; heap memory is named after its allocating function."""
        thing = self.aliases.objects[cell.object]
        if thing.kind in ("local", "parameter"):
            module = self.modules[thing.module]
            for declare in module.functions[thing.function].declares:
                if declare.address == Local(thing.name):
                    match = re.search(r'name: "(\w+)"', module.metadata[declare.variable])
                    assert match
                    return match[1]
            return "?"
        return thing.name or f"{thing.kind} {thing.function}".strip()

    def ops(self, text: str) -> Iterator[tuple[int, Function, Instruction]]:
        count = 0
        for m, module in enumerate(self.modules):
            for function in module.functions.values():
                for block in function.blocks:
                    for op in block.instructions:
                        if op.location is not None and text in self._line(m, op):
                            count += 1
                            yield m, function, op
        assert count, f"no line has {text!r}"

    def _line(self, m: int, op: Instruction) -> str:
        match = re.search(r"DILocation\(line: (\d+)", self.modules[m].metadata[op.location or 0])
        assert match
        lines = self.sources[m].splitlines()
        return lines[int(match[1]) - 1].strip() if match[1] != "0" else ""
