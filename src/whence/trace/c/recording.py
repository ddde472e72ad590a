"""A recorded run of a C or C++ program, opened."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from whence.errors import UserError
from whence.frontend.c.process import CProcess as CProcess
from whence.frontend.c.process import LogFile, c_processes
from whence.frontend.recorded_run import MODULES
from whence.frontend.trace_files import reading, write_checksums
from whence.inputs import InputRange
from whence.program.ids import Step
from whence.trace.c import endings
from whence.trace.c.image import CImage
from whence.trace.c.inputs import inputs_of
from whence.trace.c.memory import criteria
from whence.trace.c.noise import may_vary, noisy_steps
from whence.trace.c.replayed import ReplayedLog
from whence.trace.c.unrecorded import check_whole, nothing, unrecorded, unrecorded_sources
from whence.trace.columns import U32
from whence.trace.recording import Ending, Image, Process, Progress, Recording, Thread, ThreadLog

_ENDINGS = {"crash": endings.crash, "assert": endings.assertion, "exit": endings.exit_}


class CThread(ReplayedLog):
    """One thread of a process, with the answers that are specific to C."""

    recording: CRecording

    def ending(self, how: str) -> Ending | None:
        return _ENDINGS[how](self)

    def criteria(self, steps: Sequence[Step], line: int, variable: str) -> tuple[Step, ...]:
        return criteria(self, steps, line, variable)

    def inputs(self, steps: U32 | None = None) -> tuple[InputRange, ...]:
        return inputs_of(self, steps)

    def reading_notes(self) -> tuple[str, ...]:
        return endings.reading_notes(self)

    def notes(self) -> list[str]:
        return endings.recording_notes(self)


class CRecording(Recording):
    """A trace of a program of C or C++."""

    known: CImage | None = None  # of another run of the same program

    @cached_property
    def processes(self) -> list[CProcess]:
        return c_processes(self.folder)

    def image(self, process: Process) -> CImage:
        assert isinstance(process, CProcess)
        if process not in self._images:
            with reading(self.folder / MODULES):
                self._images[process] = CImage(process, self.folder, self.known)
        return self._images[process]

    @cached_property
    def _images(self) -> dict[CProcess, CImage]:
        return {}

    def thread(self, image: Image, log: ThreadLog, progress: Progress | None = None) -> CThread:
        assert isinstance(image, CImage)
        assert isinstance(log, LogFile)
        if log.path not in self._threads:
            self._threads[log.path] = CThread(self, image, log, progress)
        return self._threads[log.path]

    def may_vary(self) -> bool:
        return any(may_vary(thread) for thread in self._all_threads())

    def compare_with(self, again: Recording) -> None:
        assert isinstance(again, CRecording)
        own, others = self._all_threads(), again._all_threads()
        if [t.image.key for t in own] != [t.image.key for t in others]:
            return
        self.second_run = again
        for thread, other in zip(own, others, strict=True):
            thread.noise = noisy_steps(thread, other)

    def _all_threads(self) -> list[CThread]:
        return [self.thread(self.image(p), log) for p in self.processes for log in p.logs]

    @cached_property
    def _threads(self) -> dict[Path, CThread]:
        """The threads that were opened; opening a long log takes minutes."""
        return {}

    def shortened(self, thread: CThread, step: Step) -> CThread:
        """Cut the log of a thread before a step, and open it again."""
        path, process = thread.log.path, thread.image.process
        offset = int(thread.replay.window(step, step + 1).offset[0])
        os.truncate(path, offset)
        shutil.rmtree(path.with_suffix(".index"), ignore_errors=True)
        write_checksums(self.folder)
        del self._threads[path]
        del process.logs
        log = next(log for log in process.logs if log.path == path)
        return self.thread(thread.image, log)

    def check(self, max_trace: int) -> None:
        check_whole(self.processes, self.folder, max_trace, is_stopped=self.is_stopped)

    def nothing(self) -> UserError:
        return nothing(self)

    def sources_without_recording(self) -> list[str]:
        tree = self.document.get("tree", "") + "/"
        return [source.removeprefix(tree) for source in unrecorded_sources(self.folder / MODULES)]

    def notes(self, files: set[str]) -> list[str]:
        notes = unrecorded(self.folder / MODULES)
        if not files:
            notes.append(
                "the program has no debug information (a flag such as -g0 took it away): lines and "
                "names are unknown"
            )
        return notes

    def ended(self, threads: Sequence[Thread]) -> str:
        return endings.ended([thread for thread in threads if isinstance(thread, CThread)])
