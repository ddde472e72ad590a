"""What does whence have to know about a language?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from whence.causes.observed_failure import ObservedFailure
from whence.frontend.recorded_run import RecordedRun
from whence.frontend.warm_tree import WarmTree
from whence.logic.logic import Logic
from whence.paths.code_difference import FindCodeDifference, SameForm
from whence.paths.program import OpenProgram
from whence.subject.trial import BuildAndTest
from whence.trace.alignment import Alignment
from whence.trace.analysis import ThreadAnalysis
from whence.trace.calls import AnsweredCall, AskedCall, ParseExpression, WatchedRun
from whence.trace.flow import Flow
from whence.trace.function_pairs import FunctionSource
from whence.trace.recording import Recording
from whence.trace.rerunning import BuiltTest, StepRerunner


class Record(Protocol):
    """Run the test of a tree and record the run into an empty folder.

    `seconds` limits the test alone; the build has the limit of `commands`.
    """

    def __call__(
        self, tree: Path, commands: BuildAndTest, out: Path, *, max_trace: int, twice: bool = False,
        seconds: float | None = None,
    ) -> RecordedRun: ...  # fmt: skip


class RecordWarm(Protocol):
    """Record as `Record` does, in a tree in which one variant after another is built."""

    def __call__(
        self, tree: Path, commands: BuildAndTest, out: Path, *, max_trace: int,
        twice: bool = False, seconds: float | None = None, warm: WarmTree | None = None,
    ) -> RecordedRun: ...  # fmt: skip


class FindFailure(Protocol):
    """Return the failure of a recorded run; a UserError says why there is none.

    `expect` is what the run should have printed: the failure is then the first byte that differs.
    """

    def __call__(
        self, recording: Recording, *, expect: bytes | None = None, process: str | None = None
    ) -> ObservedFailure: ...


class OpenTest(Protocol):
    """Build a tree of ours in place, so that its test can be run again with alterations.

    `folder` is empty and takes what is kept between runs.
    """

    def __call__(self, tree: Path, commands: BuildAndTest, folder: Path) -> BuiltTest: ...


class OpenRerunner(Protocol):
    """Return what alters the steps of a failing run that `test` recorded.

    `alignment` is with the passing run that values come from; None: only branches are altered.
    """

    def __call__(
        self, test: BuiltTest, failing: Flow, alignment: Alignment | None = None
    ) -> StepRerunner: ...


class Watch(Protocol):
    """Run the test of a tree and watch the calls of its functions, with logs in an empty folder.

    `changed` lists file and first line of the functions that deserve most attention.  Two runs with
    another `seed` differ in what a language leaves to chance.
    """

    def __call__(
        self, tree: Path, commands: BuildAndTest, out: Path, changed: Iterable[tuple[str, int]],
        seed: int,
    ) -> WatchedRun: ...  # fmt: skip


class RunCallsAgain(Protocol):
    """Run functions of a tree on the states in which calls of the other version started.

    An answer that depends on what a state leaves open is given more than once.
    """

    def __call__(
        self, tree: Path, commands: BuildAndTest, out: Path, asked: Sequence[AskedCall], /
    ) -> Mapping[int, Sequence[AnsweredCall]]: ...


class SourceFunctions(Protocol):
    """Return the functions that the sources below a tree define."""

    def __call__(self, tree: Path, /) -> Iterable[FunctionSource]: ...


@dataclass(frozen=True)
class Language:
    """One language that whence records and explains."""

    name: str  # in the option --frontend and in the file that describes a recorded run
    label: str  # in sentences
    suffixes: tuple[str, ...]  # of its source files
    is_compiled: bool  # is a program built in another way when it is to be recorded?
    record: Record
    record_warm: RecordWarm | None  # None: each variant is built in a clean tree
    own_sources: Callable[[], bytes]  # a hash of the front end: a new one records differently
    recording: type[Recording]
    analysis: ThreadAnalysis
    logic: Logic
    find_failure: FindFailure
    open_test: OpenTest
    rerunner: OpenRerunner
    watch: Watch | None = None  # None: the calls of its programs are not watched
    run_calls_again: RunCallsAgain | None = None  # None: only aligned calls are compared
    source_functions: SourceFunctions | None = None
    parse_expression: ParseExpression | None = None  # of contracts; None: as Python does
    open_program: OpenProgram | None = None  # None: its programs are not run with other inputs
    code_difference: FindCodeDifference | None = None  # None: its programs are not compared
    same_form: SameForm | None = None  # None: its programs are not simplified
