"""Did a step of the failing run come about in a rerun that went another way?

The rerun is recorded, and aligned with the failing run: the counterpart of the step is the
execution with the same execution index.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whence.causes.comparison import Comparison
from whence.errors import UserError
from whence.explain.recorder import counterpart
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import open_recording
from whence.program.ids import Step
from whence.subject.scratch import scratch_folder
from whence.trace.alignment import Alignment
from whence.trace.rerunning import Alteration, Came, StepRerunner
from whence.trace.summary import summarise


def came_about(
    rerunner: StepRerunner,
    alterations: Sequence[Alteration],
    step: Step,
    tree: Path,
    *,
    is_side: bool,
) -> Came:
    """Run the test with alterations, recorded, and find out what became of a step.

    `is_side`: of a branch, only the way that it went matters.  The branch of a Python loop also
    gives an item, which may be another one although the loop goes on.
    """
    failing = rerunner.failing
    with scratch_folder() as scratch:
        out = scratch / "trace"
        out.mkdir()
        try:
            ended = rerunner.rerun(alterations, record_into=out)
            if ended.missed >= len(alterations) > 0:
                return Came.UNKNOWN  # nothing was altered in the run that was recorded
            summarise(open_recording(out), tree, max_trace=DEFAULT_MAX_TRACE)
            altered = counterpart(failing.thread, open_recording(out))
        except UserError:  # nothing was recorded
            return Came.UNKNOWN
        if altered is None:
            return Came.UNKNOWN
        comparison = Comparison(Alignment(failing, altered))
        if comparison.counterpart(step) is None:
            return Came.NOT
        if is_side:
            return Came.OTHER if comparison.side_differs(step) else Came.SAME
        return Came.SAME if comparison.is_same(step) else Came.OTHER
