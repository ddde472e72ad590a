"""What is computed, described and sliced in a thread of a C program?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.program.ids import Step
from whence.trace.analysis import ThreadAnalysis
from whence.trace.c.flow import CFlow
from whence.trace.c.replayed import ReplayedLog
from whence.trace.c.statements import CStepDescriber
from whence.trace.columns import U32
from whence.trace.recording import Thread
from whence.trace.relevance import Relevance
from whence.trace.slicer import ByteRange, Flags, Slicer


class CAnalysis(ThreadAnalysis):
    """The flow, the descriptions and the slices of C threads."""

    def flow(self, thread: Thread) -> CFlow:
        assert isinstance(thread, ReplayedLog)
        return CFlow(thread)

    def describer(self, thread: Thread) -> CStepDescriber:
        assert isinstance(thread, ReplayedLog)
        return CStepDescriber(thread)

    def slice(
        self,
        thread: Thread,
        criteria: Sequence[Step | ByteRange],
        relevance: Relevance | None,
        trusted: Flags | None,
    ) -> U32:
        return self.slicer(thread, relevance, trusted).slice(criteria)

    def slicer(
        self, thread: Thread, relevance: Relevance | None, trusted: Flags | None = None
    ) -> Slicer:
        """Return what computes many slices of a thread."""
        return Slicer(
            thread.stream,
            potential=relevance.potential if relevance else None,
            guards=relevance.guards if relevance else None,
            trusted=trusted,
        )
