"""Which language is a recorded run of, and who answers for it?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whence.errors import UserError
from whence.frontend.recorded_run import RUN
from whence.model import Failure, Outcome
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CRecording, CThread
from whence.trace.c.statements import CStepDescriber
from whence.trace.columns import U32
from whence.trace.flow import Flow
from whence.trace.python.flow import PythonFlow
from whence.trace.python.recording import PythonRecording, PythonThread
from whence.trace.python.slicer import slice_python
from whence.trace.python.statements import PythonStepDescriber
from whence.trace.recording import Recording, Thread
from whence.trace.relevance import Relevance
from whence.trace.slicer import ByteRange, Flags, slice_
from whence.trace.statements import StepDescriber

# By the front end that made them.
_RECORDINGS: dict[str, type[Recording]] = {"c": CRecording, "python": PythonRecording}


def open_recording(folder: Path) -> Recording:
    """The run that was recorded into a folder."""
    if not (folder / RUN).is_file():
        raise UserError(
            f"{folder} is no trace: it has no {RUN}.\n"
            "Make one with: whence trace --source . --build make --test ./check --out DIR",
            slug="not-a-trace",
        )
    document = _document(folder)
    return _RECORDINGS[document["frontend"]](folder, document)


def _document(folder: Path) -> dict[str, Any]:
    """What the folder says of the run."""
    try:
        found = json.loads((folder / RUN).read_text("utf-8"))
        if found["frontend"] not in _RECORDINGS:
            raise ValueError(f"it is of the front end {found['frontend']!r}")
        Outcome(found["outcome"])
        if found["failure"]:
            Failure(**found["failure"])
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(
            f"{folder / RUN} cannot be read: {error or 'it is damaged'}.\n"
            "Record the run again with whence trace.",
            slug="not-a-trace",
        ) from None
    return dict(found)


def flow_of(thread: Thread) -> Flow:
    """What each step of a thread computed."""
    if isinstance(thread, CThread):
        return CFlow(thread)
    assert isinstance(thread, PythonThread)
    return PythonFlow(thread)


def describer_of(thread: Thread) -> StepDescriber:
    """Who tells the steps of a thread."""
    if isinstance(thread, CThread):
        return CStepDescriber(thread)
    assert isinstance(thread, PythonThread)
    return PythonStepDescriber(thread)


def sliced(
    thread: Thread,
    criteria: Sequence[int | ByteRange],
    relevance: Relevance | None,
    trusted: Flags | None,
) -> U32:
    """The steps that `criteria` depend on, in order; with what could have changed that."""
    if isinstance(thread, PythonThread):
        return slice_python(PythonFlow(thread), criteria, relevance=relevance, trusted=trusted)
    return slice_(
        thread.stream,
        criteria,
        potential=relevance.potential if relevance else None,
        guards=relevance.guards if relevance else None,
        trusted=trusted,
    )
