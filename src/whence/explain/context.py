"""What do all parts of an explanation share?"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from whence.causes.tree import CauseSearch
from whence.changes.changeset import ChangeSet
from whence.errors import UserError
from whence.explain.meeting import Meeting
from whence.explain.recorder import Recorder
from whence.model import Reverted
from whence.search.laboratory import OutOfRuns
from whence.search.session import IsolateSession, Watcher
from whence.trace.recording import Recording


class Unexplained(Exception):
    """The failure cannot be explained, only isolated; the text is the reason.

    `details` are lines that help the user to see why, such as the end of a build's output.
    """

    def __init__(self, reason: str, details: str = "") -> None:
        super().__init__(reason)
        self.details = details


@dataclass
class ExplainContext:
    """The session, the recorder, and the cost of one explanation so far."""

    session: IsolateSession
    watcher: Watcher
    recorder: Recorder
    trust: tuple[str, ...]  # names of functions to treat as correct
    started: float  # time.monotonic() before the versions were fetched
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # by phase
    solver_calls: int = 0

    def __post_init__(self) -> None:
        self.meeting = Meeting(self.changes)

    @property
    def changes(self) -> ChangeSet:
        return self.session.changes

    def recorded(self, reverted: Reverted) -> Recording:
        """Return the recorded run of a variant; it counts as a run."""
        if not self.recorder.knows(reverted):
            if not self.session.may_run:
                raise OutOfRuns
            cost = self.session.laboratory.cost
            cost.runs += 1
            cost.builds += self.recorder.commands.build is not None
        with self.timed("trace"):
            try:
                return self.recorder.recording(reverted)
            except UserError as error:
                raise not_recorded(error) from None

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time of the block to a phase."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] += time.monotonic() - began

    def solved(self, tree: CauseSearch) -> None:
        """Add the solver's calls and seconds for a cause tree."""
        cost = tree.solver_cost
        self.solver_calls += cost.calls
        self.seconds["solver"] += cost.seconds

    def times(self) -> dict[str, float]:
        """Return the seconds spent so far by phase; "semantics" includes "solver"."""
        parts = {name: self.seconds[name] for name in ("search", "trace", "semantics", "solver")}
        return {**parts, "total": time.monotonic() - self.started}


def not_recorded(error: UserError) -> Unexplained:
    """Return the reason why nothing is explained after an error, with the details of the error."""
    _, _, details = str(error).partition("\n")
    return Unexplained(error_summary(error), details)


def error_summary(error: UserError) -> str:
    """Return the first line of an error: what happened, without the advice."""
    return str(error).partition("\n")[0].rstrip(".")
