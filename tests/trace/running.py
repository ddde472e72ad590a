"""Builds and runs a recorded test program, and opens its main thread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.frontend import corpus
from tests.frontend.corpus import Ended, Program
from whence.trace.c.recording import CRecording, CThread


def build(program: Program, folder: Path, mode: str = "record") -> Path:
    """Build a program with the recorder, and return the executable."""
    return corpus.build(program, corpus.recorder(mode, folder), folder / "built")


def run(
    program: Program,
    executable: Path,
    folder: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = corpus.TIMEOUT,
) -> tuple[Ended, CThread]:
    """Run an executable of `build`, record it into the new `folder`, and open its main thread."""
    folder.mkdir()
    env = {"WHENCE_TRACE": str(folder), **(env or {})}
    ended = corpus.run(program, executable, folder / "in", env, timeout)
    return ended, opened(folder, executable.parent.parent / "modules")


def opened(trace: Path, modules: Path) -> CThread:
    """Open the main thread of the only process that was recorded into a folder."""
    (trace / "modules").symlink_to(modules)
    document = {"frontend": "c", "outcome": "pass", "failure": None, "build": None, "test": ""}
    (trace / "run.json").write_text(json.dumps(document))
    recording = CRecording(trace, document)
    (process,) = recording.processes
    return recording.thread(recording.image(process), process.logs[0])


def of_text(text: str, folder: Path) -> Program:
    """Return a C program with this text."""
    source = folder / "program.c"
    source.write_text(text)
    return Program(source)
