"""When does a regular expression match a text of known length?

A match is decided by a nondeterministic automaton, unrolled over the characters of the text.  What
the groups of a match hold follows from how each character relates to each set of characters in the
expression: if all these relations are as recorded, then the matching is.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from whence.paths.python.formulas import Formula, every, in_ranges, no, some
from whence.paths.python.values import Found, Text

# The parser of the module `re`; it has no public name.
sre: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")
_MAX_STATES = 200  # of an automaton; guessed
_MAX_CHARACTERS = 400  # of a text that an automaton reads; guessed
_ASCII = range(128)
Ranges = tuple[tuple[int, int], ...]  # of characters, bounds included


class _Unsupported(Exception):
    """The expression has a part without a formula."""


class _Automaton:
    """The states of an expression: 0 is the first one, `end` the last one."""

    def __init__(self, pattern: Any) -> None:
        self.empty: dict[int, list[tuple[int, str]]] = {}  # moves that read nothing, with a test
        self.moves: dict[int, list[tuple[Ranges, int]]] = {}
        self._count = 1
        self._flags = pattern.flags
        tree = parser.parse(pattern.pattern, pattern.flags)
        self.end = self._add(tree, 0)

    def _new(self) -> int:
        self._count += 1
        if self._count > _MAX_STATES:
            raise _Unsupported
        return self._count - 1

    def _jump(self, start: int, stop: int, test: str = "") -> None:
        self.empty.setdefault(start, []).append((stop, test))

    def _read(self, start: int, ranges: Ranges) -> int:
        stop = self._new()
        self.moves.setdefault(start, []).append((ranges, stop))
        return stop

    def _add(self, tree: Any, state: int) -> int:
        for op, argument in tree:
            state = self._one(op, argument, state)
        return state

    def _one(self, op: Any, argument: Any, state: int) -> int:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            return self._read(state, _ranges(op, argument, self._flags))
        if op is sre.BRANCH:
            stop = self._new()
            for branch in argument[1]:
                first = self._new()
                self._jump(state, first)
                self._jump(self._add(branch, first), stop)
            return stop
        if op is sre.SUBPATTERN:
            if argument[1] or argument[2]:
                raise _Unsupported  # flags of its own
            return self._add(argument[3], state)
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, tree = argument
            return self._repeated(least, most, tree, state)
        if op is sre.AT and argument in _TESTS:
            if argument in (sre.AT_BEGINNING, sre.AT_END) and self._flags & re.MULTILINE:
                raise _Unsupported
            stop = self._new()
            self._jump(state, stop, _TESTS[argument])
            return stop
        raise _Unsupported

    def _repeated(self, least: int, most: Any, tree: Any, state: int) -> int:
        for _ in range(least):
            state = self._add(tree, state)
        stop = self._new()
        self._jump(state, stop)
        if most == sre.MAXREPEAT:
            first = self._new()
            self._jump(state, first)
            last = self._add(tree, first)
            self._jump(last, first)
            self._jump(last, stop)
            return stop
        for _ in range(most - least):
            state = self._add(tree, state)
            self._jump(state, stop)
        return stop


_TESTS = {
    sre.AT_BEGINNING: "start", sre.AT_BEGINNING_STRING: "start", sre.AT_END: "line end",
    sre.AT_END_STRING: "end",
}  # fmt: skip


@cache
def _automaton(pattern: re.Pattern[Any]) -> _Automaton | None:
    try:
        return _Automaton(pattern)
    except _Unsupported:
        return None


def is_found(found: Found) -> Formula | None:
    """Return when the expression is found in the text; None if there is no formula."""
    automaton = _automaton(found.pattern)
    chars = found.text.chars
    if automaton is None or len(chars) > _MAX_CHARACTERS:
        return None
    states: dict[int, Formula] = {0: True}
    accepted = []
    for at in range(len(chars) + 1):
        if found.how == "search":
            states[0] = True
        states = _closed(automaton, states, at, chars)
        if found.how != "fullmatch" or at == len(chars):
            accepted.append(states.get(automaton.end, False))
        if at < len(chars):
            states = _after(automaton, states, chars[at])
    return some(accepted)


def _closed(
    automaton: _Automaton, states: dict[int, Formula], at: int, chars: tuple[Any, ...]
) -> dict[int, Formula]:
    """Return the states after moves that read nothing."""
    found: dict[int, list[Formula]] = {}
    for start, formula in states.items():
        surely = _reached(automaton, start, at, chars, perhaps=False)
        for state in surely:
            found.setdefault(state, []).append(formula)
        for state in _reached(automaton, start, at, chars, perhaps=True) - surely:
            # The only test that inputs decide: does the text end with a newline?
            found.setdefault(state, []).append(every([formula, in_ranges(chars[-1], (10, 10))]))
    return {state: some(formulas) for state, formulas in found.items()}


def _reached(
    automaton: _Automaton, start: int, at: int, chars: tuple[Any, ...], *, perhaps: bool
) -> set[int]:
    """Return the states that moves without reading lead to; `perhaps`: if open tests hold."""
    seen, stack = {start}, [start]
    while stack:
        for following, test in automaton.empty.get(stack.pop(), ()):
            holds = _holds(test, at, chars)
            if following not in seen and (holds is True or (perhaps and holds is not False)):
                seen.add(following)
                stack.append(following)
    return seen


def _holds(test: str, at: int, chars: tuple[Any, ...]) -> Formula:
    left = len(chars) - at
    if test == "start":
        return at == 0
    if test == "line end":
        return left == 0 or (left == 1 and in_ranges(chars[-1], (10, 10)))
    return left == 0 if test == "end" else True


def _after(automaton: _Automaton, states: dict[int, Formula], char: Any) -> dict[int, Formula]:
    found: dict[int, list[Formula]] = {}
    for state, formula in states.items():
        for ranges, following in automaton.moves.get(state, ()):
            holds = every([formula, in_ranges(char, *ranges)])
            if holds is not False:
                found.setdefault(following, []).append(holds)
    return {state: some(formulas) for state, formulas in found.items()}


# --- sets of characters -------------------------------------------------------------------------


def _as_ranges(members: Iterator[bool]) -> Ranges:
    found: list[tuple[int, int]] = []
    for code, is_member in enumerate(members):
        if is_member and found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        elif is_member:
            found.append((code, code))
    return tuple(found)


def _ranges(op: Any, argument: Any, flags: int) -> Ranges:
    """Return the characters that one part of an expression matches."""
    text = _source(op, argument)
    compiled = re.compile(text, flags & (re.IGNORECASE | re.DOTALL | re.ASCII))
    return _as_ranges(bool(compiled.fullmatch(chr(code))) for code in _ASCII)


def _source(op: Any, argument: Any) -> str:
    """Return one part of an expression as an expression of its own."""
    if op is sre.ANY:
        return "."
    if op is sre.LITERAL:
        return re.escape(chr(argument))
    if op is sre.NOT_LITERAL:
        return f"[^{_escaped(argument)}]"
    parts = []
    for inner, value in argument:
        if inner is sre.NEGATE:
            parts.append("^")
        elif inner is sre.LITERAL:
            parts.append(_escaped(value))
        elif inner is sre.RANGE:
            parts.append(f"{_escaped(value[0])}-{_escaped(value[1])}")
        elif inner is sre.CATEGORY:
            parts.append(_CATEGORIES[value])
        else:
            raise _Unsupported
    return f"[{''.join(parts)}]"


_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else f"\\U{code:08x}"


# --- how the characters relate to the sets of an expression -------------------------------------


def _sets(tree: Any, flags: int) -> Iterator[Ranges]:
    """Yield the sets of characters in an expression."""
    for op, argument in tree:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            yield _ranges(op, argument, flags)
        elif op is sre.BRANCH:
            for branch in argument[1]:
                yield from _sets(branch, flags)
        elif op is sre.SUBPATTERN and not argument[1] and not argument[2]:
            yield from _sets(argument[3], flags)
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            yield from _sets(argument[2], flags)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _sets(argument[1], flags)
        elif op is sre.AT:
            yield ((10, 10),)
            yield _as_ranges(bool(re.match(r"\w", chr(code))) for code in _ASCII)
        else:
            raise _Unsupported


@cache
def _sets_of(pattern: re.Pattern[Any]) -> tuple[Ranges, ...] | None:
    try:
        return tuple(
            dict.fromkeys(_sets(parser.parse(pattern.pattern, pattern.flags), pattern.flags))
        )
    except _Unsupported:
        return None


def looks_around(pattern: re.Pattern[Any]) -> bool:
    """Does an expression ask where in the text it is, as ^ does?"""
    return any(sign in str(pattern.pattern) for sign in ("^", "\\A", "\\b", "\\B", "(?<"))


def same_relations(pattern: re.Pattern[Any], text: Text) -> tuple[Formula, object] | None:
    """Return that all characters relate to the sets of an expression as recorded, and how.

    None: the expression has parts that do not only ask for sets of characters.
    """
    sets = _sets_of(pattern)
    if sets is None:
        return None
    parts, relations = [], []
    for char, known in zip(text.chars, text.value, strict=True):
        code = known if isinstance(known, int) else ord(known)
        for one in sets:
            is_member = any(low <= code <= high for low, high in one)
            relations.append(is_member)
            if not isinstance(char, int):
                parts.append(in_ranges(char, *one) if is_member else no(in_ranges(char, *one)))
    return every(parts), tuple(relations)
