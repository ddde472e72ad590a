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
    """One half is missing; the text says why nothing can be explained."""


@dataclass
class ExplainContext:
    session: IsolateSession
    watcher: Watcher
    recorder: Recorder
    trust: tuple[str, ...]
    started: float  # by time.monotonic: before anything was fetched
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    solver_calls: int = 0

    def __post_init__(self) -> None:
        self.meeting = Meeting(self.changes)

    @property
    def changes(self) -> ChangeSet:
        return self.session.changes

    def recorded(self, reverted: Reverted) -> Recording:
        """The recorded run of a variant, which is a run as any other."""
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
                raise Unexplained(error_summary(error)) from None

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] += time.monotonic() - began

    def solved(self, tree: CauseSearch) -> None:
        """Add what the solver did for a tree of causes."""
        cost = tree.preconditions.cost
        self.solver_calls += cost.calls
        self.seconds["solver"] += cost.seconds

    def times(self) -> dict[str, float]:
        """Seconds spent so far, in each part and in all; the solver's are of the semantics'."""
        parts = {name: self.seconds[name] for name in ("search", "trace", "semantics", "solver")}
        return {**parts, "total": time.monotonic() - self.started}


def error_summary(error: UserError) -> str:
    """What an error says, without what to do about it."""
    return str(error).partition("\n")[0].rstrip(".")
