"""What runs the variants?  Local worker threads, each with its own workspace."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from whence.model import Reverted, Run
from whence.subject.forks.forker import Forks
from whence.subject.trial import BuildAndTest, RunWay, Trial
from whence.subject.workspace import Variants


class Job:
    """A run in progress.  After `stop`, its future is cancelled or raises Stopped."""

    def __init__(self) -> None:
        self.future: Future[Run] = Future()
        self.stop_requested = threading.Event()

    def stop(self) -> None:
        self.stop_requested.set()
        self.future.cancel()


class Workers(Protocol):
    """Run variants; `size` is the number of runs at a time."""

    @property
    def size(self) -> int: ...
    def submit(self, reverted: Reverted, commands: BuildAndTest, way: RunWay) -> Job: ...
    def close(self) -> None: ...


class LocalWorkers:
    """Threads that each drive one trial.  The processes that they start do the work."""

    def __init__(self, folder: Path, variants: Variants, size: int) -> None:
        self.size = size
        self._folder = folder
        self._variants = variants
        self._tasks: queue.SimpleQueue[Callable[[Trial], None] | None] = queue.SimpleQueue()
        self._jobs: list[Job] = []
        self._threads: list[threading.Thread] = []
        self._forks = Forks()

    def submit(self, reverted: Reverted, commands: BuildAndTest, way: RunWay) -> Job:
        if len(self._threads) < self.size:
            self._start(len(self._threads))
        job = Job()
        self._jobs = [j for j in self._jobs if not j.future.done()] + [job]

        def task(trial: Trial) -> None:
            if not job.future.set_running_or_notify_cancel():
                return
            try:
                run = trial.run(
                    reverted,
                    commands,
                    stop=job.stop_requested,
                    way=way,
                )
            except BaseException as error:
                job.future.set_exception(error)
            else:
                job.future.set_result(run)

        self._tasks.put(task)
        return job

    def _start(self, number: int) -> None:
        trial = Trial(self._folder / f"worker-{number}", self._variants, self._forks)

        def work() -> None:
            while (task := self._tasks.get()) is not None:
                task(trial)
            trial.close()

        thread = threading.Thread(target=work, name=f"whence-{number}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def close(self) -> None:
        """Stop all runs and end the threads."""
        for job in self._jobs:
            job.stop()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
