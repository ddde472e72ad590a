"""How do the tokens that strtok, strtok_r and strsep find depend on the text?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from whence.paths.c.calls import LibraryCall, bits, unknowns_of
from whence.paths.c.values import Value
from whence.paths.conditions import ConditionKind
from whence.paths.terms import Fact, Term
from whence.program.rows import READ, WRITE

IS_THERE = "a token"  # the condition that there is a token, or none


def next_token(call: LibraryCall) -> bool:
    """strtok, strtok_r and strsep: there is a token, and this is where it begins and ends.

    The pointer to it is a number that follows from that.
    """
    separators = call.string(call.recorded(1))
    rows = [call.flow.thread.stream.effects[n] for n in call.flow.queries.effects_of(call.step)]
    read = [(int(row["addr"]), int(row["len"])) for row in rows if row["kind"] == READ]
    if separators is None or any(isinstance(byte, Term) for byte in separators) or not read:
        return False
    members = [byte for byte in separators if isinstance(byte, int) and byte]
    start, size = read[-1]  # from the first separator to the byte behind the token
    text = call.memory(start, size)
    if None in text:
        return False
    is_skipping = call.name != "strsep"
    if is_skipping:
        rest = call.string(start) or text
        if not _require_token(call, rest, members, is_found=call.result != 0):
            return False
    if call.result:
        _require_place(call, text, members, call.result - start)
    for row in rows:
        if row["kind"] == WRITE and int(row["len"]) == 1:
            call.of.written[call.step, int(row["addr"])] = 0
    return True


def _require_token(
    call: LibraryCall, text: Sequence[Value], members: Sequence[int], *, is_found: bool
) -> bool:
    """Add the condition that something else than separators stands before the end, or nothing."""
    if None in text:
        return False
    found: Any = z3.BoolVal(False)
    for value in reversed(text):
        byte = bits(value, 8)
        found = z3.And(byte != 0, z3.Or(z3.Not(_is_one_of(byte, members)), found))
    formula = z3.simplify(found if is_found else z3.Not(found))
    fact = Fact(formula, unknowns_of(text))
    call.of.add(call.step, ConditionKind.SHAPE, fact, (IS_THERE, is_found))
    return True


def _require_place(
    call: LibraryCall, text: Sequence[Value], members: Sequence[int], skipped: int
) -> None:
    """Add the condition that the token begins and ends where it does."""
    facts = []
    for at, value in enumerate(text):
        if not isinstance(value, Term):
            continue
        is_member, is_end = _is_one_of(value.term, members), value.term == 0
        if at < skipped:
            formula = z3.And(is_member, z3.Not(is_end))
        elif at < len(text) - 1:
            formula = z3.Not(z3.Or(is_member, is_end))
        else:
            formula = z3.Or(is_member, is_end)
        facts.append(Fact(formula, value.unknowns))
    unknowns = unknowns_of(text)
    if facts:
        formula = z3.And([fact.formula for fact in facts])
        shape = skipped, len(text) - 1 - skipped
        call.of.add(call.step, ConditionKind.SHAPE, Fact(formula, unknowns), shape)


def _is_one_of(byte: Any, members: Sequence[int]) -> Any:
    return z3.Or([byte == one for one in members]) if members else z3.BoolVal(False)
