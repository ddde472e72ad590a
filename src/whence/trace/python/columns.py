"""The steps of a Python run as the columns that `trace` reads."""

from __future__ import annotations

import numpy as np

from whence.program.rows import ACTIVATION, EFFECT, MIXED, OUTPUT, RUN, WRITTEN
from whence.trace.columns import LINK, Code, Stream
from whence.trace.python.replayed_run import ReplayedRun


def stream_of(found: ReplayedRun, code: Code, reads: dict[int, list[int]] | None = None) -> Stream:
    """`reads`: what steps read beside the one step whose value they took over."""
    first = np.array(found.first, np.uint32)
    stretch = np.array(found.stretch, np.uint32)
    counts = code.stretch_links[stretch].astype(np.int64)
    before = np.concatenate([[0], np.cumsum(counts)])
    runs: list[tuple[int, int, int]] = []
    mixed: list[int] = []
    links = []
    for step in _linked(code, stretch, first, found.steps).tolist():
        made = [found.source.get(step, 0), *((reads or {}).get(step, ()))]
        made = [one for one in dict.fromkeys(made) if one]
        if len(made) < 2:
            links.append(made[0] if made else 0)
            continue
        links.append(MIXED + len(mixed) // 2)
        mixed += [len(runs), len(made)]
        runs += [(at, 1, one) for at, one in enumerate(made)]
    return Stream(
        code=code,
        steps=found.steps,
        stretch=stretch,
        first=first,
        activation=np.array(found.activation, np.uint32),
        control=np.array(found.control, np.uint32),
        links=np.array(links, np.uint32),
        linkbase=before[:-1][::64].astype(np.uint64),
        instmap=_instances(first, found.steps),
        mixed=np.array(mixed, np.uint32),
        runs=np.array(runs, RUN),
        activations=np.array([row.as_tuple() for row in found.activations], ACTIVATION),
        effects=_prints(found),
        writes=np.zeros(0, WRITTEN),
        copied=np.zeros(0, WRITTEN),
    )


def _prints(found: ReplayedRun) -> np.ndarray:
    """A row of output for each step that printed; how much it was is not known."""
    rows = np.zeros(len(found.prints), EFFECT)
    rows["step"], rows["kind"], rows["arg"] = found.prints, OUTPUT, -1
    return rows


def _linked(code: Code, stretch: np.ndarray, first: np.ndarray, steps: int) -> np.ndarray:
    """The steps that have a link."""
    counts = np.diff(np.append(first.astype(np.int64), steps + 1))
    starts = code.stretch_first_op[stretch].astype(np.int64) - first
    ops = np.repeat(starts, counts) + np.arange(1, steps + 1)
    return np.flatnonzero(code.flags[ops] & LINK) + 1


def _instances(first: np.ndarray, steps: int) -> np.ndarray:
    """For each 64 steps, the instance that the first of them lies in."""
    at = np.arange(0, steps + 64, 64, dtype=np.uint32)
    return np.maximum(np.searchsorted(first, at, "right").astype(np.int64) - 1, 0).astype(np.uint32)
