"""Which values of one input byte fulfil a condition?

Most conditions of a program that reads text are about a single byte.  For these, all 256 values are
tried at once, without a solver: the formula is computed over arrays of 256 numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import z3

from whence.inputs import InputByte
from whence.paths.terms import Fact, Unknowns

Column = npt.NDArray[Any]  # of 256 numbers (uint64) or truth values (bool)
_MAX_WIDTH = 64
_ALL = np.arange(256, dtype=np.uint64)


class _Unsupported(Exception):
    """The formula has an operation that is not computed here."""


class ByteDomains:
    """The values that conditions of one run allow for its input bytes."""

    def __init__(self, unknowns: Unknowns) -> None:
        self._unknowns = unknowns
        self._known: dict[int, dict[int, tuple[Any, Column]]] = {}  # by unknown and term
        self._masks: dict[int, tuple[Any, Column | None]] = {}  # by formula

    def is_byte(self, unknowns: int) -> bool:
        """Is a set a single input byte, as bits?  In Python programs a byte is a number."""
        if unknowns.bit_count() != 1:
            return False
        one = next(self._unknowns.members(unknowns))
        return isinstance(one.what, InputByte) and z3.is_bv(one.term)

    def allowed(self, fact: Fact) -> Column | None:
        """Return for each value of a byte whether a fact about it holds; None if unknown."""
        key = fact.formula.get_id()
        if key not in self._masks:
            self._masks[key] = fact.formula, self._computed(fact)
        return self._masks[key][1]

    def _computed(self, fact: Fact) -> Column | None:
        one = next(self._unknowns.members(fact.unknowns))
        known = self._known.setdefault(fact.unknowns, {})
        known[one.term.get_id()] = one.term, _ALL
        try:
            found = _column(fact.formula, known)
        except _Unsupported:
            return None
        return np.broadcast_to(found, 256)

    def common(self, facts: Iterable[Fact]) -> Column | None:
        """Return which values fulfil all these facts about one byte; None if that is unknown."""
        found: Column = np.ones(256, bool)
        for fact in facts:
            allowed = self.allowed(fact)
            if allowed is None:
                return None
            found = found & allowed
        return found


def _column(term: Any, known: dict[int, tuple[Any, Column]]) -> Column:
    """Return the value of a term for each value of the byte."""
    key = term.get_id()
    if key not in known:
        known[key] = term, _operation(term, known)
    return known[key][1]


def _operation(term: Any, known: dict[int, tuple[Any, Column]]) -> Column:
    if z3.is_bv_value(term):
        return np.array(term.as_long() & (1 << _MAX_WIDTH) - 1, np.uint64)
    kind = term.decl().kind()
    if z3.is_bv(term) and term.size() > _MAX_WIDTH:
        raise _Unsupported
    parts = [_column(part, known) for part in term.children()]
    if kind in _LOGIC:
        return _LOGIC[kind](parts)
    if kind in _COMPARED:
        return _COMPARED[kind](*(_of_width(part, term.arg(0)) for part in parts))
    if kind in _SIGNED:
        return _SIGNED[kind](*(_signed(part, term.arg(0).size()) for part in parts))
    found = _bits(term, kind, parts)
    return _cut(found, term.size()) if z3.is_bv(term) else found


def _of_width(column: Column, term: Any) -> Column:
    if z3.is_bv(term) and term.size() > _MAX_WIDTH:
        raise _Unsupported
    return column


def _bits(term: Any, kind: int, parts: list[Column]) -> Column:
    if kind in _ARITHMETIC:
        found = parts[0]
        for part in parts[1:]:
            found = _ARITHMETIC[kind](found, part)
        return found
    if kind == z3.Z3_OP_EXTRACT:
        return np.right_shift(parts[0], np.uint64(term.params()[1]))
    if kind == z3.Z3_OP_ZERO_EXT:
        return parts[0]
    if kind == z3.Z3_OP_SIGN_EXT:
        return _signed(parts[0], term.arg(0).size()).astype(np.uint64)
    if kind == z3.Z3_OP_CONCAT:
        found = np.zeros((), np.uint64)
        for number, part in enumerate(parts):
            found = np.left_shift(found, np.uint64(term.arg(number).size())) | part
        return found
    if kind == z3.Z3_OP_BNOT:
        return np.invert(parts[0])
    if kind == z3.Z3_OP_BNEG:
        return np.zeros((), np.uint64) - parts[0]
    if kind == z3.Z3_OP_ITE:
        return np.where(parts[0], parts[1], parts[2])
    raise _Unsupported


def _cut(column: Column, width: int) -> Column:
    return column if width == _MAX_WIDTH else column & np.uint64((1 << width) - 1)


def _signed(column: Column, width: int) -> Column:
    shift = np.int64(_MAX_WIDTH - width)
    return np.right_shift(np.left_shift(column.astype(np.int64), shift), shift)


def _every(parts: list[Column]) -> Column:
    found: Column = np.ones((), bool)
    for part in parts:
        found = found & part
    return found


def _any(parts: list[Column]) -> Column:
    found: Column = np.zeros((), bool)
    for part in parts:
        found = found | part
    return found


_LOGIC: dict[int, Callable[[list[Column]], Column]] = {
    z3.Z3_OP_TRUE: lambda _: np.ones((), bool),
    z3.Z3_OP_FALSE: lambda _: np.zeros((), bool),
    z3.Z3_OP_AND: _every,
    z3.Z3_OP_OR: _any,
    z3.Z3_OP_NOT: lambda parts: ~parts[0],
    z3.Z3_OP_IMPLIES: lambda parts: ~parts[0] | parts[1],
}
_COMPARED: dict[int, Callable[..., Column]] = {
    z3.Z3_OP_EQ: np.equal, z3.Z3_OP_DISTINCT: np.not_equal, z3.Z3_OP_ULT: np.less,
    z3.Z3_OP_ULEQ: np.less_equal, z3.Z3_OP_UGT: np.greater, z3.Z3_OP_UGEQ: np.greater_equal,
}  # fmt: skip
_SIGNED: dict[int, Callable[..., Column]] = {
    z3.Z3_OP_SLT: np.less, z3.Z3_OP_SLEQ: np.less_equal, z3.Z3_OP_SGT: np.greater,
    z3.Z3_OP_SGEQ: np.greater_equal,
}  # fmt: skip
_ARITHMETIC: dict[int, Callable[..., Column]] = {
    z3.Z3_OP_BADD: np.add, z3.Z3_OP_BSUB: np.subtract, z3.Z3_OP_BMUL: np.multiply,
    z3.Z3_OP_BAND: np.bitwise_and, z3.Z3_OP_BOR: np.bitwise_or, z3.Z3_OP_BXOR: np.bitwise_xor,
}  # fmt: skip
