"""What is in an opened stream: which arrays, and what does each of them say?

A stream is the log of one thread, opened: every executed op (a *step*, numbered from 1) lies in
an *instance* of a stretch of its block, and every instance in an *activation* of a function.
Nothing here knows a language: ops, stretches, blocks and functions are numbers, program-wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.program.rows import ACTIVATION, COPY, EFFECT, OUTPUT, RUN, WRITTEN

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.void]

NONE = 0xFFFFFFFF  # no operand, no block
PARAMETER = 0x80000000  # PARAMETER | k in use_def: parameter k of the function

PLAIN, PHI, CALL, RETURN, BRANCH = range(5)  # kinds of ops
LINK = 2  # flag of an op: it has one entry in links
DIRECT, UNWOUND = 1, 2  # flags of an activation
IN_MEMORY = 0xFFFFFFFF  # source of an OUTPUT that stayed there: printed from argument `arg`
NAMED = 64  # so many arguments can be told apart

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
    """What is known of the program without running it.

    The uses of op o are use_def[use_start[o]:use_start[o + 1]]: an op, PARAMETER | k, or NONE.
    A call has one for each argument, in order, and then one for the callee; a phi has one for
    each way in, from the block in use_block.
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
        """The stretch of each op."""
        found = np.full(len(self.kind), NONE, np.uint32)
        sizes = self.stretch_ops.astype(np.int64)
        starts = np.cumsum(sizes) - sizes
        within = np.arange(sizes.sum()) - np.repeat(starts, sizes)
        ops = np.repeat(self.stretch_first_op.astype(np.int64), sizes) + within
        found[ops] = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
        return found

    @cached_property
    def link_rank(self) -> U32:
        """For each op, how many ops before it in its stretch have a link."""
        before = np.zeros(len(self.kind) + 1, np.int64)
        np.cumsum((self.flags & LINK) != 0, out=before[1:])
        start = self.stretch_first_op[np.minimum(self.op_stretch, len(self.stretch_ops) - 1)]
        return (before[:-1] - before[start]).astype(np.uint32)

    @cached_property
    def function_params(self) -> U32:
        """For each function, how many of its parameters are used (the last one counts)."""
        owner = np.repeat(np.arange(len(self.kind)), self.use_start[1:] - self.use_start[:-1])
        taken = (self.use_def != NONE) & (self.use_def >= PARAMETER)
        function = self.block_function[self.stretch_block[self.op_stretch[owner[taken]]]]
        counts = np.zeros(len(self.function_ops), np.uint32)
        np.maximum.at(counts, function, self.use_def[taken] - np.uint32(PARAMETER - 1))
        return counts


@dataclass(frozen=True)
class Stream:
    """One thread's run: its columns, mostly on disk."""

    code: Code
    steps: int
    stretch: U32  # these four for each instance
    first: U32
    activation: U32
    control: U32
    links: U32
    linkbase: U64
    instmap: U32
    mixed: U32
    runs: Rows
    activations: Rows
    effects: Rows
    writes: Rows
    copied: Rows  # loads of what copies wrote, by step: where the bytes lay, and how many
    directory: Path | None = None  # where it was loaded from; indexes are kept there

    @classmethod
    def load(cls, directory: Path, code: Code, steps: int | None = None) -> Stream:
        """Map the columns in `directory`.

        `steps` is needed only when the last instance is partial (the run was cut in it).
        """
        columns = {field: _mapped(directory / name, kind) for field, (name, kind) in FILES.items()}
        if steps is None:
            first, stretch = columns["first"], columns["stretch"]
            last = int(first[-1]) - 1 + int(code.stretch_ops[stretch[-1]]) if len(first) else 0
            steps = last
        return cls(code=code, steps=steps, directory=directory, **columns)

    def save(self, directory: Path) -> None:
        """Write the columns so that `load` finds them."""
        directory.mkdir(parents=True, exist_ok=True)
        for field, (name, kind) in FILES.items():
            np.ascontiguousarray(getattr(self, field), kind).tofile(directory / name)

    @cached_property
    def copies(self) -> U32:
        """The steps that copied bytes or printed them into memory, in order.

        Who asks for some of these bytes need not take all.  Addresses in the rows of a step that
        copied frame-local bytes are offsets in the frame.
        """
        kinds, sources = self.effects["kind"], self.effects["source"]
        pieces = (kinds == OUTPUT) & (sources == IN_MEMORY)
        copied: U32 = np.unique(self.effects["step"][(kinds == COPY) | pieces])
        return copied

    @cached_property
    def effect_order(self) -> U32:
        """The rows of `effects` by step.

        They are in order of time: a call that called back may have its rows after those of
        what it called.
        """
        steps = self.effects["step"]
        return np.argsort(steps, kind="stable").astype(np.uint32)


def _mapped(path: Path, kind: Any) -> Any:
    if path.stat().st_size == 0:  # cannot be mapped
        return np.zeros(0, kind)
    return np.memmap(path, kind, "r")
