"""Record the test on a variant."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from whence.changes.changeset import ChangeSet
from whence.frontend.languages import RECORDERS
from whence.model import Reverted
from whence.subject.trial import BuildAndTest
from whence.subject.workspace import Workspace
from whence.trace.flow import Flow
from whence.trace.opening import flow_of, open_recording
from whence.trace.recording import Process, Recording, Thread
from whence.trace.slice_at import executed_lines
from whence.trace.summary import summarise

_LONGEST = 3600.0  # seconds


class Recorder:
    """Records variants, each once, all of them built in the same place."""

    def __init__(
        self, folder: Path, changes: ChangeSet, commands: BuildAndTest, max_trace: int
    ) -> None:
        self._folder = folder / "recorded"
        self._changes = changes
        self.commands = commands
        self.frontend = "c"
        self._max_trace = max_trace
        self._known: dict[Reverted, Recording] = {}

    def __len__(self) -> int:
        return len(self._known)

    def use(self, frontend: str, commands: BuildAndTest) -> None:
        """Record by this front end from now on; what another one recorded is forgotten."""
        if frontend != self.frontend:
            self._known.clear()
        self.frontend, self.commands = frontend, commands

    def knows(self, reverted: Reverted) -> bool:
        return reverted in self._known

    def recording(self, reverted: Reverted) -> Recording:
        """The recorded run of a variant.  A UserError says why it cannot be had."""
        if reverted not in self._known:
            out = self._folder / str(len(self._known))
            tree = self._folder / "tree"
            shutil.rmtree(tree, ignore_errors=True)
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir(parents=True)
            workspace = Workspace(tree, self._changes)
            workspace.become(reverted)
            # Recorded, a build and a run take longer than the user's limit may allow for.
            commands = replace(self.commands, timeout=_LONGEST)
            record = RECORDERS[self.frontend]
            record(workspace.tree, commands, out, max_trace=self._max_trace)
            recording = open_recording(out)
            summarise(recording, workspace.tree, max_trace=self._max_trace)
            self._known[reverted] = recording
        return self._known[reverted]


def counterpart(thread: Thread, other: Recording) -> Flow | None:
    """The run, in another recording, of the same program, as many of it before, and of the same
    thread."""
    wanted = thread.image.process
    number = _same(wanted, thread.recording.processes).index(wanted.folder.name)
    names = _same(wanted, other.processes)
    if number >= len(names):
        return None
    process = next(p for p in other.processes if p.folder.name == names[number])
    logs = [log for log in process.logs if log.number == thread.log.number]
    return flow_of(other.thread(other.image(process), logs[0])) if logs else None


def in_pairs(one: Recording, other: Recording) -> Iterator[tuple[Flow, Flow]]:
    """The runs of the main threads of one recording that have a counterpart in another."""
    for process in one.processes:
        for log in process.logs[:1]:
            thread = one.thread(one.image(process), log)
            flow = counterpart(thread, other)
            if flow is not None:
                yield flow_of(thread), flow


def _same(wanted: Process, processes: Sequence[Process]) -> list[str]:
    """The names of those that ran the same program, in order."""
    name = _program(wanted)
    return [process.folder.name for process in processes if _program(process) == name]


def _program(process: Process) -> str:
    return PurePath(process.arguments[0]).name if process.arguments else ""


def ran(recording: Recording) -> Mapping[str, frozenset[int]]:
    """The lines that a recorded run executed, by file."""
    found: dict[str, set[int]] = {}
    for process in recording.processes:
        image = recording.image(process)
        for log in process.logs:
            for file, lines in executed_lines(recording.thread(image, log)).items():
                found.setdefault(file, set()).update(lines)
    return {file: frozenset(lines) for file, lines in found.items()}


def logged_events(recording: Recording) -> int:
    """How many events a recorded run logged."""
    return sum(
        recording.thread(image, log).events
        for process in recording.processes
        for image in [recording.image(process)]
        for log in process.logs
    )
