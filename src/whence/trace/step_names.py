"""How does a programmer call what a step did: its condition, what it read, where it is?"""

from __future__ import annotations

from abc import ABC, abstractmethod

from whence.program.source import NamedValue, Place
from whence.trace.recording import Thread


class StepNames(ABC):
    """Names for the steps of one thread."""

    connectives = ("&&", "||")
    truths = ("true", "false")

    def __init__(self, thread: Thread) -> None:
        self.thread = thread

    def place(self, step: int) -> Place | None:
        return self.thread.image.place(self.thread.queries.op_of(step))

    def line(self, step: int) -> str:
        """The line of a step, as a word of a sentence."""
        place = self.place(step)
        return f"{place.file}:{place.line}" if place else "code without a line"

    def function(self, step: int) -> str:
        return self.function_of(self.thread.queries.op_of(step))

    @abstractmethod
    def function_of(self, op: int) -> str:
        """The function of an op, as the source has it."""

    @abstractmethod
    def condition(self, step: int) -> NamedValue:
        """What a branch decided on, and how."""

    @abstractmethod
    def loaded(self, step: int) -> NamedValue | None:
        """What a load or a call got, by the name that the source has for it."""

    @abstractmethod
    def accessed(self, step: int) -> tuple[str, str]:
        """What a load, a store or a call is for, as the source has it, and which one that was."""
