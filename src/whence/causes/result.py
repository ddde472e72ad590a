"""What is known of a cause tree so far, for every report alike?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whence.causes.tree import CauseSearch
from whence.model import Cause, Failure, WhyResult
from whence.trace.recording import Recording
from whence.trace.slice_at import lines_that_ran


def result_of(
    tree: CauseSearch,
    *,
    seconds: dict[str, float],
    notes: Sequence[str] = (),
    is_output: bool = False,
) -> WhyResult:
    """The causes computed so far; `is_output`: what is explained is what the run printed."""
    thread, found = tree.thread, tree.found
    causes = _reached(tree)
    files = {cause.predicate.file for cause in causes}
    files |= {statement.file for cause in causes for statement in cause.statements}
    first = causes[0].predicate
    failure = None if is_output else thread.recording.failure
    return WhyResult(
        status="explained",
        reason=None,
        failure=failure
        or Failure(
            "output" if is_output else "exit",
            found.words,
            found.words,
            first.file or None,
            first.line or None,
        ),
        point=found.words,
        causes=causes,
        marks={cause.id: tree.marks[cause.id] for cause in causes if cause.id in tree.marks},
        sources={file: tuple(lines) for file in sorted(files) if (lines := tree.source(file))},
        of_steps=thread.stream.steps,
        of_lines=lines_that_ran(thread),
        solver_calls=tree.preconditions.cost.calls,
        events=thread.events,
        seconds=seconds,
        notes=(*found.notes, *_unproved(causes), *notes),
    )


def _reached(tree: CauseSearch) -> tuple[Cause, ...]:
    """All that can be walked to: where a computation was stopped, some causes are nobody's yet."""
    causes = [tree.cause(number) for number in range(len(tree))]
    known = {0}
    for cause in causes:  # a cause comes before those below it
        if cause.id in known:
            known.update(cause.children or ())
    return tuple(cause for cause in causes if cause.id in known)


def _unproved(causes: Sequence[Cause]) -> Iterator[str]:
    """What a solver that gave up leaves in doubt."""
    count = sum(not cause.is_proved for cause in causes)
    if count:
        which = "1 cause is" if count == 1 else f"{count} causes are"
        yield f"{which} not proved: the solver gave up, so there may be statements in excess"


def unexplained(
    recording: Recording,
    reason: str,
    *,
    seconds: dict[str, float],
    notes: Sequence[str] = (),
    is_output: bool = False,
) -> WhyResult:
    """That the failure of a recorded run has no cause in what was recorded."""
    wrong = Failure("output", "the test does not print what is expected", "output")
    unclear = Failure("exit", "the test could not be judged", "")
    failure = wrong if is_output else recording.failure or unclear
    return WhyResult(
        status="unexplained",
        reason=reason,
        failure=failure,
        point=failure.message,
        causes=(),
        marks={},
        sources={},
        of_steps=0,
        of_lines=0,
        solver_calls=0,
        events=0,
        seconds=seconds,
        notes=tuple(notes),
    )
