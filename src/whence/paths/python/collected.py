"""How are the conditions of a Python run collected, step by step?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from whence.inputs import InputByte, InputSource, SourceKind
from whence.paths.compared import ComparedText, compared_text
from whence.paths.conditions import Condition, ConditionKind
from whence.paths.python.comparisons import when_equal
from whence.paths.python.formulas import Formula, every, no
from whence.paths.python.site import Site
from whence.paths.python.term_reads import TermReader
from whence.paths.python.values import (
    SYMBOLIC,
    AnyValue,
    Held,
    Number,
    Text,
    is_symbolic,
    recorded_value,
    taken,
    unknowns_of,
)
from whence.paths.terms import Fact, Matched, NumberText, Pinned, Unknowns, What
from whence.program.ids import Step
from whence.trace.python.endings import type_of
from whence.trace.python.flow import PythonFlow

_WHOLE = (SourceKind.ARGUMENT, SourceKind.VARIABLE)  # whose texts are numbers as a whole
_MAX_TEXT = 200  # characters of a text that is noted; guessed


class CollectedConditions:
    """Collects the conditions of one run."""

    def __init__(self, flow: PythonFlow) -> None:
        self._flow = flow
        self.unknowns = Unknowns(lambda _: 0)
        self.conditions: list[Condition] = []
        self.ways: list[object] = []
        self.raising: set[int] = set()
        self.written: set[int] = set()
        self.notes: dict[str, None] = {}
        self.compared: list[ComparedText] = []
        self._terms = TermReader()
        self._pinned = 0  # the unknowns that stand for what is taken as recorded

    def site(self, step: Step) -> StepSite:
        """Return the site of a step."""
        value = self._flow.value(step)
        return StepSite(self, step, value, self._raised(step, value))

    def _raised(self, step: Step, value: Any) -> str:
        is_raised = step in self._flow.run.raised
        return type_of(value) if is_raised else ""

    def add(
        self, step: Step, kind: ConditionKind, formula: Formula, unknowns: int, way: object,
        *, raises: bool = False,
    ) -> None:  # fmt: skip
        """Add a condition, unless it holds for all inputs."""
        if isinstance(formula, bool):
            formula = z3.BoolVal(formula)
        simple = z3.simplify(formula)
        if z3.is_true(simple) and not self._rests_on_pins(unknowns):
            return
        unknowns = self._read(simple, unknowns)
        if self._terms.read(simple).has_reals and not self._holds(simple, unknowns):
            self.notes["a comparison of floats whose rounding decides it is left out"] = None
            return
        if raises:
            self.raising.add(len(self.conditions))
        self.conditions.append(Condition(step, kind, Fact(simple, unknowns)))
        self.ways.append(way)

    def compares(self, step: Step, text: Text, other: str | bytes) -> None:
        """Note a constant text that a text was compared with."""
        characters = [
            0 if isinstance(char, int) else self._terms.read(char).unknowns for char in text.chars
        ]
        constant = other.encode("utf-8", "surrogateescape") if isinstance(other, str) else other
        found = compared_text(step, self.unknowns, characters, constant)
        if found is not None and len(found.text) < _MAX_TEXT:
            self.compared.append(found)

    def _rests_on_pins(self, unknowns: int) -> bool:
        return bool(unknowns & self._pinned)

    def _read(self, formula: Any, unknowns: int) -> int:
        """Return the unknowns that a formula reads, and what is taken as recorded for it.

        A value of a text carries the unknowns of the whole text; a condition may read one byte.
        """
        return self._terms.read(formula).unknowns & unknowns | unknowns & self._pinned

    def _holds(self, formula: Any, unknowns: int) -> bool:
        """Does a formula hold for the recorded values?  Arithmetic of floats rounds."""
        return bool(z3.is_true(self.unknowns.recorded(formula, unknowns)))

    def number(self, text: Text, is_alike: Formula, value: Any, result: int) -> Number | None:
        """Return the number that a piece of an input spells; None if the text is no piece."""
        piece = self._piece(text)
        if piece is None:
            return None
        what = NumberText(*piece)
        is_new = what not in self.unknowns
        number = self.unknowns.whole(what, z3.IntSort(), result)
        if is_new:
            self._spell(what, every([is_alike, number.term == value]), number.unknowns)
        return Number(number.term, number.unknowns | text.unknowns, result)

    def matches(
        self, step: Step, text: Text, is_kind: Formula, way: object, other: bytes, *,
        is_matched: bool,
    ) -> bool:  # fmt: skip
        """Add the condition that a piece of an input is of a kind, or not."""
        piece = self._piece(text)
        if piece is None:
            return False
        what = Matched(*piece, other)
        is_new = what not in self.unknowns
        found = self.unknowns.whole(what, z3.BoolSort(), is_matched)
        if is_new:
            self._spell(what, found.term == is_kind, found.unknowns)
        formula = found.term if is_matched else no(found.term)
        self.add(step, ConditionKind.SHAPE, formula, found.unknowns, way, raises=True)
        return True

    def _spell(self, what: What, formula: Any, own: int) -> None:
        """Note how an unknown hangs together with the bytes that spell it."""
        fact = Fact(formula, own | self._terms.read(formula).unknowns)
        self.unknowns.of(what).spell_as(fact)

    def _piece(self, text: Text) -> tuple[InputSource, int, int] | None:
        """Return which bytes of an argument a text is; None if it is anything else, or a part.

        Where other code cuts a longer text into pieces, each byte has its place.
        """
        found: list[InputByte] = []
        for char in text.chars:
            if isinstance(char, int):
                return None
            own = list(self.unknowns.members(self._terms.read(char).unknowns))
            if len(own) != 1 or not own[0].term.eq(char) or not isinstance(own[0].what, InputByte):
                return None
            byte = own[0].what
            if found and byte != InputByte(found[-1].source, found[-1].offset + 1):
                return None
            found.append(byte)
        if not found or found[0].source.kind not in _WHOLE:
            return None
        source, start, stop = found[0].source, found[0].offset, found[-1].offset + 1
        known = (one.what for one in self.unknowns.all if isinstance(one.what, InputByte))
        if any(one.source == source and not start <= one.offset < stop for one in known):
            return None
        return source, start, stop

    def pin(self, step: Step, by: str, operands: Sequence[AnyValue]) -> int:
        """Return the unknown of a value that is taken as recorded if the operands are."""
        what = Pinned(step, by)
        found = self.unknowns.pinned(what, z3.BoolSort(), True)
        for operand in operands:
            formula = as_recorded(operand)
            if is_symbolic(operand):
                term = z3.BoolVal(formula) if isinstance(formula, bool) else formula
                fact = Fact(term, self._read(term, unknowns_of([operand])))
                self.unknowns.add_fact(what, fact)
        self._pinned |= found.unknowns
        return found.unknowns


def as_recorded(value: AnyValue) -> Formula:
    """Return that a value is as recorded."""
    if isinstance(value, Held):
        return every(as_recorded(one) for one in value.items)
    if not isinstance(value, SYMBOLIC):
        return True
    formula = when_equal(value, recorded_value(value))
    if formula is None:
        parts = [getattr(value, name) for name in ("start", "stop", "text") if hasattr(value, name)]
        return every(as_recorded(one) for one in parts)
    return formula


class StepSite(Site):
    """A step, seen by the rule of its operation."""

    def __init__(self, to: CollectedConditions, step: Step, result: Any, raised: str) -> None:
        self._to, self.step, self.result, self.raised = to, step, result, raised

    def shape(self, formula: Any, unknowns: int, way: object, *, raises: bool = False) -> None:
        self._to.add(self.step, ConditionKind.SHAPE, formula, unknowns, way, raises=raises)

    def written(self, formula: Any, unknowns: int, way: object) -> None:
        before = len(self._to.conditions)
        self.shape(formula, unknowns, way)
        self._to.written.update(range(before, len(self._to.conditions)))

    def defined(self, formula: Any, unknowns: int, error: str, *, bounds: bool = False) -> bool:
        kind = ConditionKind.BOUNDS if bounds else ConditionKind.DEFINED
        is_raised = self.raised == error
        if not self.raised or is_raised:
            wanted = no(formula) if is_raised else formula
            self._to.add(self.step, kind, wanted, unknowns, self.raised, raises=True)
        return not is_raised

    def branch(self, formula: Any, unknowns: int, way: object) -> None:
        """Add the condition that a branch goes the way that it went."""
        self._to.add(self.step, ConditionKind.BRANCH, formula, unknowns, way)

    def fixed(self, *operands: AnyValue) -> None:
        for operand in operands:
            if is_symbolic(operand):
                formula, unknowns = as_recorded(operand), unknowns_of([operand])
                way = repr(recorded_value(operand))
                self._to.add(self.step, ConditionKind.ADDRESS, formula, unknowns, way)

    def number(self, text: Text, is_alike: Formula, value: Any) -> Number | None:
        return self._to.number(text, is_alike, value, self.result)

    def matches(
        self, text: Text, is_kind: Formula, way: object, *, other: bytes, is_matched: bool = True
    ) -> bool:
        return self._to.matches(self.step, text, is_kind, way, other, is_matched=is_matched)

    def compares(self, text: Text, other: str | bytes) -> None:
        self._to.compares(self.step, text, other)

    def note(self, text: str) -> None:
        self._to.notes[text] = None

    def pinned(self, by: str, operands: Sequence[AnyValue], value: Any) -> AnyValue:
        return taken(value, self._to.pin(self.step, by, operands))

    def case(self, formula: Any, unknowns: int, way: object) -> None:
        """Add the condition that the same case of a statement is chosen."""
        self._to.add(self.step, ConditionKind.CASE, formula, unknowns, way)

    def for_result(self, result: Any) -> StepSite:
        return StepSite(self._to, self.step, result, "")
