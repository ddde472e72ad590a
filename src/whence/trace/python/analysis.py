"""What is computed, described and sliced in a thread of a Python program?"""

from __future__ import annotations

from collections.abc import Sequence

from whence.program.ids import Step
from whence.trace.analysis import ThreadAnalysis
from whence.trace.columns import U32
from whence.trace.python.flow import PythonFlow
from whence.trace.python.recording import PythonThread
from whence.trace.python.slicer import slice_python
from whence.trace.python.statements import PythonStepDescriber
from whence.trace.recording import Thread
from whence.trace.relevance import Relevance
from whence.trace.slicer import ByteRange, Flags


class PythonAnalysis(ThreadAnalysis):
    """The flow, the descriptions and the slices of Python threads."""

    def flow(self, thread: Thread) -> PythonFlow:
        assert isinstance(thread, PythonThread)
        return PythonFlow(thread)

    def describer(self, thread: Thread) -> PythonStepDescriber:
        assert isinstance(thread, PythonThread)
        return PythonStepDescriber(thread)

    def slice(
        self,
        thread: Thread,
        criteria: Sequence[Step | ByteRange],
        relevance: Relevance | None,
        trusted: Flags | None,
    ) -> U32:
        return slice_python(self.flow(thread), criteria, relevance=relevance, trusted=trusted)
