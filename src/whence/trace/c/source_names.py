"""How does the source text write the condition of a branch, and which values lie inside a macro?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from whence.frontend.c import ir
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.source_conditions import Operand, SourceSyntax, settled, syntax_of
from whence.frontend.c.term_writer import CASTS
from whence.program.ids import Op
from whence.program.source import NamedValue, Place
from whence.trace.c.image import CImage
from whence.trace.recording import Recording

_TRUTHS = {True: "true", False: "false"}
# Words of the C library and of the compiler, which a program does not use.
_LIBRARY = re.compile(
    r"\b__|\b_[A-Z]|\b(?:gp_offset|fp_offset|overflow_arg_area|reg_save_area)\b|\((?:void|short) \*"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MAX_CALL = 80  # limit on the length of a call that is shown; guessed
_UNNAMED = ("br", "switch", "store", "alloca", "getelementptr", "ret")  # give no value of a macro


class SourceNames:
    """Names branches and macros of one program as its source text does."""

    def __init__(self, recording: Recording, image: CImage) -> None:
        self._recording, self._image = recording, image
        self._operands: dict[Op, tuple[Operand, bool] | None] = {}
        self._counts: dict[tuple[int, str], Counter[int]] = {}
        self._last: dict[tuple[int, str], dict[tuple[int, int], int]] = {}

    @cached_property
    def _syntax(self) -> SourceSyntax:
        return syntax_of(self._recording.lines)

    # --- conditions ---

    def condition(self, branches: Sequence[tuple[Op, bool]]) -> NamedValue | None:
        """Return the largest part of a condition whose outcome is known, in the source's words.

        `branches` are the executed branches of the condition in order, with what they tested.
        None: the source has no such expression, such as a branch inside a macro.
        """
        known: dict[int, bool] = {}
        last: Operand | None = None
        for op, value in branches:
            found = self._operand(op)
            if found is None:
                return None
            last, is_inverted = found
            known[last.id] = value != is_inverted
        if last is None:
            return None
        text, truth = settled(last, known)
        return NamedValue(text, _TRUTHS[truth])

    def operand(self, op: Op, value: bool) -> NamedValue | None:
        """Return the operand of a condition that one branch tests, and its truth."""
        found = self._operand(op)
        if found is None:
            return None
        operand, is_inverted = found
        return NamedValue(operand.text, _TRUTHS[value != is_inverted])

    def switch(self, op: Op, value: int) -> tuple[str, bool] | None:
        """Return the text that a `switch` tests; is there no case for its value?"""
        source, local = self._image.locate(op)
        place = source.place(local)
        found = self._syntax.construct(place, is_cpp=_is_cpp(source, local)) if place else None
        if found is None:
            return None
        kind = source.instruction(local).operands[0].type
        bits = kind.bits if isinstance(kind, ir.IntType) else 64
        cases = {
            each.value.value & (1 << bits) - 1
            for each in source.instruction(local).operands[1:]
            if isinstance(each.value, ir.Int)
        }
        return found.text, value & (1 << bits) - 1 not in cases

    def _operand(self, op: Op) -> tuple[Operand, bool] | None:
        """Return the operand that a branch tests; is it inverted?  None if it is not known."""
        source, local = self._image.locate(op)
        found = self._found(op)
        if found is None:
            return None
        # A macro may hold several branches; its text then names none of them.
        key = (id(source), source.function_of(local))
        if key not in self._counts:
            self._counts[key] = Counter(
                other[0].id
                for each in source.branches(source.function_of(local))
                if (other := self._found(Op(op - local + each))) is not None
            )
        return found if self._counts[key][found[0].id] == 1 else None

    def _found(self, op: Op) -> tuple[Operand, bool] | None:
        if op not in self._operands:
            self._operands[op] = self._find(op)
        return self._operands[op]

    def _find(self, op: Op) -> tuple[Operand, bool] | None:
        source, local = self._image.locate(op)
        is_cpp = _is_cpp(source, local)
        tested, is_inverted = self._tested(source, local)
        if tested is None:
            return None
        instruction, place = source.instruction(tested), source.place(tested)
        if instruction.opcode == "phi":
            combined = self._combined(source, instruction, local)
            return None if combined is None else (combined, is_inverted)
        if place is None:
            return None
        found = self._syntax.operand(place, is_cpp=is_cpp)
        found = found or self._syntax.construct(place, is_cpp=is_cpp)
        if found is None or (not found.is_tested and self._is_macro(source, tested, place)):
            return None
        return found, is_inverted

    def _combined(
        self, source: ModuleSource, instruction: ir.Instruction, local: int
    ) -> Operand | None:
        """Return the whole of `a && b` if a branch tests where its operands come together."""
        for operand in instruction.operands:
            value = operand.value
            number = source.register(local, value.name) if isinstance(value, ir.Local) else None
            place = None if number is None else source.place(number)
            found = self._syntax.operand(place, is_cpp=_is_cpp(source, local)) if place else None
            if found is not None:
                return self._syntax.combined(found)
        return None

    def _tested(self, source: ModuleSource, local: int) -> tuple[int | None, bool]:
        """Return the op whose result a branch tests, behind negations; is it negated?"""
        is_inverted = False
        operand = source.instruction(local).operands[0]
        while isinstance(operand.value, ir.Local):
            number = source.register(local, operand.value.name)
            if number is None:
                break
            instruction = source.instruction(number)
            if instruction.opcode != "xor" or instruction.operands[1].value != ir.Int(1):
                return number, is_inverted
            is_inverted = not is_inverted
            operand = instruction.operands[0]
        return None, False

    # --- macros ---

    def hides(self, op: Op, text: str) -> bool:
        """Is the operation an inner step of a macro or builtin of the C library?"""
        macro = self.macro(op, text)
        return macro is not None and not macro[1] and bool(_LIBRARY.search(text))

    def macro(self, op: Op, text: str) -> tuple[str, bool] | None:
        """Return the use of a macro that an operation comes from; is the operation its value?

        `text` is the expression that the operation computes: it has the names of the source, and
        the name at the operation's place only if that is no macro.
        """
        source, local = self._image.locate(op)
        place = source.place(local)
        called = self._syntax.called(place, is_cpp=_is_cpp(source, local)) if place else None
        if place is None or called is None or called[0] in _WORD.findall(text):
            return None
        return called[1], self._value_of(source, local, place) == local

    def call(self, op: Op, text: str) -> str | None:
        """Return a call as the source writes it; `text` is the call as it was compiled."""
        source, local = self._image.locate(op)
        place = source.place(local)
        called = self._syntax.called(place, is_cpp=_is_cpp(source, local)) if place else None
        if called is None or called[0] == called[1] or len(called[1]) > _MAX_CALL:
            return None
        return called[1] if called[0] in _WORD.findall(text) else None

    def macro_around(self, op: Op) -> str | None:
        """Return the use of a macro, or the builtin, whose code holds a branch."""
        source, local = self._image.locate(op)
        tested = self._tested(source, local)[0]
        place = None if tested is None else source.place(tested)
        called = self._syntax.called(place, is_cpp=_is_cpp(source, local)) if place else None
        return called[1] if called is not None and called[0] != called[1] else None

    def is_inside_macro(self, op: Op, text: str) -> bool:
        """Does a branch of a macro test an expression with words that the macro's use lacks?"""
        macro = self.macro_around(op)
        return macro is not None and not set(_WORD.findall(text)) <= set(_WORD.findall(macro))

    def _is_macro(self, source: ModuleSource, local: int, place: Place) -> bool:
        """Is this operation part of a macro that the place names?"""
        called = self._syntax.called(place, is_cpp=_is_cpp(source, local))
        return called is not None and called[1] != called[0]

    def _value_of(self, source: ModuleSource, local: int, place: Place) -> int | None:
        """Return the last op at a place: it computes the value of the macro there."""
        function = source.function_of(local)
        key = (id(source), function)
        if key not in self._last:
            self._last[key] = {}
            for each in source.ops(function):
                at = source.place(each)
                opcode = source.instruction(each).opcode
                if at is not None and opcode not in _UNNAMED and opcode not in CASTS:
                    self._last[key][at.line, at.column] = each
        return self._last[key].get((place.line, place.column))


def _is_cpp(source: ModuleSource, local: int) -> bool:
    return source.function_of(local).startswith("_Z")
