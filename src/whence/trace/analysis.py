"""What does each language answer about an opened thread?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from whence.program.ids import Step
from whence.trace.columns import U32
from whence.trace.flow import Flow
from whence.trace.recording import Thread
from whence.trace.relevance import Relevance
from whence.trace.slicer import ByteRange, Flags
from whence.trace.statements import StepDescriber


class ThreadAnalysis(ABC):
    """Analyses the threads of programs in one language."""

    @abstractmethod
    def flow(self, thread: Thread) -> Flow:
        """Return what each step of a thread computed."""

    @abstractmethod
    def describer(self, thread: Thread) -> StepDescriber:
        """Return what turns the steps of a thread into words."""

    @abstractmethod
    def slice(
        self,
        thread: Thread,
        criteria: Sequence[Step | ByteRange],
        relevance: Relevance | None,
        trusted: Flags | None,
    ) -> U32:
        """Return the steps that `criteria` depend on, in order.

        With `relevance`, the slice also has the branches that could have changed the criteria.
        `trusted` marks the functions whose calls are shown instead of their bodies.
        """
