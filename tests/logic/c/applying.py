"""Strategies for all operations, with operands that are likely to show mistakes."""

from __future__ import annotations

from hypothesis import strategies as st

from whence.logic.c.floats import FORMATS
from whence.program.operations import COp, Operation

Applied = tuple[Operation, tuple[int, ...]]

BINARY = (
    COp.ADD, COp.SUB, COp.MUL, COp.UDIV, COp.SDIV, COp.UREM, COp.SREM, COp.SHL, COp.LSHR, COp.ASHR,
    COp.AND, COp.OR, COp.XOR, COp.SMAX, COp.SMIN, COp.UMAX, COp.UMIN,
)  # fmt: skip
COMPARISONS = (
    COp.EQ, COp.NE, COp.ULT, COp.ULE, COp.UGT, COp.UGE, COp.SLT, COp.SLE, COp.SGT, COp.SGE,
)  # fmt: skip
UNARY = (COp.COPY, COp.ABS, COp.CTPOP, COp.BITREVERSE)
COUNTS = (COp.CTLZ, COp.CTTZ)
FUNNELS = (COp.FSHL, COp.FSHR)
FLOAT_UNARY = (
    COp.FNEG, COp.FABS, COp.SQRT, COp.FLOOR, COp.CEIL, COp.TRUNCF, COp.RINT, COp.ROUND,
)  # fmt: skip
FLOAT_BINARY = (
    COp.FADD, COp.FSUB, COp.FMUL, COp.FDIV, COp.FREM, COp.COPYSIGN, COp.FMIN, COp.FMAX,
)  # fmt: skip
FLOAT_TERNARY = (COp.FMA, COp.FMULADD)

widths = st.one_of(st.sampled_from((1, 8, 16, 32, 64, 128)), st.integers(1, 128))
float_widths = st.sampled_from(sorted(FORMATS))


def integers(width: int) -> st.SearchStrategy[int]:
    """Draw bits of this width, often small numbers or numbers next to a change of the sign."""
    top = 1 << (width - 1)
    special = (0, 1, top - 1, top, 2 * top - 1)
    near = st.sampled_from(tuple(v for v in special if v < 2 * top))
    return st.one_of(near, st.integers(0, min(2 * top - 1, 200)), st.integers(0, 2 * top - 1))


def numbers(width: int) -> st.SearchStrategy[int]:
    """Draw floats of this width, often rare ones such as infinities and NaNs."""
    f = FORMATS[width]
    rare = (0, 1, f.infinity - 1, f.infinity, f.infinity + 1, f.infinity | f.quiet | 5, f.nan)
    one = f.sign // 2 - (1 << (f.precision - 1))
    near_one = st.integers(one - (1 << f.precision), one + (6 << f.precision - 1))
    signless = st.one_of(st.sampled_from(rare), near_one, st.integers(0, f.sign - 1))
    return st.builds(lambda bits, sign: bits | sign, signless, st.sampled_from((0, f.sign)))


def apply(op: COp, width: int, *operands: tuple[int, int], extra: tuple[int, ...] = ()) -> Applied:
    """Return an operation and its operands; each operand is given as (width, value)."""
    operation = Operation(op, width, tuple(w for w, _ in operands), extra)
    return operation, tuple(value for _, value in operands)


@st.composite
def on_integers(draw: st.DrawFn) -> Applied:
    width = draw(widths)

    def operand(of: int = width) -> tuple[int, int]:
        return of, draw(integers(of))

    group = draw(st.integers(0, 9))
    if group <= 2:
        return apply(draw(st.sampled_from(BINARY)), width, operand(), operand())
    if group == 3:
        return apply(draw(st.sampled_from(COMPARISONS)), 1, operand(), operand())
    if group == 4:
        return apply(draw(st.sampled_from(UNARY)), width, operand())
    if group == 5:
        of_zero = (draw(st.integers(0, 1)),)
        return apply(draw(st.sampled_from(COUNTS)), width, operand(), extra=of_zero)
    if group == 6:
        funnel = draw(st.sampled_from(FUNNELS))
        return apply(funnel, width, operand(), operand(), operand())
    if group == 7:
        return apply(COp.SELECT, width, operand(1), operand(), operand())
    if group == 8:
        kind = draw(st.integers(0, 5))
        return apply(COp.OVERFLOW, 1, operand(), operand(), extra=(kind,))
    return draw(resizing())


@st.composite
def resizing(draw: st.DrawFn) -> Applied:
    """Draw operations that cut, join or widen values, addresses and switches."""
    width = draw(st.integers(2, 128))
    value = (width, draw(integers(width)))
    less = draw(st.integers(1, width - 1))
    which = draw(st.integers(0, 6))
    if which == 0:
        return apply(COp.TRUNC, less, value)
    if which == 1:
        op = draw(st.sampled_from((COp.ZEXT, COp.SEXT)))
        return apply(op, width, (less, draw(integers(less))))
    if which == 2:
        return apply(COp.EXTRACT, less, value, extra=(draw(st.integers(0, width - less)),))
    if which == 3:
        return apply(COp.CONCAT, width + less, value, (less, draw(integers(less))))
    if which == 4:
        bytes_ = 8 * draw(st.integers(1, 8))
        return apply(COp.BSWAP, bytes_, (bytes_, draw(integers(bytes_))))
    if which == 5:
        cases = draw(st.lists(integers(less), max_size=4, unique=True))
        return apply(COp.SWITCH, 32, (less, draw(integers(less))), extra=tuple(cases))
    scales = draw(st.lists(st.integers(-40, 4000), max_size=3))
    indices = [(w, draw(integers(w))) for w in (draw(st.sampled_from((8, 32, 64))) for _ in scales)]
    constant = draw(st.integers(-1000, 1000))
    base = (64, draw(integers(64)))
    return apply(COp.ADDRESS, 64, base, *indices, extra=(*scales, constant))


@st.composite
def on_floats(draw: st.DrawFn) -> Applied:
    width = draw(float_widths)

    def operand() -> tuple[int, int]:
        return width, draw(numbers(width))

    group = draw(st.integers(0, 6))
    if group <= 1:
        return apply(draw(st.sampled_from(FLOAT_UNARY)), width, operand())
    if group <= 3:
        return apply(draw(st.sampled_from(FLOAT_BINARY)), width, operand(), operand())
    if group == 4:
        ternary = draw(st.sampled_from(FLOAT_TERNARY))
        return apply(ternary, width, operand(), operand(), operand())
    if group == 5:
        return apply(COp.FCMP, 1, operand(), operand(), extra=(draw(st.integers(0, 15)),))
    return apply(COp.FPCLASS, 1, operand(), extra=(draw(st.integers(0, 1023)),))


@st.composite
def converting(draw: st.DrawFn) -> Applied:
    """Draw conversions between floats, and between floats and integers."""
    width, other = draw(float_widths), draw(float_widths)
    value = (width, draw(numbers(width)))
    which = draw(st.integers(0, 2))
    if which == 0:
        return apply(COp.FPTRUNC if other <= width else COp.FPEXT, other, value)
    bits = draw(widths)
    if which == 1:
        return apply(draw(st.sampled_from((COp.FPTOUI, COp.FPTOSI))), bits, value)
    op = draw(st.sampled_from((COp.UITOFP, COp.SITOFP)))
    return apply(op, width, (bits, draw(integers(bits))))
