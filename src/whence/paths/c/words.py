"""How does a C programmer describe the conditions of a run and what it printed?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import z3

from whence.frontend.c.tables import OpCode
from whence.paths.c.calls import LibraryCall
from whence.paths.c.numbers import IN_RANGE
from whence.paths.c.tokens import IS_THERE
from whence.paths.c.values import RunValues
from whence.paths.conditions import Condition, ConditionKind
from whence.paths.terms import Term
from whence.paths.words import branch_words, case_words, in_quotes, shown_output
from whence.program.ids import Step
from whence.trace.c.analysis import CAnalysis
from whence.trace.statements import StepDescriber

_FORMATS = {"printf": 0, "fprintf": 1, "dprintf": 1}  # the argument with the format
_CONVERSION = re.compile(rb"%%|%[-+ #0]*\d*(?:\.\d*)?(?:hh|h|ll|l|j|z|t|q|L)?([a-zA-Z])")
_SIGNS = {z3.Z3_OP_BADD: "+", z3.Z3_OP_BSUB: "-", z3.Z3_OP_BMUL: "*"}
_TOKENS = frozenset({"strtok", "strtok_r", "strsep"})
_MAX_PIECES = 6  # of an output in words; guessed


class CRunWords:
    """The words for one run."""

    def __init__(self, values: RunValues, terms: dict[Step, Term]) -> None:
        self._values, self._terms, self._flow = values, terms, values.flow

    @cached_property
    def _describer(self) -> StepDescriber:
        return CAnalysis().describer(self._flow.thread)

    def condition(self, condition: Condition, *, is_true: bool) -> str:
        """Return what a condition says; `is_true`: how the tested value came out."""
        step, kind, names = condition.step, condition.kind, self._describer.names
        if kind is ConditionKind.BRANCH:
            return branch_words(names.condition(step).name, is_true=is_true)
        if kind is ConditionKind.CASE:
            return case_words(names.condition(step))
        text, recorded = names.accessed(step)
        if kind is ConditionKind.SHAPE and text:
            return shape_words(text, condition.value)
        if kind is ConditionKind.ORDER:
            image = self._flow.thread.image
            function = image.spoken_names[image.function_of(self._flow.op_of(step))]
            return f"{function}() {condition.value}"
        text = text or f"the code at {names.line(step)}"
        if kind is ConditionKind.ADDRESS and text != recorded:
            return f"{text} is {recorded}"
        if kind is ConditionKind.BOUNDS:
            return f"{text} exists"
        verb = {ConditionKind.CALLEE: "is called", ConditionKind.DEFINED: "is defined"}
        return f"{text} {verb.get(kind, 'is as recorded')}"

    def place(self, step: Step) -> str:
        """Return the file and the line of a step."""
        return self._describer.names.line(step)

    def printed(self) -> str | None:
        """Return what the run printed, with the expressions that inputs decide; None if long."""
        pieces: list[str] = []
        for piece in self._pieces():
            pieces.append(piece)
            if len(pieces) > _MAX_PIECES:
                return None
        return " ".join(pieces) if pieces else None

    def _pieces(self) -> Iterator[str]:
        thread = self._flow.thread
        texts: dict[Step, bytes] = {}
        for row in thread._outputs().tolist():
            step = Step(int(thread.stream.effects["step"][row]))
            texts[step] = texts.get(step, b"") + (thread.output_text(row) or b"")
        for step, text in texts.items():
            yield from self._of_call(step) or [shown_output(text)]

    def _of_call(self, step: Step) -> list[str] | None:
        """Return what a call of printf wrote; None if inputs decide nothing of it."""
        name = self._flow.thread.image.sort(self._flow.op_of(step)).callee or ""
        if name not in _FORMATS:
            return None
        call = LibraryCall(self._values, step, name)
        place = _FORMATS[name]
        pattern = call.string(call.recorded(place))
        if pattern is None or not all(isinstance(byte, int) for byte in pattern):
            return None
        form = bytes(byte for byte in pattern[:-1] if isinstance(byte, int))
        values = [call.argument(k) for k in range(place + 1, self._flow.arguments(step))]
        if not any(isinstance(value, Term) for value in values):
            return None
        return self._formatted(form, values)

    def _formatted(self, form: bytes, values: list[Any]) -> list[str] | None:
        found: list[str] = []
        rest, at = iter(values), 0
        for conversion in _CONVERSION.finditer(form):
            literal = form[at : conversion.start()]
            at = conversion.end()
            if literal.strip():
                found.append(_literal(literal))
            if conversion[0] == b"%%":
                continue
            value = next(rest, None)
            shown = self._shown(value)
            if shown is None:
                return None
            found.append(shown)
        if form[at:].strip():
            found.append(_literal(form[at:]))
        return found

    def _shown(self, value: Any) -> str | None:
        if isinstance(value, Term):
            return self._expression(z3.simplify(value.term))
        return None if value is None else str(value)

    def _expression(self, term: Any) -> str | None:
        """Return a term over named inputs as the source writes it; None if it is not simple."""
        if term.get_id() in self._names:
            return self._names[term.get_id()]
        if z3.is_bv_value(term):
            return str(term.as_signed_long())
        sign = _SIGNS.get(term.decl().kind())
        parts = [self._expression(part) for part in term.children()] if sign else []
        known = [part for part in parts if part is not None]
        if not parts or len(known) < len(parts):
            return None
        return f" {sign} ".join(
            f"({part})" if sign == "*" and " " in part else part for part in known
        )

    @cached_property
    def _names(self) -> dict[int, str]:
        """The first variable that held a value that inputs decide, by the term of the value."""
        found: dict[int, str] = {}
        codes = self._flow.thread.image.program.ops["code"]
        for step, term in sorted(self._terms.items()):
            op = self._flow.op_of(step)
            if codes[op] not in (OpCode.STORE, OpCode.LSTORE) or z3.is_bv_value(term.term):
                continue
            key = z3.simplify(term.term)
            if key.get_id() in found:
                continue
            named = self._describer.named(step, op)
            if named is not None and re.fullmatch(r"[A-Za-z_]\w*", named.name):
                found[key.get_id()] = named.name
                self._alive.append(key)
        return found

    @cached_property
    def _alive(self) -> list[Any]:
        """Terms whose numbers are used: the solver gives those of others to new terms."""
        return []


def shape_words(call: str, value: object) -> str:
    """Return what a call of the C library found in a text."""
    call = re.sub("^__isoc[0-9]+_", "", call)
    name, _, arguments = call.partition("(")
    first = arguments.partition(",")[0].rstrip(")").strip()
    if "getopt" in name and isinstance(value, int):
        return f"{name} finds {chr(value)!r}" if value > 0 else "an argument is no option"
    if name.lstrip("_") in _TOKENS and isinstance(value, tuple):
        if value[0] == IS_THERE:
            return f"{name} finds {'a' if value[1] else 'no'} token"
        return f"{name} finds a token of length {value[1]}"
    if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], bool)):
        is_scanf = "scanf" in name
        return f"{call} {'finds pieces of these lengths' if is_scanf else 'is as recorded'}"
    number, is_found = value
    if number == IN_RANGE:
        return (
            f"{first} is {'a number in range' if is_found else 'too large or too small a number'}"
        )
    if "scanf" in name:
        return f"{name} finds {'what its format names' if is_found else f'no part {number + 1}'}"
    return f"{first} is {'a' if is_found else 'no'} number"


def _literal(text: bytes) -> str:
    return in_quotes(text.decode("utf-8", "backslashreplace").removesuffix("\n"))
