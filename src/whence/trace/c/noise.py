"""Which values of a C program differ between two runs of the same version?

Clocks, process numbers and random numbers do.  Such values say nothing about a failure.
"""

from __future__ import annotations

import numpy as np

from whence.program.ids import Step
from whence.trace.c.replayed import ReplayedLog
from whence.trace.columns import whole
from whence.trace.recording import Comparable

_CHUNK = 1 << 17  # steps whose values are compared together; guessed
_MAX_STEPS = 20_000_000  # limit on the steps of a run that is recorded twice; guessed
# Functions with another result in each run.
_VARYING = frozenset({
    "time", "clock", "clock_gettime", "gettimeofday", "times", "getrusage", "ftime", "timespec_get",
    "getpid", "getppid", "gettid", "pthread_self", "random", "rand", "rand_r", "random_r",
    "lrand48", "drand48", "mrand48", "getrandom", "getentropy", "arc4random", "arc4random_uniform",
    "arc4random_buf", "tmpnam", "tempnam", "mkstemp", "mkdtemp", "tmpfile", "localtime", "gmtime",
    "_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv",
    "_ZNSt3__16chrono12system_clock3nowEv", "_ZNSt3__16chrono12steady_clock3nowEv",
    "_ZNSt13random_device9_M_getvalEv", "_ZNSt3__113random_deviceclEv",
})  # fmt: skip


def may_vary(thread: ReplayedLog) -> bool:
    """Did a thread call a function whose result may be another one in each run?"""
    return thread.stream.steps <= _MAX_STEPS and bool(thread.calls_of(_VARYING))


def noisy_steps(thread: ReplayedLog, again: ReplayedLog) -> frozenset[int]:
    """Return the steps of a run whose values differ in another run of the same program.

    The runs are compared as long as they execute the same code.
    """
    one, other = whole(thread.stream.stretch), whole(again.stream.stretch)
    count = min(len(one), len(other))
    differing = np.flatnonzero(one[:count] != other[:count])
    count = int(differing[0]) if len(differing) else count
    stream = thread.stream
    end = int(stream.first[count]) if count < len(one) else stream.steps + 1
    found: list[int] = []
    for first in range(1, end, _CHUNK):
        stop = min(first + _CHUNK, end)
        values = (t.replay.window(first, stop).value for t in (thread, again))
        found += (np.flatnonzero(np.not_equal(*values)) + first).tolist()
    op_of, compared_as = thread.queries.op_of, thread.image.compared_as
    return frozenset(
        step for step in found if compared_as(op_of(Step(step))) is Comparable.PLAIN
    )  # addresses are not compared by their numbers
