"""How do the conditions of two runs become formulas over the same inputs?

Two programs ran with the same inputs.  Each run has unknowns of its own; here an input byte, or a
number that a piece of input spells, is one unknown for both.  A value that code without a formula
made belongs to one run.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from whence.inputs import InputByte
from whence.paths.terms import SPELLED, Fact, Pinned, Term, Unknowns, UnknownValue, What
from whence.program.ids import Step


class Joint:
    """The unknowns of several runs with the same inputs, as one set."""

    def __init__(self, runs: Sequence[Unknowns]) -> None:
        self.unknowns = Unknowns(lambda byte: _recorded(runs, byte))
        self._views = [_View(self.unknowns, number, own) for number, own in enumerate(runs)]
        for view in self._views:
            view.add_facts()
        _tie_overlapping(self.unknowns)

    def fact(self, run: int, fact: Fact) -> Fact:
        """Return a fact about the unknowns of one run as one about the unknowns of all."""
        return self._views[run].fact(fact)

    def term(self, run: int, term: Term) -> Term:
        """Return a term over the unknowns of one run as one over the unknowns of all."""
        found = self._views[run].fact(Fact(term.term, term.unknowns))
        return Term(found.formula, found.unknowns)


class _View:
    """The unknowns of one run, with their places among the unknowns of all."""

    def __init__(self, joint: Unknowns, number: int, own: Unknowns) -> None:
        self._joint, self._own = joint, own
        own.spell_out()
        self._whats = [_named(number, joint, one) for one in own.all]
        terms = [
            joint.whole(what, one.term.sort(), one.recorded)
            for what, one in zip(self._whats, own.all, strict=True)
        ]
        self._bits = [term.unknowns for term in terms]
        self._pairs = [(one.term, term.term) for one, term in zip(own.all, terms, strict=True)]

    def fact(self, fact: Fact) -> Fact:
        pairs, members, rest = [], 0, fact.unknowns
        while rest:
            at = (rest & -rest).bit_length() - 1
            rest &= rest - 1
            pairs.append(self._pairs[at])
            members |= self._bits[at]
        return Fact(z3.substitute(fact.formula, *pairs), members)

    def add_facts(self) -> None:
        """Note what holds of each unknown in this run."""
        for what, one in zip(self._whats, self._own.all, strict=True):
            for fact in one.facts:
                self._joint.add_fact(what, self.fact(fact))
            known = self._joint.of(what)
            if one.spelling is not None and known.spelling is None:
                known.spell_as(self.fact(one.spelling))
            if one.ended is not None:
                self._joint.add_end(what, self.fact(one.ended))


def _named(number: int, joint: Unknowns, one: UnknownValue) -> What:
    """Return what an unknown of a run is among the unknowns of all runs."""
    what = one.what
    if isinstance(what, Pinned):
        return what._replace(run=number)
    if what in joint and joint.of(what).term.sort() != one.term.sort():
        # Two languages see it differently: it counts as a value that the second run made.
        return Pinned(Step(0), str(what), number)
    return what


def _recorded(runs: Sequence[Unknowns], byte: InputByte) -> int:
    return int(next(own.of(byte).recorded for own in runs if byte in own))


def _tie_overlapping(unknowns: Unknowns) -> None:
    """Tie numbers to their digits where two programs read numbers from overlapping text."""
    numbers = [one for one in unknowns.all if isinstance(one.what, SPELLED)]
    for one in numbers:
        if one.spelling is not None and any(_overlap(one, other) for other in numbers):
            unknowns.add_fact(one.what, one.spelling)


def _overlap(one: UnknownValue, other: UnknownValue) -> bool:
    a, b = one.what, other.what
    assert isinstance(a, SPELLED)
    assert isinstance(b, SPELLED)
    return a != b and a.source == b.source and a.start < b.stop and b.start < a.stop
