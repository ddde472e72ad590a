"""Which step of another run corresponds to a step of this one?

Two steps correspond if their structural execution indexes do: the same op (`pairing`), decided by
branches and calls that correspond, and as many such before it.  A branch that only one version
has does not count: what it decided is taken as decided by what decided about the branch.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable

from whence.trace.flow import Flow
from whence.trace.pairing import Pairing, Version

Twins = Callable[[int], int | None]


class _Run:
    """One of the two runs: its steps by op and by what decided about them."""

    def __init__(self, flow: Flow, twin: Twins) -> None:
        self.flow = flow
        self._twin = twin  # of an op
        self._control = flow.control
        self._groups: dict[int, dict[int, list[int]]] = {}
        self._has_twin: dict[int, bool] = {}

    def region(self, step: int) -> int:
        """The branch or call, which the other version has as well, that decided about a step."""
        decider = self._control[self.flow.instance_of(step)]
        while decider and not self._is_paired(self.flow.op_of(decider)):
            decider = self._control[self.flow.instance_of(decider)]
        return decider

    def _is_paired(self, op: int) -> bool:
        found = self._has_twin.get(op)
        if found is None:
            found = self._has_twin[op] = self._twin(op) is not None
        return found

    def rank(self, step: int, region: int) -> int:
        """How many steps of the same op that the same step decided come before it."""
        return bisect_left(self.group(self.flow.op_of(step)).get(region, []), step)

    def at(self, op: int, region: int, rank: int) -> int | None:
        steps = self.group(op).get(region, [])
        return steps[rank] if rank < len(steps) else None

    def group(self, op: int) -> dict[int, list[int]]:
        """The steps of an op, by the step that decided about them."""
        found = self._groups.get(op)
        if found is None:
            found = defaultdict(list)
            for step in self.flow.executions(op).tolist():
                found[self.region(step)].append(step)
            self._groups[op] = dict(found)
        return found


class Alignment:
    """The steps of two runs that correspond."""

    def __init__(self, here: Flow, there: Flow) -> None:
        self.here, self.there = here, there
        self.pairing = Pairing(
            Version(here.thread.image, here.thread.recording.lines),
            Version(there.thread.image, there.thread.recording.lines),
        )
        self._ours = _Run(here, self.pairing.op)
        self._theirs = _Run(there, self.pairing.back)
        self._forth: dict[int, int | None] = {}
        self._back: dict[int, int | None] = {}

    def twin(self, step: int) -> int | None:
        """The step there that corresponds to a step here."""
        return _corresponding(step, self._ours, self._theirs, self.pairing.op, self._forth)

    def back(self, step: int) -> int | None:
        """The step here that corresponds to a step there."""
        return _corresponding(step, self._theirs, self._ours, self.pairing.back, self._back)

    def region(self, step: int) -> int:
        """What decided about a step here, of what both versions have; 0: nothing."""
        return self._ours.region(step)

    def region_there(self, step: int) -> int:
        return self._theirs.region(step)


def _corresponding(
    step: int, own: _Run, other: _Run, twin: Twins, known: dict[int, int | None]
) -> int | None:
    chain = []
    at = step
    while at and at not in known:  # outwards, until something is known
        chain.append(at)
        at = own.region(at)
    above = known[at] if at else 0
    for at in reversed(chain):
        op = twin(own.flow.op_of(at))
        region = own.region(at)
        above = None if op is None or above is None else other.at(op, above, own.rank(at, region))
        known[at] = above
    return known[step]
