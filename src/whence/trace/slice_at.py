"""What does a point of a recorded run depend on?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.model import SliceResult, Statement
from whence.trace.analysis import ThreadAnalysis
from whence.trace.columns import NONE
from whence.trace.points import Point, find
from whence.trace.recording import Image, Recording, Thread
from whence.trace.statements import StepDescriber, Steps

MAX_EXECUTIONS = 10_000  # limit on executions that are listed one by one; guessed
NEAREST = 200  # number of lines, or executions, in a short report; guessed


def slice_at(
    recording: Recording,
    at: str,
    analysis: ThreadAnalysis,
    *,
    relevant: bool = False,
    trust: Sequence[str] = (),
    process: str | None = None,
    in_order: bool = False,
    everything: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> SliceResult:
    """Return the slice of a recorded run from the point that `at` names.

    Unless `everything`, it holds only the lines nearest to the point.
    """
    say("opening the trace")
    point = find(recording, at, process)
    started = time.monotonic()
    say("following dependences")
    steps = steps_of(point, analysis, relevant=relevant, trust=trust)
    seconds = time.monotonic() - started
    say("writing it down")
    describer = analysis.describer(point.thread)
    return _result(point, describer, steps, relevant, seconds, in_order, everything)


def steps_of(
    point: Point, analysis: ThreadAnalysis, *, relevant: bool = False, trust: Sequence[str] = ()
) -> Steps:
    """Return the steps of the slice from a point, in order."""
    thread = point.thread
    return analysis.slice(
        thread,
        point.criteria,
        thread.image.relevance() if relevant else None,
        trusted_functions(thread.image, trust) if trust else None,
    )


def trusted_functions(image: Image, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return for each function whether it is one of `names`, which may be as in the source."""
    known, spoken = image.function_names, image.spoken_names
    for name in names:
        if name not in known and name not in spoken:
            raise UserError(
                f"--trust {name}: the recorded program has no such function.\n"
                "Name a function as the source does.",
                slug="no-such-function",
            )
    wanted = set(names)
    pairs = zip(known, spoken, strict=True)
    return np.array([bool({name, spoken_name} & wanted) for name, spoken_name in pairs], bool)


def _result(
    point: Point,
    describer: StepDescriber,
    steps: Steps,
    relevant: bool,
    seconds: float,
    in_order: bool,
    everything: bool,
) -> SliceResult:
    thread = point.thread
    lines = describer.lines(steps)
    near = [line for line in lines if not line.is_outside] or lines
    notes = [*point.notes, *thread.reading_notes()]
    order: list[Statement] = []
    if in_order:
        limit = MAX_EXECUTIONS if everything else NEAREST
        order, omitted = describer.executions(steps, limit)
        if omitted:
            notes.append(
                f"only the last {limit:,} executions are listed; {omitted:,} earlier ones are not"
            )
    return SliceResult(
        point=point.words,
        statements=tuple(describer.describe_lines(lines if everything else near[:NEAREST], steps)),
        order=tuple(order),
        lines=len(lines),
        near=frozenset((line.file, line.number) for line in near[:NEAREST]),
        steps=len(steps),
        of_steps=thread.stream.steps,
        of_lines=lines_that_ran(thread),
        inputs=thread.inputs(steps),
        relevant=relevant,
        seconds=seconds,
        notes=tuple(notes),
    )


def lines_that_ran(thread: Thread) -> int:
    """Return the number of source lines that the thread executed."""
    return sum(map(len, executed_lines(thread).values()))


def executed_lines(thread: Thread) -> dict[str, list[int]]:
    """Return the source lines that the thread executed, by file."""
    return {file: list(counts) for file, counts in line_counts(thread).items()}


def line_counts(thread: Thread) -> dict[str, dict[int, int]]:
    """Return how often the thread executed each line that it executed, by file.

    That is how often the most executed operation of the line ran.
    """
    image, stretches = thread.image, thread.image.code.op_stretch
    counts = thread.stream.instance_counts()[np.where(stretches != NONE, stretches, 0)]
    ran = (stretches != NONE) & (counts > 0) & (image.files != NONE) & (image.rows != 0)
    keys = image.files[ran].astype(np.uint64) << np.uint64(32) | image.rows[ran]
    own, at = np.unique(keys, return_inverse=True)
    most = np.zeros(len(own), np.int64)
    np.maximum.at(most, at, counts[ran])
    found: dict[str, dict[int, int]] = {}
    for key, count in zip(own.tolist(), most.tolist(), strict=True):
        found.setdefault(image.file_names[key >> 32], {})[key & 0xFFFFFFFF] = count
    return found
