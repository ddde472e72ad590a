"""What does whence know about a C program without running it?"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from whence.frontend.c import flow as graph
from whence.frontend.c import ir
from whence.frontend.c.process import CProcess
from whence.frontend.c.replay.program import CProgram
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.tables import Description
from whence.frontend.recorded_run import MODULES
from whence.program.ids import Block, Op
from whence.program.kept import seal
from whence.program.source import Place, shown_path
from whence.trace.c.conditions import conditions
from whence.trace.c.relevance import analysed
from whence.trace.columns import BRANCH, NONE, Code
from whence.trace.recording import Branching, Comparable, Image, Sort
from whence.trace.relevance import Relevance


class CImage(Image):
    """A program of C or C++: the modules that a process had."""

    process: CProcess
    descriptions: list[Description]
    program: CProgram
    modules: list[ModuleSource]
    templates: dict[int, Any]  # what a flow knows of operations, for all runs

    def __init__(self, process: CProcess, folder: Path, known: CImage | None = None) -> None:
        """`known` is an image of another run, whose modules are used again if they are the same."""
        super().__init__(process, folder)
        if known is not None and known.process.modules == process.modules:
            self.descriptions, self.program = known.descriptions, known.program
            self.modules, self.code = known.modules, known.code
            self.share_relevance(known)
            self.templates = known.templates
        else:
            self.templates = {}
            self.descriptions = [
                process.description(module.id, folder / MODULES) for module in process.modules
            ]
            self.program = process.program(self.descriptions)
            self.modules = [ModuleSource(description) for description in self.descriptions]
        self._op_bases = [base.op for base in self.program.bases]
        self._compared: dict[int, Comparable] = {}  # by operation; millions of steps need it
        self._branching: dict[int, Branching] = {}

    @property
    def key(self) -> str:
        return "\n".join(module.id for module in self.process.modules)

    @cached_property
    def identity(self) -> str:
        parts: list[Any] = []
        for loaded, description in zip(self.process.modules, self.descriptions, strict=True):
            parts += [loaded.id, repr(loaded.addresses), *description.arrays.values()]
            parts += [contents for _, contents in loaded.initial]
        return seal(*parts)

    def _joined(self, name: str) -> Any:
        parts = [description.arrays[name] for description in self.descriptions]
        return np.concatenate(parts) if parts else np.zeros(0, "<u4")

    @cached_property
    def code(self) -> Code:
        program = self.program
        functions = program.functions
        use_start, use_def, use_block = self._uses()
        first_block, n_blocks = functions["first_block"], functions["n_blocks"]
        owners = np.repeat(np.arange(len(functions), dtype="<u4"), n_blocks)
        return Code(
            use_start=use_start,
            use_def=use_def,
            use_block=use_block,
            kind=self._joined("kind").astype("u1"),
            flags=np.ascontiguousarray(program.ops["flags"]),
            stretch_first_op=np.ascontiguousarray(program.stretches["first_op"]),
            stretch_ops=np.ascontiguousarray(program.stretches["n_ops"]),
            stretch_links=np.ascontiguousarray(program.stretches["n_links"]),
            stretch_block=np.ascontiguousarray(program.stretches["block"]),
            block_first_stretch=np.ascontiguousarray(program.blocks["first_stretch"]),
            block_stretches=np.ascontiguousarray(program.blocks["n_stretches"]),
            block_function=owners,
            function_first_block=np.ascontiguousarray(first_block),
            function_blocks=np.ascontiguousarray(n_blocks),
            function_first_op=np.ascontiguousarray(functions["first_op"]),
            function_ops=np.ascontiguousarray(functions["n_ops"]),
            names=tuple(self.function_names),
        )

    def _uses(self) -> tuple[Any, Any, Any]:
        starts, defs, blocks = [np.zeros(1, "<u4")], [], []
        total = 0
        for description, base in zip(self.descriptions, self.program.bases, strict=True):
            arrays = description.arrays
            starts.append((arrays["use_start"][1:] + total).astype("<u4"))
            total += len(arrays["use_def"])
            own, block = arrays["use_def"], arrays["use_block"]
            defs.append(np.where(own < 0x80000000, own + base.op, own).astype("<u4"))
            blocks.append(np.where(block == NONE, NONE, block + base.block).astype("<u4"))
        empty = np.zeros(0, "<u4")
        return (
            np.concatenate(starts),
            np.concatenate([empty, *defs]),
            np.concatenate([empty, *blocks]),
        )

    @cached_property
    def function_names(self) -> list[str]:
        names = self.program.names
        return [names[int(name)] for name in self.program.functions["name"]]

    @cached_property
    def spoken_names(self) -> list[str]:
        return [
            source.names.function_name(name)
            for source in self.modules
            for name in source.description_function_names
        ]

    # --- ops ---------------------------------------------------------------------------------

    def locate(self, op: Op) -> tuple[ModuleSource, int]:
        """Return the module that an operation belongs to, and its number in that module."""
        number = int(np.searchsorted(self._op_bases, op, side="right")) - 1
        return self.modules[number], op - self._op_bases[number]

    def place(self, op: Op) -> Place | None:
        module, local = self.locate(op)
        return module.place(local)

    @cached_property
    def rows(self) -> Any:
        return self._joined("op_row")

    @cached_property
    def files(self) -> Any:
        parts = []
        numbers = {name: number for number, name in enumerate(self.file_names)}
        for description in self.descriptions:
            own = description.arrays["op_file"]
            known = own != NONE
            table = np.full(len(description.names), NONE, "<u4")
            for name in np.unique(own[known]).tolist():
                table[name] = numbers[shown_path(description.names[name])]
            found = np.full(len(own), NONE, "<u4")
            found[known] = table[own[known]]
            parts.append(found)
        return np.concatenate(parts) if parts else np.zeros(0, "<u4")

    @cached_property
    def file_names(self) -> list[str]:
        found: dict[str, None] = {}
        for description in self.descriptions:
            used = np.unique(description.arrays["op_file"])
            found |= {shown_path(description.names[int(n)]): None for n in used if n != NONE}
        return list(found)

    def _instruction(self, op: Op) -> ir.Instruction:
        source, local = self.locate(op)
        return source.instruction(local)

    def sort(self, op: Op) -> Sort:
        instruction = self._instruction(op)
        callee = instruction.callee
        name = callee.name if isinstance(callee, ir.Global) else "" if callee is not None else None
        if name:
            return Sort(instruction.opcode, name, 0)
        makes_pointer = self.compared_as(op) is Comparable.POINTER
        return Sort(instruction.opcode, name, len(instruction.operands), makes_pointer)

    def variable_name(self, op: Op) -> str:
        source, local = self.locate(op)
        instruction, function = source.instruction(local), source.function_of(local)
        if instruction.opcode == "store":
            return source.names.target(function, instruction)
        if instruction.opcode == "load" and instruction.result:
            return source.names.expression(function, ir.Local(instruction.result))
        return ""

    def compared_as(self, op: Op) -> Comparable:
        found = self._compared.get(op)
        if found is None:
            found = self._compared[op] = self._comparable(op)
        return found

    def _comparable(self, op: Op) -> Comparable:
        if self.code.kind[op] == BRANCH:
            return Comparable.PLAIN
        instruction = self._instruction(op)
        kind = instruction.type
        if instruction.opcode in ("store", "ret") and instruction.operands:
            kind = instruction.operands[0].type
        return _compared(kind)

    def is_plain_call(self, op: Op) -> bool:
        return self._instruction(op).opcode == "call"

    # --- functions ---------------------------------------------------------------------------

    def branching(self, function: int) -> Branching:
        found = self._branching.get(function)
        if found is None:
            found = self._branching[function] = self._branching_of(function)
        return found

    def _branching_of(self, function: int) -> Branching:
        source, local = self.locate(Op(int(self.code.function_first_op[function])))
        first = int(self.code.function_first_block[function])
        body = source.function(local)
        following = graph.block_successors(body)
        return Branching(
            {
                Block(first + at): [Block(first + to) for to in targets]
                for at, targets in enumerate(following)
            },
            [
                frozenset(Block(first + at) for at in region)
                for region in conditions(source.module, body, following)
            ],
        )

    def _analysed(self) -> Relevance:
        return analysed(self.program, self.modules)


def _compared(kind: ir.Type) -> Comparable:
    if isinstance(kind, ir.PointerType):
        return Comparable.POINTER
    if isinstance(kind, ir.IntType):
        return Comparable.PLAIN if kind.bits <= 64 else Comparable.WIDE
    if isinstance(kind, ir.FloatType):
        is_wide = kind.kind in ("x86_fp80", "fp128", "ppc_fp128")
        return Comparable.WIDE if is_wide else Comparable.PLAIN
    return Comparable.WIDE
