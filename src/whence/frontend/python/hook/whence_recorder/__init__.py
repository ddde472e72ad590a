"""Records from inside the program what the modules of a tree do."""

from __future__ import annotations

from .functions import recorder_functions
from .loading import Loader
from .log import EventLog
from .script import Script
from .settings import Settings
from .tracing import hide_frames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def start_recording(values: dict[str, str]) -> None:
    """Start recording.

    A script is not imported.  So it is compiled here, and Python starts again with the result.
    """
    settings = Settings(values)
    script = Script(settings)
    if script.is_new:
        script.start_again()  # returns only if the script cannot be recorded
    log = EventLog(settings.trace, settings.max_trace)
    loader = Loader(settings, log, functions_for(settings, log))
    loader.install()
    hide_frames()
    if script.is_compiled:
        script.expect(loader)


def functions_for(settings: Settings, log: EventLog) -> dict[str, Callable[..., Any]]:
    """Return the functions that rewritten code calls."""
    if not settings.watched:
        functions = recorder_functions(log)
        if settings.alterations is not None:
            from .altering import altering_functions

            functions = altering_functions(settings.alterations, functions)
        return functions
    from .call_log import CallLog

    calls = CallLog(settings, log)
    log.before_end = calls.end
    if settings.again is not None:
        from .running_again import RunningAgain

        calls.at_end = RunningAgain(settings, log, calls).run
    return calls.functions()
