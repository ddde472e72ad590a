"""How do the steps of a Python run become the columns that `trace` reads?"""

from __future__ import annotations

import numpy as np

from whence.program.rows import ACTIVATION, EFFECT, OUTPUT, RUN, WRITTEN
from whence.trace.columns import LINK, Code, Stream
from whence.trace.python.replayed_run import ReplayedRun


def stream_of(run: ReplayedRun, code: Code) -> Stream:
    """Return the columns of a replayed run."""
    first = np.array(run.first, np.uint32)
    stretch = np.array(run.stretch, np.uint32)
    counts = code.stretch_links[stretch].astype(np.int64)
    before = np.concatenate([[0], np.cumsum(counts)])
    linked = _linked(code, stretch, first, run.steps).tolist()
    return Stream(
        code=code,
        steps=run.steps,
        stretch=stretch,
        first=first,
        activation=np.array(run.activation, np.uint32),
        control=np.array(run.control, np.uint32),
        links=np.array([run.source.get(step, 0) for step in linked], np.uint32),
        linkbase=before[:-1][::64].astype(np.uint64),
        instmap=_instances(first, run.steps),
        mixed=np.zeros(0, np.uint32),
        runs=np.zeros(0, RUN),
        activations=np.array([row.as_tuple() for row in run.activations], ACTIVATION),
        effects=_prints(run),
        writes=np.zeros(0, WRITTEN),
        copied=np.zeros(0, WRITTEN),
    )


def _prints(run: ReplayedRun) -> np.ndarray:
    """Return a row of output for each step that printed; its length is unknown."""
    rows = np.zeros(len(run.prints), EFFECT)
    rows["step"], rows["kind"], rows["arg"] = run.prints, OUTPUT, -1
    return rows


def _linked(code: Code, stretch: np.ndarray, first: np.ndarray, steps: int) -> np.ndarray:
    """Return the steps of operations that have a link."""
    counts = np.diff(np.append(first.astype(np.int64), steps + 1))
    starts = code.stretch_first_op[stretch].astype(np.int64) - first
    ops = np.repeat(starts, counts) + np.arange(1, steps + 1)
    return np.flatnonzero(code.flags[ops] & LINK) + 1


def _instances(first: np.ndarray, steps: int) -> np.ndarray:
    """Return the instance of every 64th step."""
    at = np.arange(0, steps + 64, 64, dtype=np.uint32)
    return np.maximum(np.searchsorted(first, at, "right").astype(np.int64) - 1, 0).astype(np.uint32)
