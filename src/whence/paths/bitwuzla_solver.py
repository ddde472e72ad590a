"""Are formulas over bits and floats satisfiable?  Asked of bitwuzla.

bitwuzla answers these questions faster than z3 (bench/paths/RESULTS.md), but knows neither Python's
ints nor texts, and not every machine has a wheel of it.  `answered` returns None where it cannot
help; then z3 is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain, repeat
from typing import Any

import z3

try:
    import bitwuzla
    from bitwuzla import Kind
except ImportError:  # no wheel for this machine
    bitwuzla = None

_MAX_TERMS = 200_000  # translated terms that are kept; guessed
_MAX_GIVEN_UP = 3  # questions about growing formulas that meet the limit; then none is asked


class BitsAnswer:
    """What bitwuzla says: True, False, or None for unknown; if True, the values of terms."""

    def __init__(self, verdict: bool | None, solver: Any, terms: _Terms) -> None:
        self.verdict, self._solver, self._terms = verdict, solver, terms

    def value(self, term: Any) -> Any:
        """Return the value of a term of z3 in the model, as a constant of z3."""
        found = self._solver.get_value(self._terms.of(term))
        if z3.is_bool(term):
            return z3.BoolVal(found.is_true())
        return z3.BitVecVal(int(found.value(10)), term.size())


def answered(
    formulas: Sequence[Any], wishes: Sequence[Sequence[Any]], limit: int
) -> BitsAnswer | None:
    """Return whether all formulas can hold; None: they have operations unknown to bitwuzla.

    The model also fulfils the first of `wishes` that can be fulfilled.  `limit` is how often the
    search may ask whether to go on: a measure of its steps, not of time (about 10,000 in a second).
    """
    if bitwuzla is None:
        return None
    terms = _terms()
    try:
        needed = [terms.of(formula) for formula in formulas]
        wished = [[terms.of(formula) for formula in one] for one in wishes]
    except _Untranslatable:
        return None
    verdict, solver = _checked(terms, needed, limit)
    for more in wished if verdict else ():
        also, better = _checked(terms, [*needed, *more], limit)
        if also:
            return BitsAnswer(verdict, better, terms)
        if also is None:
            break  # the question is hard: other wishes would take as long
    return BitsAnswer(verdict, solver, terms)


def _checked(terms: _Terms, formulas: Sequence[Any], limit: int) -> tuple[bool | None, Any]:
    solver = bitwuzla.Bitwuzla(terms.manager, _options())
    solver.configure_terminator(_limit(limit))
    for formula in formulas:
        solver.assert_formula(formula)
    found = solver.check_sat()
    if found == bitwuzla.Result.UNKNOWN:
        return None, solver
    return found == bitwuzla.Result.SAT, solver


class GrowingFormulas:
    """Formulas that become more; a question about all of them costs what is new in it.

    It only tells what contradicts them.  `limit` is that of one question.
    """

    def __init__(self, limit: int) -> None:
        self._limit, self._left = limit, _MAX_GIVEN_UP
        self._terms = None if bitwuzla is None else _terms()
        if self._terms is not None:
            self._solver = bitwuzla.Bitwuzla(self._terms.manager, _options())

    def add(self, formula: Any) -> None:
        """Take a formula with the others; one that is not about bits may be left out."""
        if self._terms is None:
            return
        try:
            self._solver.assert_formula(self._terms.of(formula))
        except _Untranslatable:
            return

    def excludes(self, formula: Any) -> bool | None:
        """Is it known that a formula cannot hold with the others?  None: it was not asked."""
        if self._terms is None or not self._left:
            return None
        try:
            asked = self._terms.of(formula)
        except _Untranslatable:
            return None
        self._solver.configure_terminator(_limit(self._limit))
        found = self._solver.check_sat(asked)
        self._left -= found == bitwuzla.Result.UNKNOWN
        return bool(found == bitwuzla.Result.UNSAT)


def _options() -> Any:
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    return options


def _limit(steps: int) -> Callable[[], bool]:
    """Return what ends a question after a number of steps: bitwuzla asks now and then.

    It is no function of Python: an interrupt within one would get lost in bitwuzla.
    """
    return chain(repeat(False, steps), repeat(True)).__next__


class _Untranslatable(Exception):
    """A term has an operation or a sort that is not translated."""


@cache
def _terms() -> _Terms:
    return _Terms()


class _Terms:
    """Terms of z3 as terms of bitwuzla.  The terms of a run are parts of many questions."""

    def __init__(self) -> None:
        self.manager = bitwuzla.TermManager()
        self._known: dict[int, tuple[Any, Any]] = {}  # the term of z3 stays alive with its number
        self._constants: dict[str, Any] = {}  # unknowns, by name and sort

    def of(self, term: Any) -> Any:
        if len(self._known) > _MAX_TERMS:
            self._known.clear()
        todo = [term]
        while todo:
            top = todo[-1]
            if top.get_id() in self._known:
                todo.pop()
                continue
            missing = [one for one in top.children() if one.get_id() not in self._known]
            if missing:
                todo += missing
                continue
            todo.pop()
            self._known[top.get_id()] = top, self._translated(top)
        return self._known[term.get_id()][1]

    def _translated(self, term: Any) -> Any:
        manager = self.manager
        if z3.is_bv_value(term):
            return manager.mk_bv_value(manager.mk_bv_sort(term.size()), term.as_long())
        if z3.is_fp_value(term):
            return self._float(term)
        kind = term.decl().kind()
        parts = [self._known[one.get_id()][1] for one in term.children()]
        if kind == z3.Z3_OP_UNINTERPRETED and not parts:
            return self._constant(term)
        if kind in _CONSTANTS:
            return manager.mk_true() if kind == z3.Z3_OP_TRUE else manager.mk_false()
        if kind in _ROUNDING:
            return manager.mk_rm_value(_ROUNDING[kind])
        if kind == z3.Z3_OP_FPA_TO_FP:
            return self._to_float(term, parts)
        if kind in _INDEXED:
            made, indices = _INDEXED[kind]
            return manager.mk_term(made, parts, indices(term))
        if kind not in _KINDS:
            raise _Untranslatable
        made = _KINDS[kind]
        if len(parts) == 1 and kind in _MANY:
            return parts[0]
        if len(parts) > 2 and kind in _FOLDED:
            found = parts[0]
            for part in parts[1:]:
                found = manager.mk_term(made, [found, part])
            return found
        return manager.mk_term(made, parts)

    def _constant(self, term: Any) -> Any:
        name = f"{term.decl().name()}:{term.sort()}"
        if name not in self._constants:
            self._constants[name] = self.manager.mk_const(self._sort(term), name)
        return self._constants[name]

    def _sort(self, term: Any) -> Any:
        if z3.is_bool(term):
            return self.manager.mk_bool_sort()
        if not z3.is_bv(term):
            raise _Untranslatable
        return self.manager.mk_bv_sort(term.size())

    def _float(self, term: Any) -> Any:
        bits = z3.simplify(z3.fpToIEEEBV(term))
        if not z3.is_bv_value(bits):
            raise _Untranslatable
        value = self.manager.mk_bv_value(self.manager.mk_bv_sort(bits.size()), bits.as_long())
        return self.manager.mk_term(Kind.FP_TO_FP_FROM_BV, [value], _format(term))

    def _to_float(self, term: Any, parts: list[Any]) -> Any:
        children = term.children()
        if len(parts) == 1 and z3.is_bv(children[0]):
            return self.manager.mk_term(Kind.FP_TO_FP_FROM_BV, parts, _format(term))
        if len(parts) != 2:
            raise _Untranslatable
        made = Kind.FP_TO_FP_FROM_FP if z3.is_fp(children[1]) else Kind.FP_TO_FP_FROM_SBV
        return self.manager.mk_term(made, parts, _format(term))


def _format(term: Any) -> list[int]:
    return [term.sort().ebits(), term.sort().sbits()]


_CONSTANTS = (z3.Z3_OP_TRUE, z3.Z3_OP_FALSE)
_FOLDED = {z3.Z3_OP_BADD, z3.Z3_OP_BMUL, z3.Z3_OP_BAND, z3.Z3_OP_BOR, z3.Z3_OP_BXOR,
           z3.Z3_OP_BSUB, z3.Z3_OP_CONCAT, z3.Z3_OP_XOR}  # fmt: skip
_MANY = {z3.Z3_OP_AND, z3.Z3_OP_OR, *_FOLDED}
_KINDS: dict[int, Any] = {}
_INDEXED: dict[int, tuple[Any, Callable[[Any], list[int]]]] = {}
_ROUNDING: dict[int, Any] = {}
if bitwuzla is not None:
    _KINDS = {
        z3.Z3_OP_AND: Kind.AND, z3.Z3_OP_OR: Kind.OR, z3.Z3_OP_NOT: Kind.NOT,
        z3.Z3_OP_IMPLIES: Kind.IMPLIES, z3.Z3_OP_XOR: Kind.XOR, z3.Z3_OP_EQ: Kind.EQUAL,
        z3.Z3_OP_IFF: Kind.EQUAL, z3.Z3_OP_DISTINCT: Kind.DISTINCT, z3.Z3_OP_ITE: Kind.ITE,
        z3.Z3_OP_BNEG: Kind.BV_NEG, z3.Z3_OP_BADD: Kind.BV_ADD, z3.Z3_OP_BSUB: Kind.BV_SUB,
        z3.Z3_OP_BMUL: Kind.BV_MUL, z3.Z3_OP_BSDIV: Kind.BV_SDIV, z3.Z3_OP_BUDIV: Kind.BV_UDIV,
        z3.Z3_OP_BSREM: Kind.BV_SREM, z3.Z3_OP_BUREM: Kind.BV_UREM, z3.Z3_OP_BSMOD: Kind.BV_SMOD,
        z3.Z3_OP_BSDIV_I: Kind.BV_SDIV, z3.Z3_OP_BUDIV_I: Kind.BV_UDIV,
        z3.Z3_OP_BSREM_I: Kind.BV_SREM, z3.Z3_OP_BUREM_I: Kind.BV_UREM,
        z3.Z3_OP_BSMOD_I: Kind.BV_SMOD, z3.Z3_OP_ULEQ: Kind.BV_ULE, z3.Z3_OP_SLEQ: Kind.BV_SLE,
        z3.Z3_OP_UGEQ: Kind.BV_UGE, z3.Z3_OP_SGEQ: Kind.BV_SGE, z3.Z3_OP_ULT: Kind.BV_ULT,
        z3.Z3_OP_SLT: Kind.BV_SLT, z3.Z3_OP_UGT: Kind.BV_UGT, z3.Z3_OP_SGT: Kind.BV_SGT,
        z3.Z3_OP_BAND: Kind.BV_AND, z3.Z3_OP_BOR: Kind.BV_OR, z3.Z3_OP_BNOT: Kind.BV_NOT,
        z3.Z3_OP_BXOR: Kind.BV_XOR, z3.Z3_OP_CONCAT: Kind.BV_CONCAT, z3.Z3_OP_BSHL: Kind.BV_SHL,
        z3.Z3_OP_BLSHR: Kind.BV_SHR, z3.Z3_OP_BASHR: Kind.BV_ASHR, z3.Z3_OP_BCOMP: Kind.BV_COMP,
        z3.Z3_OP_FPA_ADD: Kind.FP_ADD, z3.Z3_OP_FPA_SUB: Kind.FP_SUB, z3.Z3_OP_FPA_MUL: Kind.FP_MUL,
        z3.Z3_OP_FPA_DIV: Kind.FP_DIV, z3.Z3_OP_FPA_NEG: Kind.FP_NEG, z3.Z3_OP_FPA_ABS: Kind.FP_ABS,
        z3.Z3_OP_FPA_FMA: Kind.FP_FMA, z3.Z3_OP_FPA_SQRT: Kind.FP_SQRT,
        z3.Z3_OP_FPA_ROUND_TO_INTEGRAL: Kind.FP_RTI, z3.Z3_OP_FPA_EQ: Kind.FP_EQUAL,
        z3.Z3_OP_FPA_LT: Kind.FP_LT, z3.Z3_OP_FPA_GT: Kind.FP_GT, z3.Z3_OP_FPA_LE: Kind.FP_LEQ,
        z3.Z3_OP_FPA_GE: Kind.FP_GEQ, z3.Z3_OP_FPA_IS_NAN: Kind.FP_IS_NAN,
        z3.Z3_OP_FPA_IS_INF: Kind.FP_IS_INF, z3.Z3_OP_FPA_IS_ZERO: Kind.FP_IS_ZERO,
    }  # fmt: skip
    _INDEXED = {
        z3.Z3_OP_EXTRACT: (Kind.BV_EXTRACT, lambda term: list(term.params())),
        z3.Z3_OP_SIGN_EXT: (Kind.BV_SIGN_EXTEND, lambda term: list(term.params())),
        z3.Z3_OP_ZERO_EXT: (Kind.BV_ZERO_EXTEND, lambda term: list(term.params())),
        z3.Z3_OP_REPEAT: (Kind.BV_REPEAT, lambda term: list(term.params())),
        z3.Z3_OP_ROTATE_LEFT: (Kind.BV_ROLI, lambda term: list(term.params())),
        z3.Z3_OP_ROTATE_RIGHT: (Kind.BV_RORI, lambda term: list(term.params())),
        z3.Z3_OP_FPA_TO_FP_UNSIGNED: (Kind.FP_TO_FP_FROM_UBV, _format),
        z3.Z3_OP_FPA_TO_SBV: (Kind.FP_TO_SBV, lambda term: [term.size()]),
        z3.Z3_OP_FPA_TO_UBV: (Kind.FP_TO_UBV, lambda term: [term.size()]),
    }
    _ROUNDING = {
        z3.Z3_OP_FPA_RM_NEAREST_TIES_TO_EVEN: bitwuzla.RoundingMode.RNE,
        z3.Z3_OP_FPA_RM_NEAREST_TIES_TO_AWAY: bitwuzla.RoundingMode.RNA,
        z3.Z3_OP_FPA_RM_TOWARD_POSITIVE: bitwuzla.RoundingMode.RTP,
        z3.Z3_OP_FPA_RM_TOWARD_NEGATIVE: bitwuzla.RoundingMode.RTN,
        z3.Z3_OP_FPA_RM_TOWARD_ZERO: bitwuzla.RoundingMode.RTZ,
    }
