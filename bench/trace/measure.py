"""What does a run cost?  Wall time, processor time and memory of a process, best of several."""

from __future__ import annotations

import math
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, and the largest resident size."""

    wall: float
    user: float
    system: float
    peak: int  # bytes

    @property
    def cpu(self) -> float:
        return self.user + self.system


@dataclass(frozen=True, slots=True)
class Ended:
    cost: Cost
    status: int
    output: bytes


def run(
    command: Sequence[str], stdin: Path, output: Path, env: Mapping[str, str] | None = None
) -> Ended:
    """Run a command to its end; write its standard output to the file `output`."""
    with stdin.open("rb") as given, output.open("wb") as taken:
        started = time.monotonic()
        process = subprocess.Popen(
            command, stdin=given, stdout=taken, env={**os.environ, **(env or {})}
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    cost = Cost(wall, used.ru_utime, used.ru_stime, used.ru_maxrss * 1024)
    return Ended(cost, process.returncode, output.read_bytes())


def added(costs: Sequence[Cost]) -> Cost:
    """Return the total cost of several runs."""
    return Cost(
        sum(cost.wall for cost in costs),
        sum(cost.user for cost in costs),
        sum(cost.system for cost in costs),
        max(cost.peak for cost in costs),
    )


def best(costs: Sequence[Cost]) -> Cost:
    """Return the least of each cost: anything above it comes from other load on the machine."""
    least = min(costs, key=lambda cost: cost.cpu)
    return Cost(
        min(cost.wall for cost in costs),
        least.user,
        least.system,
        min(cost.peak for cost in costs),
    )


def times_for(seconds: float, one: float) -> int:
    """Return how many runs in a row take at least `seconds`, if one takes `one`."""
    return max(1, math.ceil(seconds / one))


def interleaved(
    first: Callable[[], Cost], second: Callable[[], Cost], rounds: int, times: int
) -> tuple[Cost, Cost]:
    """Return the best round of each, measured in turns, so that other load affects both."""
    found: tuple[list[Cost], list[Cost]] = ([], [])
    for _ in range(rounds):
        for costs, measured in zip(found, (first, second), strict=True):
            costs.append(added([measured() for _ in range(times)]))
    return best(found[0]), best(found[1])
