"""What is known about a cause tree so far, in a form for all reports?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whence.causes.proof import MAX_STEPS
from whence.causes.tree import CauseSearch
from whence.model import Cause, Failure, WhyResult
from whence.trace.recording import Recording
from whence.trace.slice_at import lines_that_ran

_MAX_LISTED = 5  # sources that a note names; guessed


def result_of(
    tree: CauseSearch,
    *,
    seconds: dict[str, float],
    notes: Sequence[str] = (),
    is_output: bool = False,
) -> WhyResult:
    """Return the causes computed so far; `is_output`: the output of the run is explained."""
    thread, observed = tree.thread, tree.failure
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
            observed.words,
            observed.words,
            first.file or None,
            first.line or None,
        ),
        point=observed.words,
        causes=causes,
        marks={cause.id: tree.marks[cause.id] for cause in causes if cause.id in tree.marks},
        sources={file: tuple(lines) for file in sorted(files) if (lines := tree.source(file))},
        of_steps=thread.stream.steps,
        of_lines=lines_that_ran(thread),
        solver_calls=tree.solver_cost.calls,
        events=thread.events,
        seconds=seconds,
        notes=(
            *observed.notes,
            *unseen_sources(thread.recording),
            *_unproved(causes),
            *_cut(causes),
            *notes,
        ),
    )


def unseen_sources(recording: Recording) -> list[str]:
    """Return a note if the causes may be incomplete because sources were not recorded."""
    sources = recording.sources_without_recording()
    if not sources:
        return []
    listed = ", ".join(sources[:_MAX_LISTED]) + " …" * (len(sources) > _MAX_LISTED)
    return [f"Not recorded: {listed}. What these sources do is only guessed."]


def _reached(tree: CauseSearch) -> tuple[Cause, ...]:
    """Return the causes that can be reached; a stopped computation leaves some without a parent."""
    causes = [tree.cause(number) for number in range(len(tree))]
    known = {0}
    for cause in causes:  # a cause comes before those below it
        if cause.id in known:
            known.update(cause.children or ())
    return tuple(cause for cause in causes if cause.id in known)


def _unproved(causes: Sequence[Cause]) -> Iterator[str]:
    """Yield a note if the solver gave up on some causes."""
    count = sum(not cause.is_proved for cause in causes)
    if count:
        which = "1 cause is" if count == 1 else f"{count} causes are"
        yield f"{which} not proved: the solver gave up, so some statements may be unnecessary"


def _cut(causes: Sequence[Cause]) -> Iterator[str]:
    """Yield a note if the proofs of some causes were too long."""
    count = sum(cause.is_cut for cause in causes)
    if count:
        which = "1 cause is" if count == 1 else f"{count} causes are"
        yield f"{which} cut: more than {MAX_STEPS:,} steps led to it, and only some are shown"


def unexplained(
    recording: Recording,
    reason: str,
    *,
    seconds: dict[str, float],
    notes: Sequence[str] = (),
    is_output: bool = False,
) -> WhyResult:
    """Return a result that says why the failure of a recorded run has no cause."""
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
