"""Records what the modules of a tree do, from inside the program."""

from __future__ import annotations

from .functions import recorder_functions
from .loading import Loader
from .log import EventLog
from .script import Script
from .settings import Settings
from .tracing import hide_frames


def start(values: dict[str, str]) -> None:
    """Record from here on.

    A script is not imported: it is compiled here, and Python starts again with what it became.
    """
    settings = Settings(values)
    script = Script(settings)
    if script.is_new:
        script.start_again()  # comes back if the script is better run as it is
    log = EventLog(settings.trace, settings.max_trace)
    loader = Loader(settings, log, recorder_functions(log))
    loader.install()
    hide_frames()
    if script.is_ours:
        script.expect(loader)
