"""How does what getopt returns depend on the arguments?

The calls of a run are followed along its arguments: which argument is looked at, and which of its
letters.  A program that starts again, or gives getopt other arguments than its own, is not
followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from whence.inputs import InputByte, SourceKind, argument
from whence.paths.c.calls import LibraryCall
from whence.paths.c.option_state import OptionState
from whence.paths.conditions import ConditionKind
from whence.paths.terms import Fact, Term

_END = -1  # what getopt returns behind the last option


def next_option(call: LibraryCall) -> bool:
    """getopt and getopt_long: the letter of the next option, -1 behind the last one."""
    pattern = call.string(call.recorded(2))
    if pattern is None or not all(isinstance(byte, int) for byte in pattern):
        return False
    wanted = bytes(byte for byte in pattern[:-1] if isinstance(byte, int))
    state = call.of.options
    if state is None:
        numbers = sorted(s.number for s in call.of.contents if s.kind is SourceKind.ARGUMENT)
        state = call.of.options = OptionState([number for number in numbers if number])
    if state.is_lost:
        return False
    result = call.result - (1 << call.width) if call.result >> (call.width - 1) else call.result
    state.is_lost = not _followed(call, state, wanted, result)
    return not state.is_lost


def _followed(call: LibraryCall, state: OptionState, wanted: bytes, result: int) -> bool:
    """Add the conditions of one call; return False if it did not return what is expected."""
    keeps_order = wanted[:1] in (b"+", b"-")
    letters = wanted.lstrip(b"+-")
    if not state.letters:
        skipped = list(_operands(call, state, keeps_order=keeps_order))
        for number in skipped:
            _require_operand(call, number)
        if not state.rest or (keeps_order and skipped):
            return result == _END
        state.current = state.rest.pop(0)
        text = _text(call, state.current)
        if text == b"--":
            _require(call, state.current, {0: ord("-"), 1: ord("-"), 2: 0}, 0)
            return result == _END
        if text.startswith(b"--"):
            return 0 < result < 256 and _long(call, state, letters, result)
        _require(call, state.current, {0: ord("-")}, 0)
        state.letters = list(range(1, len(text)))
    at = state.letters.pop(0)
    letter = _text(call, state.current)[at]
    known = letter != ord(":") and letter in letters
    if result != (letter if known else ord("?")) and not (not known and result == ord(":")):
        return False
    _require_letter(call, state.current, at, letter if known else None, letters)
    if known and letters[letters.index(letter) + 1 :][:1] == b":":
        is_optional = letters[letters.index(letter) + 1 :][:2] == b"::"
        if not state.letters and not is_optional and state.rest:
            state.rest.pop(0)
        state.letters = []
    return True


def _operands(call: LibraryCall, state: OptionState, *, keeps_order: bool) -> Iterator[int]:
    """Yield the arguments before the next option, which getopt passes over."""
    while state.rest:
        text = _text(call, state.rest[0])
        if text.startswith(b"-") and text != b"-":
            return
        yield state.rest[0] if keeps_order else state.rest.pop(0)
        if keeps_order:
            return


def _long(call: LibraryCall, state: OptionState, letters: bytes, result: int) -> bool:
    """An option with a name: its name stays as recorded, and a value may follow.

    Whether one follows is known if a letter stands for the option, too.
    """
    name, sign, _ = _text(call, state.current).partition(b"=")
    if not call.name.startswith("getopt_long") or result not in letters:
        return False
    _require(call, state.current, dict(enumerate(name)), result)
    if not sign and letters[letters.index(result) + 1 :][:1] == b":" and state.rest:
        state.rest.pop(0)
    return True


def _text(call: LibraryCall, number: int) -> bytes:
    return call.of.contents[argument(number)]


def _byte(call: LibraryCall, number: int, offset: int) -> Term | None:
    source = argument(number)
    found = call.of.byte(InputByte(source, offset)) if source in call.of.free else None
    return found if isinstance(found, Term) else None


def _require(call: LibraryCall, number: int, wanted: dict[int, int], value: int) -> None:
    """Add the condition that some bytes of an argument are as recorded."""
    facts = [(_byte(call, number, at), byte) for at, byte in wanted.items()]
    _add(call, [Fact(one.term == byte, one.unknowns) for one, byte in facts if one], value)


def _require_operand(call: LibraryCall, number: int) -> None:
    """Add the condition that an argument is no option: it does not begin with "-", or is "-"."""
    first, second = (_byte(call, number, at) for at in (0, 1))
    if first is None:
        return
    formula, members = first.term != ord("-"), first.unknowns
    if second is not None:
        formula, members = z3.Or(formula, second.term == 0), members | second.unknowns
    _add(call, [Fact(formula, members)], _END)


def _require_letter(
    call: LibraryCall, number: int, at: int, letter: int | None, letters: bytes
) -> None:
    """Add the condition that a letter of an argument is as recorded; None: it is unknown."""
    found = _byte(call, number, at)
    if found is None:
        return
    known = [byte for byte in letters if byte != ord(":")]
    formula: Any = z3.And([found.term != byte for byte in known])
    if letter is not None:
        formula = found.term == letter
    _add(call, [Fact(formula, found.unknowns)], letter or 0)


def _add(call: LibraryCall, facts: list[Fact], value: int) -> None:
    members = 0
    for fact in facts:
        members |= fact.unknowns
    formula = z3.And([fact.formula for fact in facts])
    call.of.add(call.step, ConditionKind.SHAPE, Fact(formula, members), value)
