"""What does a C programmer call the things that a step works on?"""

from __future__ import annotations

from whence.frontend.c.describing import c_text, describe_op
from whence.frontend.c.ir import Local
from whence.program.ids import Op, Step
from whence.program.source import NamedValue
from whence.trace.c.replayed import ReplayedLog
from whence.trace.c.values import Values
from whence.trace.step_names import StepNames

_MAX_LENGTH = 160  # characters of a condition that is shown whole; guessed


class CStepNames(StepNames):
    """Names the values and places of one thread's steps in the syntax of C."""

    thread: ReplayedLog

    def __init__(self, thread: ReplayedLog, values: Values) -> None:
        super().__init__(thread)
        self._values = values

    def function_of(self, op: Op) -> str:
        source, local = self.thread.image.locate(op)
        return source.names.function_name(source.function_of(local))

    def condition(self, step: Step) -> NamedValue:
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        value, registers = self._values.value(step), self._values.registers(step, op)
        named = describe_op(source, local, value, registers, self._values.pointed(step))
        if named is not None:
            return named
        instruction, function = source.instruction(local), source.function_of(local)
        text = source.names.condition(function, instruction, registers) or "a condition"
        outcome = ("true" if value & 1 else "false") if instruction.opcode == "br" else str(value)
        return NamedValue(_shortened(text), outcome)

    def loaded(self, step: Step) -> NamedValue | None:
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        if not instruction.result:
            return None
        function, result = source.function_of(local), Local(instruction.result)
        text = source.names.expression(function, result, self._values.registers(step, op))
        if "…" in text or not text:
            return None
        kind = source.names.type_of(function, result)
        value = self._values.value(step)
        shown = c_text(source.names, kind, instruction.type, value, self._values.pointed(step))
        return None if shown is None else NamedValue(text, shown)

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


def _shortened(text: str) -> str:
    """Return a condition, without its middle if it is long."""
    half = _MAX_LENGTH // 2
    return text if len(text) <= _MAX_LENGTH else f"{text[:half]} … {text[-half:]}"
