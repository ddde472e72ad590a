"""What does an operation give for operands that are known?

Values are bits: 0 <= value < 2 ** width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whence.frontend.meaning import Op, Operation, Overflow, PyOp
from whence.semantics import floats
from whence.semantics.floats import FORMATS

Rule = Callable[..., "int | None"]  # the operation, and its operands one by one


def evaluate(operation: Operation, operands: Sequence[int]) -> int | None:
    """The result; None where it is not determined.

    That is the case for a division by zero or one that overflows, a shift by the width or more,
    a conversion to an integer type that the number does not fit, an OPAQUE operation, the
    arithmetic of floats of other formats than FORMATS has, and where C libraries differ: the
    smaller of two zeros, a signalling NaN rounded, an FMA of several NaNs.
    """
    found = _RULES[operation.op](operation, *operands)
    return None if found is None else found & ((1 << operation.width) - 1)


def signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


# --- integers --------------------------------------------------------------------------------


def _comparing(compare: Callable[[int, int], bool], *, as_signed: bool = False) -> Rule:
    def rule(o: Operation, a: int, b: int) -> int:
        if as_signed:
            a, b = signed(a, o.widths[0]), signed(b, o.widths[1])
        return int(compare(a, b))

    return rule


def _choosing(compare: Callable[[int, int], bool], *, as_signed: bool = False) -> Rule:
    better = _comparing(compare, as_signed=as_signed)
    return lambda o, a, b: a if better(o, a, b) else b


def _shifting(shift: Callable[[int, int], int], *, as_signed: bool = False) -> Rule:
    def rule(o: Operation, a: int, n: int) -> int | None:
        return shift(signed(a, o.width) if as_signed else a, n) if n < o.width else None

    return rule


def _signed_division(o: Operation, a: int, b: int) -> tuple[int, int] | None:
    """Quotient, rounded towards zero, and remainder; None where the machine may trap."""
    x, y = signed(a, o.width), signed(b, o.width)
    if not y or (y == -1 and a == 1 << (o.width - 1)):
        return None
    quotient = abs(x) // abs(y)
    quotient = quotient if (x < 0) == (y < 0) else -quotient
    return quotient, x - quotient * y


def _sdiv(o: Operation, a: int, b: int) -> int | None:
    found = _signed_division(o, a, b)
    return found and found[0]


def _srem(o: Operation, a: int, b: int) -> int | None:
    found = _signed_division(o, a, b)
    return found and found[1]


def _leading(o: Operation, a: int) -> int | None:
    return o.width - a.bit_length() if a or not any(o.extra) else None


def _trailing(o: Operation, a: int) -> int | None:
    if not a:
        return None if any(o.extra) else o.width
    return (a & -a).bit_length() - 1


def _swapped(o: Operation, a: int) -> int | None:
    size, odd = divmod(o.width, 8)
    return None if odd else int.from_bytes(a.to_bytes(size, "little"), "big")


def _concatenated(o: Operation, *parts: int) -> int:
    found = shift = 0
    for part, width in zip(parts, o.widths, strict=True):
        found |= part << shift
        shift += width
    return found


def _address(o: Operation, base: int, *indices: int) -> int:
    scaled = zip(indices, o.widths[1:], o.extra, strict=False)  # the constant comes after
    offset: int = sum(signed(i, width) * scale for i, width, scale in scaled) + o.extra[-1]
    return base + offset


def _overflow(o: Operation, a: int, b: int) -> int:
    kind, width = Overflow(o.extra[0]), o.widths[0]
    is_signed = kind in (Overflow.SADD, Overflow.SSUB, Overflow.SMUL)
    if is_signed:
        a, b = signed(a, width), signed(b, width)
    if kind in (Overflow.SADD, Overflow.UADD):
        exact = a + b
    else:
        exact = a - b if kind in (Overflow.SSUB, Overflow.USUB) else a * b
    lowest = -(1 << (width - 1)) if is_signed else 0
    return int(not lowest <= exact < lowest + (1 << width))


def _switch(o: Operation, a: int) -> int:
    return o.extra.index(a) if a in o.extra else len(o.extra)


# --- floats ----------------------------------------------------------------------------------


def _floating(compute: Callable[..., int | None]) -> Rule:
    """An operation whose operands and result have one format."""

    def rule(o: Operation, *operands: int) -> int | None:
        f = FORMATS.get(o.width)
        return None if f is None else compute(f, *operands)

    return rule


def _rounding(towards: Callable[[floats.Exact], int]) -> Rule:
    return _floating(lambda f, a: floats.integral(f, a, towards))


def _fused(o: Operation, *operands: int) -> int | None:
    f = FORMATS.get(o.width)
    # Machines without halves round those twice, others once; of two NaNs they choose either.
    if f is None or o.width == 16 or sum(map(f.is_nan, operands)) > 1:
        return None
    return floats.multiply_add(f, *operands)


def _fcmp(o: Operation, a: int, b: int) -> int | None:
    f = FORMATS.get(o.widths[0])
    return None if f is None else int(bool(floats.relation(f, a, b) & o.extra[0]))


def _fpclass(o: Operation, a: int) -> int | None:
    f = FORMATS.get(o.widths[0])
    if f is None:
        return None
    kind = next(kind for kind, low, high in floats.classes(f) if low <= a <= high)
    asked: int = o.extra[0]
    return asked >> kind.value & 1


def _converted(o: Operation, a: int) -> int | None:
    source, target = FORMATS.get(o.widths[0]), FORMATS.get(o.width)
    return floats.converted(source, target, a) if source and target else None


def _to_integer(o: Operation, a: int) -> int | None:
    f = FORMATS.get(o.widths[0])
    number = None if f is None else floats.to_integer(f, a)
    lowest = -(1 << (o.width - 1)) if o.op is Op.FPTOSI else 0
    fits = number is not None and lowest <= number < lowest + (1 << o.width)
    return number if fits else None


def _from_integer(o: Operation, a: int) -> int | None:
    f = FORMATS.get(o.width)
    number = signed(a, o.widths[0]) if o.op is Op.SITOFP else a
    return None if f is None else floats.of_integer(f, number)


def _sign(o: Operation) -> int:
    return 1 << (o.width - 1)


_RULES: dict[Op | PyOp, Rule] = {
    Op.COPY: lambda _, a: a,
    Op.ADD: lambda _, a, b: a + b,
    Op.SUB: lambda _, a, b: a - b,
    Op.MUL: lambda _, a, b: a * b,
    Op.UDIV: lambda _, a, b: a // b if b else None,
    Op.UREM: lambda _, a, b: a % b if b else None,
    Op.SDIV: _sdiv,
    Op.SREM: _srem,
    Op.SHL: _shifting(int.__lshift__),
    Op.LSHR: _shifting(int.__rshift__),
    Op.ASHR: _shifting(int.__rshift__, as_signed=True),
    Op.AND: lambda _, a, b: a & b,
    Op.OR: lambda _, a, b: a | b,
    Op.XOR: lambda _, a, b: a ^ b,
    Op.EQ: _comparing(int.__eq__),
    Op.NE: _comparing(int.__ne__),
    Op.ULT: _comparing(int.__lt__),
    Op.ULE: _comparing(int.__le__),
    Op.UGT: _comparing(int.__gt__),
    Op.UGE: _comparing(int.__ge__),
    Op.SLT: _comparing(int.__lt__, as_signed=True),
    Op.SLE: _comparing(int.__le__, as_signed=True),
    Op.SGT: _comparing(int.__gt__, as_signed=True),
    Op.SGE: _comparing(int.__ge__, as_signed=True),
    Op.ZEXT: lambda _, a: a,
    Op.SEXT: lambda o, a: signed(a, o.widths[0]),
    Op.TRUNC: lambda _, a: a,
    Op.CONCAT: _concatenated,
    Op.EXTRACT: lambda o, a: a >> o.extra[0],
    Op.SELECT: lambda _, condition, a, b: a if condition else b,
    Op.FADD: _floating(floats.add),
    Op.FSUB: _floating(floats.subtract),
    Op.FMUL: _floating(floats.multiply),
    Op.FDIV: _floating(floats.divide),
    Op.FREM: _floating(floats.remainder),
    Op.FMA: _fused,
    Op.FMULADD: _floating(lambda f, a, b, c: floats.add(f, floats.multiply(f, a, b), c)),
    Op.FNEG: lambda o, a: a ^ _sign(o),
    Op.FABS: lambda o, a: a & ~_sign(o),
    Op.SQRT: _floating(floats.square_root),
    Op.COPYSIGN: lambda o, a, b: (a & ~_sign(o)) | (b & _sign(o)),
    Op.FLOOR: _rounding(floats.down),
    Op.CEIL: _rounding(floats.up),
    Op.TRUNCF: _rounding(floats.to_zero),
    Op.RINT: _rounding(floats.to_even),
    Op.ROUND: _rounding(floats.to_away),
    Op.FMIN: _floating(floats.minimum),
    Op.FMAX: _floating(floats.maximum),
    Op.FCMP: _fcmp,
    Op.FPCLASS: _fpclass,
    Op.FPTRUNC: _converted,
    Op.FPEXT: _converted,
    Op.FPTOUI: _to_integer,
    Op.FPTOSI: _to_integer,
    Op.UITOFP: _from_integer,
    Op.SITOFP: _from_integer,
    Op.ABS: lambda o, a: abs(signed(a, o.width)),
    Op.SMAX: _choosing(int.__gt__, as_signed=True),
    Op.SMIN: _choosing(int.__lt__, as_signed=True),
    Op.UMAX: _choosing(int.__gt__),
    Op.UMIN: _choosing(int.__lt__),
    Op.CTPOP: lambda _, a: a.bit_count(),
    Op.CTLZ: _leading,
    Op.CTTZ: _trailing,
    Op.BSWAP: _swapped,
    Op.BITREVERSE: lambda o, a: int(f"{a:0{o.width}b}"[::-1], 2),
    Op.FSHL: lambda o, a, b, n: (a << o.width | b) << n % o.width >> o.width,
    Op.FSHR: lambda o, a, b, n: (a << o.width | b) >> n % o.width,
    Op.OVERFLOW: _overflow,
    Op.ADDRESS: _address,
    Op.SWITCH: _switch,
    Op.OPAQUE: lambda *_: None,
}
