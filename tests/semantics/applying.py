"""Operations of every kind, applied to operands that are likely to show where they go wrong."""

from __future__ import annotations

from hypothesis import strategies as st

from whence.frontend.meaning import Op, Operation
from whence.semantics.floats import FORMATS

Applied = tuple[Operation, tuple[int, ...]]

BINARY = (
    Op.ADD, Op.SUB, Op.MUL, Op.UDIV, Op.SDIV, Op.UREM, Op.SREM, Op.SHL, Op.LSHR, Op.ASHR,
    Op.AND, Op.OR, Op.XOR, Op.SMAX, Op.SMIN, Op.UMAX, Op.UMIN,
)  # fmt: skip
COMPARISONS = (
    Op.EQ, Op.NE, Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT, Op.SGE,
)  # fmt: skip
UNARY = (Op.COPY, Op.ABS, Op.CTPOP, Op.BITREVERSE)
COUNTS = (Op.CTLZ, Op.CTTZ)
FUNNELS = (Op.FSHL, Op.FSHR)
FLOAT_UNARY = (
    Op.FNEG, Op.FABS, Op.SQRT, Op.FLOOR, Op.CEIL, Op.TRUNCF, Op.RINT, Op.ROUND,
)  # fmt: skip
FLOAT_BINARY = (
    Op.FADD, Op.FSUB, Op.FMUL, Op.FDIV, Op.FREM, Op.COPYSIGN, Op.FMIN, Op.FMAX,
)  # fmt: skip
FLOAT_TERNARY = (Op.FMA, Op.FMULADD)

widths = st.one_of(st.sampled_from((1, 8, 16, 32, 64, 128)), st.integers(1, 128))
float_widths = st.sampled_from(sorted(FORMATS))


def integers(width: int) -> st.SearchStrategy[int]:
    """Bits of this width, often few of them or close to where the sign changes."""
    top = 1 << (width - 1)
    special = (0, 1, top - 1, top, 2 * top - 1)
    near = st.sampled_from(tuple(v for v in special if v < 2 * top))
    return st.one_of(near, st.integers(0, min(2 * top - 1, 200)), st.integers(0, 2 * top - 1))


def numbers(width: int) -> st.SearchStrategy[int]:
    """Bits of floats of this width: usual numbers, and rare ones often."""
    f = FORMATS[width]
    rare = (0, 1, f.infinity - 1, f.infinity, f.infinity + 1, f.infinity | f.quiet | 5, f.nan)
    one = f.sign // 2 - (1 << (f.precision - 1))
    near_one = st.integers(one - (1 << f.precision), one + (6 << f.precision - 1))
    signless = st.one_of(st.sampled_from(rare), near_one, st.integers(0, f.sign - 1))
    return st.builds(lambda bits, sign: bits | sign, signless, st.sampled_from((0, f.sign)))


def apply(op: Op, width: int, *operands: tuple[int, int], extra: tuple[int, ...] = ()) -> Applied:
    """An operation, given the width and value of each operand."""
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
        return apply(Op.SELECT, width, operand(1), operand(), operand())
    if group == 8:
        kind = draw(st.integers(0, 5))
        return apply(Op.OVERFLOW, 1, operand(), operand(), extra=(kind,))
    return draw(resizing())


@st.composite
def resizing(draw: st.DrawFn) -> Applied:
    """What takes values apart and puts them together, addresses and switches."""
    width = draw(st.integers(2, 128))
    value = (width, draw(integers(width)))
    less = draw(st.integers(1, width - 1))
    which = draw(st.integers(0, 6))
    if which == 0:
        return apply(Op.TRUNC, less, value)
    if which == 1:
        op = draw(st.sampled_from((Op.ZEXT, Op.SEXT)))
        return apply(op, width, (less, draw(integers(less))))
    if which == 2:
        return apply(Op.EXTRACT, less, value, extra=(draw(st.integers(0, width - less)),))
    if which == 3:
        return apply(Op.CONCAT, width + less, value, (less, draw(integers(less))))
    if which == 4:
        bytes_ = 8 * draw(st.integers(1, 8))
        return apply(Op.BSWAP, bytes_, (bytes_, draw(integers(bytes_))))
    if which == 5:
        cases = draw(st.lists(integers(less), max_size=4, unique=True))
        return apply(Op.SWITCH, 32, (less, draw(integers(less))), extra=tuple(cases))
    scales = draw(st.lists(st.integers(-40, 4000), max_size=3))
    indices = [(w, draw(integers(w))) for w in (draw(st.sampled_from((8, 32, 64))) for _ in scales)]
    constant = draw(st.integers(-1000, 1000))
    base = (64, draw(integers(64)))
    return apply(Op.ADDRESS, 64, base, *indices, extra=(*scales, constant))


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
        return apply(Op.FCMP, 1, operand(), operand(), extra=(draw(st.integers(0, 15)),))
    return apply(Op.FPCLASS, 1, operand(), extra=(draw(st.integers(0, 1023)),))


@st.composite
def converting(draw: st.DrawFn) -> Applied:
    """Conversions between floats, and between floats and integers."""
    width, other = draw(float_widths), draw(float_widths)
    value = (width, draw(numbers(width)))
    which = draw(st.integers(0, 2))
    if which == 0:
        return apply(Op.FPTRUNC if other <= width else Op.FPEXT, other, value)
    bits = draw(widths)
    if which == 1:
        return apply(draw(st.sampled_from((Op.FPTOUI, Op.FPTOSI))), bits, value)
    op = draw(st.sampled_from((Op.UITOFP, Op.SITOFP)))
    return apply(op, width, (bits, draw(integers(bits))))
