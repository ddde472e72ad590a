"""What does the source call the things that a step used: its condition, its memory, its place?"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence

from whence.program.ids import Op, Step
from whence.program.source import NamedValue, Place
from whence.trace.recording import Thread


class StepNames(ABC):
    """Names, in the words of the source, for the steps of one thread."""

    connectives = ("&&", "||")
    truths = ("true", "false")
    follows_copies = False  # does a sentence say where a value was before it was passed on?

    def __init__(self, thread: Thread) -> None:
        self.thread = thread

    def place(self, step: Step) -> Place | None:
        """Return the place of a step in the source; None if it is unknown."""
        return self.thread.image.place(self.thread.queries.op_of(step))

    def line(self, step: Step) -> str:
        """Return the line of a step, in a form that fits into a sentence."""
        image, op = self.thread.image, self.thread.queries.op_of(step)
        place = image.place(op) or image.nearest_place(op)
        return f"{place.file}:{place.line}" if place else f"the code of {self.function_of(op)}"

    def function(self, step: Step) -> str:
        """Return the name of the function of a step."""
        return self.function_of(self.thread.queries.op_of(step))

    @abstractmethod
    def function_of(self, op: Op) -> str:
        """Return the name of the function of an operation, as the source writes it."""

    @abstractmethod
    def condition(self, step: Step) -> NamedValue:
        """Return the condition of a branch, and its outcome."""

    def whole_condition(self, branches: Sequence[Step]) -> NamedValue:
        """Return the evaluated part of a condition, and its outcome.

        `branches` are the executed branches of the condition, in order.
        """
        return self.joined([self.condition(branch) for branch in branches])

    def joined(self, parts: Sequence[NamedValue]) -> NamedValue:
        """Return the parts of a condition, which were evaluated in this order, as one."""
        text = parts[0].name
        both, either = self.connectives
        for before, after in itertools.pairwise(parts):
            text += f" {both if before.value == self.truths[0] else either} {after.name}"
        return NamedValue(text, parts[-1].value)

    def is_inside_macro(self, step: Step) -> bool:  # noqa: ARG002 - where there are macros
        """Did a macro compute the value of a step on the way to its own value?"""
        return False

    @abstractmethod
    def loaded(self, step: Step) -> NamedValue | None:
        """Return the name and value of what a load or a call read; None if it has no name."""

    def texts(self, call: Step) -> list[NamedValue]:  # noqa: ARG002 - where texts are pointers
        """Return the arguments of a call of a library function that are texts, with the texts."""
        return []

    def initial(self, address: int) -> str | None:  # noqa: ARG002 - where memory has addresses
        """Return in words what memory at an address held before the run; None if unknown."""
        return None

    def static_variable(self, address: int) -> str | None:  # noqa: ARG002 - where memory has addresses
        """Return the name of the static variable that holds an address; None if there is none."""
        return None

    @abstractmethod
    def accessed(self, step: Step) -> tuple[str, str]:
        """Return the text of what a load, store or call accessed, and what that was in the run."""
