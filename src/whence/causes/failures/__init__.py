"""What failed, and which steps of the run is that?"""

from __future__ import annotations

from whence.causes.failures import c, python
from whence.causes.observed_failure import ObservedFailure
from whence.trace.c.recording import CRecording
from whence.trace.recording import Recording


def failure_of(
    recording: Recording, *, expect: bytes | None = None, process: str | None = None
) -> ObservedFailure:
    """The failure of a recorded run.

    `expect` is what it should have printed: the failure is then the first byte that differs.
    """
    if isinstance(recording, CRecording):
        return c.failure_of(recording, expect=expect, process=process)
    return python.failure_of(recording, expect=expect, process=process)
