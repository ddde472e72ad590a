"""Which files does a trace hold besides its logs, whatever the language?"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from whence.frontend.trace_files import write_checksums
from whence.model import Failure, Outcome, Run
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest

DEFAULT_MAX_TRACE = 4 * 2**30  # bytes of trace after which recording stops; guessed
# Names of files and folders in a trace.
MODULES = "modules"
SOURCES = "source"
RUN = "run.json"
FORMAT = 4  # of the files in a trace; 4: their checksums are written down


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run that was recorded into `folder`."""

    folder: Path
    run: Run
    seconds: float  # seconds that the test took, without the build
    stdout: bytes
    stderr: bytes
    status: int


@dataclass(frozen=True, slots=True)
class SecondRun:
    """How the test ended when it was run a second time."""

    outcome: Outcome
    failure: Failure | None
    same_output: bool  # equal standard output?
    reads: dict[str, str] | None = None  # what it read outside of its tree: see `subject.reads`


def write_run(
    out: Path,
    tree: Path,
    commands: BuildAndTest,
    run: Run,
    ended: Ended,
    again: SecondRun | None,
    *,
    frontend: str,
    compilers: str | None = None,
) -> None:
    """Write down how a run that `frontend` recorded into `out` ended."""
    document = {
        "whence": 1,
        "format": FORMAT,
        "tree": str(tree),
        "frontend": frontend,
        "compilers": compilers,  # which ones built the program, in words; None: none did
        "test": commands.test,
        "build": commands.build,
        "layout": commands.layout,
        "outcome": run.outcome.value,
        "failure": asdict(run.failure) if run.failure else None,
        "status": ended.status,
        "seconds": ended.seconds,
        "again": asdict(again) | {"outcome": again.outcome.value} if again else None,
    }
    (out / RUN).write_text(json.dumps(document, indent=1), "utf-8")
    (out / "stdout").write_bytes(ended.stdout)
    write_checksums(out)


def keep_sources(tree: Path, files: set[str], out: Path) -> None:
    """Copy the source files that the trace refers to: the tree is deleted before it is read."""
    for name in sorted(files):
        path = Path(os.path.normpath(tree / name))
        if path.is_relative_to(tree) and path.is_file():
            target = out / SOURCES / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    write_checksums(out)
