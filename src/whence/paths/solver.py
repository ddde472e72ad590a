"""Which inputs fulfil some conditions and break another one?

The recorded inputs fulfil all conditions, so only those count that share unknowns with the one to
break; all other inputs keep their values.  A question about one byte is answered by trying its
values, one about bits by bitwuzla, any other one by z3.  The limits of a question count the steps
of the solvers: a busy machine gives the same answer.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import z3

from whence.inputs import InputByte, InputSource
from whence.paths.bitwuzla_solver import GrowingFormulas, answered
from whence.paths.byte_domains import ByteDomains
from whence.paths.terms import (
    SPELLED,
    BasedText,
    Fact,
    Matched,
    NumberText,
    Piece,
    RealText,
    Unknowns,
    UnknownValue,
    What,
    text_of,
)

LIMIT = 2_000_000  # of one question, in the solver's own unit; guessed
_PER_STEP = 200  # of this unit there are in one step of bitwuzla; measured: both take about as long
# Numbers up to the first of these are easy to read, those up to the next ones less; guessed.
_NEAR = (1000, 1_000_000, (1 << 31) - 1)
_TINY = 2.0**-8  # a number nearer to zero is hard to read; guessed
_PRINTABLE = (0x20, 0x7E)


class Verdict(Enum):
    """What the solver says about a question."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class SolverAnswer:
    """The answer to one question; `contents` are the inputs, if there are any."""

    verdict: Verdict
    contents: Mapping[InputSource, bytes] | None = None


class Solver:
    """Answers questions about the conditions of runs, and counts them."""

    def __init__(self) -> None:
        self.calls = 0
        self.unknown = 0
        # Which model z3 finds depends on the numbers of its terms.  In a context of its own, these
        # follow from the questions, whatever other terms the process has made.
        self._context = z3.Context()
        self._domains: tuple[Unknowns, ByteDomains] | None = None  # of the last run

    def solve(
        self,
        unknowns: Unknowns,
        kept: Sequence[Fact],
        broken: Fact,
        contents: Mapping[InputSource, bytes],
        limit: int = LIMIT,
        longer: int = 0,
        *,
        is_readable: bool = True,
    ) -> SolverAnswer:
        """Return inputs for which the facts `kept` hold, and `broken` does too.

        `longer` are zero bytes behind an input: one more byte may stand there.  Readable inputs
        take a second question; who only asks whether there are some needs none.
        """
        quick = None if longer else self.by_trying(unknowns, kept, broken, contents)
        if quick is not None:
            return quick
        near = unknowns.connected(broken.unknowns, kept)
        while True:
            facts, members = [broken, *near], 0
            for fact in facts:
                members |= fact.unknowns
            closed, given = unknowns.closed(members, longer)
            more = unknowns.connected(closed, kept)
            if len(more) == len(near):
                break
            near = more  # what spells a number may read bytes that other conditions speak of
        formulas = [fact.formula for fact in [*facts, *given]]
        formulas += [one.term != 0 for one in unknowns.members(longer)]
        wishes = self._readable(unknowns, closed) if is_readable else []
        verdict, value = self._asked(formulas, wishes, limit)
        if value is None:
            return SolverAnswer(verdict)
        return SolverAnswer(Verdict.FEASIBLE, changed(unknowns, closed, value, contents))

    def _asked(
        self, formulas: Sequence[Any], wishes: Sequence[Sequence[Any]], limit: int
    ) -> tuple[Verdict, Callable[[Any], Any] | None]:
        """Return the answer of the solvers, and if there is a model, what gives values in it."""
        self.calls += 1
        quick = answered(formulas, wishes, limit // _PER_STEP)
        if quick is not None and quick.verdict is not None:
            if quick.verdict:
                return Verdict.FEASIBLE, quick.value
            return Verdict.INFEASIBLE, None
        solver = z3.Solver(ctx=self._context)
        solver.set("rlimit", limit)
        solver.add(*map(self._own, formulas))
        found = solver.check()
        if found != z3.sat:
            self.unknown += found == z3.unknown
            return (Verdict.UNKNOWN if found == z3.unknown else Verdict.INFEASIBLE), None
        model = solver.model()
        for wished in wishes:
            also = solver.check(*map(self._own, wished))
            if also == z3.sat:
                model = solver.model()
            if also != z3.unsat:
                break  # the question is hard: other wishes would take as long
        return Verdict.FEASIBLE, lambda term: model.eval(self._own(term), model_completion=True)

    def _own(self, term: Any) -> Any:
        return term.translate(self._context) if z3.is_expr(term) else term

    def growing(self, facts: Iterable[Fact]) -> GrowingFacts:
        """Return facts that more will be added to, and that questions are asked about."""
        return GrowingFacts(self, facts)

    def by_trying(
        self, unknowns: Unknowns, kept: Sequence[Fact], broken: Fact,
        contents: Mapping[InputSource, bytes],
    ) -> SolverAnswer | None:  # fmt: skip
        """Answer a question about a single byte by trying its values; None: it needs a solver."""
        domains = self._domains_of(unknowns)
        if not domains.is_byte(broken.unknowns):
            return None
        one = next(unknowns.members(broken.unknowns))
        near = [*one.facts, *unknowns.sharing(broken.unknowns, kept)]
        own = [fact for fact in near if fact.unknowns == broken.unknowns]
        values = domains.common([broken, *own])
        if values is None:
            return None
        if not values.any():
            return SolverAnswer(Verdict.INFEASIBLE)
        if len(own) < len(near) or unknowns.has_neighbours(broken.unknowns):
            return None  # other inputs take part
        assert isinstance(one.what, InputByte)
        text = bytearray(contents[one.what.source])
        if one.what.offset >= len(text):
            return SolverAnswer(Verdict.INFEASIBLE)  # it is the end of the input
        text[one.what.offset] = _readable_value(values.tolist())
        return SolverAnswer(Verdict.FEASIBLE, {**contents, one.what.source: bytes(text)})

    def _domains_of(self, unknowns: Unknowns) -> ByteDomains:
        if self._domains is None or self._domains[0] is not unknowns:
            self._domains = unknowns, ByteDomains(unknowns)
        return self._domains[1]

    @staticmethod
    def _readable(unknowns: Unknowns, closed: int) -> list[list[Any]]:
        """Return what makes inputs easy to read: printable bytes, short numbers; best first."""
        found: list[Any] = []
        numbers: list[Any] = []
        for one in unknowns.members(closed):
            if isinstance(one.what, InputByte):
                low, high = _PRINTABLE
                is_text = z3.And(one.term >= low, one.term <= high)  # bytes above 127 are no text
                found.append(z3.Or(is_text, one.term == one.recorded))
            elif isinstance(one.what, RealText):
                found += _readable_real(one.term)
            elif isinstance(one.what, NumberText | BasedText) and not z3.is_bool(one.term):
                numbers.append(one.term)
        levels = [
            [
                *found,
                *(z3.And(term >= -size, term <= size) for term in numbers if _fits(term, size)),
            ]
            for size in (_NEAR if numbers else _NEAR[:1])
        ]
        return [one for one in levels if one]


def _fits(term: Any, size: int) -> bool:
    """Can a number of this type be as large?"""
    return not z3.is_bv(term) or size < 1 << term.size() - 1


class GrowingFacts:
    """Facts that become more, and what contradicts them."""

    def __init__(self, solver: Solver, facts: Iterable[Fact]) -> None:
        self._solver, self._formulas = solver, GrowingFormulas(LIMIT // _PER_STEP)
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        self._formulas.add(fact.formula)

    def excludes(self, fact: Fact) -> bool | None:
        """Is it known that a fact cannot hold with the others?  None: it was not asked."""
        found = self._formulas.excludes(fact.formula)
        self._solver.calls += found is not None
        return found


def _readable_real(term: Any) -> list[Any]:
    """Return what makes a floating-point number short: it is small, and so is its fraction."""
    width = term.size()
    sort = z3.Float64() if width == 64 else z3.Float32()
    value = z3.fpBVToFP(term, sort)
    fraction = 64 - 12 - 16 if width == 64 else 32 - 9 - 12  # bits that are zero; guessed
    low = z3.Extract(fraction - 1, 0, term) == 0
    size = z3.fpAbs(value)
    is_small = z3.And(
        z3.fpLEQ(size, z3.FPVal(_NEAR[0], sort)), z3.fpGEQ(size, z3.FPVal(_TINY, sort))
    )
    return [z3.And(z3.Or(is_small, z3.fpIsZero(value)), low)]


def _readable_value(is_allowed: Sequence[bool]) -> int:
    """Return an allowed value of a byte: a letter or a digit, else one that is printable."""
    low, high = _PRINTABLE
    values = [value for value, is_one in enumerate(is_allowed) if is_one]
    return min(values, key=lambda v: (not chr(v).isalnum() or v > high, not low <= v <= high, v))


def _real(bits: int, width: int) -> bytes:
    """Return how a float or a double is written, by its bits."""
    if width == 32:
        value = struct.unpack("<f", bits.to_bytes(4, "little"))[0]
        return f"{value:.9g}".encode()
    value = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    short = f"{value:.15g}"
    return (short if float(short) == value else repr(value)).encode()


def changed(
    unknowns: Unknowns,
    closed: int,
    value_of: Callable[[Any], Any],
    contents: Mapping[InputSource, bytes],
) -> dict[InputSource, bytes]:
    """Return the inputs with the values that a model gives to some unknowns."""
    edits: dict[InputSource, list[tuple[int, int, bytes]]] = {}
    members = list(unknowns.members(closed))
    for one in members:
        if not isinstance(one.what, InputByte):
            continue
        value = value_of(one.term).as_long()
        size = len(contents[one.what.source])
        if one.what.offset < size or (value and one.what.offset == size):
            edit = (one.what.offset, one.what.offset + 1, bytes([value]))
            edits.setdefault(one.what.source, []).append(edit)
    spelled = {one.what for one in members if isinstance(one.what, InputByte)}
    others = _others(members, spelled, value_of)
    for what in others:
        edits.setdefault(what.source, []).append((what.start, what.stop, what.other))
    for one in members:
        if not isinstance(one.what, SPELLED) or _has_byte(one.what, spelled):
            continue  # its digits are given
        if any(what.source == one.what.source and _overlap(what, one.what) for what in others):
            continue
        spelling = _spelling(one.what, value_of(one.term))
        edits.setdefault(one.what.source, []).append((one.what.start, one.what.stop, spelling))
    found = dict(contents)
    for source, own in edits.items():
        text = found[source]
        for start, stop, new in sorted(set(own), reverse=True):
            text = text[:start] + new + text[stop:]
        found[source] = text
    return found


def _others(
    members: Sequence[UnknownValue], spelled: set[InputByte], value_of: Callable[[Any], Any]
) -> list[Matched]:
    """Return the pieces that another text replaces, unless a solution gives their bytes."""
    return [
        one.what
        for one in members
        if isinstance(one.what, Matched) and not _has_byte(one.what, spelled)
        and z3.is_true(value_of(one.term)) != one.recorded
    ]  # fmt: skip


def _has_byte(what: Piece, spelled: set[InputByte]) -> bool:
    """Is one of the bytes of a piece among some?"""
    return any(byte in spelled for byte in text_of(what))


def _overlap(one: Piece, other: Piece) -> bool:
    return one.start < other.stop and other.start < one.stop


def _spelling(what: What, value: Any) -> bytes:
    """Return the text of a number that a model gives: of an int, or the nearest float."""
    if isinstance(what, RealText):
        return _real(value.as_long(), value.size())
    if isinstance(what, BasedText):
        number: int = value.as_signed_long()
        digits = f"{abs(number):{'x' if what.base == 16 else 'o'}}".encode()
        return b"-" * (number < 0) + what.prefix + digits
    if z3.is_bv_value(value):
        return b"%d" % value.as_signed_long()
    if z3.is_int_value(value):
        return b"%d" % value.as_long()
    exact = value.approx(20) if z3.is_algebraic_value(value) else value
    return repr(float(exact.as_fraction())).encode()
