"""Which constraint does an operation put on its operands and its result?

Every value is a bit-vector of its width.  A constraint never says more than what holds on the
machine: it leaves open an undefined result (see `evaluate`) and the payload of a NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from whence.logic.c.floats import FORMATS, classes, of_integer
from whence.program.operations import COp, Operation, Overflow, PyOp

Rule = Callable[..., Any]  # its arguments are the operation and then each operand


def encode(
    operation: Operation, operands: Sequence[z3.BitVecRef], result: z3.BitVecRef
) -> z3.BoolRef | None:
    """Return the constraint that `result` is what the operation gives, or None if unknown."""
    op = operation.op
    if op in _FLOATING:
        found = _floating(operation, operands, result)
    elif op in _CONDITIONS:
        found = (result == 1) == _CONDITIONS[op](operation, *operands)
    elif op in _RULES:
        found = result == _RULES[op](operation, *operands)
    else:
        found = _OTHERS[op](operation, operands, result)
    defined = _DEFINED[op](operation, *operands) if op in _DEFINED and found is not None else None
    return found if defined is None else z3.Implies(defined, found)


def applied(operation: Operation, operands: Sequence[z3.BitVecRef]) -> z3.BitVecRef | None:
    """Return what the operation gives, where that is a term of its operands; else None.

    A comparison gives a truth value.  The result holds where the operation is `defined`.
    """
    if operation.op in _CONDITIONS:
        return _CONDITIONS[operation.op](operation, *operands)
    if operation.op in _RULES:
        return _RULES[operation.op](operation, *operands)
    return None


def defined(operation: Operation, operands: Sequence[z3.BitVecRef]) -> z3.BoolRef | None:
    """Return the condition under which the result of an operation is defined; None: always."""
    rule = _DEFINED.get(operation.op)
    return None if rule is None else rule(operation, *operands)


# --- integers --------------------------------------------------------------------------------


def _divides(o: Operation, a: Any, b: Any) -> Any:
    if z3.is_bv_value(b) and b.as_signed_long() not in (0, -1):
        return None
    if o.op in (COp.UDIV, COp.UREM):
        return b != 0
    return z3.And(b != 0, z3.Or(a != 1 << (o.width - 1), b != -1))


def _is_in_range(o: Operation, _: Any, n: Any) -> Any:
    if o.width >> o.widths[1] or (z3.is_bv_value(n) and n.as_long() < o.width):
        return None
    return z3.ULT(n, o.width)


def _is_counted(o: Operation, a: Any) -> Any:
    return a != 0 if any(o.extra) else None


def _bits(a: Any) -> list[Any]:
    """Return the bits of a value, the lowest first."""
    return [z3.Extract(i, i, a) for i in range(a.size())]


def _concatenated(*parts: Any) -> Any:
    """Concatenate the parts; the first part has the highest bits."""
    return z3.Concat(*parts) if len(parts) > 1 else parts[0]


def _popcount(o: Operation, a: Any) -> Any:
    """Return the number of bits that are set: add neighbours, then neighbouring sums, and so on."""
    step = 1
    while step < o.width:
        every_other = sum(((1 << step) - 1) << i for i in range(0, o.width, 2 * step))
        mask = every_other & ((1 << o.width) - 1)
        a = (a & mask) + (z3.LShR(a, step) & mask)
        step *= 2
    return a


def _first_one(o: Operation, bits: list[Any]) -> Any:
    """Return the index of the first bit that is set, or the number of bits if none is."""
    found = z3.BitVecVal(len(bits), o.width)
    for place in reversed(range(len(bits))):
        found = z3.If(bits[place] == 1, z3.BitVecVal(place, o.width), found)
    return found


def _swapped(_: Operation, a: Any) -> Any:
    return _concatenated(*(z3.Extract(i + 7, i, a) for i in range(0, a.size(), 8)))


def _resized(a: Any, width: int, *, as_signed: bool = False) -> Any:
    more = width - a.size()
    if more <= 0:
        return z3.Extract(width - 1, 0, a) if more else a
    return z3.SignExt(more, a) if as_signed else z3.ZeroExt(more, a)


def _funnel(o: Operation, a: Any, b: Any, n: Any) -> Any:
    both = z3.Concat(a, b)
    n = _resized(z3.URem(n, z3.BitVecVal(o.width, o.width)), 2 * o.width)
    if o.op is COp.FSHR:
        return z3.Extract(o.width - 1, 0, z3.LShR(both, n))
    return z3.Extract(2 * o.width - 1, o.width, both << n)


def _address(o: Operation, base: Any, *indices: Any) -> Any:
    for index, scale in zip(indices, o.extra, strict=False):  # extra[-1] is the constant
        base = base + _resized(index, o.width, as_signed=True) * scale
    return base + o.extra[-1] if o.extra[-1] else base


def _overflows(o: Operation, a: Any, b: Any) -> Any:
    kind, width = Overflow(o.extra[0]), o.widths[0]
    is_signed = kind in (Overflow.SADD, Overflow.SSUB, Overflow.SMUL)
    is_product = kind in (Overflow.SMUL, Overflow.UMUL)
    enough = 2 * width if is_product else width + 1
    a, b = (_resized(x, enough, as_signed=is_signed) for x in (a, b))
    is_sum = kind in (Overflow.SADD, Overflow.UADD)
    exact = a * b if is_product else a + b if is_sum else a - b
    return exact != _resized(_resized(exact, width), enough, as_signed=is_signed)


def _switch(o: Operation, a: Any) -> Any:
    found = z3.BitVecVal(len(o.extra), o.width)
    for place, case in reversed(tuple(enumerate(o.extra))):
        found = z3.If(a == case, z3.BitVecVal(place, o.width), found)
    return found


def _extract(o: Operation, a: Any) -> Any:
    return z3.Extract(o.extra[0] + o.width - 1, o.extra[0], a)


def _sign(o: Operation) -> int:
    return 1 << (o.width - 1)


def _differ_nowhere(_: Operation, a: Any, b: Any) -> Any:
    """Return the condition under which all C libraries agree on fmin and fmax."""
    quiet = FORMATS[a.size()].precision - 2
    x, y = _number(a), _number(b)
    return z3.And(
        z3.Or(z3.Not(z3.fpIsNaN(x)), z3.Extract(quiet, quiet, a) == 1),
        z3.Or(z3.Not(z3.fpIsNaN(y)), z3.Extract(quiet, quiet, b) == 1),
        z3.Or(a == b, z3.Not(z3.fpIsZero(x)), z3.Not(z3.fpIsZero(y))),
    )


# The condition under which the result is defined; None if it always is.
_DEFINED: dict[COp | PyOp, Rule] = {
    COp.UDIV: _divides, COp.SDIV: _divides, COp.UREM: _divides, COp.SREM: _divides,
    COp.SHL: _is_in_range, COp.LSHR: _is_in_range, COp.ASHR: _is_in_range,
    COp.CTLZ: _is_counted, COp.CTTZ: _is_counted,
    COp.FMIN: _differ_nowhere, COp.FMAX: _differ_nowhere,
    COp.FPTOSI: lambda o, a: _fits_integer(o, a), COp.FPTOUI: lambda o, a: _fits_integer(o, a),
}  # fmt: skip
_CONDITIONS: dict[COp | PyOp, Rule] = {
    COp.EQ: lambda _, a, b: a == b,
    COp.NE: lambda _, a, b: a != b,
    COp.ULT: lambda _, a, b: z3.ULT(a, b),
    COp.ULE: lambda _, a, b: z3.ULE(a, b),
    COp.UGT: lambda _, a, b: z3.UGT(a, b),
    COp.UGE: lambda _, a, b: z3.UGE(a, b),
    COp.SLT: lambda _, a, b: a < b,
    COp.SLE: lambda _, a, b: a <= b,
    COp.SGT: lambda _, a, b: a > b,
    COp.SGE: lambda _, a, b: a >= b,
    COp.OVERFLOW: _overflows,
}
_RULES: dict[COp | PyOp, Rule] = {
    COp.COPY: lambda _, a: a,
    COp.ADD: lambda _, a, b: a + b,
    COp.SUB: lambda _, a, b: a - b,
    COp.MUL: lambda _, a, b: a * b,
    COp.UDIV: lambda _, a, b: z3.UDiv(a, b),
    COp.SDIV: lambda _, a, b: a / b,
    COp.UREM: lambda _, a, b: z3.URem(a, b),
    COp.SREM: lambda _, a, b: z3.SRem(a, b),
    COp.SHL: lambda _, a, n: a << n,
    COp.LSHR: lambda _, a, n: z3.LShR(a, n),
    COp.ASHR: lambda _, a, n: a >> n,
    COp.AND: lambda _, a, b: a & b,
    COp.OR: lambda _, a, b: a | b,
    COp.XOR: lambda _, a, b: a ^ b,
    COp.ZEXT: lambda o, a: _resized(a, o.width),
    COp.SEXT: lambda o, a: _resized(a, o.width, as_signed=True),
    COp.TRUNC: lambda o, a: _resized(a, o.width),
    COp.CONCAT: lambda _, *parts: _concatenated(*reversed(parts)),
    COp.EXTRACT: _extract,
    COp.SELECT: lambda _, condition, a, b: z3.If(condition == 1, a, b),
    COp.FNEG: lambda o, a: a ^ _sign(o),
    COp.FABS: lambda o, a: a & (_sign(o) - 1),
    COp.COPYSIGN: lambda o, a, b: (a & (_sign(o) - 1)) | (b & _sign(o)),
    COp.ABS: lambda _, a: z3.If(a < 0, -a, a),
    COp.SMAX: lambda _, a, b: z3.If(a > b, a, b),
    COp.SMIN: lambda _, a, b: z3.If(a < b, a, b),
    COp.UMAX: lambda _, a, b: z3.If(z3.UGT(a, b), a, b),
    COp.UMIN: lambda _, a, b: z3.If(z3.ULT(a, b), a, b),
    COp.CTPOP: _popcount,
    COp.CTLZ: lambda o, a: _first_one(o, _bits(a)[::-1]),
    COp.CTTZ: lambda o, a: _first_one(o, _bits(a)),
    COp.BSWAP: _swapped,
    COp.BITREVERSE: lambda _, a: _concatenated(*_bits(a)),
    COp.FSHL: _funnel,
    COp.FSHR: _funnel,
    COp.ADDRESS: _address,
    COp.SWITCH: _switch,
}

# --- floats ----------------------------------------------------------------------------------


def _sort(width: int) -> Any:
    f = FORMATS[width]
    return z3.FPSort(f.width - f.precision, f.precision)


def _number(bits: Any) -> Any:
    return z3.fpBVToFP(bits, _sort(bits.size()))


def _floating(o: Operation, operands: Sequence[Any], result: Any) -> Any:
    if o.width not in FORMATS or (o.op is COp.FMA and o.width == 16):  # see evaluate
        return None
    # Not `result == fpToIEEEBV(...)`, which would choose one NaN.
    return _number(result) == _FLOATING[o.op](*map(_number, operands))


def _fcmp(o: Operation, operands: Sequence[Any], result: Any) -> Any:
    if o.widths[0] not in FORMATS:
        return None
    a, b = map(_number, operands)
    holds = _ordered_relation(o.extra[0] & 7, a, b)
    if o.extra[0] & 8:  # holds for unordered numbers too: negate the rest
        holds = z3.Not(_ordered_relation(~o.extra[0] & 7, a, b))
    return (result == 1) == holds


def _ordered_relation(wanted: int, a: Any, b: Any) -> Any:
    """Return that `a` and `b` are ordered in one of the ways whose bits `wanted` has."""
    rules: tuple[Callable[[], Any], ...] = (
        lambda: z3.BoolVal(False),
        lambda: z3.fpEQ(a, b),
        lambda: z3.fpGT(a, b),
        lambda: z3.fpGEQ(a, b),
        lambda: z3.fpLT(a, b),
        lambda: z3.fpLEQ(a, b),
        lambda: z3.Or(z3.fpLT(a, b), z3.fpGT(a, b)),
        lambda: z3.Not(z3.Or(z3.fpIsNaN(a), z3.fpIsNaN(b))),
    )
    return rules[wanted]()


def _fpclass(o: Operation, operands: Sequence[Any], result: Any) -> Any:
    if o.widths[0] not in FORMATS:
        return None
    (a,) = operands
    ranges = [
        z3.And(z3.UGE(a, low), z3.ULE(a, high))
        for kind, low, high in classes(FORMATS[o.widths[0]])
        if o.extra[0] >> kind.value & 1
    ]
    return (result == 1) == z3.Or(*ranges)


def _converted(o: Operation, operands: Sequence[Any], result: Any) -> Any:
    if o.widths[0] not in FORMATS or o.width not in FORMATS:
        return None
    return _number(result) == z3.fpFPToFP(z3.RNE(), _number(operands[0]), _sort(o.width))


def _from_integer(o: Operation, operands: Sequence[Any], result: Any) -> Any:
    if o.width not in FORMATS:
        return None
    convert = z3.fpSignedToFP if o.op is COp.SITOFP else z3.fpUnsignedToFP
    return _number(result) == convert(z3.RNE(), operands[0], _sort(o.width))


def _to_integer(o: Operation, operands: Sequence[Any], result: Any) -> Any:
    if o.widths[0] not in FORMATS:
        return None
    convert = z3.fpToSBV if o.op is COp.FPTOSI else z3.fpToUBV
    return result == convert(z3.RTZ(), _number(operands[0]), z3.BitVecSort(o.width))


def _fits_integer(o: Operation, a: Any) -> Any:
    if o.widths[0] not in FORMATS:
        return None
    lowest = -(1 << (o.width - 1)) if o.op is COp.FPTOSI else 0
    return _truncates_into(o.widths[0], _number(a), lowest, lowest + (1 << o.width))


def _truncates_into(width: int, a: Any, low: int, high: int) -> Any:
    """Return that low <= a < high once the fraction of `a` is dropped.

    Both bounds are powers of two, or zero.  A bound that is too large for the format becomes
    infinity, which all finite numbers satisfy.
    """
    f = FORMATS[width]

    def constant(number: int) -> Any:
        return _number(z3.BitVecVal(of_integer(f, number), width))

    # Numbers between low - 1 and low are cut to low.  If low - 1 has no exact value in the
    # format, there are no such numbers.
    is_exact = (1 - low).bit_length() <= f.precision or f.is_infinite(of_integer(f, low))
    above = z3.fpGT(a, constant(low - 1)) if is_exact else z3.fpGEQ(a, constant(low))
    return z3.And(above, z3.fpLT(a, constant(high)))


def _rounding(towards: Callable[[], Any]) -> Callable[..., Any]:
    return lambda a: z3.fpRoundToIntegral(towards(), a)


_FLOATING: dict[COp | PyOp, Callable[..., Any]] = {
    COp.FADD: lambda a, b: z3.fpAdd(z3.RNE(), a, b),
    COp.FSUB: lambda a, b: z3.fpSub(z3.RNE(), a, b),
    COp.FMUL: lambda a, b: z3.fpMul(z3.RNE(), a, b),
    COp.FDIV: lambda a, b: z3.fpDiv(z3.RNE(), a, b),
    COp.FMA: lambda a, b, c: z3.fpFMA(z3.RNE(), a, b, c),
    COp.FMULADD: lambda a, b, c: z3.fpAdd(z3.RNE(), z3.fpMul(z3.RNE(), a, b), c),
    COp.SQRT: lambda a: z3.fpSqrt(z3.RNE(), a),
    COp.FLOOR: _rounding(z3.RTN),
    COp.CEIL: _rounding(z3.RTP),
    COp.TRUNCF: _rounding(z3.RTZ),
    COp.RINT: _rounding(z3.RNE),
    COp.ROUND: _rounding(z3.RNA),
    COp.FMIN: lambda a, b: z3.fpMin(a, b),
    COp.FMAX: lambda a, b: z3.fpMax(a, b),
}
_OTHERS: dict[COp | PyOp, Rule] = {
    COp.FCMP: _fcmp,
    COp.FPCLASS: _fpclass,
    COp.FPTRUNC: _converted,
    COp.FPEXT: _converted,
    COp.FPTOUI: _to_integer,
    COp.FPTOSI: _to_integer,
    COp.UITOFP: _from_integer,
    COp.SITOFP: _from_integer,
    COp.FREM: lambda *_: None,  # the solver only knows IEEE's remainder, and fails on doubles
    COp.OPAQUE: lambda *_: None,
}
