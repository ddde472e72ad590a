"""Records from inside the program what the modules of a tree do."""

from __future__ import annotations

import sys

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
    if settings.is_forked:
        start_forked(settings)
        return
    script = Script(settings)
    if script.is_new:
        script.start_again()  # returns only if the script cannot be recorded
    log = EventLog(settings.trace, settings.max_trace)
    if settings.is_hang:
        log.flush_regularly()
    loader = Loader(settings, log, functions_for(settings, log))
    loader.install()
    hide_frames()
    if script.is_compiled:
        script.expect(loader)


def start_forked(settings: Settings) -> None:
    """Start recording in a fork server: its forks alter values, and run the script."""
    from .altering import Alterer, altering_functions
    from .forked import FORKED, ForkedRecorder

    assert settings.alterations is not None
    log = EventLog(settings.trace, settings.max_trace)
    alterer = Alterer(settings.alterations)
    loader = Loader(settings, log, altering_functions(alterer, recorder_functions(log)))
    loader.install()
    hide_frames()
    sys.modules[FORKED] = ForkedRecorder(settings, loader, alterer)  # type: ignore[assignment]


def functions_for(settings: Settings, log: EventLog) -> dict[str, Callable[..., Any]]:
    """Return the functions that rewritten code calls."""
    if not settings.watched:
        functions = recorder_functions(log)
        if settings.alterations is not None:
            from .altering import Alterer, altering_functions

            alterer = Alterer(settings.alterations)
            alterer.load()
            functions = altering_functions(alterer, functions)
        return functions
    from .call_log import CallLog

    calls = CallLog(settings, log)
    log.before_end = calls.end
    if settings.again is not None:
        from .running_again import RunningAgain

        calls.at_end = RunningAgain(settings, log, calls).run
    return calls.functions()
