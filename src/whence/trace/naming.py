"""How does a programmer call what a step did: its condition, what it read, where it is?"""

from __future__ import annotations

from whence.frontend.c.describing import describe, shown
from whence.frontend.c.ir import Local
from whence.frontend.source import Named, Place
from whence.trace.recording import Thread
from whence.trace.statements import Narrator

_LONGEST = 160  # characters of a condition


class Namer:
    """Names for the steps of one thread."""

    def __init__(self, thread: Thread, narrator: Narrator) -> None:
        self.thread, self.narrator = thread, narrator

    def place(self, step: int) -> Place | None:
        return self.thread.image.place(self.thread.queries.op_of(step))

    def line(self, step: int) -> str:
        """The line of a step, as a word of a sentence."""
        place = self.place(step)
        return f"{place.file}:{place.line}" if place else "code without a line"

    def function(self, step: int) -> str:
        source, local = self.thread.image.locate(self.thread.queries.op_of(step))
        return source.names.function_name(source.function_of(local))

    def condition(self, step: int) -> Named:
        """What a branch decided on, and how."""
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        value, registers = self.narrator.value(step), self.narrator.registers(step, op)
        named = describe(source, local, value, registers, self.narrator.pointed(step))
        if named is not None:
            return named
        instruction, function = source.instruction(local), source.function_of(local)
        text = source.names.condition(function, instruction, registers) or "a condition"
        outcome = ("true" if value & 1 else "false") if instruction.opcode == "br" else str(value)
        return Named(_shortened(text), outcome)

    def loaded(self, step: int) -> Named | None:
        """What a load or a call got, by the name that the source has for it."""
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        if not instruction.result:
            return None
        function, result = source.function_of(local), Local(instruction.result)
        text = source.names.expression(function, result, self.narrator.registers(step, op))
        if "…" in text or not text:
            return None
        kind = source.names.type_of(function, result)
        value = self.narrator.value(step)
        said = shown(source.names, kind, instruction.type, value, self.narrator.pointed(step))
        return None if said is None else Named(text, said)

    def accessed(self, step: int) -> tuple[str, str]:
        """What a load, a store or a call is for, as the source has it, and which one that was."""
        op = self.thread.queries.op_of(step)
        source, local = self.thread.image.locate(op)
        instruction = source.instruction(local)
        function, registers = source.function_of(local), self.narrator.registers(step, op)
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
    """A long condition without its middle."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
