"""What came into a recorded run from outside, and how much of it do some steps depend on?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whence.frontend.c.tables import OpCode
from whence.program.rows import ARGV, COPY, ENV, INPUT, OUTPUT, READ, SOURCE
from whence.trace.c.replayed import ReplayedLog

MOST_STEPS = 100_000  # whose addresses are looked at one by one
KINDS = ("descriptor", "file", "stdin", "stdout", "stderr", "argv", "environment", "pipe")

Steps = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class InputSource:
    """A file, a terminal, a pipe: what bytes come from or go to."""

    number: int
    kind: str
    name: str


def sources(thread: ReplayedLog) -> dict[int, InputSource]:
    """The sources that a thread used, by number."""
    effects = thread.stream.effects
    found = {}
    for row in effects[effects["kind"] == SOURCE]:
        start, length = int(row["offset"]), int(row["len"])
        name = bytes(thread.replay.stream.data[start : start + length])
        kind = KINDS[min(max(int(row["arg"]), 0), len(KINDS) - 1)]
        number = int(row["source"])
        found[number] = InputSource(number, kind, name.decode("utf-8", "replace"))
    return found


def inputs_of(thread: ReplayedLog, steps: Steps | None = None) -> tuple[str, ...]:
    """Which inputs the thread read, or only these steps of it, in words."""
    effects = thread.stream.effects
    read = effects[effects["kind"] == INPUT]
    if steps is not None:
        read = read[np.isin(read["step"], steps)]
    known = sources(thread)
    said = [] if steps is None else _words_given(thread, steps)
    for number in np.unique(read["source"]).tolist():
        rows = read[read["source"] == number]
        source = known.get(number)
        name = source.name if source else f"descriptor {number}"
        first, end = int(rows["offset"].min()), int((rows["offset"] + rows["len"]).max())
        said.append(f"{name} (bytes {first} to {end - 1})" if end > first else f"{name} (its end)")
    return tuple(said)


def _words_given(thread: ReplayedLog, steps: Steps) -> list[str]:
    """The arguments and environment variables that steps read."""
    effects = thread.stream.effects
    given = effects[np.isin(effects["kind"], [ARGV, ENV])]
    reading = effects[np.isin(effects["kind"], [READ, COPY, OUTPUT])]
    reading = reading[np.isin(reading["step"], steps)]
    start = np.where(reading["kind"] == COPY, reading["addr2"], reading["addr"])
    loaded = _loaded_from(thread, steps)
    start = np.concatenate([start, loaded])
    end = start + np.concatenate([reading["len"], np.ones(len(loaded), np.uint64)])
    found = []
    for row in given:
        first, length = int(row["addr"]), int(row["len"])
        if bool(((start < first + length) & (end > first)).any()):
            number = int(row["source"])
            found.append(_argument(number) if row["kind"] == ARGV else _variable(thread, number))
    return found


def _loaded_from(thread: ReplayedLog, steps: Steps) -> npt.NDArray[np.uint64]:
    """The addresses that steps loaded from; of many steps, none: it would take too long."""
    if not len(steps) or len(steps) > MOST_STEPS or int(steps[-1] - steps[0]) > 100 * MOST_STEPS:
        return np.zeros(0, np.uint64)
    window = thread.replay.window(int(steps[0]), int(steps[-1]) + 1)
    stream, code = thread.stream, thread.image.code
    instances = np.searchsorted(stream.first, steps, side="right") - 1
    ops = code.stretch_first_op[stream.stretch[instances]] + steps - stream.first[instances]
    loads = thread.image.program.ops["code"][ops] == OpCode.LOAD
    return np.asarray(window.address[steps[loads] - steps[0]], np.uint64)


def _argument(number: int) -> str:
    return f"argument {number}" if number else "the name it was called by"


def _variable(thread: ReplayedLog, number: int) -> str:
    names = [fact.partition("=")[0] for fact in thread.image.process.facts.get("env", [])]
    kept = [name for name in names if not name.startswith("WHENCE_")]
    return f"${kept[number]}" if number < len(kept) else "an environment variable"
