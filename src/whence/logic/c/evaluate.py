"""What is the result of an operation on known operands?

Values are bits: 0 <= value < 2 ** width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whence.logic.c import floats
from whence.logic.c.floats import FORMATS
from whence.program.operations import COp, Operation, Overflow, PyOp

Rule = Callable[..., "int | None"]  # its arguments are the operation and then each operand


def evaluate(operation: Operation, operands: Sequence[int]) -> int | None:
    """Return the result, or None where it is not defined.

    It is not defined for a division by zero or one that overflows, a shift by the width or more,
    a conversion to an integer type that the number does not fit, an OPAQUE operation, arithmetic
    on floats of a format that FORMATS does not have, and where C libraries differ: the smaller of
    two zeros, a rounded signalling NaN, an FMA of several NaNs.
    """
    found = _RULES[operation.op](operation, *operands)
    return None if found is None else found & ((1 << operation.width) - 1)


def signed(bits: int, width: int) -> int:
    """Return the number that bits stand for in two's complement."""
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
    """Return the quotient rounded towards zero and the remainder, or None if they trap."""
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
    scaled = zip(indices, o.widths[1:], o.extra, strict=False)  # extra[-1] is the constant
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
    """Return the rule of an operation whose operands and result have the same format."""

    def rule(o: Operation, *operands: int) -> int | None:
        f = FORMATS.get(o.width)
        return None if f is None else compute(f, *operands)

    return rule


def _rounding(towards: Callable[[floats.Exact], int]) -> Rule:
    return _floating(lambda f, a: floats.integral(f, a, towards))


def _fused(o: Operation, *operands: int) -> int | None:
    f = FORMATS.get(o.width)
    # Machines without half floats round those twice, others once.  If several operands are NaNs,
    # the machine may return any of them.
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
    classes: int = o.extra[0]
    return classes >> kind.value & 1


def _converted(o: Operation, a: int) -> int | None:
    source, target = FORMATS.get(o.widths[0]), FORMATS.get(o.width)
    return floats.converted(source, target, a) if source and target else None


def _to_integer(o: Operation, a: int) -> int | None:
    f = FORMATS.get(o.widths[0])
    number = None if f is None else floats.to_integer(f, a)
    lowest = -(1 << (o.width - 1)) if o.op is COp.FPTOSI else 0
    fits = number is not None and lowest <= number < lowest + (1 << o.width)
    return number if fits else None


def _from_integer(o: Operation, a: int) -> int | None:
    f = FORMATS.get(o.width)
    number = signed(a, o.widths[0]) if o.op is COp.SITOFP else a
    return None if f is None else floats.of_integer(f, number)


def _sign(o: Operation) -> int:
    return 1 << (o.width - 1)


_RULES: dict[COp | PyOp, Rule] = {
    COp.COPY: lambda _, a: a,
    COp.ADD: lambda _, a, b: a + b,
    COp.SUB: lambda _, a, b: a - b,
    COp.MUL: lambda _, a, b: a * b,
    COp.UDIV: lambda _, a, b: a // b if b else None,
    COp.UREM: lambda _, a, b: a % b if b else None,
    COp.SDIV: _sdiv,
    COp.SREM: _srem,
    COp.SHL: _shifting(int.__lshift__),
    COp.LSHR: _shifting(int.__rshift__),
    COp.ASHR: _shifting(int.__rshift__, as_signed=True),
    COp.AND: lambda _, a, b: a & b,
    COp.OR: lambda _, a, b: a | b,
    COp.XOR: lambda _, a, b: a ^ b,
    COp.EQ: _comparing(int.__eq__),
    COp.NE: _comparing(int.__ne__),
    COp.ULT: _comparing(int.__lt__),
    COp.ULE: _comparing(int.__le__),
    COp.UGT: _comparing(int.__gt__),
    COp.UGE: _comparing(int.__ge__),
    COp.SLT: _comparing(int.__lt__, as_signed=True),
    COp.SLE: _comparing(int.__le__, as_signed=True),
    COp.SGT: _comparing(int.__gt__, as_signed=True),
    COp.SGE: _comparing(int.__ge__, as_signed=True),
    COp.ZEXT: lambda _, a: a,
    COp.SEXT: lambda o, a: signed(a, o.widths[0]),
    COp.TRUNC: lambda _, a: a,
    COp.CONCAT: _concatenated,
    COp.EXTRACT: lambda o, a: a >> o.extra[0],
    COp.SELECT: lambda _, condition, a, b: a if condition else b,
    COp.FADD: _floating(floats.add),
    COp.FSUB: _floating(floats.subtract),
    COp.FMUL: _floating(floats.multiply),
    COp.FDIV: _floating(floats.divide),
    COp.FREM: _floating(floats.remainder),
    COp.FMA: _fused,
    COp.FMULADD: _floating(lambda f, a, b, c: floats.add(f, floats.multiply(f, a, b), c)),
    COp.FNEG: lambda o, a: a ^ _sign(o),
    COp.FABS: lambda o, a: a & ~_sign(o),
    COp.SQRT: _floating(floats.square_root),
    COp.COPYSIGN: lambda o, a, b: (a & ~_sign(o)) | (b & _sign(o)),
    COp.FLOOR: _rounding(floats.down),
    COp.CEIL: _rounding(floats.up),
    COp.TRUNCF: _rounding(floats.to_zero),
    COp.RINT: _rounding(floats.to_even),
    COp.ROUND: _rounding(floats.to_away),
    COp.FMIN: _floating(floats.minimum),
    COp.FMAX: _floating(floats.maximum),
    COp.FCMP: _fcmp,
    COp.FPCLASS: _fpclass,
    COp.FPTRUNC: _converted,
    COp.FPEXT: _converted,
    COp.FPTOUI: _to_integer,
    COp.FPTOSI: _to_integer,
    COp.UITOFP: _from_integer,
    COp.SITOFP: _from_integer,
    COp.ABS: lambda o, a: abs(signed(a, o.width)),
    COp.SMAX: _choosing(int.__gt__, as_signed=True),
    COp.SMIN: _choosing(int.__lt__, as_signed=True),
    COp.UMAX: _choosing(int.__gt__),
    COp.UMIN: _choosing(int.__lt__),
    COp.CTPOP: lambda _, a: a.bit_count(),
    COp.CTLZ: _leading,
    COp.CTTZ: _trailing,
    COp.BSWAP: _swapped,
    COp.BITREVERSE: lambda o, a: int(f"{a:0{o.width}b}"[::-1], 2),
    COp.FSHL: lambda o, a, b, n: (a << o.width | b) << n % o.width >> o.width,
    COp.FSHR: lambda o, a, b, n: (a << o.width | b) >> n % o.width,
    COp.OVERFLOW: _overflow,
    COp.ADDRESS: _address,
    COp.SWITCH: _switch,
    COp.OPAQUE: lambda *_: None,
}
