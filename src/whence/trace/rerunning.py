"""What can be changed in a recorded run when its test runs again, and what is seen of it?

An alteration names steps of the recorded failing run.  The rerunner of a language says it in terms
of its programs: as bytes of memory, or as values of expressions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from whence.model import Run
from whence.program.ids import Step
from whence.subject.command import Ended
from whence.trace.flow import Flow


@dataclass(frozen=True, slots=True, order=True)
class Overwrite:
    """Just before `reader` reads what `definition` defined, that gets the passing value.

    `passing` is the step of the passing run whose value is taken.
    """

    reader: Step
    definition: Step
    passing: Step


@dataclass(frozen=True, slots=True, order=True)
class Replace:
    """The step gives the value of a step of the passing run instead of its own."""

    definition: Step
    passing: Step


@dataclass(frozen=True, slots=True, order=True)
class Force:
    """A branch goes the way that it did not go; a `switch` goes the way of the passing run."""

    branch: Step
    passing: Step | None = None  # None: the other way
    is_always: bool = False  # also each time that it runs after this; not of a `switch`


Plain = bool | int | float | str  # a value that can be made anew in any run


@dataclass(frozen=True, slots=True, order=True)
class Assign:
    """A definition gives this value instead of its own."""

    definition: Step
    value: Plain


Alteration = Overwrite | Replace | Force | Assign


class Came(Enum):
    """Did a step of the failing run come about in a rerun?"""

    SAME = "with its failing value"
    OTHER = "with another value"
    NOT = "not at all"
    UNKNOWN = "cannot be said"
    UNSURE = "may have been another execution"  # a recording of the rerun can tell


@dataclass(frozen=True, slots=True)
class AlteredRun:
    """How the test ended with some alterations."""

    run: Run
    ended: Ended
    missed: int  # alterations whose point was not reached
    came: Came  # what became of the watched step


class BuiltTest(Protocol):
    """A test that was built once, in a tree of ours, and can be run again and again."""

    def record(self, out: Path, test: str | None = None) -> None:
        """Run the test, or another command, and record it into an empty folder."""


class StepRerunner(ABC):
    """Runs the test of a recorded failing run again, with alterations.

    `failing` is the flow of the process that is changed.
    """

    failing: Flow

    @abstractmethod
    def can(self, alteration: Alteration) -> bool:
        """Can this be done?  A value may not be mapped, or be in no place that can be set."""

    @abstractmethod
    def plain_value(self, step: Step) -> Plain | None:
        """Return the value of a definition, if an `Assign` can give another of its kind."""

    @abstractmethod
    def can_watch(self, step: Step) -> bool:
        """Can the value of this step be seen in a rerun?"""

    @abstractmethod
    def rerun(
        self,
        alterations: Sequence[Alteration],
        watched: Step | None = None,
        record_into: Path | None = None,
    ) -> AlteredRun:
        """Run the test with these alterations, each of which is possible.

        The trace goes into the empty folder `record_into`; without one nothing is recorded.
        """
