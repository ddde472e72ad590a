"""Which functions called each other without end when a thread was stopped?

A thread whose stack is full was in many activations of the same function at once.  The last half of
the open activations shows which function it was; the calls from one of its activations to the next
are one round of the recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whence.program.ids import Activation, Step
from whence.trace.recording import Thread
from whence.trace.unfinished import open_activations

_MIN_DEPTH = 1000  # depth of calls from which a recursion counts as endless; guessed
_MIN_SHARE = 0.1  # of the last half of the activations, by the function that recurs; guessed
_ENOUGH = 100  # rounds of a recursion that show why it does not end; guessed
_MAX_NAMES = 5  # limit on the functions of one round that are named; guessed


@dataclass(frozen=True)
class EndlessRecursion:
    """Functions that still called each other when their thread was stopped."""

    names: tuple[str, ...]  # the functions of one round, from the one that recurs to its caller
    depth: int  # how many activations were open
    calls: npt.NDArray[np.int64]  # the calls that entered the open activations, in order
    typical: tuple[Step, ...]  # the calls of one round, the outermost first
    inside: Activation  # the activation that began that round


def endless_recursion(thread: Thread) -> EndlessRecursion | None:
    """Return the recursion that a thread was in when it stopped; None if it was in none."""
    rows = thread.stream.activations
    running = open_activations(thread)
    if len(running) < _MIN_DEPTH:
        return None
    functions = rows["function"][running]
    late = functions[len(functions) // 2 :]
    numbers, counts = np.unique(late, return_counts=True)
    if counts.max() < _MIN_SHARE * len(late):
        return None
    # The functions of a round are called equally often: the outermost one began the recursion.
    # The thread may have stopped inside a round, so counts may differ by one.
    often = np.isin(functions, numbers[counts >= counts.max() - 1])
    function = functions[np.flatnonzero(often)[0]]
    at = np.flatnonzero(functions == function)
    number = min(_ENOUGH, len(at) - 2)
    start, end = int(at[number]), int(at[number + 1])
    calls = rows["call"][running].astype(np.int64)
    spoken = thread.image.spoken_names
    names = tuple(spoken[int(each)] for each in functions[start:end])[:_MAX_NAMES]
    typical = tuple(Step(int(call)) for call in calls[start + 1 : end + 1])
    return EndlessRecursion(names, len(running), calls, typical, Activation(int(running[start])))
