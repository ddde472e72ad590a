"""Which arrays make up an opened stream, and what does each of them hold?

A stream is the opened log of one thread.  Every step lies in an instance of a stretch, and every
instance lies in an activation of a function.  Operations, stretches, blocks and functions are
numbers, unique in the whole program (see `whence.program.ids`); nothing here knows a language.
The stream of a long run has sections (see `whence.trace.sections`); its longest columns are then no
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.program.ids import Step
from whence.program.mapped_files import map_file
from whence.program.rows import ACTIVATION, COPY, EFFECT, OUTPUT, RUN, WRITTEN
from whence.trace.sections import SectionedColumn, Sections

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.void]
Long32 = U32 | SectionedColumn
LongRows = Rows | SectionedColumn

NONE = 0xFFFFFFFF  # in a column: no operand, no block, no operation
PARAMETER = 0x80000000  # PARAMETER | k in use_def: parameter k of the function

PLAIN, PHI, CALL, RETURN, BRANCH = range(5)  # kinds of operations
LINK = 2  # flag of an operation: it has one entry in links
DIRECT, UNWOUND = 1, 2  # flags of an activation
IN_MEMORY = 0xFFFFFFFF  # source of an OUTPUT row for text that was printed into memory
MAX_ARGUMENTS = 64  # arguments of a call that are told apart: slicer.c keeps a bit for each

# The files of a stream's directory, by the name of the field of Stream.
FILES: dict[str, tuple[str, Any]] = {
    "stretch": ("stretch.u32", "<u4"),
    "first": ("first.u32", "<u4"),
    "activation": ("activation.u32", "<u4"),
    "control": ("control.u32", "<u4"),
    "links": ("links.u32", "<u4"),
    "linkbase": ("linkbase.u64", "<u8"),
    "instmap": ("instmap.u32", "<u4"),
    "mixed": ("mixed.u32", "<u4"),
    "runs": ("runs", RUN),
    "activations": ("activations", ACTIVATION),
    "effects": ("effects", EFFECT),
    "writes": ("writes", WRITTEN),
    "copied": ("copied", WRITTEN),
}


@dataclass(frozen=True)
class Code:
    """The facts about a program that hold in every run.

    The uses of operation o are use_def[use_start[o]:use_start[o + 1]]; each is the operation that
    defines the value, PARAMETER | k, or NONE.  A call has one use for each argument, in order, and
    then one for the callee.  A phi has one use for each block in use_block that leads to it.
    """

    use_start: U32
    use_def: U32
    use_block: U32  # NONE unless the use is a phi's
    kind: U8
    flags: U8
    stretch_first_op: U32
    stretch_ops: U32
    stretch_links: U32
    stretch_block: U32
    block_first_stretch: U32
    block_stretches: U32
    block_function: U32
    function_first_block: U32
    function_blocks: U32
    function_first_op: U32
    function_ops: U32
    names: tuple[str, ...]  # of the functions

    @cached_property
    def op_stretch(self) -> U32:
        """The stretch of each operation; NONE for an operation in no stretch."""
        found = np.full(len(self.kind), NONE, np.uint32)
        sizes = self.stretch_ops.astype(np.int64)
        starts = np.cumsum(sizes) - sizes
        within = np.arange(sizes.sum()) - np.repeat(starts, sizes)
        ops = np.repeat(self.stretch_first_op.astype(np.int64), sizes) + within
        found[ops] = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
        return found

    @cached_property
    def link_rank(self) -> U32:
        """For each operation, the number of operations before it in its stretch with a link."""
        before = np.zeros(len(self.kind) + 1, np.int64)
        np.cumsum((self.flags & LINK) != 0, out=before[1:])
        start = self.stretch_first_op[np.minimum(self.op_stretch, len(self.stretch_ops) - 1)]
        return (before[:-1] - before[start]).astype(np.uint32)

    @cached_property
    def function_params(self) -> U32:
        """For each function, 1 + the number of its last parameter that is used, or 0."""
        owner = np.repeat(np.arange(len(self.kind)), self.use_start[1:] - self.use_start[:-1])
        taken = (self.use_def != NONE) & (self.use_def >= PARAMETER)
        function = self.block_function[self.stretch_block[self.op_stretch[owner[taken]]]]
        counts = np.zeros(len(self.function_ops), np.uint32)
        np.maximum.at(counts, function, self.use_def[taken] - np.uint32(PARAMETER - 1))
        return counts


@dataclass(frozen=True)
class Stream:
    """The columns of one thread's run; most of them are mapped files."""

    code: Code
    steps: int  # how many there are
    # One entry for each instance:
    stretch: Long32
    first: Long32  # its first step
    activation: Long32
    control: Long32  # the branch or call step that decided that it ran; 0: none
    # One entry for each operation with a link in each instance, in order: the step that wrote all
    # the bytes that it read (0: none did), or MIXED + m.
    links: Long32
    linkbase: U64 | SectionedColumn  # for every 64th instance: the number of links before it
    instmap: Long32  # for every 64th step: the instance that it lies in
    mixed: U32  # pairs: the first row of `runs` of a mixed link, and the number of rows
    runs: Rows  # which step wrote which bytes
    activations: Rows  # row 0 is no activation
    effects: Rows  # what calls of library functions did, in order of time
    writes: LongRows  # which step wrote which bytes of memory, in order of time
    copied: LongRows  # loads of bytes that a copy wrote, by step: where they lay, and how many
    directory: Path | None = None  # where the stream was loaded from; indexes are kept there
    sections: Sections | None = None  # None: the run is laid out as a whole

    @classmethod
    def load(
        cls,
        directory: Path,
        code: Code,
        steps: int | None = None,
        sections: Sections | None = None,
    ) -> Stream:
        """Map the columns in `directory`.

        `steps` is needed only if the last instance is partial: the run was cut inside it.
        """
        columns: dict[str, Any] = {
            field: map_file(directory / name, kind) for field, (name, kind) in FILES.items()
        }
        if sections is not None:
            for field, starts in sections.columns.items():
                columns[field] = SectionedColumn(columns[field], starts, sections)
            return cls(
                code=code, steps=steps or 0, directory=directory, sections=sections, **columns
            )
        if steps is None:
            first, stretch = columns["first"], columns["stretch"]
            last = int(first[-1]) - 1 + int(code.stretch_ops[stretch[-1]]) if len(first) else 0
            steps = last
        return cls(code=code, steps=steps, directory=directory, **columns)

    def instance_counts(self) -> npt.NDArray[np.int64]:
        """Return for each stretch how many instances the run has of it."""
        if self.sections is not None:
            return self.sections.instance_counts()
        return np.bincount(whole(self.stretch), minlength=len(self.code.stretch_ops))

    @property
    def every_step(self) -> Sequence[Step]:
        """All steps of the run, in order."""
        numbers: Any = range(1, self.steps + 1)
        steps: Sequence[Step] = numbers
        return steps

    def save(self, directory: Path) -> None:
        """Write the columns to `directory`, for `load`."""
        directory.mkdir(parents=True, exist_ok=True)
        for field, (name, kind) in FILES.items():
            np.ascontiguousarray(getattr(self, field), kind).tofile(directory / name)

    @cached_property
    def copies(self) -> U32:
        """The steps that copied bytes or printed them into memory, in order.

        Who reads some of these bytes depends on those alone.  In the rows of a step that copied
        frame-local bytes, addresses are offsets in the frame.
        """
        kinds, sources = self.effects["kind"], self.effects["source"]
        pieces = (kinds == OUTPUT) & (sources == IN_MEMORY)
        copied: U32 = np.unique(self.effects["step"][(kinds == COPY) | pieces])
        return copied

    @cached_property
    def effect_order(self) -> U32:
        """The numbers of the rows of `effects`, ordered by step.

        `effects` itself is in order of time: a call that called back may have rows after those of
        its callbacks.
        """
        steps = self.effects["step"]
        return np.argsort(steps, kind="stable").astype(np.uint32)


def whole(column: npt.NDArray[Any] | SectionedColumn) -> npt.NDArray[Any]:
    """Return a column as one array.

    The caller knows that the stream has no sections, or needs every row.
    """
    return column[:] if isinstance(column, SectionedColumn) else column
