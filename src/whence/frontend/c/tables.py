"""How is a compiled module described to the readers of its traces?

The replay kernel interprets `ops` together with the log of a run; the slicer follows `uses`.  An op
is one IR instruction.  A *stretch* is a part of a block that runs without interruption: a block is
cut after every call.
"""

from __future__ import annotations

import enum
import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NONE = 0xFFFFFFFF  # no operand, no block, no site
# flag of an operand: index into the constants; of a use: number of a parameter
CONSTANT = 0x80000000
MAX_PARAMETERS = 1 << 16  # more than a function can have


class OpCode(enum.IntEnum):
    """What an op does; replay/arithmetic.h and replay/interpreter.h define its operands."""

    NOP = 0
    ADD, SUB, MUL, UDIV, SDIV, UREM, SREM, SHL, LSHR, ASHR, AND, OR, XOR = range(1, 14)
    ICMP, FADD, FSUB, FMUL, FDIV, FREM, FNEG, FCMP = range(14, 22)
    TRUNC, SEXT, MOVE, FPTRUNC, FPEXT, FPTOUI, FPTOSI, UITOFP, SITOFP, SELECT = range(22, 32)
    GEPC, GEP, LOAD, STORE, LLOAD, LSTORE, ALLOCA, LALLOCA = range(32, 40)
    COPY, FILL, LFILL, LCOPYOUT, LCOPY, CALL, PHI, RET, BR, CBR = range(40, 50)
    SWITCH, INDIRECTBR, UNREACHABLE, OPAQUE, RMW, INSERT, EXTRACT, OVERFLOW = range(50, 58)
    ABS, SMAX, SMIN, UMAX, UMIN, CTPOP, CTLZ, CTTZ, BSWAP, FSHL, FSHR = range(58, 69)
    BITREVERSE, FABS, SQRT, COPYSIGN, FLOOR, CEIL, TRUNCF, RINT = range(69, 77)
    VASTART, LANDINGPAD, RESUME = range(77, 80)


class OpFlag(enum.IntFlag):
    LOGGED = 1  # the result follows in the log
    LINK = 2  # reads memory: the trace knows which step wrote it
    CHECKED = 4  # the result follows in the log, only for comparison
    CORRECTED = 8  # of LLOAD: the value follows in the log, because a rerun may have altered it


class FunctionFlag(enum.IntFlag):
    PARAMS = 1  # its ENTRY logs every parameter
    LANDS = 2  # its ENTRY logs the frame address
    WIDE = 4  # block numbers take two bytes
    VARIADIC = 8
    QUIET = 16  # entered only by sure calls: its entry is not logged


class BlockFlag(enum.IntFlag):
    MARKED = 1
    LANDING = 2


class CallFlag(enum.IntFlag):
    SURE = 1  # enters a recorded function of this module; nothing is logged after it
    NORETURN = 2
    TWICE = 4
    INVOKE = 8
    ASM = 16
    QUIET = 32  # the callee does not log its entry; `site` is its number
    PURE = 64  # of the C library; writes no memory that the program sees
    WRITES_LOGGED = 128  # of the C library; logs all that it writes, except errno and streams
    ERRNO_ADDRESS = 256  # returns the address of errno


class SymbolFlag(enum.IntFlag):
    FUNCTION = 1
    DEFINED = 2
    CONSTANT = 4
    TLS = 8


class OpKind(enum.IntEnum):
    """What a slicer must know about an op."""

    PLAIN = 0
    PHI = 1
    CALL = 2
    RETURN = 3
    BRANCH = 4


def _fields(kind: str, names: str) -> list[tuple[str, str]]:
    return [(name, kind) for name in names.split()]


OP = np.dtype([("code", "u1"), ("flags", "u1"), ("bits", "<u2"), *_fields("<u4", "dst a b c x")])
FUNCTION = np.dtype(
    [
        ("fid", "<u8"),
        *_fields(
            "<u4",
            "name first_block n_blocks first_stretch n_stretches first_op n_ops n_slots"
            " local_bytes first_param n_params first_site n_sites flags symbol",
        ),
    ]
)
PARAM = np.dtype([*_fields("<u4", "slot size n_slots flags"), ("byval_size", "<u8")])
BLOCK = np.dtype(_fields("<u4", "first_stretch n_stretches ipdom flags site"))
STRETCH = np.dtype(_fields("<u4", "block first_op n_ops n_links"))
SITE = np.dtype(_fields("<u4", "kind target"))
RELOC = np.dtype([*_fields("<u4", "constant symbol"), ("addend", "<i8")])
SYMBOL = np.dtype([*_fields("<u4", "name flags"), ("size", "<u8")])

Array = NDArray[Any]

ARRAYS: dict[str, np.dtype[np.generic]] = {
    "functions": FUNCTION,
    "params": PARAM,
    "blocks": BLOCK,
    "stretches": STRETCH,
    "sites": SITE,
    "ops": OP,
    "extras": np.dtype("<u4"),
    "constants": np.dtype("<u8"),
    "relocs": RELOC,
    "symbols": SYMBOL,
    "kind": np.dtype("u1"),
    "use_start": np.dtype("<u4"),
    "use_def": np.dtype("<u4"),
    "use_block": np.dtype("<u4"),
    "op_line": np.dtype("<u4"),  # line of the instruction in the text of the module
    "op_location": np.dtype("<u4"),  # number of its !dbg, 0 if none
    "op_row": np.dtype("<u4"),  # line in the source, 0 if none
    "op_column": np.dtype("<u4"),
    "op_file": np.dtype("<u4"),  # index of a name, or NONE
}


@dataclass(frozen=True, slots=True)
class Description:
    """All that is known about a module before it runs."""

    module: str  # the module's id
    arrays: dict[str, Array]
    names: tuple[str, ...]
    text: str  # the IR before instrumentation

    def to_bytes(self) -> bytes:
        stream = io.BytesIO()
        np.savez(
            stream,
            module=np.frombuffer(self.module.encode(), "u1"),
            names=np.frombuffer("\0".join(self.names).encode("utf-8", "surrogateescape"), "u1"),
            text=np.frombuffer(
                zlib.compress(self.text.encode("utf-8", "surrogateescape"), 1), "u1"
            ),
            **self.arrays,  # type: ignore[arg-type]  # savez knows only its own keyword
        )
        return stream.getvalue()

    @classmethod
    def load(cls, path: Path) -> Description:
        with np.load(path) as data:
            names = data["names"].tobytes().decode("utf-8", "surrogateescape").split("\0")
            arrays = {name: data[name] for name in ARRAYS}
            check_arrays(arrays, len(names))
            return cls(
                module=data["module"].tobytes().decode(),
                arrays=arrays,
                names=tuple(names),
                text=zlib.decompress(data["text"].tobytes()).decode("utf-8", "surrogateescape"),
            )


def check_arrays(arrays: dict[str, Array], names: int) -> None:
    """Raise a ValueError if the arrays of a module cannot have been written by the compiler.

    replay/check.c checks what the replay reads.  This checks what the slicer and Python read.
    """
    for name, kind in ARRAYS.items():
        if arrays[name].dtype != kind or arrays[name].ndim != 1:
            raise ValueError(f"{name} is no array of {kind}")
    functions, ops, start = arrays["functions"], len(arrays["ops"]), arrays["use_start"]
    uses, blocks = arrays["use_def"], arrays["use_block"]
    by_op = ("kind", "op_line", "op_location", "op_row", "op_column", "op_file")
    _need(all(len(arrays[name]) == ops for name in by_op), "the length of a table of operations")
    _need(len(start) == ops + 1 and int(start[0]) == 0, "use_start")
    counts: Array = np.diff(start.astype(np.int64))
    _need(bool((counts >= 0).all()) and int(start[-1]) == len(uses) == len(blocks), "use_start")
    sizes = functions["n_ops"].astype(np.int64)
    first = np.cumsum(sizes) - sizes
    _need(int(sizes.sum()) == ops and bool((functions["first_op"] == first).all()), "functions")
    # An operation uses operations of its own function, or parameters.
    owner = np.repeat(np.repeat(np.arange(len(sizes)), sizes), counts)
    inner = uses < CONSTANT
    low, high = first[owner[inner]], (first + sizes)[owner[inner]]
    _need(bool(((uses[inner] >= low) & (uses[inner] < high)).all()), "use_def")
    others = uses[~inner & (uses != NONE)]
    _need(bool((others < CONSTANT + MAX_PARAMETERS).all()), "use_def")
    _need(_below(blocks, len(arrays["blocks"])), "use_block")
    _need(bool((arrays["kind"] <= OpKind.BRANCH).all()), "kind")
    _need(_below(arrays["op_file"], names), "op_file")
    _need(bool((functions["name"] < names).all()), "the name of a function")


def _below(numbers: Array, limit: int) -> bool:
    return bool(((numbers < limit) | (numbers == NONE)).all())


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} is wrong")
