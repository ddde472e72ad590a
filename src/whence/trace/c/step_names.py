"""What does a C programmer call the things that a step works on?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from whence.frontend.c import terms
from whence.frontend.c.describing import UNWANTED, c_text, describe_op, is_text
from whence.frontend.c.ir import Global, Local
from whence.program.ids import Op, Step
from whence.program.source import NO_CASE, NamedValue
from whence.trace.c.replayed import ReplayedLog
from whence.trace.c.source_names import SourceNames
from whence.trace.c.values import Values
from whence.trace.step_names import StepNames

_WORD = re.compile(r"[A-Za-z_]\w*")
_INSIDE = "a test inside "  # begins the name of a branch in a macro
_MAX_LENGTH = 160  # characters of a condition that is shown whole; guessed


class CStepNames(StepNames):
    """Names the values and places of one thread's steps in the syntax of C."""

    follows_copies = True
    thread: ReplayedLog

    def __init__(self, thread: ReplayedLog, values: Values) -> None:
        super().__init__(thread)
        self._values = values
        self._source = SourceNames(thread.recording, thread.image)

    def function_of(self, op: Op) -> str:
        source, local = self.thread.image.locate(op)
        return source.names.function_name(source.function_of(local))

    def condition(self, step: Step) -> NamedValue:
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        value, registers = self._values.value(step), self._values.registers(step, op)
        named = describe_op(source, local, value, registers, self._values.pointed(step))
        if source.instruction(local).opcode == "br":
            return self.branch(op, value, named) or self._unnamed(op, value)
        named = named or self._unnamed(op, value)
        found = self._source.switch(op, value)
        if found is None:
            return named
        return NamedValue(found[0], f"{named.value}{NO_CASE}" if found[1] else named.value)

    def branch(self, op: Op, value: int, named: NamedValue | None) -> NamedValue | None:
        """Return what a branch tests: `named`, its expression, or the words of the source.

        The expression has numbers for indexes.  The source has the names of macros.
        """
        found = self._source.operand(op, bool(value & 1))
        if found is not None and (named is None or not _has_words(found.name, named.name)):
            return found
        if found is None and named is not None and self._source.is_inside_macro(op, named.name):
            return None
        return named

    def _unnamed(self, op: Op, value: int) -> NamedValue:
        """Return a condition that has no short name."""
        source, local = self.thread.image.locate(op)
        instruction, function = source.instruction(local), source.function_of(local)
        outcome = ("true" if value & 1 else "false") if instruction.opcode == "br" else str(value)
        macro = self._source.macro_around(op)
        if macro is not None:
            return NamedValue(f"{_INSIDE}{macro}", outcome)
        return NamedValue(_shortened(source.names.condition(function, instruction)), outcome)

    def whole_condition(self, branches: Sequence[Step]) -> NamedValue:
        tested = [
            (self.thread.queries.op_of(step), bool(self._values.value(step) & 1))
            for step in branches
        ]
        is_switch = self.thread.image.sort(tested[-1][0]).opcode == "switch"
        found = None if is_switch else self._source.condition(tested)
        return found or super().whole_condition(branches)

    def joined(self, parts: Sequence[NamedValue]) -> NamedValue:
        """Join the parts of a condition; the tests inside one macro are one part."""
        groups: list[NamedValue] = []
        for part in parts:
            if groups and part.name == groups[-1].name and part.name.startswith(_INSIDE):
                groups.pop()
            groups.append(part)
        # What is tested after a macro shows that the macro was evaluated as a whole.
        whole = [NamedValue(part.name.removeprefix(_INSIDE), part.value) for part in groups[:-1]]
        return super().joined([*whole, groups[-1]])

    def is_inside_macro(self, step: Step) -> bool:
        op = self.thread.queries.op_of(step)
        return self._source.hides(op, self._expression(step, op))

    def _expression(self, step: Step, op: Op) -> str:
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        if not instruction.result:
            return ""
        function, registers = source.function_of(local), self._values.registers(step, op)
        return source.names.expression(function, Local(instruction.result), registers)

    def loaded(self, step: Step) -> NamedValue | None:
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        if not instruction.result:
            return None
        value, function = self._values.whole_value(step, op), source.function_of(local)
        if source.names.is_unit(function, instruction.result):
            read = source.names.field_read(function, instruction.result, value)
            if read is None:
                return None
            instruction, value = read
        result = Local(instruction.result or "")
        text = self._name(
            op, source.names.expression(function, result, self._values.registers(step, op))
        )
        if not text or UNWANTED.search(text):
            return None
        kind = source.names.type_of(function, result)
        shown = c_text(source.names, kind, instruction.type, value, self._values.pointed(step))
        return None if shown is None else NamedValue(text, shown)

    def texts(self, call: Step) -> list[NamedValue]:
        op = self.thread.queries.op_of(call)
        source, local = self.thread.image.locate(op)
        instruction, function = source.instruction(local), source.function_of(local)
        callee = instruction.callee
        is_library = isinstance(callee, Global) and not self.thread.queries.entered(call)
        if instruction.opcode not in ("call", "invoke") or not is_library:
            return []
        registers, pointed = self._values.registers(call, op), self._values.pointed(call)
        found = []
        for operand in instruction.operands:
            value = registers(operand.value.name) if isinstance(operand.value, Local) else None
            if not value or not is_text(source.names.type_of(function, operand)):
                continue
            shown = pointed(value, True)
            name = source.names.expression(function, operand, registers)
            if shown is not None and shown[0] == '"' and terms.is_named(terms.CTerm(name)):
                found.append(NamedValue(name, shown))
        return found

    def _name(self, op: Op, text: str) -> str:
        """Return the name of a value in the source; empty if it is inside a macro."""
        macro = self._source.macro(op, text)
        if macro is None or not macro[1]:
            return "" if self._source.hides(op, text) else self.as_written(op, text)
        return macro[0]

    def as_written(self, op: Op, text: str) -> str:
        """Return an expression in the words of the source, if they are known.

        The source has no `this->` before a member, and structs as the arguments of calls.
        """
        source, local = self.thread.image.locate(op)
        if source.instruction(local).opcode in ("call", "invoke"):
            return self._source.call(op, text) or text
        place = source.place(local) if "this->" in text else None
        line = self.thread.recording.lines.line(place.file, place.line) if place else ""
        return text.replace("this->", "") if line and "this" not in line else text

    def initial(self, address: int) -> str | None:
        return self._values.addresses.initial(address)

    def static_variable(self, address: int) -> str | None:
        return self._values.addresses.variable(address)

    def accessed(self, step: Step) -> tuple[str, str]:
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        function, registers = source.function_of(local), self._values.registers(step, op)
        names = source.names
        if instruction.opcode == "store":
            return names.target(function, instruction), names.target(
                function, instruction, registers
            )
        if instruction.opcode == "call":
            return names.call(function, instruction), names.call(function, instruction, registers)
        if not instruction.result:
            return "", ""
        result = Local(instruction.result)
        return names.expression(function, result), names.expression(function, result, registers)


def _has_words(source: str, text: str) -> bool:
    """Does an expression use only words that the source text has?"""
    return set(_WORD.findall(text)) <= set(_WORD.findall(source))


def _shortened(text: str) -> str:
    """Return a condition, without its middle if it is long."""
    half = _MAX_LENGTH // 2
    return text if len(text) <= _MAX_LENGTH else f"{text[:half]} … {text[-half:]}"
