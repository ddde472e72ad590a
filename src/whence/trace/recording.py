"""What is in a recorded run: which processes, threads and programs, and what does each provide?

Each language implements the abstract methods; `whence.languages` knows which class is whose.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.frontend.recorded_run import SOURCES, SecondRun
from whence.inputs import InputRange
from whence.model import Failure, Outcome
from whence.program.ids import Block, Op, Step, Stretch
from whence.program.rows import OUTPUT, SOURCE
from whence.program.source import Place, SourceLines
from whence.trace.columns import NONE, U32, Code, Stream
from whence.trace.queries import Queries
from whence.trace.relevance import Relevance, kept_relevance
from whence.trace.slicer import ByteRange

Progress = Callable[[int, int], bool]  # (done, total) -> go on?
STDIN, STDOUT, STDERR = 2, 3, 4  # kinds of sources in `effects`, as the recorder numbers them


class ThreadLog(Protocol):
    """The log of one thread."""

    @property
    def path(self) -> Path: ...
    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str:
        """main, thread or handler"""

    @property
    def size(self) -> int:
        """The size of the log in bytes."""

    @property
    def is_crashed(self) -> bool:
        """Did a signal or an uncaught exception end the thread?"""


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
        """The logs of its threads, the main thread's first."""

    @property
    def has_main_log(self) -> bool: ...
    @property
    def standard_targets(self) -> Sequence[str]:
        """Where standard input, output and error led at the start; empty if that is unknown."""


class Recording(ABC):
    """A recorded run, opened from the folder that `whence trace` wrote."""

    def __init__(self, folder: Path, document: dict[str, Any]) -> None:
        """`document` is the folder's description of the run."""
        self.folder, self.document = folder, document
        self.lines = SourceLines(folder / SOURCES)
        self.second_run: Recording | None = None  # of the same version, if its values vary

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.document["outcome"])

    @property
    def failure(self) -> Failure | None:
        failure = self.document["failure"]
        return Failure(**failure) if failure else None

    @property
    def is_stopped(self) -> bool:
        """Was the test stopped because it did not end in time?"""
        failure = self.failure
        return failure is not None and failure.kind == "timeout"

    @property
    def again(self) -> SecondRun | None:
        """How the test ended when it ran a second time; None if it ran only once."""
        found = self.document.get("again")
        if not found:
            return None
        failure = Failure(**found["failure"]) if found["failure"] else None
        outcome = Outcome(found["outcome"])
        return SecondRun(outcome, failure, found["same_output"], found["reads"])

    @property
    @abstractmethod
    def processes(self) -> Sequence[Process]:
        """The recorded processes, in the order in which they started."""

    @abstractmethod
    def image(self, process: Process) -> Image:
        """Return the program that a process ran."""

    @abstractmethod
    def thread(self, image: Image, log: ThreadLog, progress: Progress | None = None) -> Thread:
        """Open the log of one thread."""

    def failing_thread(self, processes: Sequence[Process]) -> Thread | None:  # noqa: ARG002
        """Return the thread that made the run fail, if something other than its end shows it."""
        return None

    def may_vary(self) -> bool:
        """May a second run of the same version give other values, such as those of a clock?"""
        return False

    def compare_with(self, again: Recording) -> None:  # noqa: B027 - where runs vary
        """Note which values and outputs differ in a second recorded run of the same version."""

    def printed(self) -> bytes:
        """Return what the run printed on standard output."""
        return (self.folder / "stdout").read_bytes()

    # --- messages ------------------------------------------------------------------------------

    @abstractmethod
    def check(self, max_trace: int) -> None:
        """Raise a UserError with the reason if the recording is not complete."""

    @abstractmethod
    def nothing(self) -> UserError:
        """Return the error that explains why nothing was recorded."""

    @abstractmethod
    def notes(self, files: set[str]) -> list[str]:
        """Return notes about what was not recorded; `files` are the source files that were."""

    def sources_without_recording(self) -> list[str]:
        """Return the sources that could only be compiled without recording."""
        return []

    @abstractmethod
    def ended(self, threads: Sequence[Thread]) -> str:
        """Return how the process of these threads ended, such as "exit status 0"."""


class Sort(NamedTuple):
    """What must be equal for two operations to be the same operation of two versions."""

    opcode: str
    callee: str | None  # None: the operation is no call; "": the callee has no name
    operands: int  # their number; 0 for a named callee: a call may get another argument
    makes_pointer: bool = False  # False for a named callee, too


class Comparable(Enum):
    """How the value of an operation is compared between two runs."""

    PLAIN = "plain"  # by the value itself
    POINTER = "pointer"  # mostly by how it was computed: addresses differ between runs
    WIDE = "wide"  # by how it was computed: structs, wide numbers and memory are known in part


class Branching(NamedTuple):
    """The blocks of a function: the successors of each, and the sets that are one condition.

    A condition of the source, such as `a && b`, may be several blocks.  The block with the lowest
    number is its first.
    """

    following: dict[Block, list[Block]]
    conditions: list[frozenset[Block]]


class Image(ABC):
    """The program of one process: what is known without looking at a run."""

    def __init__(self, process: Process, folder: Path) -> None:
        self.process = process
        self.folder = folder  # of the recording
        self._relevance: list[Relevance] = []  # once it is known

    @property
    @abstractmethod
    def key(self) -> str:
        """A string that identifies the program: images with equal keys are of one program."""

    @property
    @abstractmethod
    def code(self) -> Code: ...

    @property
    @abstractmethod
    def function_names(self) -> list[str]: ...

    @property
    def spoken_names(self) -> list[str]:
        """The names of the functions as the source writes them."""
        return self.function_names

    @property
    @abstractmethod
    def rows(self) -> U32:
        """The source line of each operation; 0 where it is unknown."""

    @property
    @abstractmethod
    def files(self) -> U32:
        """The file of each operation, as an index into `file_names`; NONE where it is unknown."""

    @property
    @abstractmethod
    def file_names(self) -> list[str]:
        """The source files of the program, as users write them."""

    @abstractmethod
    def place(self, op: Op) -> Place | None:
        """Return the place of an operation in the source; None if it is unknown."""

    def nearest_place(self, op: Op) -> Place | None:
        """Return the place nearest to an operation that the compiler gave no line.

        It is that of the next operation of its block, or else of the last one before it, or else
        of the next one of its function: the compiler adds operations where it joins branches, and
        at the start of a function.
        """
        code = self.code
        block = int(code.stretch_block[code.op_stretch[op]])
        stretch = int(code.block_first_stretch[block])
        last = stretch + int(code.block_stretches[block]) - 1
        end = int(code.stretch_first_op[last]) + int(code.stretch_ops[last])
        function = int(code.block_function[block])
        start = int(code.function_first_op[function])
        after = start + int(code.function_ops[function])
        for low, high, at in ((op, end, 0), (start, op, -1), (end, after, 0)):
            known = np.flatnonzero(self.rows[low:high])
            if len(known):
                return self.place(Op(low + int(known[at])))
        return None

    @abstractmethod
    def sort(self, op: Op) -> Sort:
        """Return what a matching operation of another version has in common with `op`."""

    def variable_name(self, op: Op) -> str:  # noqa: ARG002 - where a sort does not say it
        """Return the source's name of what a load or store accesses; empty if it is unknown."""
        return ""

    @abstractmethod
    def compared_as(self, op: Op) -> Comparable:
        """Return how the values of an operation are compared between two runs."""

    @abstractmethod
    def is_plain_call(self, op: Op) -> bool:
        """Is `op` a call that passes nothing but its arguments?"""

    @abstractmethod
    def branching(self, function: int) -> Branching:
        """Return the blocks of a function and its conditions."""

    @abstractmethod
    def _analysed(self) -> Relevance: ...

    @property
    @abstractmethod
    def identity(self) -> str:
        """A string that any other content of the descriptions of the program changes."""

    def relevance(self) -> Relevance:
        """Return which branches could change a run; the analysis is kept in the folder."""
        if not self._relevance:
            self._relevance.append(kept_relevance(self.folder, self.identity, self._analysed))
        return self._relevance[0]

    def share_relevance(self, other: Image) -> None:
        """Use the analysis of another image of the same program, whichever needs it first."""
        self._relevance = other._relevance

    def ops_of_block(self, block: Block) -> Iterator[Op]:
        """Yield the operations of a block, in order."""
        code = self.code
        first = int(code.block_first_stretch[block])
        for stretch in range(first, first + int(code.block_stretches[block])):
            start = int(code.stretch_first_op[stretch])
            yield from map(Op, range(start, start + int(code.stretch_ops[stretch])))

    @cached_property
    def is_outside(self) -> npt.NDArray[np.bool_]:
        """For each function: is all of it in files outside the tree?

        If every function is, then none counts as outside.
        """
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
        """For each function: is it a library's?  A call of one is taken as a single step."""
        return self.is_outside

    def function_of(self, op: Op) -> int:
        """Return the number of the function that contains an operation."""
        return int(np.searchsorted(self.code.function_first_op, np.uint32(op), "right")) - 1


def program_place(process: Process, recording: Recording) -> tuple[str, int]:
    """Return the name of a process's program, and how many processes ran it before."""
    names = [PurePath((*each.arguments, "")[0]).name for each in recording.processes]
    folders = [each.folder for each in recording.processes]
    at = folders.index(process.folder)
    return names[at], names[:at].count(names[at])


class Ending(NamedTuple):
    """How a thread ended: the steps that ended it, a description, and the exit status."""

    criteria: tuple[Step, ...]
    words: str
    status: int | None = None


class Output(NamedTuple):
    """The step that printed a byte, and the point to slice from for that byte."""

    step: Step
    criterion: Step | ByteRange


class Thread(ABC):
    """One thread of a process, opened."""

    def __init__(self, recording: Recording, image: Image, log: ThreadLog, stream: Stream) -> None:
        self.recording, self.image, self.log = recording, image, log
        self.stream = stream
        self.noise: frozenset[int] = frozenset()  # steps with other values in a second run
        self.queries = Queries(stream)

    def last_execution(self, op: Op, step: Step, within: int | None = None) -> Step | None:
        """Return the last step up to `step`, in the same activation, that executed `op`.

        With `within`, the search stops after that many instances of the activation.
        """
        queries = self.queries
        stretch = Stretch(int(self.image.code.op_stretch[op]))
        instance = queries.instance_of(step)
        if int(self.stream.stretch[instance]) == stretch:
            found = queries.step_of(instance, op)
            if found is not None and found <= step:
                return found
        before = queries.last_before(stretch, instance, within)
        return None if before is None else queries.step_of(before, op)

    def in_tree(self, step: Step) -> Step:
        """Return the step, or the call of library code that led to it from the program's tree."""
        library, at = self.image.is_library, step
        while library[self.image.function_of(self.queries.op_of(at))]:
            activation = self.queries.activation_of(at)
            call = int(self.stream.activations["call"][activation]) if activation else 0
            if not call:
                return step
            at = Step(call)
        return at

    def line_at(self, step: Step) -> str:
        """Return FILE:LINE of a step."""
        place = self.image.place(self.queries.op_of(step))
        return f"{place.file}:{place.line}" if place else "an unknown line"

    def printed(self, byte: int) -> Output | None:
        """Return what printed a byte of standard output; None if this thread did not."""
        effects = self.stream.effects
        for row in self._outputs()[::-1].tolist():
            start = int(effects["offset"][row])
            if start <= byte < start + int(effects["len"][row]):
                inside = byte - start
                step = Step(int(effects["step"][row]))
                return Output(step, ByteRange(row, inside, inside + 1))
        return None

    def printed_size(self) -> int:
        """Return how many bytes the thread printed on standard output, as far as is known."""
        return int(self.stream.effects["len"][self._outputs()].sum())

    def output_text(self, row: int) -> bytes | None:  # noqa: ARG002 - where the log has it
        """Return the bytes that a row of `effects` put out; None if they are not known."""
        return None

    def source_name(self, row: int) -> str:  # noqa: ARG002 - where there are such rows
        """Return the name in a row of `effects` that announces a source."""
        return ""

    def _outputs(self) -> npt.NDArray[np.intp]:
        """Return the rows of `effects` that are output on standard output."""
        effects = self.stream.effects
        sources = effects[(effects["kind"] == SOURCE) & (effects["arg"] == STDOUT)]
        own = np.isin(effects["source"], np.unique(sources["source"]))
        return np.flatnonzero((effects["kind"] == OUTPUT) & own)

    def is_closing(self, file: str, line: int) -> bool:  # noqa: ARG002 - where there are such lines
        """Does the line only close what lines above it opened, as a brace does?"""
        return False

    @property
    @abstractmethod
    def is_whole(self) -> bool:
        """Is the log complete and was all of it read?"""

    @property
    @abstractmethod
    def stop_op(self) -> Op | None:
        """The operation that did not complete, because it crashed; None if all completed."""

    @property
    @abstractmethod
    def events(self) -> int:
        """The number of logged events."""

    @abstractmethod
    def ending(self, how: str) -> Ending | None:
        """Return how the thread ended if it ended so: by "crash", "assert" or "exit"."""

    @abstractmethod
    def criteria(self, steps: Sequence[Step], line: int, variable: str) -> tuple[Step, ...]:
        """Return the definers of a variable's value after `line`; `steps` executed that line."""

    @abstractmethod
    def inputs(self, steps: U32 | None = None) -> tuple[InputRange, ...]:
        """Return the input bytes that the thread read, or that these steps of it read.

        Without steps, all arguments count, and variables and literals do not.
        """

    @abstractmethod
    def reading_notes(self) -> tuple[str, ...]:
        """Return notes about a trace that is not complete."""

    @abstractmethod
    def notes(self) -> list[str]:
        """Return notes about how the thread was recorded."""
