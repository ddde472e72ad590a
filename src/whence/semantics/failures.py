"""What failed, and which steps of the run is that?"""

from __future__ import annotations

from whence.semantics import c_failures, python_failures
from whence.semantics.found import Found
from whence.trace.c.recording import CRecording
from whence.trace.recording import Recording


def failure_of(
    recording: Recording, *, expect: bytes | None = None, process: str | None = None
) -> Found:
    """The failure of a recorded run.

    `expect` is what it should have printed: the failure is then the first byte that differs.
    """
    if isinstance(recording, CRecording):
        return c_failures.failure_of(recording, expect=expect, process=process)
    return python_failures.failure_of(recording, expect=expect, process=process)
