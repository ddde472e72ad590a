"""Which branches lead to uses of what changed code has set?

A value that changed code sets may not be used in the run (thesis, PropNouse).  The alias analysis
says which operations may read it.
"""

from __future__ import annotations

import numpy as np

from whence.augment.distance import Distances
from whence.augment.seen_runs import SeenRun
from whence.program.ids import Op, Step


def use_distances(seen: SeenRun) -> dict[Step, int]:
    """Return for steps of conditions how far the other side is from a use."""
    readers = _readers(seen)
    if not readers:
        return {}
    found = seen.turned(Distances(seen.calls, readers))
    return {seen.conditions[turned.number].step: turned.distance for turned in found}


def _readers(seen: SeenRun) -> list[Op]:
    """Return the operations outside the changed code that may read what it writes."""
    relevance = seen.flow.thread.image.relevance()
    is_changed = np.isin(relevance.writers, sorted(seen.targets))
    counts = np.concatenate(([0], np.cumsum(is_changed)))
    starts = relevance.writers_start.astype(np.int64)
    groups = np.flatnonzero(counts[starts[1:]] - counts[starts[:-1]])
    ops = np.flatnonzero(np.isin(relevance.writers_of_op, groups))
    return [Op(op) for op in ops.tolist() if op not in seen.targets]
