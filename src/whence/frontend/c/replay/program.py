"""What does a whole process consist of, once its modules are combined?

The tables of a module (see lower) number things from 0.  The modules of a process, in the order in
which they registered, become one program: every index is increased by the number of rows of the
modules before, and constants that are addresses get the addresses of this process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.frontend.c.tables import BLOCK, CONSTANT, NONE, OP, PARAM, RELOC, SITE, STRETCH, OpCode
from whence.frontend.c.tables import FUNCTION as UNPADDED

Array = npt.NDArray[Any]
Tables = Mapping[str, Array]

# As in tables.h: padded to a multiple of eight bytes.
FUNCTION = np.dtype([*UNPADDED.descr, ("pad", "<u4")])
CODE = {code.name: code.value for code in OpCode}


def _codes(names: str) -> Array:
    """Return an array that tells for each code whether it is one of `names`."""
    found = np.zeros(256, dtype=bool)
    found[[CODE[name] for name in names.split()]] = True
    return found


# The meaning of the fields of ops.
_BINARY = (
    "ADD SUB MUL UDIV SDIV UREM SREM SHL LSHR ASHR AND OR XOR ICMP FADD FSUB FMUL FDIV FREM FCMP"
    " INSERT OVERFLOW SMAX SMIN UMAX UMIN COPYSIGN STORE COPY FILL FSHL FSHR"
)
_UNARY = (
    "FNEG TRUNC SEXT MOVE FPTRUNC FPEXT FPTOUI FPTOSI UITOFP SITOFP GEPC GEP LOAD LSTORE ALLOCA"
    " LFILL LCOPYOUT RET CBR SWITCH INDIRECTBR RMW EXTRACT ABS CTPOP CTLZ CTTZ BSWAP BITREVERSE"
    " FABS SQRT FLOOR CEIL TRUNCF RINT VASTART RESUME SELECT"
)
_OPERANDS = {
    "a": _codes(_BINARY + " " + _UNARY),
    "b": _codes(_BINARY + " SELECT"),
    "c": _codes("SELECT COPY FILL FSHL FSHR"),
}
_CONSTANTS = _codes("GEPC GEP ALLOCA")  # field c is an index into constants
_BLOCKS = {"a": _codes("BR"), "b": _codes("CBR"), "c": _codes("CBR")}
_EXTRAS = {"x": _codes("GEP CALL PHI SWITCH INDIRECTBR OPAQUE"), "c": _codes("RMW")}
_LAYOUTS = {"c": _codes("LOAD STORE LLOAD LSTORE CALL"), "b": _codes("OPAQUE")}  # 0: no layout


@dataclass(frozen=True)
class Bases:
    """The number of rows of the modules before: what to add to an index of this module."""

    op: int = 0
    extra: int = 0
    constant: int = 0
    function: int = 0
    param: int = 0
    block: int = 0
    stretch: int = 0
    site: int = 0
    symbol: int = 0
    name: int = 0


@dataclass(frozen=True)
class InitialMemory:
    """Memory before the run; without `contents`, it is constant and its contents are unknown."""

    address: int
    size: int
    contents: bytes | None = None


@dataclass(frozen=True)
class CProgram:
    """The tables of all modules of a process, with program-wide indices."""

    ops: Array
    extras: Array
    constants: Array
    functions: Array
    params: Array
    blocks: Array
    stretches: Array
    sites: Array
    entries: Array  # the address of each function
    names: tuple[str, ...]
    bases: tuple[Bases, ...]  # the bases of each module
    by_fid: Mapping[int, int]
    initial: tuple[InitialMemory, ...] = ()

    @classmethod
    def of(
        cls,
        modules: Sequence[Tables],
        addresses: Sequence[Sequence[int]],
        initial: Sequence[InitialMemory] = (),
    ) -> CProgram:
        """Combine `modules`; `addresses` has the addresses of each module's symbols.

        Constant globals are added to the initial memory; `initial` has the snapshots of the others.
        """
        bases = [Bases()]
        parts = []
        for tables, symbols in zip(modules, addresses, strict=True):
            module = _Module(tables, np.asarray(symbols, dtype=np.uint64), bases[-1])
            parts.append(module)
            bases.append(module.bases_after())
        functions = _joined([m.functions() for m in parts], FUNCTION)
        return cls(
            ops=_joined([m.ops() for m in parts], OP),
            extras=_joined([m.extras() for m in parts], np.dtype("<u4")),
            constants=_joined([m.constants() for m in parts], np.dtype("<u8")),
            functions=functions,
            params=_joined([m.rows("params", PARAM) for m in parts], PARAM),
            blocks=_joined([m.blocks() for m in parts], BLOCK),
            stretches=_joined([m.stretches() for m in parts], STRETCH),
            sites=_joined([m.sites() for m in parts], SITE),
            entries=_joined([m.entries() for m in parts], np.dtype("<u8")),
            names=tuple(name for m in parts for name in m.names()),
            bases=tuple(bases[:-1]),
            by_fid=_by_fid(functions),
            initial=(*(range_ for m in parts for range_ in m.constant_memory()), *initial),
        )


def _joined(parts: Sequence[Array], dtype: np.dtype[Any]) -> Array:
    return np.ascontiguousarray(np.concatenate([np.zeros(0, dtype), *parts]).astype(dtype))


def _by_fid(functions: Array) -> dict[int, int]:
    found: dict[int, int] = {}
    for number, fid in enumerate(functions["fid"].tolist()):
        if found.setdefault(fid, number) != number:
            raise ValueError(f"functions {found[fid]} and {number} have the same fid {fid:#x}")
    return found


def ragged(starts: Array, counts: Array) -> Array:
    """Return, for each pair, the numbers start, start + 1, ... (`count` of them), in one array."""
    counts = counts.astype(np.int64)
    before = np.cumsum(counts) - counts
    found: Array = np.repeat(starts.astype(np.int64) - before, counts) + np.arange(counts.sum())
    return found


@dataclass(frozen=True)
class _Module:
    tables: Tables
    addresses: Array
    base: Bases

    def rows(self, name: str, dtype: np.dtype[Any]) -> Array:
        """Return the table in our layout, whatever its own layout is."""
        table = self.tables[name]
        made = np.zeros(len(table), dtype)
        for field in (field for field in dtype.names or () if field != "pad"):
            made[field] = table[field]
        return made

    def names(self) -> list[str]:
        return [str(name) for name in self.tables["names"]] if "names" in self.tables else []

    def bases_after(self) -> Bases:
        base, size = self.base, {name: len(table) for name, table in self.tables.items()}
        return Bases(
            base.op + size["ops"], base.extra + size["extras"], base.constant + size["constants"],
            base.function + size["functions"], base.param + size["params"],
            base.block + size["blocks"], base.stretch + size["stretches"],
            base.site + size["sites"], base.symbol + len(self.addresses),
            base.name + size.get("names", 0),
        )  # fmt: skip

    def functions(self) -> Array:
        rows, base = self.rows("functions", FUNCTION), self.base
        for field, add in {
            "name": base.name, "first_block": base.block, "first_stretch": base.stretch,
            "first_op": base.op, "first_param": base.param, "first_site": base.site,
        }.items():  # fmt: skip
            rows[field] += np.uint32(add)
        rows["symbol"][rows["symbol"] != NONE] += np.uint32(base.symbol)
        return rows

    def entries(self) -> Array:
        symbols = self.tables["functions"]["symbol"].astype(np.int64)
        known = symbols < len(self.addresses)
        found = np.zeros(len(symbols), np.uint64)
        found[known] = self.addresses[symbols[known]]
        return found

    def blocks(self) -> Array:
        rows = self.rows("blocks", BLOCK)
        functions = self.tables["functions"]
        first = np.repeat(functions["first_block"], functions["n_blocks"])
        rows["first_stretch"] += np.uint32(self.base.stretch)
        inner = rows["ipdom"] != NONE  # until now a number within the function
        rows["ipdom"][inner] += (first + np.uint32(self.base.block))[inner].astype(np.uint32)
        return rows

    def stretches(self) -> Array:
        rows = self.rows("stretches", STRETCH)
        rows["block"] += np.uint32(self.base.block)
        rows["first_op"] += np.uint32(self.base.op)
        return rows

    def sites(self) -> Array:
        rows = self.rows("sites", SITE)
        rows["target"] += np.where(rows["kind"] == 0, self.base.block, self.base.op).astype("<u4")
        return rows

    def constants(self) -> Array:
        values = self.tables["constants"].astype(np.uint64)
        relocs = self.rows("relocs", RELOC)
        moved = self.addresses[relocs["symbol"]] + relocs["addend"].astype(np.uint64)
        values[relocs["constant"]] = moved
        return values

    def constant_memory(self) -> list[InitialMemory]:
        if "symbols" not in self.tables or self.tables["symbols"].dtype.names is None:
            return []
        symbols = self.tables["symbols"]
        # a defined constant, neither function nor thread-local
        wanted = (symbols["flags"] & 0b1111) == 0b0110
        return [
            InitialMemory(int(self.addresses[i]), int(symbols["size"][i]))
            for i in np.flatnonzero(wanted & (symbols["size"] > 0))
        ]

    def ops(self) -> Array:
        rows, base = self.rows("ops", OP), self.base
        code = rows["code"]
        for field, codes in _OPERANDS.items():
            rows[field] = self._operands(rows[field], codes[code])
        constants = _CONSTANTS[code] & (rows["c"] != NONE)
        rows["c"][constants] += np.uint32(base.constant)
        for field, codes in _BLOCKS.items():
            rows[field][codes[code]] += np.uint32(base.block)
        for field, codes in _EXTRAS.items():
            rows[field][codes[code]] += np.uint32(base.extra)
        for field, codes in _LAYOUTS.items():
            rows[field][codes[code] & (rows[field] != 0)] += np.uint32(base.extra)
        return rows

    def _operands(self, values: Array, which: Array) -> Array:
        which = which & (values >= CONSTANT) & (values != NONE)
        return np.where(which, values + np.uint32(self.base.constant), values).astype("<u4")

    def extras(self) -> Array:
        """Return the extras with program-wide operands and blocks."""
        old = self.tables["extras"].astype(np.uint32)
        operands, blocks = self._places(old)
        new = old.copy()
        new[operands] = self._operands(old[operands], np.ones(len(operands), dtype=bool))
        new[blocks] = old[blocks] + np.uint32(self.base.block)
        ops = self.tables["ops"]
        calls = np.unique(ops["x"][ops["code"] == CODE["CALL"]].astype(np.int64))
        quiet = calls[(old[calls + 5] & 32) != 0] + 6  # the number of the callee
        new[quiet] = old[quiet] + np.uint32(self.base.function)
        return new

    def _places(self, extras: Array) -> tuple[Array, Array]:
        """Return the places in extras that hold operands, and those that hold blocks."""
        ops = self.tables["ops"]

        def at(name: str, field: str = "x") -> Array:
            # Ops may share extras; each place is moved once.
            return np.unique(ops[field][ops["code"] == CODE[name]].astype(np.int64))

        def each(start: Array, count: Array, stride: int, offset: int) -> Array:
            index = ragged(np.zeros_like(start), count)
            places: Array = np.repeat(start, count.astype(np.int64)) + index * stride + offset
            return places

        gep, call, phi, opaque = at("GEP"), at("CALL"), at("PHI"), at("OPAQUE")
        switch, indirect, rmw = at("SWITCH"), at("INDIRECTBR"), at("RMW", "c")
        invokes = call[(extras[call + 5] & 8) != 0]
        operands = [
            each(gep, extras[gep], 4, 1), call, each(call, extras[call + 2], 3, 9),
            each(phi, extras[phi], 2, 3), each(opaque, extras[opaque], 2, 1),
            each(rmw, extras[rmw], 2, 1),
        ]  # fmt: skip
        blocks = [
            invokes + 7, each(phi, extras[phi], 2, 2), switch,
            each(switch, extras[switch + 1], 3, 4), each(indirect, extras[indirect], 1, 1),
        ]  # fmt: skip
        return np.unique(np.concatenate(operands)), np.unique(np.concatenate(blocks))
