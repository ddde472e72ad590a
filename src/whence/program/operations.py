"""What does one operation of a program compute?

The words that front ends say it in.  To `COp` every value is a row of bits, and only the operations
know that some of them are numbers, signed ones or floats.  To `PyOp` they are Python's values
(see frontend.python.values).  COPY and OPAQUE serve both.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class COp(Enum):
    """What an operation does with its operands.

    Floating-point operations are those of IEEE 754 in the format of their width (16, 32 or 64
    bits), rounding to nearest, ties to even.
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
    EQ = auto()  # comparisons have one bit
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
    CONCAT = auto()  # the first operand lowest, as bytes lie in memory
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
    ROUND = auto()  # likewise, ties away from zero
    FMIN = auto()  # C's fmin: of a number and a NaN, the number
    FMAX = auto()
    FCMP = auto()  # extra[0]: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered
    FPCLASS = auto()  # one bit: is the operand of a class that extra[0] has a bit for?
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
    CTLZ = auto()  # extra[0] is 1 if that of zero is not determined
    CTTZ = auto()  # likewise
    BSWAP = auto()
    BITREVERSE = auto()
    FSHL = auto()
    FSHR = auto()
    OVERFLOW = auto()  # one bit: did the operation extra[0] overflow?  see Overflow
    ADDRESS = auto()  # operand 0 + the others, signed, times extra[0], extra[1], ... + extra[-1]
    SWITCH = auto()  # which of the cases extra[0], extra[1], ... the operand is; their number: none
    OPAQUE = auto()  # something that depends on all operands, and nothing more is known


class Overflow(Enum):
    """Which operation `COp.OVERFLOW` is about."""

    SADD = 0
    UADD = 1
    SSUB = 2
    USUB = 3
    SMUL = 4
    UMUL = 5


class FloatClass(Enum):
    """What kind of a number a float is: which bit of extra[0] `COp.FPCLASS` asks."""

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

    An operation that raised has the exception as its value.  Keyword arguments come last, and
    their names are the end of `extra`.
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
    IN = auto()  # what is looked for, then the container
    NOTIN = auto()
    CHAIN = auto()  # a < b <= c: extra is the comparisons
    TRUTH = auto()  # what a branch asks of its operand
    EITHER = auto()  # the operand of an `and` or `or`; as a branch, only its truth counts
    NEXT = auto()  # of an iterable, or "\0stop"; as a branch, only whether there was one counts
    ITEM = auto()  # object[key]; unpacking is this too, with constant keys
    SLICE = auto()  # object[lower:upper:step]
    ATTR = auto()  # extra[0] is the attribute's name
    LIST = auto()
    TUPLE = auto()
    SET = auto()
    DICT = auto()  # key, value, key, value, ...
    FORMAT = auto()  # extra is the literal parts, and None where an operand's str() goes
    BUILTIN = auto()  # a call of extra[0]
    METHOD = auto()  # likewise, of a method of the first operand


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


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation, without its operands."""

    op: COp | PyOp
    width: int = 0  # bits of the result; Python's values have none
    widths: tuple[int, ...] = ()  # of the operands
    extra: tuple[Any, ...] = ()
