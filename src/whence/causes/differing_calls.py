"""Which calls gave something else than calls that got the same in the passing run?

Where the code around a fault was rewritten, its calls have no counterparts.  But a function that
gets the same and gives something else is where the two versions part, whoever called it.  Of
nested calls that differ, the innermost one counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from whence.causes.comparison import Comparison
from whence.program.ids import Activation
from whence.trace.flow import Flow, Got

_MAX_CALLS = 1000  # calls of one function that are compared, the first ones; guessed
_RAISED = "raised"  # what a call gave that returned nothing


@dataclass(frozen=True, slots=True)
class DifferingFunction:
    """A function, as a number in each version, with a call that gave something else."""

    bad: int
    good: int
    call: Activation  # the first such call of the failing run


def executed_functions(flow: Flow) -> frozenset[int]:
    """Return the functions that a run called."""
    column = np.asarray(flow.thread.stream.activations["function"])[1:]  # row 0 is no activation
    return frozenset(np.unique(column).tolist())


def differing_functions(
    comparison: Comparison, pairs: Mapping[int, int]
) -> tuple[DifferingFunction, ...]:
    """Return the functions in which a difference begins, in the order of the failing run.

    `pairs` are the functions to look at: of the bad version, with those of the good version.
    """
    failing = _activations(comparison.failing, pairs)
    passing = _activations(comparison.passing, pairs.values())
    differing: dict[Activation, int] = {}
    for bad, good in pairs.items():
        known: dict[tuple[Hashable, ...], set[_Ended]] = defaultdict(set)
        for call in passing[good]:
            ended = _ended(comparison.passing, call)
            if ended is not None:
                known[ended.got.arguments].add(ended)
        for call in failing[bad]:
            ended = _ended(comparison.failing, call)
            if ended is not None and _differs(ended, known[ended.got.arguments]):
                differing[call] = bad
    found: dict[int, DifferingFunction] = {}
    for call in _innermost(comparison.failing, sorted(differing)):
        bad = differing[call]
        found.setdefault(bad, DifferingFunction(bad, pairs[bad], call))
    return tuple(found.values())


class _Ended(NamedTuple):
    """How a call ended."""

    got: Got
    gave: Hashable


def _ended(flow: Flow, call: Activation) -> _Ended | None:
    """Return how a call ended; None if that says nothing about its function."""
    got, gave = flow.got(call), flow.gave(call)
    if got is None or (gave is None and not got.arguments):  # a test that failed, or a module
        return None
    return _Ended(got, _RAISED if gave is None else ("returned", gave))


def _differs(ended: _Ended, others: Iterable[_Ended]) -> bool:
    """Did a call end in another way than all others with the same arguments?

    Those count that read the same of their arguments; if there are none, those that read the same
    but for the contents of containers.
    """
    for is_loose in (False, True):
        alike = {o.gave for o in others if ended.got.read_alike(o.got, is_loose=is_loose)}
        if alike:
            return ended.gave not in alike
    return False


def _activations(flow: Flow, functions: Iterable[int]) -> dict[int, list[Activation]]:
    """Return the first calls of each function."""
    column = np.asarray(flow.thread.stream.activations["function"])[1:]  # row 0 is no activation
    found = {}
    for function in functions:
        rows = np.flatnonzero(column == function)[:_MAX_CALLS] + 1
        found[function] = [Activation(row) for row in rows.tolist()]
    return found


def _innermost(flow: Flow, calls: list[Activation]) -> list[Activation]:
    """Return the calls around no other one of `calls`, which are sorted."""
    last = flow.thread.stream.activations["last_instance"]
    start = flow.thread.stream.activations["first_instance"]
    return [
        call
        for call, after in zip_longest(calls, calls[1:])
        if after is None or int(start[after]) > int(last[call])
    ]
