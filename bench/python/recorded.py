"""How is a command recorded without the rest of whence?"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from whence.frontend.python import record
from whence.frontend.python.logged import MODULE, read_log

MAX_TRACE = 2**28  # limit in bytes; beyond it a process continues unrecorded


def plain_environment(path: Sequence[str]) -> dict[str, str]:
    """Return the environment of a run that is not recorded."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WHENCE_")}
    # A fixed hash seed, as for recorded runs: the order of sets of strings depends on it.
    return {**kept, "PYTHONPATH": os.pathsep.join(path), "PYTHONHASHSEED": "0"}


def recorded_environment(
    path: Sequence[str],
    tree: Path,
    trace: Path,
    also: Sequence[Path] = (),
    cache: Path | None = None,
) -> dict[str, str]:
    """Return the environment of the same run, recorded into the new folder `trace`.

    The recorder's files are put into the folder beside it.
    """
    hook = trace.with_name(trace.name + "-hook")
    for folder in (trace, hook):
        shutil.rmtree(folder, ignore_errors=True)
    (trace / "modules").mkdir(parents=True)
    hook.mkdir()
    env = plain_environment(path) | record.COMPARABLE
    plain = env | ({"WHENCE_CACHE": str(cache)} if cache is not None else {})
    hooked = record.hooked(hook, tree, trace, plain, max_trace=MAX_TRACE, also=also)
    return hooked.environment(env)


def recorded_modules(trace: Path, tree: Path) -> dict[str, str | None]:
    """Return the instrumented files, each with the reason if it was left plain."""
    plain = [json.loads(file.read_text()) for file in (trace / "modules").glob("*.json")]
    return {str(tree / each["file"]): each.get("skipped") for each in plain}


def logged(trace: Path) -> tuple[int, int]:
    """Return the number of events in the logs of all processes, and the bytes of the logs."""
    logs = sorted(trace.glob("*/*.log"))
    return sum(map(_events, logs)), sum(log.stat().st_size for log in logs)


def _events(log: Path) -> int:
    return sum(op < MODULE for op, _ in read_log(log))
