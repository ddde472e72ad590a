"""What does one operation of a program compute?

Front ends translate their operations into these.  The values of `COp` are bits; each operation
interprets them as unsigned numbers, signed numbers or floats.  The values of `PyOp` are Python's
(see frontend.python.values).  Both languages use COPY and OPAQUE.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class COp(Enum):
    """What an operation does with its operands.

    Floating-point operations are those of IEEE 754 in the format of their width (16, 32 or 64
    bits); they round to nearest, ties to even.
    """

    COPY = auto()  # the operand itself (loads, stores, freezes, casts that change no bit)
    ADD = auto()
    SUB = auto()
    MUL = auto()
    UDIV = auto()
    SDIV = auto()
    UREM = auto()
    SREM = auto()
    SHL = auto()
    LSHR = auto()
    ASHR = auto()
    AND = auto()
    OR = auto()
    XOR = auto()
    EQ = auto()  # the result of a comparison has one bit
    NE = auto()
    ULT = auto()
    ULE = auto()
    UGT = auto()
    UGE = auto()
    SLT = auto()
    SLE = auto()
    SGT = auto()
    SGE = auto()
    ZEXT = auto()
    SEXT = auto()
    TRUNC = auto()
    CONCAT = auto()  # the first operand is the lowest, as bytes lie in memory
    EXTRACT = auto()  # `width` bits from bit extra[0] on
    SELECT = auto()  # one bit, then the value if it is 1, then the value if it is 0
    FADD = auto()
    FSUB = auto()
    FMUL = auto()
    FDIV = auto()
    FREM = auto()  # C's fmod
    FMA = auto()  # a * b + c, rounded once
    FMULADD = auto()  # a * b + c, the product rounded before the sum
    FNEG = auto()
    FABS = auto()
    SQRT = auto()
    COPYSIGN = auto()
    FLOOR = auto()
    CEIL = auto()
    TRUNCF = auto()
    RINT = auto()  # to the nearest integer, ties to even
    ROUND = auto()  # to the nearest integer, ties away from zero
    FMIN = auto()  # C's fmin: for a number and a NaN, the number
    FMAX = auto()
    FCMP = auto()  # extra[0]: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered
    FPCLASS = auto()  # one bit: does extra[0] have a bit for the class of the operand?
    FPTRUNC = auto()
    FPEXT = auto()
    FPTOUI = auto()
    FPTOSI = auto()
    UITOFP = auto()
    SITOFP = auto()
    ABS = auto()
    SMAX = auto()
    SMIN = auto()
    UMAX = auto()
    UMIN = auto()
    CTPOP = auto()
    CTLZ = auto()  # extra[0] is 1 if the result for zero is undefined
    CTTZ = auto()  # the same
    BSWAP = auto()
    BITREVERSE = auto()
    FSHL = auto()
    FSHR = auto()
    OVERFLOW = auto()  # one bit: did the operation extra[0] overflow?  see Overflow
    ADDRESS = auto()  # operand 0 + the others, signed, times extra[0], extra[1], ... + extra[-1]
    SWITCH = auto()  # the index of the operand in extra; len(extra) if it is not there
    OPAQUE = auto()  # unknown, except that it depends on all operands


class Overflow(Enum):
    """The operation whose overflow `COp.OVERFLOW` tests."""

    SADD = 0
    UADD = 1
    SSUB = 2
    USUB = 3
    SMUL = 4
    UMUL = 5


class FloatClass(Enum):
    """The classes of floats: bit numbers in extra[0] of `COp.FPCLASS`."""

    SIGNALLING_NAN = 0
    QUIET_NAN = 1
    NEGATIVE_INFINITY = 2
    NEGATIVE_NORMAL = 3
    NEGATIVE_SUBNORMAL = 4
    NEGATIVE_ZERO = 5
    ZERO = 6
    SUBNORMAL = 7
    NORMAL = 8
    INFINITY = 9


class PyOp(Enum):
    """What a Python operation does with its operands.

    The value of an operation that raised is the exception.  Keyword arguments come last, and
    their names are the last items of `extra`.
    """

    ADD = auto()
    SUB = auto()
    MUL = auto()
    TRUEDIV = auto()
    FLOORDIV = auto()
    MOD = auto()
    POW = auto()
    MATMUL = auto()
    SHL = auto()
    SHR = auto()
    BITAND = auto()
    BITOR = auto()
    BITXOR = auto()
    NEG = auto()
    POS = auto()
    INVERT = auto()
    NOT = auto()
    EQ = auto()
    NE = auto()
    LT = auto()
    LE = auto()
    GT = auto()
    GE = auto()
    IS = auto()
    ISNOT = auto()
    IN = auto()  # operands: the item, the container
    NOTIN = auto()
    CHAIN = auto()  # a < b <= c: extra holds the comparisons
    TRUTH = auto()  # is the operand true?  A branch tests this
    EITHER = auto()  # the operand of an `and` or `or`; a branch uses its truth alone
    NEXT = auto()  # the next item, or "\0stop"; a branch tests only whether there is one
    ITEM = auto()  # object[key]; also unpacking, with constant keys
    SLICE = auto()  # object[lower:upper:step]
    ATTR = auto()  # extra[0] is the attribute's name
    LIST = auto()
    TUPLE = auto()
    SET = auto()
    DICT = auto()  # key, value, key, value, ...
    FORMAT = auto()  # extra holds the literal parts, and None in place of each operand's str()
    BUILTIN = auto()  # a call of the builtin function extra[0]
    METHOD = auto()  # a call of the method extra[0] of the first operand


PY_BINARY = {
    "+": PyOp.ADD, "-": PyOp.SUB, "*": PyOp.MUL, "/": PyOp.TRUEDIV, "//": PyOp.FLOORDIV,
    "%": PyOp.MOD, "**": PyOp.POW, "@": PyOp.MATMUL, "<<": PyOp.SHL, ">>": PyOp.SHR,
    "&": PyOp.BITAND, "|": PyOp.BITOR, "^": PyOp.BITXOR,
}  # fmt: skip
PY_UNARY = {"-": PyOp.NEG, "+": PyOp.POS, "~": PyOp.INVERT, "not": PyOp.NOT}
PY_COMPARISONS = {
    "==": PyOp.EQ, "!=": PyOp.NE, "<": PyOp.LT, "<=": PyOp.LE, ">": PyOp.GT, ">=": PyOp.GE,
    "is": PyOp.IS, "is not": PyOp.ISNOT, "in": PyOp.IN, "not in": PyOp.NOTIN,
}  # fmt: skip


_NEGATIONS = (
    (COp.EQ, COp.NE), (COp.ULT, COp.UGE), (COp.ULE, COp.UGT), (COp.SLT, COp.SGE),
    (COp.SLE, COp.SGT),
)  # fmt: skip
NEGATED = {one: other for pair in _NEGATIONS for one, other in (pair, pair[::-1])}


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation, without its operands."""

    op: COp | PyOp
    width: int = 0  # of the result in bits; 0 for Python
    widths: tuple[int, ...] = ()  # of the operands in bits
    extra: tuple[Any, ...] = ()
