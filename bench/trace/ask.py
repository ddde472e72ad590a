"""Ask a trace in a process of its own, and print what the question cost as JSON.

ask.py open TRACE TREE      open every thread, and print what was recorded
ask.py slice TRACE BYTE     the data+control slice of a byte of the output
ask.py relevant TRACE BYTE  the relevant slice of it
ask.py cause TRACE _        the causes of the failure, down to level 1
ask.py near TRACE _         the data+control slice of the failure
ask.py check TRACE          compare every value that a check build logged
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from whence.frontend.c.replay import Status
from whence.frontend.c.tables import OpCode, OpFlag
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import describer_of, language_of, open_recording, open_search
from whence.trace.c.recording import CRecording, CThread
from whence.trace.points import find
from whence.trace.slice_at import steps_of
from whence.trace.summary import summarise

MEMORY = frozenset(
    (OpCode.LOAD, OpCode.STORE, OpCode.LLOAD, OpCode.LSTORE, OpCode.COPY, OpCode.FILL)
)
MEMORY |= {OpCode.LFILL, OpCode.LCOPYOUT, OpCode.LCOPY, OpCode.RMW}


def opened(trace: Path) -> list[CThread]:
    recording = open_recording(trace)
    assert isinstance(recording, CRecording)
    images = [recording.image(process) for process in recording.processes]
    return [recording.thread(image, log) for image in images for log in image.process.logs]


def executed(thread: CThread, chosen: Any) -> int:
    """Return how many steps executed one of the ops that are True in the array."""
    code = thread.image.code
    owners = np.repeat(np.arange(len(code.stretch_ops)), code.stretch_ops)
    each = np.bincount(owners, weights=chosen, minlength=len(code.stretch_ops))
    times = thread.stream.instance_counts()
    return int(times @ each)


def open_trace(trace: Path, tree: Path) -> dict[str, Any]:
    started = time.monotonic()
    threads = opened(trace)
    seconds = time.monotonic() - started
    peak = _peak()
    memory = sum(
        executed(thread, np.isin(thread.image.program.ops["code"], sorted(MEMORY)))
        for thread in threads
    )
    summary = summarise(open_recording(trace), tree, max_trace=DEFAULT_MAX_TRACE)
    return {
        "seconds": seconds,
        "peak": peak,
        "memory_events": memory,
        "instructions": sum(process.instructions for process in summary.processes),
        "events": sum(process.events for process in summary.processes),
        "bytes": sum(process.bytes for process in summary.processes),
        "index_bytes": sum(
            file.stat().st_size for thread in threads for file in thread.replay.out.iterdir()
        ),
    }


def slice_trace(trace: Path, byte: int, *, relevant: bool) -> dict[str, Any]:
    started = time.monotonic()
    point = find(open_recording(trace), f"output:{byte}")
    found = time.monotonic()
    steps = steps_of(point, language_of(point.thread.recording).analysis, relevant=relevant)
    followed = time.monotonic()
    lines = list(describer_of(point.thread).lines(steps))
    return {
        "open": found - started,
        "follow": followed - found,
        "seconds": time.monotonic() - found,
        "peak": _peak(),
        "steps": len(steps),
        "lines": len(lines),
    }


def first_cause(trace: Path) -> dict[str, Any]:
    started = time.monotonic()
    tree = open_search(open_recording(trace), None, ())
    tree.grow(1)
    return {"seconds": time.monotonic() - started, "peak": _peak(), "causes": len(tree)}


def slice_of_failure(trace: Path) -> dict[str, Any]:
    started = time.monotonic()
    point = find(open_recording(trace), "assert")
    steps = steps_of(point, language_of(point.thread.recording).analysis)
    return {"seconds": time.monotonic() - started, "peak": _peak(), "steps": len(steps)}


def check(trace: Path) -> dict[str, Any]:
    threads = opened(trace)
    return {
        "compared": sum(
            executed(thread, (thread.image.code.flags & int(OpFlag.CHECKED)) != 0)
            for thread in threads
        ),
        "mismatches": sum(thread.meta.mismatch_count for thread in threads),
        "whole": all(thread.meta.status is Status.OK for thread in threads),
        "bytes": sum(thread.log.size for thread in threads),
        "instructions": sum(thread.meta.steps for thread in threads),
    }


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(question: str, trace: str, *rest: str) -> None:
    answer = {
        "open": lambda: open_trace(Path(trace), Path(rest[0])),
        "slice": lambda: slice_trace(Path(trace), int(rest[0]), relevant=False),
        "relevant": lambda: slice_trace(Path(trace), int(rest[0]), relevant=True),
        "cause": lambda: first_cause(Path(trace)),
        "near": lambda: slice_of_failure(Path(trace)),
        "check": lambda: check(Path(trace)),
    }[question]()
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
