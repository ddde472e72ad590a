"""How is the test recorded on a variant, and which recorded threads belong together?"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from whence.changes.changeset import ChangeSet
from whence.errors import UserError
from whence.frontend.warm_tree import WarmTree
from whence.languages import flow_of, open_recording, second_recording
from whence.languages.language import Language
from whence.model import Outcome, Reverted
from whence.subject.trial import BuildAndTest
from whence.trace.flow import Flow
from whence.trace.recording import Process, Recording, Thread
from whence.trace.slice_at import line_counts
from whence.trace.summary import summarise

_MAX_SECONDS = 3600.0  # limit on a recorded build or run; guessed


class Recorder:
    """Records each variant once.  All variants are built in the same folder."""

    def __init__(
        self, folder: Path, changes: ChangeSet, commands: BuildAndTest, max_trace: int
    ) -> None:
        self._folder = folder / "recorded"
        self._changes = changes
        self.commands = commands
        self._language: Language | None = None
        self._max_trace = max_trace
        self._known: dict[Reverted, Recording] = {}
        self._warm: WarmTree | None = None  # None: the next build needs a clean tree
        self._hang_limits: dict[Reverted, tuple[float, int]] = {}

    def limit_hang(self, reverted: Reverted, seconds: float, max_trace: int) -> None:
        """Stop a run that is known not to end after this time, and log no more than this."""
        self._hang_limits[reverted] = seconds, min(max_trace, self._max_trace)

    def __len__(self) -> int:
        return len(self._known)

    def use(self, language: Language, commands: BuildAndTest) -> None:
        """Record programs in this language from now on; forget recordings in another one."""
        if language is not self._language or commands.layout != self.commands.layout:
            self._known.clear()
            self._warm = None
        self._language, self.commands = language, commands

    def knows(self, reverted: Reverted) -> bool:
        return reverted in self._known

    def recording(self, reverted: Reverted) -> Recording:
        """Return the recorded run of a variant; raise a UserError if it cannot be recorded."""
        if reverted not in self._known:
            self._known[reverted] = self._warm_recording(reverted) or self._clean(reverted)
        return self._known[reverted]

    def _warm_recording(self, reverted: Reverted) -> Recording | None:
        """Record in the tree of the last build; None if only a clean tree will do.

        A run that does not end as it should may be due to a file that was not built again.
        """
        warm = self._warm
        if warm is None or not warm.is_usable:
            return None
        try:
            recording = self._record(reverted, warm) if warm.become(reverted) else None
        except UserError:
            return None
        expected = Outcome.PASS if reverted else Outcome.FAIL
        return recording if recording and recording.outcome is expected else None

    @property
    def patient_commands(self) -> BuildAndTest:
        """The commands, with the time that recorded builds and runs take."""
        return replace(self.commands, timeout=_MAX_SECONDS)

    def _clean(self, reverted: Reverted) -> Recording:
        """Record in a clean tree."""
        self._warm = None
        warm = WarmTree(self._folder / "built", self._changes)
        warm.become(reverted)
        return self._record(reverted, warm)

    def _record(self, reverted: Reverted, warm: WarmTree) -> Recording:
        """Record the variant that the tree holds."""
        self._warm = None  # a build that is interrupted leaves the tree half built
        out = self._folder / str(len(self._known))
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        commands = self.patient_commands
        assert self._language is not None, "`use` comes first"
        seconds, size = self._hang_limits.get(reverted, (None, self._max_trace))
        record_warm = self._language.record_warm
        if record_warm is None or commands.build is None:
            self._language.record(warm.path, commands, out, max_trace=size, seconds=seconds)
        else:
            record_warm(warm.path, commands, out, max_trace=size, seconds=seconds, warm=warm)
            warm.clear_up()
            warm.trace, self._warm = out, warm
        recording = open_recording(out)
        summarise(recording, warm.path, max_trace=self._max_trace)
        if recording.outcome is Outcome.PASS and recording.may_vary():
            self._compare_with_second_run(recording, warm.path, commands)
            warm.clear_up()
        return recording

    def _compare_with_second_run(
        self, recording: Recording, tree: Path, commands: BuildAndTest
    ) -> None:
        """Record the test once more in the built tree: what differs then is noise."""
        out = recording.folder.with_name(f"{recording.folder.name}-second")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        assert self._language is not None
        try:
            self._language.record(
                tree, replace(commands, build=None), out, max_trace=self._max_trace
            )
            second = second_recording(out, recording.folder)
            second.check(self._max_trace)
        except UserError:
            return  # then nothing is known to be noise
        if second.outcome is Outcome.PASS:
            recording.compare_with(second)


def counterpart(thread: Thread, other: Recording) -> Flow | None:
    """Return the counterpart of a thread in another recording, or None.

    If the thread belongs to the nth process that ran a program, its counterpart is the thread with
    the same number in the nth process that ran this program in the other recording.
    """
    process = process_counterpart(thread.image.process, thread.recording, other)
    if process is None:
        return None
    logs = [log for log in process.logs if log.number == thread.log.number]
    return flow_of(other.thread(other.image(process), logs[0])) if logs else None


def process_counterpart(wanted: Process, of: Recording, other: Recording) -> Process | None:
    """Return the counterpart of a process of one recording in another recording, or None."""
    number = _same_program(wanted, of.processes).index(wanted.folder.name)
    names = _same_program(wanted, other.processes)
    if number >= len(names):
        return None
    return next(p for p in other.processes if p.folder.name == names[number])


def thread_pairs(failing: Recording, passing: Recording) -> Iterator[tuple[Flow, Flow]]:
    """Yield each main thread of the failing run that has a counterpart, with its counterpart."""
    for process in failing.processes:
        for log in process.logs[:1]:
            thread = failing.thread(failing.image(process), log)
            flow = counterpart(thread, passing)
            if flow is not None:
                yield flow_of(thread), flow


def _same_program(wanted: Process, processes: Sequence[Process]) -> list[str]:
    """Return the folder names of the processes that ran the same program, in order."""
    name = _program_name(wanted)
    return [process.folder.name for process in processes if _program_name(process) == name]


def _program_name(process: Process) -> str:
    return PurePath(process.arguments[0]).name if process.arguments else ""


def covered_lines(recording: Recording) -> Mapping[str, frozenset[int]]:
    """Return the lines that a recorded run executed, by file."""
    return {file: frozenset(lines) for file, lines in covered_times(recording).items()}


def covered_times(recording: Recording) -> Mapping[str, Mapping[int, int]]:
    """Return how often a recorded run executed each of its lines, by file."""
    found: dict[str, Counter[int]] = {}
    for process in recording.processes:
        image = recording.image(process)
        for log in process.logs:
            for file, lines in line_counts(recording.thread(image, log)).items():
                found.setdefault(file, Counter()).update(lines)
    return found


def logged_events(recording: Recording) -> int:
    """Return the number of events that a recorded run logged."""
    return sum(
        recording.thread(image, log).events
        for process in recording.processes
        for image in [recording.image(process)]
        for log in process.logs
    )
