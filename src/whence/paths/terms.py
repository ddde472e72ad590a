"""What are the unknowns of a condition, and what is known about each of them?

A value of a run is an int if inputs do not matter for it, else a `Term`: a term of the solver with
the unknowns in it.  An unknown is an input byte, a number that a piece of input spells, or a value
that code without a formula made.  A set of unknowns is an int with one bit for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import z3

from whence.inputs import InputByte, InputSource
from whence.program.ids import Step


class Term(NamedTuple):
    """A value that depends on inputs."""

    term: Any  # of the solver: a bit-vector in C, a number or a truth value in Python
    unknowns: int


class Fact(NamedTuple):
    """A formula, and the unknowns in it."""

    formula: Any
    unknowns: int


class NumberText(NamedTuple):
    """Bytes start..stop of a source that spell a number."""

    source: InputSource
    start: int
    stop: int


class BasedText(NamedTuple):
    """Bytes start..stop of a source that spell a whole number in another base than ten."""

    source: InputSource
    start: int
    stop: int
    base: int
    prefix: bytes  # "0x", "0", or nothing


class RealText(NamedTuple):
    """Bytes start..stop of a source that spell a floating-point number."""

    source: InputSource
    start: int
    stop: int


class Matched(NamedTuple):
    """Is what stands at start..stop of a source of the kind that it is in this run?

    A number is there, or a word, or a character that a format names.  It is not, if `other` stands
    there instead.
    """

    source: InputSource
    start: int
    stop: int
    other: bytes


class Pinned(NamedTuple):
    """A value that code without a formula made, and that is taken as recorded."""

    step: Step
    by: str  # what made it, such as "qsort"
    run: int = 0  # which of several runs made it, where runs are compared


SpelledText = NumberText | BasedText | RealText
Piece = SpelledText | Matched
What = InputByte | Piece | Pinned
_PIECES = (NumberText, BasedText, RealText, Matched)


@dataclass(slots=True)
class UnknownValue:
    """One unknown of the conditions of a run."""

    what: What
    term: Any
    recorded: Any  # its value in the run
    # What holds of it in every run that reads its inputs in the same way: an argument has no zero
    # byte, a byte of a line is no newline.
    facts: list[Fact] = field(default_factory=list)
    # Returns what holds of a number and the bytes that spell it, if other code looks at these
    # bytes.  It is long, and most numbers are only compared: it is made when it is asked for.
    spell: Callable[[], Fact] | None = None
    ended: Fact | None = None  # what holds of the byte behind a number, which ended it
    _spelling: Fact | None = None

    @property
    def spelling(self) -> Fact | None:
        if self._spelling is None and self.spell is not None:
            self._spelling = self.spell()
        return self._spelling

    def spell_as(self, fact: Fact) -> None:
        """Note what holds of a number and the bytes that spell it."""
        self.spell = lambda: fact


class Unknowns:
    """The unknowns of the conditions of one run."""

    def __init__(self, value: Callable[[InputByte], int]) -> None:
        """`value` returns the recorded value of an input byte."""
        self._value = value
        self._numbers: dict[What, int] = {}
        self._keys: dict[int, int] = {}  # what `_key` returned, until another unknown comes
        self._ended: list[Fact] = []  # what holds of bytes that ended numbers
        self._texts: list[UnknownValue] = []  # numbers that a piece of input spells
        self.all: list[UnknownValue] = []

    def byte(self, byte: InputByte) -> Term:
        """Return the term of an input byte: a bit-vector of 8 bits."""
        return self._term(byte, lambda name: z3.BitVec(name, 8), lambda: self._value(byte))

    def number(self, text: SpelledText, width: int, value: int) -> Term:
        """Return the term of the number that a piece of input spells."""
        return self._term(text, lambda name: z3.BitVec(name, width), lambda: value)

    def pinned(self, what: Pinned, sort: Any, value: Any) -> Term:
        """Return the term of a value that is taken as recorded."""
        return self._term(what, lambda name: z3.Const(name, sort), lambda: value)

    def whole(self, what: What, sort: Any, value: Any) -> Term:
        """Return the term of an unknown that is no bit-vector."""
        return self._term(what, lambda name: z3.Const(name, sort), lambda: value)

    def _term(self, what: What, make: Callable[[str], Any], value: Callable[[], Any]) -> Term:
        number = self._numbers.get(what)
        if number is None:
            number = self._numbers[what] = len(self.all)
            self._keys.clear()
            self.all.append(UnknownValue(what, make(f"u{number}"), value()))
            if isinstance(what, SPELLED):
                self._texts.append(self.all[-1])
        return Term(self.all[number].term, 1 << number)

    def add_fact(self, what: What, fact: Fact) -> None:
        """Note what holds of an unknown that has a term already."""
        facts = self.all[self._numbers[what]].facts
        if not any(fact.formula.eq(known.formula) for known in facts):
            facts.append(fact)
            self._keys.clear()

    def add_end(self, what: What, fact: Fact) -> None:
        """Note what holds of the byte behind a number, whatever the number is."""
        self.all[self._numbers[what]].ended = fact
        self._ended.append(fact)

    def __contains__(self, what: What) -> bool:
        return what in self._numbers

    def of(self, what: What) -> UnknownValue:
        return self.all[self._numbers[what]]

    def counterpart(self, what: What, of: Unknowns) -> Term | None:
        """Return the unknown of this run that another run has as `what`; None if there is none.

        A number may have another length here; then what follows it in its source is elsewhere.
        """
        if not isinstance(what, Pinned):
            what = self._moved(what, of)
        number = self._numbers.get(what)
        return None if number is None else Term(self.all[number].term, 1 << number)

    def _moved(self, what: InputByte | Piece, of: Unknowns) -> InputByte | Piece:
        if not isinstance(what, InputByte):
            kinds = Matched if isinstance(what, Matched) else SPELLED
            place = of._pieces_in(what.source, kinds).index(what)
            same = self._pieces_in(what.source, kinds)
            return same[place] if place < len(same) else what
        theirs, own = (one._pieces_in(what.source, SPELLED) for one in (of, self))
        before = [one for one in theirs if one.stop <= what.offset]
        if not before or len(before) > len(own):
            return what
        shift = own[len(before) - 1].stop - before[-1].stop
        return InputByte(what.source, what.offset + shift)

    def _pieces_in(self, source: InputSource, kinds: Any) -> list[Any]:
        """Return the pieces of a source that are of some kinds, from its start on."""
        found = (one for one in self._numbers if isinstance(one, kinds) and one.source == source)
        return sorted(found, key=lambda one: (one.start, one.stop))

    def tie_overlapping(self) -> None:
        """Tie pieces to their bytes where they overlap: a new text for one changes the other."""
        found = [one for one in self.all if one.spell is not None]
        found.sort(key=lambda one: (one.what.source, one.what.start))  # type: ignore[union-attr]
        open_ones: list[UnknownValue] = []
        tied: dict[int, UnknownValue] = {}
        for one in found:
            open_ones = [other for other in open_ones if _reaches(other.what, one.what)]
            for other in open_ones:
                if _extent(other.what) != _extent(one.what):
                    tied.update({id(each): each for each in (one, other)})
            open_ones.append(one)
        for one in tied.values():
            if one.spelling is not None:
                self.add_fact(one.what, one.spelling)

    def spell_out(self) -> None:
        """Make the spellings of all numbers; their bytes become unknowns."""
        for one in list(self.all):
            _ = one.spelling

    def read_by(self, formula: Any) -> int:
        """Return the unknowns whose terms are in a formula."""
        found, seen, work = 0, set(), [formula]
        while work:
            at = work.pop()
            if at.get_id() in seen:
                continue
            seen.add(at.get_id())
            if at.num_args():
                work += at.children()
            elif at.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found |= 1 << int(at.decl().name().removeprefix("u"))
        return found

    def members(self, unknowns: int) -> Iterator[UnknownValue]:
        """Yield the unknowns of a set."""
        while unknowns:
            lowest = unknowns & -unknowns
            yield self.all[lowest.bit_length() - 1]
            unknowns ^= lowest

    def recorded(self, formula: Any, unknowns: int) -> Any:
        """Return a formula with the recorded value in place of each of these unknowns."""
        pairs = [(one.term, _constant(one)) for one in self.members(unknowns)]
        return z3.simplify(z3.substitute(formula, *pairs))

    def closed(self, unknowns: int, without: int = 0) -> tuple[int, list[Fact]]:
        """Return the set with all that its members depend on, and what holds of them.

        What holds of the unknowns of the set `without` is left out.
        """
        facts: list[Fact] = []
        done = 0
        while unknowns & ~done:
            lowest = unknowns & ~done
            lowest &= -lowest
            done |= lowest
            unknown = self.all[lowest.bit_length() - 1]
            for fact in () if lowest & without else unknown.facts:
                facts.append(fact)
                unknowns |= fact.unknowns
        linked, spellings = self._spelled(unknowns)
        if linked & ~unknowns:
            closed, more = self.closed(unknowns | linked, without)
            return closed, more
        return unknowns, facts + spellings

    def _spelled(self, unknowns: int) -> tuple[int, list[Fact]]:
        """Return how numbers and bytes in a set that spell them hang together.

        A number need not be in the set: with other bytes it may end elsewhere.
        """
        bytes_in = {one.what for one in self.members(unknowns) if isinstance(one.what, InputByte)}
        found = [fact for fact in self._ended if fact.unknowns & unknowns]
        linked = 0
        own = [one for one in self.members(unknowns) if not isinstance(one.what, SPELLED)]
        for one in (*own, *self._texts):
            if one.spell is None or not self._is_spelled_by(one.what, bytes_in):
                continue
            if (spelling := one.spelling) is not None:
                found.append(spelling)
                linked |= spelling.unknowns
        return linked, found

    @staticmethod
    def _is_spelled_by(what: What, some: set[Any]) -> bool:
        assert isinstance(what, _PIECES)
        return any(byte in some for byte in text_of(what))

    def connected(self, start: int, facts: Sequence[Fact]) -> list[Fact]:
        """Return those of `facts` that share unknowns with `start`, directly or through others.

        A number and the bytes that spell it are connected.
        """
        keys = [self._key(fact.unknowns) for fact in facts]
        reached = self._key(start)
        kept = [False] * len(facts)
        while True:
            grown = reached
            for at, key in enumerate(keys):
                if not kept[at] and key & reached:
                    kept[at] = True
                    grown |= key
            if grown == reached:
                return [fact for fact, is_kept in zip(facts, kept, strict=True) if is_kept]
            reached = grown

    def sharing(self, unknowns: int, facts: Sequence[Fact]) -> list[Fact]:
        """Return those of `facts` that speak of a set, also through values that it defines."""
        return [fact for fact in facts if self._key(fact.unknowns) & unknowns]

    def ends(self, unknowns: int, contents: Mapping[InputSource, bytes]) -> int:
        """Return those of a set that are the zero byte behind an input."""
        found = 0
        for one in self.members(unknowns):
            what = one.what
            if isinstance(what, InputByte) and what.offset == len(contents[what.source]):
                found |= 1 << self._numbers[what]
        return found

    def has_neighbours(self, unknowns: int) -> bool:
        """Do other unknowns share input bytes or facts with a set?"""
        if self._key(unknowns) != unknowns:
            return True
        own = {one.what for one in self.members(unknowns)}
        spelled = [one.what for one in self.all if one.spell is not None]
        if any(fact.unknowns & unknowns for fact in self._ended):
            return True
        return any(what in own or self._is_spelled_by(what, own) for what in spelled)

    def _key(self, unknowns: int) -> int:
        """Return the set with all unknowns that share input bytes or facts with it."""
        if unknowns in self._keys:
            return self._keys[unknowns]
        found, new = 0, unknowns
        while new:
            found |= new
            near = 0
            for one in self.members(new):
                near |= self._neighbours(one)
            new = near & ~found
        self._keys[unknowns] = found
        return found

    def _neighbours(self, one: UnknownValue) -> int:
        found = 0
        for fact in one.facts:
            found |= fact.unknowns
        if isinstance(one.what, _PIECES):
            for byte in bytes_of(one.what):
                number = self._numbers.get(byte)
                found |= 0 if number is None else 1 << number
        return found


def text_of(what: Piece) -> Iterator[InputByte]:
    """Yield the bytes of a piece, without what ended a number."""
    stop = max(what.stop, what.start + 1) if isinstance(what, Matched) else what.stop
    for offset in range(what.start, stop):
        yield InputByte(what.source, offset)


def bytes_of(what: Piece) -> Iterator[InputByte]:
    """Yield the bytes that decide a piece; the byte behind a number ended it."""
    behind = max(what.stop, what.start + 1) if isinstance(what, Matched) else what.stop + 1
    for offset in range(what.start, behind):
        yield InputByte(what.source, offset)


def _extent(what: What) -> tuple[int, int]:
    assert isinstance(what, _PIECES)
    return what.start, what.stop


def _reaches(what: What, other: What) -> bool:
    """Does a piece reach beyond the start of another one of its source?"""
    assert isinstance(what, _PIECES)
    assert isinstance(other, _PIECES)
    return what.source == other.source and what.stop > other.start


SPELLED = (NumberText, BasedText, RealText)


def _constant(one: UnknownValue) -> Any:
    """Return the recorded value of an unknown, as a term."""
    if z3.is_bv(one.term):
        return z3.BitVecVal(one.recorded, one.term.size())
    if z3.is_bool(one.term):
        return z3.BoolVal(one.recorded)
    return z3.IntVal(one.recorded) if z3.is_int(one.term) else one.recorded
