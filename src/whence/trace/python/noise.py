"""Which values of a Python program differ between two runs of the same version?

Clocks, random numbers and the names of temporary files do.  Such values say nothing about a
failure.  A text may contain one of them beside other characters: only the former are noise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from whence.frontend.python.values import Obj, Value, likeness
from whence.trace.columns import Stream
from whence.trace.python.program import PythonProgram
from whence.trace.python.replayed_run import ReplayedRun

_MAX_STEPS = 5_000_000  # limit on the steps of a run that is recorded twice; guessed
# Functions and classes with another result in each run, by the name that a call uses.
_VARYING = frozenset({
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "clock",
    "process_time", "process_time_ns", "thread_time", "localtime", "gmtime", "ctime", "strftime",
    "now", "utcnow", "today", "random", "randint", "randrange", "randbytes", "uniform", "choice",
    "choices", "sample", "shuffle", "gauss", "getrandbits", "urandom", "Random", "SystemRandom",
    "default_rng", "token_bytes", "token_hex", "token_urlsafe", "randbelow", "uuid1", "uuid4",
    "mkdtemp", "mkstemp", "mktemp", "TemporaryDirectory", "NamedTemporaryFile", "TemporaryFile",
    "SpooledTemporaryFile", "getpid", "getppid", "get_ident", "get_native_id", "current_thread",
    "stat", "lstat", "fstat", "getmtime", "getctime", "getatime",
})  # fmt: skip
_WORD_END = re.compile(r"\w*\Z")
_WORD_START = re.compile(r"\w*")


class ComparedThread(Protocol):
    """What is read of a thread that is compared with the same thread of another run."""

    program: PythonProgram
    run: ReplayedRun
    stream: Stream

    def value(self, step: int, /) -> Value: ...


def may_vary(thread: ComparedThread) -> bool:
    """Did a thread call a function whose result may be another one in each run?"""
    if thread.stream.steps > _MAX_STEPS:
        return False
    stretches, first = np.unique(thread.stream.stretch, return_index=True)
    return any(
        thread.program.opcode[op] == "call" and not _VARYING.isdisjoint(_callees(thread, op, step))
        for stretch, start in zip(stretches.tolist(), thread.stream.first[first], strict=True)
        for step, op in enumerate(thread.program.ops_of(stretch), int(start))
    )


def _callees(thread: ComparedThread, op: int, step: int) -> Iterator[str | None]:
    """Yield the name by which a call names what it calls, and the own name of that."""
    use = thread.program.uses[op][0]
    yield None if use is None or use < 0 else thread.program.name[use]
    callee = next(iter(thread.run.operands_of(step)), 0) if step <= thread.stream.steps else 0
    value = thread.value(callee) if callee else None
    if isinstance(value, Obj) and isinstance(value.shape, str):
        yield value.shape


def noisy_steps(thread: ComparedThread, again: ComparedThread) -> frozenset[int]:
    """Return the steps of a run whose values differ in another run of the same program.

    The runs are compared as long as they execute the same code.
    """
    own, other = thread.stream, again.stream
    count = min(len(own.stretch), len(other.stretch))
    differing = np.flatnonzero(own.stretch[:count] != other.stretch[:count])
    count = int(differing[0]) if len(differing) else count
    end = int(own.first[count]) if count < len(own.stretch) else own.steps + 1
    # Many steps have the same value: each pair of recorded values is compared once.
    values, others = (t.run.columns["values"][1:end].astype(np.uint64) for t in (thread, again))
    _, first, pair = np.unique(values << 32 | others, return_index=True, return_inverse=True)
    steps = (first + 1).tolist()
    differs = [not _is_alike(thread.value(step), again.value(step)) for step in steps]
    return frozenset((np.flatnonzero(np.array(differs, bool)[pair]) + 1).tolist())


def _is_alike(value: Value, other: Value) -> bool:
    return value is other or likeness(value) == likeness(other)


def is_only_noise(value: Value, passing: Value, second: Value) -> bool:
    """Does a value differ from that of the passing run only where two passing runs differ?

    Of a text, these are the words between its first and its last difference in the passing runs.
    Of other values, nothing else is known.
    """
    if not (isinstance(value, str) and isinstance(passing, str) and isinstance(second, str)):
        return True
    start = _common(passing, second)
    rest, other = passing[start:], second[start:]
    end = _common(rest[::-1], other[::-1])
    # A word that begins or ends the same way by chance is noise as a whole.
    before = _WORD_END.sub("", passing[:start])
    after = _WORD_START.sub("", rest[len(rest) - end :], count=1)
    is_long = len(value) >= len(before) + len(after)
    return is_long and value.startswith(before) and value.endswith(after)


def _common(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their start on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
