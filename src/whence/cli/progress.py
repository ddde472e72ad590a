"""How far is the work?  Shows one live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.status import Status
from rich.text import Text

from whence.changes.changeset import ChangeSet
from whence.model import Outcome, Reverted, Run
from whence.report.text import counted
from whence.search.session import Watcher

_MARKS = {
    Outcome.PASS: "[green]passes[/]",
    Outcome.FAIL: "[red]fails[/]",
    Outcome.OTHER: "[yellow]fails differently[/]",
    Outcome.BROKEN: "[yellow]cannot be judged[/]",
}


def _mark(run: Run) -> str:
    if run.rejected:
        return "[yellow]does not compile[/]"
    if run.outcome is Outcome.BROKEN and not run.built and run.note.startswith("the build"):
        return "[yellow]does not build[/]"
    return _MARKS[run.outcome]


def watcher_for(*, quiet: bool) -> Watcher:
    """Return what reports progress on standard error; it reports nothing if `quiet`."""
    if quiet:
        return Watcher()
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    return LiveProgress(console) if console.is_terminal else PlainProgress(console)


class PlainProgress(Watcher):
    """Prints one line for each event."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._total = 0
        self._runs = 0
        self._seconds = 0.0
        self._estimate: Callable[[], int | None] | None = None

    def phase(self, text: str) -> None:
        self._say(f"{text} …")

    def warn(self, text: str) -> None:
        self._console.print(Text(f"whence: {text}"))

    def found_changes(self, changes: ChangeSet) -> None:
        self._total = len(changes.changes)
        files = len({change.file for change in changes.changes})
        self._say(f"{counted(self._total, 'change')} in {counted(files, 'file')}")

    def outcome(self, reverted: Reverted, run: Run, *, from_store: bool) -> None:
        self._runs += not from_store
        self._seconds += 0.0 if from_store else run.seconds
        known = " (known)" if from_store else ""
        self._say(f"{len(reverted)} of {self._total} reverted: {_mark(run)}{known}{self._left()}")

    def runs_left(self, estimate: Callable[[], int | None]) -> None:
        self._estimate = estimate

    def _left(self) -> str:
        left = self._estimate() if self._estimate else None
        if left is None:
            return ""
        seconds = left * self._seconds / self._runs if self._runs else 0.0
        return f" — about {counted(left, 'run')} left{_duration(seconds)}"

    def _say(self, text: str) -> None:
        self._console.print(f"whence: {text}")


class LiveProgress(PlainProgress):
    """Shows the latest event in one line that is overwritten."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._status: Status | None = None
        self._started = time.monotonic()

    def _say(self, text: str) -> None:
        if self._status is None:
            self._status = self._console.status("", spinner="dots")
            self._status.start()
        elapsed = time.monotonic() - self._started
        self._status.update(f"{text} [dim]({self._runs} runs, {elapsed:.0f} s)[/]")

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None


def _duration(seconds: float) -> str:
    if seconds < 5:
        return ""
    return f", {seconds:.0f} s" if seconds < 90 else f", {seconds / 60:.0f} min"
