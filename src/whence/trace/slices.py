"""What does a point of a recorded run depend on?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.frontend.c.tables import NONE
from whence.model import SliceResult
from whence.trace.inputs import inputs_of
from whence.trace.points import Point, find, reading_notes
from whence.trace.recording import Image, Recording
from whence.trace.relevance import relevance
from whence.trace.slicing import slice_
from whence.trace.statements import Narrator, Steps

MOST_EXECUTIONS = 10_000  # that are told one by one


def slice_at(
    recording: Recording,
    at: str,
    *,
    relevant: bool = False,
    trust: Sequence[str] = (),
    process: str | None = None,
    in_order: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> SliceResult:
    """Return the slice of a recorded run from the point that `at` names."""
    say("opening the trace")
    point = find(recording, at, process)
    started = time.monotonic()
    say("following dependences")
    steps = steps_of(point, relevant=relevant, trust=trust)
    seconds = time.monotonic() - started
    say("writing it down")
    return _told(point, steps, relevant, seconds, in_order)


def steps_of(point: Point, *, relevant: bool = False, trust: Sequence[str] = ()) -> Steps:
    thread = point.thread
    extra = relevance(thread.image) if relevant else None
    return slice_(
        thread.stream,
        point.criteria,
        potential=extra.potential if extra else None,
        guards=extra.guards if extra else None,
        trusted=_trusted(thread.image, trust) if trust else None,
    )


def _trusted(image: Image, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    known = image.function_names
    spoken = [
        source.names.function_name(name)
        for source in image.modules
        for name in source.description_function_names
    ]
    for name in names:
        if name not in known and name not in spoken:
            raise UserError(
                f"--trust {name}: the recorded program has no such function.\n"
                "Name a function as the source does.",
                slug="no-such-function",
            )
    wanted = set(names)
    pairs = zip(known, spoken, strict=True)
    return np.array([bool({one, other} & wanted) for one, other in pairs], bool)


def _told(
    point: Point, steps: Steps, relevant: bool, seconds: float, in_order: bool
) -> SliceResult:  # fmt: skip
    thread = point.thread
    narrator = Narrator(thread)
    order = tuple(narrator.executions(steps, MOST_EXECUTIONS)) if in_order else ()
    notes = [*point.notes, *reading_notes(thread)]
    if len(order) == MOST_EXECUTIONS:
        notes.append(f"only the first {MOST_EXECUTIONS} executions are listed")
    return SliceResult(
        point=point.words,
        statements=tuple(narrator.lines(steps)),
        order=order,
        steps=len(steps),
        of_steps=thread.stream.steps,
        of_lines=lines_that_ran(point),
        inputs=inputs_of(thread, steps),
        relevant=relevant,
        seconds=seconds,
        notes=tuple(notes),
    )


def lines_that_ran(point: Point) -> int:
    """How many source lines the thread executed."""
    image, stream = point.thread.image, point.thread.stream
    stretches = np.unique(stream.stretch)
    ran = np.isin(image.code.op_stretch, stretches)
    keys = image.files[ran].astype(np.uint64) << np.uint64(32) | image.rows[ran]
    return len(np.unique(keys[(image.files[ran] != NONE) & (image.rows[ran] != 0)]))
