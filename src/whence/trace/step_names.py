"""What does the source call the things that a step used: its condition, its memory, its place?"""

from __future__ import annotations

from abc import ABC, abstractmethod

from whence.program.ids import Op, Step
from whence.program.source import NamedValue, Place
from whence.trace.recording import Thread


class StepNames(ABC):
    """Names, in the words of the source, for the steps of one thread."""

    connectives = ("&&", "||")
    truths = ("true", "false")

    def __init__(self, thread: Thread) -> None:
        self.thread = thread

    def place(self, step: Step) -> Place | None:
        """Return the place of a step in the source; None if it is unknown."""
        return self.thread.image.place(self.thread.queries.op_of(step))

    def line(self, step: Step) -> str:
        """Return the line of a step, in a form that fits into a sentence."""
        place = self.place(step)
        return f"{place.file}:{place.line}" if place else "code without a line"

    def function(self, step: Step) -> str:
        """Return the name of the function of a step."""
        return self.function_of(self.thread.queries.op_of(step))

    @abstractmethod
    def function_of(self, op: Op) -> str:
        """Return the name of the function of an operation, as the source writes it."""

    @abstractmethod
    def condition(self, step: Step) -> NamedValue:
        """Return the condition of a branch, and its outcome."""

    @abstractmethod
    def loaded(self, step: Step) -> NamedValue | None:
        """Return the name and value of what a load or a call read; None if it has no name."""

    @abstractmethod
    def accessed(self, step: Step) -> tuple[str, str]:
        """Return the text of what a load, store or call accessed, and what that was in the run."""
