"""What is the result of a floating-point operation, bit for bit?

The operations are those of IEEE 754 on binary16, binary32 and binary64, rounding to nearest, ties
to even.  Finite numbers are computed exactly, as integers times powers of two, and rounded once.

The standard leaves open which NaN an operation returns.  We return the one of x86-64: the first
operand that is a NaN, made quiet; if no operand is a NaN, the negative quiet NaN without payload.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import NamedTuple

from whence.program.operations import FloatClass


class Exact(NamedTuple):
    """A finite number: magnitude * 2 ** exponent, with a sign; zero has a sign too."""

    negative: bool
    magnitude: int
    exponent: int


@dataclass(frozen=True)
class Format:
    """A format of floating-point numbers."""

    width: int
    precision: int  # bits of the significand, including the hidden bit

    @cached_property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @cached_property
    def infinity(self) -> int:
        return self.sign - (1 << (self.precision - 1))

    @cached_property
    def quiet(self) -> int:
        return 1 << (self.precision - 2)

    @cached_property
    def nan(self) -> int:
        """The result of an invalid operation on x86-64."""
        return self.sign | self.infinity | self.quiet

    @cached_property
    def smallest(self) -> int:
        """The exponent of the lowest bit of subnormal numbers."""
        return 3 - (1 << (self.width - self.precision - 1)) - self.precision

    def is_nan(self, bits: int) -> bool:
        return bits & ~self.sign > self.infinity

    def is_signalling(self, bits: int) -> bool:
        return self.is_nan(bits) and not bits & self.quiet

    def is_infinite(self, bits: int) -> bool:
        return bits & ~self.sign == self.infinity

    def exact(self, bits: int) -> Exact:
        """Return the value of a finite number."""
        magnitude = bits & ~self.sign
        exponent = magnitude >> (self.precision - 1)
        if exponent:
            hidden = 1 << (self.precision - 1)
            magnitude = (magnitude & (hidden - 1)) | hidden
            exponent -= 1
        return Exact(bool(bits & self.sign), magnitude, exponent + self.smallest)

    def rounded(self, number: Exact) -> int:
        """Return the bits of the nearest number; ties go to the even one."""
        negative, magnitude, exponent = number
        if magnitude:
            drop = max(magnitude.bit_length() - self.precision, self.smallest - exponent)
            kept = magnitude >> drop if drop > 0 else magnitude << -drop
            if drop > 0:
                twice_lost, unit = (magnitude - (kept << drop)) * 2, 1 << drop
                kept += twice_lost > unit or (twice_lost == unit and kept & 1)
            # The hidden bit, if there is one, adds one to the stored exponent; so does a carry.
            field = exponent + drop - self.smallest
            magnitude = min((field << (self.precision - 1)) + kept, self.infinity)
        return magnitude | (self.sign if negative else 0)

    def first_nan(self, *operands: int) -> int | None:
        """Return the first NaN among the operands, made quiet, or None."""
        return next((bits | self.quiet for bits in operands if self.is_nan(bits)), None)


FORMATS = {16: Format(16, 11), 32: Format(32, 24), 64: Format(64, 53)}


# --- arithmetic ------------------------------------------------------------------------------


def add(f: Format, a: int, b: int) -> int:
    nan = f.first_nan(a, b)
    return _sum(f, a, b) if nan is None else nan


def subtract(f: Format, a: int, b: int) -> int:
    nan = f.first_nan(a, b)
    return _sum(f, a, b ^ f.sign) if nan is None else nan


def multiply(f: Format, a: int, b: int) -> int:
    nan = f.first_nan(a, b)
    if nan is not None:
        return nan
    if f.is_infinite(a) or f.is_infinite(b):
        return _infinite_product(f, a, b)
    return f.rounded(_product(f.exact(a), f.exact(b)))


def multiply_add(f: Format, a: int, b: int, c: int) -> int:
    """Return a * b + c, rounded once."""
    nan = f.first_nan(a, b, c)
    if nan is not None:
        return nan
    if f.is_infinite(a) or f.is_infinite(b):
        return add(f, _infinite_product(f, a, b), c)
    if f.is_infinite(c):
        return c
    return f.rounded(_exact_sum(_product(f.exact(a), f.exact(b)), f.exact(c)))


def divide(f: Format, a: int, b: int) -> int:
    nan = f.first_nan(a, b)
    if nan is not None:
        return nan
    sign = (a ^ b) & f.sign
    is_zero = not b & ~f.sign
    if f.is_infinite(a) or is_zero:
        is_invalid = f.is_infinite(b) if f.is_infinite(a) else not a & ~f.sign
        return f.nan if is_invalid else f.infinity | sign
    if f.is_infinite(b):
        return sign
    x, y = f.exact(a), f.exact(b)
    shift = f.precision + 2 + y.magnitude.bit_length()
    quotient, rest = divmod(x.magnitude << shift, y.magnitude)
    return f.rounded(_sticky(bool(sign), quotient, x.exponent - y.exponent - shift, bool(rest)))


def remainder(f: Format, a: int, b: int) -> int:
    """Return C's fmod(a, b)."""
    nan = f.first_nan(a, b)
    if nan is not None:
        return nan
    if f.is_infinite(a) or not b & ~f.sign:
        return f.nan
    if f.is_infinite(b):
        return a
    x, y = f.exact(a), f.exact(b)
    exponent = min(x.exponent, y.exponent)
    rest = _aligned(x, exponent) % _aligned(y, exponent)
    return f.rounded(Exact(x.negative, rest, exponent))


def square_root(f: Format, a: int) -> int:
    nan = f.first_nan(a)
    if nan is not None:
        return nan
    if not a & ~f.sign or a == f.infinity:
        return a
    if a & f.sign:
        return f.nan
    _, magnitude, exponent = f.exact(a)
    shift = 2 * f.precision + 4 + exponent % 2
    square = magnitude << shift
    root = isqrt(square)
    return f.rounded(_sticky(False, root, (exponent - shift) // 2, root * root != square))


def _sum(f: Format, a: int, b: int) -> int:
    """Return the sum of two operands that are not NaNs."""
    if f.is_infinite(a):
        return f.nan if f.is_infinite(b) and a != b else a
    return b if f.is_infinite(b) else f.rounded(_exact_sum(f.exact(a), f.exact(b)))


def _infinite_product(f: Format, a: int, b: int) -> int:
    is_invalid = not a & ~f.sign or not b & ~f.sign
    return f.nan if is_invalid else f.infinity | ((a ^ b) & f.sign)


def _product(x: Exact, y: Exact) -> Exact:
    return Exact(x.negative != y.negative, x.magnitude * y.magnitude, x.exponent + y.exponent)


def _exact_sum(x: Exact, y: Exact) -> Exact:
    exponent = min(x.exponent, y.exponent)
    a, b = _aligned(x, exponent), _aligned(y, exponent)
    total = (-a if x.negative else a) + (-b if y.negative else b)
    # Zero is negative only as the sum of two negative zeros.
    negative = total < 0 if total else x.negative and y.negative
    return Exact(negative, abs(total), exponent)


def _aligned(x: Exact, exponent: int) -> int:
    return x.magnitude << (x.exponent - exponent)


def _sticky(negative: bool, magnitude: int, exponent: int, is_more: bool) -> Exact:
    """Return a number that rounds like the true one, whose lower bits are cut off.

    `is_more`: were any of the cut bits set?
    """
    return Exact(negative, magnitude << 1 | is_more, exponent - 1)


# --- comparing and converting ----------------------------------------------------------------

EQUAL, GREATER, LESS, UNORDERED = 1, 2, 4, 8


def relation(f: Format, a: int, b: int) -> int:
    if f.is_nan(a) or f.is_nan(b):
        return UNORDERED
    x, y = _ordered(f, a), _ordered(f, b)
    return EQUAL if x == y else GREATER if x > y else LESS


def _ordered(f: Format, bits: int) -> int:
    magnitude = bits & ~f.sign
    return -magnitude if bits & f.sign else magnitude


def minimum(f: Format, a: int, b: int) -> int | None:
    """Return C's fmin: if one operand is a NaN, the other one.

    None where libraries differ: for signalling NaNs, and zeros with different signs.
    """
    return _chosen(f, a, b, LESS)


def maximum(f: Format, a: int, b: int) -> int | None:
    return _chosen(f, a, b, GREATER)


def _chosen(f: Format, a: int, b: int, wanted: int) -> int | None:
    found = relation(f, a, b)
    if f.is_signalling(a) or f.is_signalling(b) or (found == EQUAL and a != b):
        return None
    if found == UNORDERED:
        return b if f.is_nan(a) else a
    return a if found == wanted else b


def classes(f: Format) -> tuple[tuple[FloatClass, int, int], ...]:
    """Return the classes of numbers, each with its lowest and its highest bit pattern."""
    starts = (0, 1, 1 << (f.precision - 1), f.infinity, f.infinity + 1, f.infinity | f.quiet)
    ends = (*(start - 1 for start in starts[1:]), f.sign - 1)
    return (
        *zip(map(FloatClass, (6, 7, 8, 9, 0, 1)), starts, ends, strict=True),
        *(
            (FloatClass(number), start | f.sign, end | f.sign)
            for number, start, end in zip((5, 4, 3, 2, 0, 1), starts, ends, strict=True)
        ),
    )


def converted(source: Format, target: Format, a: int) -> int:
    """Return a number in another format; a NaN keeps as much of its payload as fits."""
    sign = target.sign if a & source.sign else 0
    if source.is_nan(a):
        more = target.precision - source.precision
        payload = a & (source.quiet - 1)
        payload = payload << more if more > 0 else payload >> -more
        return sign | target.infinity | target.quiet | payload
    if source.is_infinite(a):
        return sign | target.infinity
    return target.rounded(source.exact(a))


def of_integer(f: Format, number: int) -> int:
    return f.rounded(Exact(number < 0, abs(number), 0))


def to_integer(f: Format, a: int) -> int | None:
    """Return the number without its fraction, or None if it is not finite."""
    if f.is_nan(a) or f.is_infinite(a):
        return None
    number = f.exact(a)
    towards = _truncated(number)
    return -towards if number.negative else towards


def integral(f: Format, a: int, towards: Callable[[Exact], int]) -> int | None:
    """Return an integer near `a`; `towards` gives its magnitude.

    None for a signalling NaN, which some libraries make quiet and others do not.
    """
    if f.is_nan(a) or f.is_infinite(a):
        return None if f.is_signalling(a) else a
    number = f.exact(a)
    return f.rounded(Exact(number.negative, towards(number), 0))


def _truncated(x: Exact) -> int:
    return x.magnitude << x.exponent if x.exponent >= 0 else x.magnitude >> -x.exponent


def _away(x: Exact) -> int:
    return x.magnitude << x.exponent if x.exponent >= 0 else -(-x.magnitude >> -x.exponent)


def down(x: Exact) -> int:
    return _away(x) if x.negative else _truncated(x)


def up(x: Exact) -> int:
    return _truncated(x) if x.negative else _away(x)


def to_zero(x: Exact) -> int:
    return _truncated(x)


def to_even(x: Exact) -> int:
    return _nearest(x, ties_to_even=True)


def to_away(x: Exact) -> int:
    return _nearest(x, ties_to_even=False)


def _nearest(x: Exact, *, ties_to_even: bool) -> int:
    if x.exponent >= 0:
        return _truncated(x)
    unit = 1 << -x.exponent
    low, rest = divmod(x.magnitude, unit)
    goes_up = 2 * rest > unit or (2 * rest == unit and bool(low & 1 or not ties_to_even))
    return low + goes_up
