"""How do the steps of a Python run become the columns that `trace` reads?"""

from __future__ import annotations

import numpy as np

from whence.program.rows import EFFECT, OUTPUT, RUN, WRITTEN
from whence.trace.columns import Code, Stream
from whence.trace.python.replayed_run import ReplayedRun


def stream_of(run: ReplayedRun, code: Code) -> Stream:
    """Return the columns of a replayed run."""
    columns = run.columns
    return Stream(
        code=code,
        steps=run.steps,
        stretch=columns["stretch"],
        first=columns["first"],
        activation=columns["activation"],
        control=columns["control"],
        links=np.zeros(0, np.uint32),  # `ReplayedRun.source` has them
        linkbase=np.zeros(0, np.uint64),
        instmap=columns["instmap"],
        activations=columns["activations"],
        mixed=np.zeros(0, np.uint32),
        runs=np.zeros(0, RUN),
        effects=_prints(run),
        writes=np.zeros(0, WRITTEN),
        copied=np.zeros(0, WRITTEN),
    )


def _prints(run: ReplayedRun) -> np.ndarray:
    """Return a row of output for each step that printed; its length is unknown."""
    rows = np.zeros(len(run.prints), EFFECT)
    rows["step"], rows["kind"], rows["arg"] = run.prints, OUTPUT, -1
    return rows
