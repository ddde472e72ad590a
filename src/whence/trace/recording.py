"""A recorded run, opened: its processes, their threads, and all that can be asked of each.

Each language implements the abstract methods; `whence.languages` knows which class is whose.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.frontend.recorded_run import SOURCES, SecondRun
from whence.model import Failure, Outcome
from whence.program.rows import OUTPUT, SOURCE
from whence.program.source import Place, SourceLines
from whence.trace.columns import NONE, U32, Code, Stream
from whence.trace.queries import Queries
from whence.trace.relevance import Relevance, kept_relevance
from whence.trace.slicer import ByteRange

Progress = Callable[[int, int], bool]
STDOUT = 3  # kind of a source


class ThreadLog(Protocol):
    """The log of one thread."""

    @property
    def path(self) -> Path: ...
    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str:
        """main, thread, handler"""

    @property
    def size(self) -> int:
        """Bytes of log."""

    @property
    def is_crashed(self) -> bool:
        """Did the thread die of what it did: a signal, an exception that nobody caught?"""


class Process(Protocol):
    """One recorded process."""

    @property
    def folder(self) -> Path: ...
    @property
    def pid(self) -> int: ...
    @property
    def arguments(self) -> list[str]: ...
    @property
    def logs(self) -> Sequence[ThreadLog]:
        """Its threads' logs, the main thread's first."""

    @property
    def has_main_log(self) -> bool: ...


class Recording(ABC):
    """The folder that `whence trace` made."""

    def __init__(self, folder: Path, document: dict[str, Any]) -> None:
        """`document` is what the folder says of the run."""
        self.folder, self.document = folder, document
        self.lines = SourceLines(folder / SOURCES)

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.document["outcome"])

    @property
    def failure(self) -> Failure | None:
        failure = self.document["failure"]
        return Failure(**failure) if failure else None

    @property
    def again(self) -> SecondRun | None:
        """How the test ended when it was run once more; None if it was not."""
        found = self.document.get("again")
        if not found:
            return None
        failure = Failure(**found["failure"]) if found["failure"] else None
        return SecondRun(Outcome(found["outcome"]), failure, found["same_output"])

    @property
    @abstractmethod
    def processes(self) -> Sequence[Process]:
        """In the order in which they started."""

    @abstractmethod
    def image(self, process: Process) -> Image:
        """The program that a process ran."""

    @abstractmethod
    def thread(self, image: Image, log: ThreadLog, progress: Progress | None = None) -> Thread: ...

    def printed(self) -> bytes:
        """What the run printed on standard output."""
        return (self.folder / "stdout").read_bytes()

    # --- what is to be said of it --------------------------------------------------------------

    @abstractmethod
    def check(self, max_trace: int) -> None:
        """Raise a UserError that says why, if not all of the run was recorded."""

    @abstractmethod
    def nothing(self) -> UserError:
        """Why nothing was recorded."""

    @abstractmethod
    def notes(self, files: set[str]) -> list[str]:
        """What was not recorded of a run that these files were seen of."""

    @abstractmethod
    def ended(self, threads: Sequence[Thread]) -> str:
        """How the process of these threads ended: "exit status 0"."""


class Sort(NamedTuple):
    """What two ops have in common that can be the same op of two versions."""

    opcode: str
    callee: str | None  # empty if it has no name; None: it is no call
    operands: int


class Comparable(Enum):
    """How what an op computes is compared between two runs."""

    PLAIN = "plain"
    POINTER = "pointer"  # it says little by itself, and more by how it was come by
    WIDE = "wide"  # known only in part: structs, wide numbers, what is only left in memory


class Branching(NamedTuple):
    """The blocks of a function: where each leads, and which are one condition of the source.

    Of the blocks of a condition the one with the lowest number is the first.
    """

    following: dict[int, list[int]]
    conditions: list[frozenset[int]]


class Image(ABC):
    """The program of one process, with what is known of it without running it."""

    def __init__(self, process: Process, folder: Path) -> None:
        self.process = process
        self.folder = folder  # of the recording

    @property
    @abstractmethod
    def key(self) -> str:
        """What the program is: two images of the same key are of the same program."""

    @property
    @abstractmethod
    def code(self) -> Code: ...

    @property
    @abstractmethod
    def function_names(self) -> list[str]: ...

    @property
    def spoken_names(self) -> list[str]:
        """The names of the functions as the source has them."""
        return self.function_names

    @property
    @abstractmethod
    def rows(self) -> U32:
        """The source line of each op, 0 where there is none."""

    @property
    @abstractmethod
    def files(self) -> U32:
        """The number, in `file_names`, of each op's file; NONE where there is none."""

    @property
    @abstractmethod
    def file_names(self) -> list[str]:
        """The files that the program was made from, as users write them."""

    @abstractmethod
    def place(self, op: int) -> Place | None:
        """Where the op is in the source; None if that is not known."""

    @abstractmethod
    def sort(self, op: int) -> Sort: ...

    @abstractmethod
    def compared_as(self, op: int) -> Comparable: ...

    @abstractmethod
    def is_plain_call(self, op: int) -> bool:
        """Is it a call whose arguments are all that it was given?"""

    @abstractmethod
    def branching(self, function: int) -> Branching: ...

    @abstractmethod
    def _analysed(self) -> Relevance: ...

    def relevance(self) -> Relevance:
        """What the program could do other than it did; what came of it stays in the folder."""
        return kept_relevance(self.folder, self.key, self._analysed)

    @cached_property
    def is_outside(self) -> npt.NDArray[np.bool_]:
        """For each function: is all of it in files outside of the tree?  If none is in it, none
        is."""
        outside = np.array([name.startswith("/") for name in self.file_names] + [False], bool)
        starts, counts = self.code.function_first_op, self.code.function_ops
        found = np.zeros(len(starts), bool)
        for number, (start, count) in enumerate(zip(starts.tolist(), counts.tolist(), strict=True)):
            files = self.files[start : start + count]
            known = files[files != NONE]
            found[number] = len(known) > 0 and bool(outside[known].all())
        return found & ~np.all(found)

    @property
    def is_library(self) -> npt.NDArray[np.bool_]:
        """For each function: is it a library's, taken as a whole where the tree calls it?"""
        return self.is_outside

    def function_of(self, op: int) -> int:
        """The number of the function that has an op."""
        return int(np.searchsorted(self.code.function_first_op, np.uint32(op), "right")) - 1


class Ending(NamedTuple):
    """How a thread ended: the steps that are to blame, in words, and its exit status."""

    criteria: tuple[int, ...]
    words: str
    status: int | None = None


class Output(NamedTuple):
    """What printed a byte: the step that did, and what of it is meant."""

    step: int
    criterion: int | ByteRange


class Thread(ABC):
    """One thread of a process, opened."""

    def __init__(self, recording: Recording, image: Image, log: ThreadLog, stream: Stream) -> None:
        self.recording, self.image, self.log = recording, image, log
        self.stream = stream
        self.queries = Queries(stream)

    def last_execution(self, op: int, step: int, within: int | None = None) -> int | None:
        """The last step up to `step`, in the same activation, that executed `op`.

        It is looked for in so many instances of the activation; None: in all.
        """
        queries = self.queries
        stretch = int(self.image.code.op_stretch[op])
        instance = queries.instance_of(step)
        if int(self.stream.stretch[instance]) == stretch:
            found = queries.step_of(instance, op)
            if found is not None and found <= step:
                return found
        before = queries.last_before(stretch, instance, within)
        return None if before is None else queries.step_of(before, op)

    def line_at(self, step: int) -> str:
        """FILE:LINE of a step."""
        place = self.image.place(self.queries.op_of(step))
        return f"{place.file}:{place.line}" if place else "an unknown line"

    def printed(self, byte: int) -> Output | None:
        """What printed a byte of standard output, if this thread did."""
        effects = self.stream.effects
        for row in self._outputs()[::-1].tolist():
            start = int(effects["offset"][row])
            if start <= byte < start + int(effects["len"][row]):
                inside = byte - start
                return Output(int(effects["step"][row]), ByteRange(row, inside, inside + 1))
        return None

    def printed_size(self) -> int:
        """How many bytes it printed on standard output, as far as that is known."""
        return int(self.stream.effects["len"][self._outputs()].sum())

    def _outputs(self) -> npt.NDArray[np.intp]:
        """The effects that are output on standard output."""
        effects = self.stream.effects
        sources = effects[(effects["kind"] == SOURCE) & (effects["arg"] == STDOUT)]
        own = np.isin(effects["source"], np.unique(sources["source"]))
        return np.flatnonzero((effects["kind"] == OUTPUT) & own)

    def is_closing(self, file: str, line: int) -> bool:  # noqa: ARG002 - where there are such lines
        """Does the line only end what lines above it began, as a brace does?"""
        return False

    @property
    @abstractmethod
    def is_whole(self) -> bool:
        """Was everything that the thread did read?"""

    @property
    @abstractmethod
    def stop_op(self) -> int | None:
        """The op that was begun last and did not come to its end; None if all did."""

    @property
    @abstractmethod
    def events(self) -> int:
        """How many items were logged."""

    @abstractmethod
    def ending(self, how: str) -> Ending | None:
        """How the thread ended, if it did so by a "crash", an "assert" or an "exit"."""

    @abstractmethod
    def criteria(self, steps: Sequence[int], line: int, variable: str) -> tuple[int, ...]:
        """The steps that made a variable what it is when control has gone through a line, in
        these steps."""

    @abstractmethod
    def inputs(self, steps: U32 | None = None) -> tuple[str, ...]:
        """Which inputs the thread read, or only these steps of it, in words."""

    @abstractmethod
    def reading_notes(self) -> tuple[str, ...]:
        """What has to be said of a trace that is not whole."""

    @abstractmethod
    def notes(self) -> list[str]:
        """What has to be said of how it was recorded."""
