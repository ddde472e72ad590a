"""How far is the work?  Shows one live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from rich.console import Console
from rich.status import Status
from rich.text import Text

from whence.changes.changeset import ChangeSet
from whence.cli.console import open_console
from whence.model import Outcome, Reverted, Run
from whence.report.text import counted
from whence.search.forecast import RunsLeft
from whence.search.session import Watcher

_MAX_LAST = 10  # the last runs, whose rate is that of the runs to come; guessed
_MIN_SECONDS = 5  # a shorter time left is not worth a word
_MAX_IN_SECONDS = 90  # a longer time is given in minutes
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
    console = open_console(stderr=True)
    return LiveProgress(console) if console.is_terminal else PlainProgress(console)


class PlainProgress(Watcher):
    """Prints one line for each event."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._total = 0
        self._runs = 0
        self._smallest = 0  # number of changes in the smallest passing set
        self._last: deque[float] = deque([time.monotonic()], _MAX_LAST)  # when runs ended
        self._forecast: Callable[[], RunsLeft | None] | None = None

    def phase(self, text: str) -> None:
        self._say(f"{text} …")

    def warn(self, text: str) -> None:
        self._console.print(Text(f"whence: {text}"))

    def found_changes(self, changes: ChangeSet) -> None:
        self._total = self._smallest = len(changes.changes)
        files = len({change.file for change in changes.changes})
        self._say(f"{counted(self._total, 'change')} in {counted(files, 'file')}")

    def outcome(self, reverted: Reverted, run: Run, *, from_store: bool) -> None:
        self._runs += not from_store
        if not from_store:
            self._last.append(time.monotonic())
        if run.outcome is Outcome.PASS:
            self._smallest = min(self._smallest, len(reverted))
        head = "known" if from_store else f"variant {self._runs}"
        self._say(f"{head}: {len(reverted)} of {self._total} reverted: {_mark(run)}{self._left()}")

    def runs_left(self, forecast: Callable[[], RunsLeft | None]) -> None:
        self._forecast = forecast
        self._last.append(time.monotonic())  # other work than runs may have come before

    def _left(self) -> str:
        """Return what is known: the smallest passing set, and the range of the runs left."""
        known = f"; smallest passing set so far: {self._smallest}"
        left = self._forecast() if self._forecast else None
        if left is None:
            return known
        each = (self._last[-1] - self._last[0]) / max(len(self._last) - 1, 1)
        return f"{known}; {left.least} to {left.most} more variants{_duration(left, each)}"

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
        self._status.update(f"{text} [dim]({elapsed:.0f} s)[/]")

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None


def _duration(left: RunsLeft, each: float) -> str:
    """Return the range of the time left, if a run takes `each` seconds; empty if it is short."""
    if left.most * each < _MIN_SECONDS:
        return ""
    unit, name = (1.0, "s") if left.most * each < _MAX_IN_SECONDS else (60.0, "min")
    return f", {left.least * each / unit:.0f} to {left.most * each / unit:.0f} {name}"
