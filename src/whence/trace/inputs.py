"""What came into a recorded run from outside, and how much of it do some steps depend on?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whence.trace.columns import INPUT
from whence.trace.recording import Thread

SOURCE, ARGV, ENV = 8, 10, 11  # kinds of effects
KINDS = ("descriptor", "file", "stdin", "stdout", "stderr", "argv", "environment", "pipe")


@dataclass(frozen=True, slots=True)
class Source:
    """A file, a terminal, a pipe: what bytes come from or go to."""

    number: int
    kind: str
    name: str


def sources(thread: Thread) -> dict[int, Source]:
    """The sources that a thread used, by number."""
    effects = thread.stream.effects
    found = {}
    for row in effects[effects["kind"] == SOURCE]:
        start, length = int(row["offset"]), int(row["len"])
        name = bytes(thread.replay.stream.data[start : start + length])
        kind = KINDS[min(max(int(row["arg"]), 0), len(KINDS) - 1)]
        number = int(row["source"])
        found[number] = Source(number, kind, name.decode("utf-8", "replace"))
    return found


def inputs_of(thread: Thread, steps: npt.NDArray[np.uint32] | None = None) -> tuple[str, ...]:
    """Which inputs the thread read, or only these steps of it, in words."""
    effects = thread.stream.effects
    read = effects[effects["kind"] == INPUT]
    if steps is not None:
        read = read[np.isin(read["step"], steps)]
    known = sources(thread)
    said = []
    for number in np.unique(read["source"]).tolist():
        rows = read[read["source"] == number]
        source = known.get(number)
        name = source.name if source else f"descriptor {number}"
        first, end = int(rows["offset"].min()), int((rows["offset"] + rows["len"]).max())
        said.append(f"{name} (bytes {first} to {end - 1})" if end > first else f"{name} (its end)")
    return tuple(said)
