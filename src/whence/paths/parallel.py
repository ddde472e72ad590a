"""How are several runs recorded at the same time?

The search says which runs it will ask for, and processes of ours record them; each has its own copy
of the tree, at the same path.  The search itself goes on one step after the other, so its answers
are the same for any number of processes.
"""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from whence.frontend.rerun.private_folders import use_private_copies
from whence.paths.program import Contents, InputProgram, PathRun
from whence.subject.command import Ended
from whence.subject.orphans import spare, unspare

_MAX_GIVEN = 2  # runs that a process has been told to make, one of them while it makes the other

Key = tuple[Any, ...]


@dataclass
class _Recorder:
    """One process that records runs."""

    process: ForkProcess
    pipe: Connection
    given: deque[Key] = field(default_factory=deque)


@dataclass(frozen=True)
class _Recorded:
    out: Path
    ended: Ended


class ParallelRuns:
    """Runs of a program; those that were announced are made at the same time."""

    def __init__(self, program: InputProgram, jobs: int, folder: Path) -> None:
        """`folder` is new and takes the copies of the tree."""
        self._program = program
        self._waiting: deque[tuple[Key, Contents]] = deque()
        self._known: dict[Key, _Recorded | BaseException | None] = {}  # None: not made yet
        self._recorders: list[_Recorder] = []
        self.problem: str | None = None  # why runs are made one after the other
        for number in range(jobs if jobs > 1 else 0):
            self._start(folder / str(number))

    def announce(self, many: Iterable[Contents]) -> None:
        """Say which runs will be asked for."""
        for contents in many if self._recorders else ():
            key = _key(contents)
            if key not in self._known:
                self._known[key] = None
                self._waiting.append((key, contents))
        self._exchange(0)

    def run(self, contents: Contents) -> PathRun:
        """Run the program with these inputs, recorded."""
        key = _key(contents)
        while key in self._known and self._known[key] is None:
            self._exchange(None)
        found = self._known.pop(key, None)
        if found is None:  # it was not announced, or the process that should make it was killed
            return self._program.run(contents)
        if isinstance(found, BaseException):
            raise found
        return self._program.opened(contents, found.out, found.ended)

    def close(self) -> None:
        """End the processes."""
        for one in self._recorders:
            one.pipe.close()
            one.process.terminate()
        for one in self._recorders:
            one.process.join()
            unspare(one.process.pid or 0)
        self._recorders = []

    # --- processes -------------------------------------------------------------------------------

    def _start(self, folder: Path) -> None:
        if self.problem is not None:
            return
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        others = [ours, *(one.pipe for one in self._recorders)]
        process = context.Process(target=_record, args=(self._program, theirs, others, folder))
        process.start()
        theirs.close()
        spare(process.pid or 0)
        self._recorders.append(_Recorder(process, ours))
        self.problem = ours.recv()
        if self.problem is not None:
            self.close()

    def _exchange(self, seconds: float | None) -> None:
        """Take what was recorded, waiting for it up to a time, and give the next inputs."""
        self._give()
        busy = [one for one in self._recorders if one.given]
        ready = wait([one.pipe for one in busy], seconds) if busy else []
        for recorder in [one for one in busy if one.pipe in ready]:
            try:
                found = recorder.pipe.recv()
            except (EOFError, OSError):
                self._lose(recorder)
                continue
            self._known[recorder.given.popleft()] = found
        self._give()

    def _give(self) -> None:
        for recorder in sorted(self._recorders, key=lambda one: len(one.given)):
            while self._waiting and len(recorder.given) < _MAX_GIVEN:
                key, contents = self._waiting.popleft()
                recorder.given.append(key)
                recorder.pipe.send(contents)

    def _lose(self, recorder: _Recorder) -> None:
        """A process was killed: its runs are made by us."""
        for key in recorder.given:
            self._known.pop(key)
        self._recorders.remove(recorder)
        unspare(recorder.process.pid or 0)
        if not self._recorders:
            for key, _ in self._waiting:
                self._known.pop(key)
            self._waiting.clear()


def _key(contents: Contents) -> Key:
    return tuple(sorted(contents.items()))


def _record(
    program: InputProgram, pipe: Connection, others: Iterable[Connection], folder: Path
) -> None:
    """Record the runs that we are told to, until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whence itself ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for one in others:
        one.close()
    try:
        use_private_copies(program.folders, folder)
        program.moved()
    except OSError as error:
        pipe.send(error.strerror or str(error))
        return
    pipe.send(None)
    while True:
        try:
            contents = pipe.recv()
        except EOFError:
            return
        pipe.send(_recorded(program, contents))


def _recorded(program: InputProgram, contents: Contents) -> _Recorded | BaseException:
    try:
        out = Path(tempfile.mkdtemp(dir=program.runs))
        return _Recorded(out, program.record(contents, out))
    except Exception as error:
        return error
