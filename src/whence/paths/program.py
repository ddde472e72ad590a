"""How is a program run with other inputs, whatever its language?

`InputProgram` is one version of a program with its test, built once and run many times.  The
languages implement it; `whence.languages` knows which of them is whose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from whence.inputs import InputSource
from whence.model import MadeTest
from whence.paths.conditions import Condition, PathCondition
from whence.paths.input_spec import InputSpec
from whence.paths.terms import Unknowns
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest
from whence.trace.recording import Thread

Contents = Mapping[InputSource, bytes]


class ExploredRun(Protocol):
    """A run, with its conditions in the order in which they are negated."""

    @property
    def contents(self) -> Contents: ...
    @property
    def unknowns(self) -> Unknowns: ...
    @property
    def conditions(self) -> Sequence[Condition]: ...
    @property
    def ways(self) -> Sequence[object]:
        """For each condition: a value that tells where it stands and which way the run went."""


class PathRun(ExploredRun, Protocol):
    """One recorded run; its conditions are all of them, in the order of its steps."""

    @property
    def ended(self) -> Ended: ...
    @property
    def thread(self) -> Thread: ...
    @property
    def path(self) -> PathCondition:
        """The conditions of the run: found when they are asked for first, and that takes long."""

    def slice_conditions(self, at: str) -> Sequence[Condition]:
        """Return the conditions in the relevant slice of a point, in the order for negating.

        `at` is `output`, `output:BYTE`, `exit`, `FILE:LINE:VARIABLE` or `return:FUNCTION`.  If the
        run does not get to the point, all conditions count.
        """

    def way(self, condition: Condition) -> object:
        """Return where a condition of this run stands and which way the run went there."""

    def only_writes(self, condition: Condition) -> bool:
        """Does a condition only tell how a number is written as a text?

        A function like printf has no such conditions; recorded code that does the same has.
        """

    def words(self, condition: Condition) -> str:
        """Return what a condition says, in the words of the source: `x > y`."""

    def is_own(self, condition: Condition) -> bool:
        """Does a condition belong to the program, and not to a library that is recorded with it?"""

    def result_words(self) -> str:
        """Return what the run printed and how it ended, in the words of the source."""

    def release(self) -> None:
        """Delete what was recorded.  The conditions stay; slices cannot be asked for any more."""


@dataclass(frozen=True)
class ChosenConditions:
    """A recorded run that is explored by some of its conditions."""

    run: PathRun
    conditions: Sequence[Condition]
    ways: Sequence[object]

    @staticmethod
    def of(run: PathRun, at: str | None) -> ChosenConditions:
        """Return the run with its conditions in the relevant slice of `at`; None: with all."""
        if at is None:
            return ChosenConditions(run, run.conditions, run.ways)
        chosen = run.slice_conditions(at)
        return ChosenConditions(run, chosen, [run.way(one) for one in chosen])

    @property
    def contents(self) -> Contents:
        return self.run.contents

    @property
    def unknowns(self) -> Unknowns:
        return self.run.unknowns


class InputProgram(Protocol):
    """One version of a program with its test, built once and run many times."""

    @property
    def free(self) -> Collection[InputSource]:
        """The inputs that may change."""

    @property
    def first(self) -> Contents:
        """The inputs of the test as it is: those that are free, and others of the program."""

    @property
    def notes(self) -> Sequence[str]:
        """What a user should know, such as "the program is started without its script"."""

    @property
    def starts_slowly(self) -> bool:
        """Does a run take about as long if it is recorded?  So it is with a test runner."""

    @property
    def folders(self) -> Sequence[Path]:
        """The folders that a run writes to, besides the one of the recorded runs."""

    @property
    def runs(self) -> Path:
        """The folder of the recorded runs."""

    def moved(self) -> None:
        """Copies of the folders have come to their places: other files, with the same contents."""

    def run(self, contents: Contents) -> PathRun:
        """Run the program with these inputs, recorded."""

    def record(self, contents: Contents, out: Path) -> Ended:
        """Run the program with these inputs, recorded into an empty folder."""

    def opened(self, contents: Contents, out: Path, ended: Ended) -> PathRun:
        """Return a run that was recorded into a folder."""

    def run_plain(self, contents: Contents, seconds: float | None = None) -> Ended:
        """Run the program with these inputs, for `seconds` at most; nothing is recorded."""

    def write_test(self, contents: Contents, folder: Path, name: str) -> MadeTest:
        """Write a test with these inputs that runs without whence.  Its files begin with `name`."""

    def close(self) -> None:
        """Delete what was kept between the runs."""


class OpenProgram(Protocol):
    """Build a program and find the inputs of its test.

    `tree` is a workspace of ours, built in place.  `folder` is empty and takes what is kept between
    runs.  `specs` are the inputs that may change; if there are none, those that the test names.
    """

    def __call__(
        self, tree: Path, commands: BuildAndTest, folder: Path, specs: Sequence[InputSpec],
        say: Callable[[str], None] = lambda _: None,
    ) -> InputProgram: ...  # fmt: skip
