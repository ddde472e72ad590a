"""What does each op compute?  Written with Python's own numbers, independent of the kernel."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tests.frontend.replay.machine import Op


def mask(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def to_float(value: int, bits: int) -> float:
    if bits == 32:
        return float(struct.unpack("<f", struct.pack("<I", value))[0])
    return float(struct.unpack("<d", struct.pack("<Q", value))[0])


def of_float(value: float, bits: int) -> int:
    with np.errstate(all="ignore"):
        if bits == 32:
            return int(np.float32(value).view(np.uint32))
    return int(np.float64(value).view(np.uint64))


def arithmetic(op: Op, v: list[int]) -> list[int]:
    name, bits = op.name, op.bits
    if name in FLOATS:
        with np.errstate(all="ignore"):
            return [FLOATS[name](op, v)]
    if name == "OVERFLOW":
        a, b = v if op.number % 2 else [signed(x, bits) for x in v]
        exact = [a + b, a + b, a - b, a - b, a * b, a * b][op.number]
        low = mask(exact, bits)
        return [low, int(exact != (low if op.number % 2 else signed(low, bits)))]
    return [mask(INTEGERS[name](op, *v), bits if name not in ("ICMP",) else 1)]


def traps(op: Op, v: list[int]) -> bool:
    if op.name not in ("UDIV", "SDIV", "UREM", "SREM"):
        return False
    least = -(1 << op.bits - 1), -1
    signs = tuple(signed(x, op.bits) for x in v)
    return v[1] == 0 or (op.name[0] == "S" and op.bits > 1 and signs == least)


def _divide(op: Op, a: int, b: int) -> int:
    if op.name[0] == "U":
        return a // b if op.name == "UDIV" else a % b
    x, y = signed(a, op.bits), signed(b, op.bits)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return quotient if op.name == "SDIV" else x - quotient * y


def _icmp(op: Op, a: int, b: int) -> int:
    x, y = signed(a, op.bits), signed(b, op.bits)
    return int(
        [a == b, a != b, a > b, a >= b, a < b, a <= b, x > y, x >= y, x < y, x <= y][op.number]
    )


def _funnel(op: Op, a: int, b: int, c: int) -> int:
    n, both = c % op.bits, a << op.bits | b
    return both >> (op.bits - n) if op.name == "FSHL" else both >> n


def _digits(op: Op, a: int) -> str:
    return f"{a:0{op.bits}b}"


INTEGERS: dict[str, Callable[..., int]] = {
    "ADD": lambda _, a, b: a + b, "SUB": lambda _, a, b: a - b, "MUL": lambda _, a, b: a * b,
    "UDIV": _divide, "SDIV": _divide, "UREM": _divide, "SREM": _divide,
    "SHL": lambda o, a, b: a << b if b < o.bits else 0,
    "LSHR": lambda o, a, b: a >> b if b < o.bits else 0,
    "ASHR": lambda o, a, b: signed(a, o.bits) >> b if b < o.bits else 0,
    "AND": lambda _, a, b: a & b, "OR": lambda _, a, b: a | b, "XOR": lambda _, a, b: a ^ b,
    "ICMP": _icmp, "TRUNC": lambda _, a: a, "SEXT": lambda o, a: signed(a, o.number),
    "ABS": lambda o, a: abs(signed(a, o.bits)),
    "SMAX": lambda o, a, b: max(signed(a, o.bits), signed(b, o.bits)),
    "SMIN": lambda o, a, b: min(signed(a, o.bits), signed(b, o.bits)),
    "UMAX": lambda _, a, b: max(a, b), "UMIN": lambda _, a, b: min(a, b),
    "CTPOP": lambda _, a: a.bit_count(), "FSHL": _funnel, "FSHR": _funnel,
    "CTLZ": lambda o, a: _digits(o, a).index("1") if a else o.bits,
    "CTTZ": lambda o, a: _digits(o, a)[::-1].index("1") if a else o.bits,
    "BITREVERSE": lambda o, a: int(_digits(o, a)[::-1], 2),
    "BSWAP": lambda o, a: int.from_bytes(a.to_bytes(o.bits // 8, "little"), "big"),
}  # fmt: skip


def _fbinary(op: Op, v: list[int]) -> int:
    kind = np.float32 if op.bits == 32 else np.float64
    a, b = (kind(to_float(x, op.bits)) for x in v)
    if op.name == "FREM":
        return of_float(float(np.fmod(a, b)), op.bits)
    done = {"FADD": np.add, "FSUB": np.subtract, "FMUL": np.multiply, "FDIV": np.divide}
    return of_float(float(done[op.name](a, b)), op.bits)


def _fcmp(op: Op, v: list[int]) -> int:
    a, b = (to_float(x, op.bits) for x in v)
    unordered = math.isnan(a) or math.isnan(b)
    if op.number in (7, 8):
        return int(unordered == (op.number == 8))
    names = [0, a == b, a > b, a >= b, a < b, a <= b, a != b]
    if op.number < 7:
        return int(bool(names[op.number]) and not unordered)
    return int(unordered or bool(op.number == 15 or names[op.number - 8]))


def _cut(value: float, bits: int) -> int:
    """Convert as cvttsd2si does: a value that does not fit becomes the smallest number."""
    fits = math.isfinite(value) and -(1 << bits - 1) <= int(value) < 1 << bits - 1
    return int(value) if fits else -(1 << bits - 1)


def _to_int(op: Op, v: list[int]) -> int:
    value = to_float(v[0], op.number)
    if op.name == "FPTOSI":
        return mask(_cut(value, 64 if op.bits > 32 else 32), op.bits)
    if op.bits <= 32:
        return mask(_cut(value, 64 if op.bits == 32 else 32), op.bits)
    low, high = _cut(value, 64), _cut(value - 2.0**63, 64)
    return mask(high & (low >> 63) | low, op.bits)


def _of_int(op: Op, v: list[int]) -> int:
    value = signed(v[0], op.number) if op.name == "SITOFP" else v[0]
    whole = np.uint64(value) if value >= 0 else np.int64(value)
    return of_float(float(np.float32(whole) if op.bits == 32 else np.float64(whole)), op.bits)


def _funary(op: Op, v: list[int]) -> int:
    kind = np.float32 if op.bits == 32 else np.float64
    done = {
        "SQRT": np.sqrt,
        "FLOOR": np.floor,
        "CEIL": np.ceil,
        "TRUNCF": np.trunc,
        "RINT": np.rint,
    }
    return of_float(float(done[op.name](kind(to_float(v[0], op.bits)))), op.bits)


FLOATS: dict[str, Callable[[Op, list[int]], int]] = {
    **dict.fromkeys(("FADD", "FSUB", "FMUL", "FDIV", "FREM"), _fbinary),
    **dict.fromkeys(("SQRT", "FLOOR", "CEIL", "TRUNCF", "RINT"), _funary),
    **dict.fromkeys(("FPTOUI", "FPTOSI"), _to_int), **dict.fromkeys(("UITOFP", "SITOFP"), _of_int),
    "FCMP": _fcmp, "FNEG": lambda o, v: v[0] ^ 1 << (o.bits - 1),
    "FABS": lambda o, v: v[0] & ~(1 << (o.bits - 1)),
    "COPYSIGN": lambda o, v: v[0] & ~(1 << (o.bits - 1)) | v[1] & 1 << (o.bits - 1),
    "FPTRUNC": lambda _, v: of_float(to_float(v[0], 64), 32),
    "FPEXT": lambda _, v: of_float(to_float(v[0], 32), 64),
}  # fmt: skip
