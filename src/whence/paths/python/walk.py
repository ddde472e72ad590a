"""Which conditions over its inputs does a Python run fulfil?

One pass forward over the steps.  A step whose value inputs decide gets a symbolic value; a branch
that they decide gives a condition, and so does every operation that would raise, cut a text at
another place or find another key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from whence.inputs import InputSource
from whence.paths.conditions import PathCondition
from whence.paths.python.collected import CollectedConditions
from whence.paths.python.sources import InputValues
from whence.paths.python.steps import SymbolicSteps
from whence.paths.python.values import (
    Number,
    Real,
    Truth,
)
from whence.paths.terms import Term
from whence.program.ids import Step
from whence.trace.python.flow import PythonFlow


@dataclass(frozen=True)
class PythonPath:
    """The conditions of a run, and for each of them which way the run went."""

    condition: PathCondition
    ways: Sequence[object]
    raising: frozenset[int]  # numbers of conditions that decide whether an operation raises
    written: frozenset[int]  # of those that decide with how many digits a number is written
    reads: frozenset[Step] = frozenset()  # the steps that read inputs in parts


def path_condition(
    flow: PythonFlow, contents: Mapping[InputSource, bytes], free: Collection[InputSource],
    literals: Mapping[tuple[int, int], InputSource],
) -> PythonPath:  # fmt: skip
    """Return the conditions of a run over its free inputs.

    `contents` are the bytes of each source.  `literals`: by operation and number of its use, the
    literals of the test module that may change.
    """
    collected = CollectedConditions(flow)
    inputs = InputValues(collected.unknowns, contents, free)
    values = SymbolicSteps(flow, inputs, literals, collected)
    values.run()
    path = PathCondition(
        flow.thread, collected.unknowns, tuple(collected.conditions), tuple(collected.notes),
        {step: Term(value.term, value.unknowns) for step, value in values.known()
         if isinstance(value, Number | Truth | Real)},
        tuple(collected.compared),
    )  # fmt: skip
    raising, written = frozenset(collected.raising), frozenset(collected.written)
    return PythonPath(path, collected.ways, raising, written, values.reads)
