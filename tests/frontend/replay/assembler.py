"""Makes the tables of modules from the machine's functions, as lower.py would."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.frontend.replay.machine import (
    TERMINATORS,
    Address,
    Function,
    K,
    Machine,
    Op,
    Operand,
    ipdoms,
    marked,
)
from whence.frontend.c.replay.program import CODE, FUNCTION, Array, CProgram, InitialMemory
from whence.frontend.c.tables import BLOCK, CONSTANT, NONE, OP, PARAM, RELOC, SITE, STRETCH

LINKED = {"LOAD", "LLOAD", "LCOPYOUT", "LCOPY", "RMW"}
LOGGED = {"LOAD", "RMW", "OPAQUE", "ALLOCA", "LANDINGPAD"}
NUMBER_IN_C = {"ICMP", "FCMP", "SEXT", "FPTOUI", "FPTOSI", "UITOFP", "SITOFP", "OVERFLOW",
               "EXTRACT", "INSERT"}  # fmt: skip
LOCAL = {"LLOAD", "LSTORE", "LALLOCA", "LFILL", "LCOPYOUT", "LCOPY"}


@dataclass
class Assembler:
    symbols: Sequence[str]  # the symbols of this module, in order
    fids: dict[str, int]
    ops: list[tuple[int, ...]] = field(default_factory=list)
    extras: list[int] = field(default_factory=lambda: [0])  # 0 means "no layout"
    constants: list[int] = field(default_factory=list)
    relocs: list[tuple[int, int, int]] = field(default_factory=list)
    functions: list[tuple[int, ...]] = field(default_factory=list)
    params: list[tuple[int, ...]] = field(default_factory=list)
    blocks: list[tuple[int, ...]] = field(default_factory=list)
    stretches: list[tuple[int, ...]] = field(default_factory=list)
    sites: list[tuple[int, ...]] = field(default_factory=list)
    op_at: dict[tuple[str, int, int], int] = field(default_factory=dict)
    stretch_at: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def tables(self) -> dict[str, Array]:
        return {
            "ops": np.array(self.ops, OP),
            "extras": np.array(self.extras, np.uint32),
            "constants": np.array(self.constants, np.uint64),
            "relocs": np.array(self.relocs, RELOC),
            "functions": np.array(self.functions, FUNCTION),
            "params": np.array(self.params, PARAM),
            "blocks": np.array(self.blocks, BLOCK),
            "stretches": np.array(self.stretches, STRETCH),
            "sites": np.array(self.sites, SITE),
        }

    def operand(self, value: Operand | None) -> int:
        if value is None:
            return NONE
        if isinstance(value, int):
            return value
        first = len(self.constants)
        if isinstance(value, Address):
            self.relocs.append((first, self.symbols.index(value.symbol), value.plus))
            self.constants.append(0)
        else:
            self.constants += value.values
        return CONSTANT | first

    def extra(self, *values: int) -> int:
        self.extras += values
        return len(self.extras) - len(values)

    def add(self, f: Function) -> None:
        base = (
            len(self.blocks),
            len(self.stretches),
            len(self.ops),
            len(self.params),
            len(self.sites),
        )
        post, marks = ipdoms(f), marked(f)
        for number, block in enumerate(f.blocks):
            first = len(self.stretches)
            self.add_block(f, number, block, base[0])
            ipdom = post[number]
            flags = 2 if number in f.landings else int(number in marks)
            row = (first, len(self.stretches) - first, NONE if ipdom is None else ipdom, flags, 0)
            self.blocks.append(row)
        self.params += [(s, size, n, int(byval > 0), byval) for s, size, n, byval in f.params]
        self.sites += [(0, base[0] + block) for block in f.landings]
        self.sites += [(1, self.op_at[f.name, b, o]) for b, o in f.setjmps]
        flags = f.logs_params + 2 * f.lands + 4 * f.wide + 8 * f.variadic
        self.functions.append(
            (self.fids[f.name], 0, base[0], len(f.blocks), base[1], len(self.stretches) - base[1],
             base[2], len(self.ops) - base[2], f.n_slots, f.local, base[3], len(f.params),
             base[4], len(self.sites) - base[4], flags, self.symbols.index(f.name), 0)
        )  # fmt: skip

    def add_block(self, f: Function, number: int, block: Sequence[Op], base: int) -> None:
        start, links = len(self.ops), 0
        first = 0
        for i, op in enumerate(block):
            self.op_at[f.name, number, i] = len(self.ops)
            self.ops.append(self.encode(op, base))
            links += op.name in LINKED
            if op.name == "CALL" or op.name in TERMINATORS:
                self.stretch_at[f.name, number, first] = len(self.stretches)
                self.stretches.append((base + number, start, len(self.ops) - start, links))
                start, links, first = len(self.ops), 0, i + 1

    def encode(self, op: Op, base: int) -> tuple[int, ...]:
        flags = (op.name in LOGGED) + 2 * (op.name in LINKED) + 4 * op.checked
        dst = NONE if op.dst is None else op.dst
        a, b, c, x, bits = NONE, NONE, NONE, op.x, op.bits
        if op.name not in ("CALL", "OPAQUE", "LANDINGPAD"):
            a, b, c = self.operand(op.a), self.operand(op.b), self.operand(op.c)
        layout = 0
        if op.layout:
            flat = [number for leaf in op.layout for number in leaf]
            layout = self.extra(len(op.layout), *flat)
        targets = [base + target for target in op.targets]
        if op.name in NUMBER_IN_C:
            c = op.number
        if op.name in LOCAL:
            b = op.number
        if op.name == "LCOPY":
            c = op.number2
        if op.name in ("LOAD", "STORE", "LLOAD", "LSTORE", "CALL"):
            c = layout
        if op.name in ("GEP", "GEPC", "ALLOCA"):
            c = self.operand(K((op.number % 2**64,))) & ~CONSTANT
        if op.name == "GEP":
            rows = [(self.operand(o), n, s % 2**32, s % 2**64 >> 32) for o, n, s in op.items]
            x = self.extra(len(rows), *(v for row in rows for v in row))
        elif op.name in ("OPAQUE", "RMW"):
            rows2 = [(self.operand(o), n) for o, n, _ in op.items]
            at = self.extra(len(rows2), *(v for row in rows2 for v in row))
            if op.name == "RMW":
                c, bits = at, op.x + bool(op.cases)
            else:
                x, b, c = at, layout, op.slots
        elif op.name == "LANDINGPAD":
            c = op.slots
        elif op.name == "PHI":
            rows2 = [(base + block, self.operand(o)) for o, _, block in op.items]
            x = self.extra(len(rows2), op.slots, *(v for row in rows2 for v in row))
        elif op.name == "BR":
            a = targets[0]
        elif op.name == "CBR":
            b, c = targets
        elif op.name == "SWITCH":
            rows = [(v % 2**32, v >> 32, t, 0) for v, t in zip(op.cases, targets[1:], strict=True)]
            x = self.extra(targets[0], len(rows), *(v for row in rows for v in row[:3]))
        elif op.name == "INDIRECTBR":
            x = self.extra(len(targets), *targets)
        elif op.name == "CALL":
            x = self.encode_call(op, targets)
        return (CODE[op.name], flags, bits, dst, a, b, c, x)

    def encode_call(self, op: Op, targets: list[int]) -> int:
        flags = op.sure + 4 * (op.twice is not None) + 8 * op.invoke
        items = [(self.operand(o), slots, byval) for o, slots, byval in op.items]
        has_result = op.dst is not None
        return self.extra(
            self.operand(op.a), NONE, len(items), op.x if has_result else 0,
            op.slots if has_result else 0, flags, op.twice or 0, targets[0] if op.invoke else NONE,
            len(items), *(v for item in items for v in item),
        )  # fmt: skip


@dataclass
class Assembled:
    program: CProgram
    op_at: dict[tuple[str, int, int], int]
    stretch_at: dict[tuple[str, int, int], int]
    function_at: dict[str, int]


def assemble(machine: Machine, modules: Sequence[Sequence[str]]) -> Assembled:
    """Put the machine's functions into `modules` (lists of names), and these into a program."""
    symbols = list(machine.symbols)
    made = []
    for names in modules:
        assembler = Assembler(symbols, machine.fids)
        for name in names:
            assembler.add(machine.functions[name])
        made.append(assembler)
    program = CProgram.of(
        [a.tables() for a in made],
        [[machine.symbols[s] for s in symbols] for _ in made],
        [InitialMemory(at, 1, bytes([byte])) for at, byte in machine.memory.items()],
    )
    ops, stretches = {}, {}
    for assembler, base in zip(made, program.bases, strict=True):
        ops.update({key: n + base.op for key, n in assembler.op_at.items()})
        stretches.update({key: n + base.stretch for key, n in assembler.stretch_at.items()})
    names = [name for names in modules for name in names]
    return Assembled(program, ops, stretches, {name: i for i, name in enumerate(names)})


def stream(log: bytes | bytearray, *, crash: int | None = None, end: int | None = None) -> bytes:
    """Return the file of a stream; `log` has room for the header in front."""
    header = bytearray(4096)
    window = 0x7F0000000000
    cursor = window + (len(log) if end is None else end)
    struct.pack_into("<5Q", header, 0, cursor, 0, 0, window, 0)
    header[16:24] = b"WHENCE01"
    if crash is not None:
        struct.pack_into("<IIQ", header, 72, 2, 11, crash)
    return bytes(header) + bytes(log[4096:])
