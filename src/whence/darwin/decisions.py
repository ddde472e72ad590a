"""At which step was it decided which way a branch goes?

A branch may test a truth value that was computed before, such as `found = a < b` of another line,
or what a function returned.  The comparison is then the decision, and not the branch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whence.darwin.values import operand_steps
from whence.program.ids import Step
from whence.program.operations import NEGATED, PY_COMPARISONS, COp
from whence.trace.flow import Flow

_COMPARING = {*NEGATED, COp.FCMP, *PY_COMPARISONS.values()}
_MAX_STEPS = 60  # between a branch and its decision; guessed


def decided_at(flow: Flow, branch: Step, other_value: Callable[[Step], Any]) -> Step:
    """Return the comparison that decided a branch; the branch itself if it compares.

    `other_value` gives the value of a step in a run that went the other way, or None.
    """
    decision, at = branch, branch
    for _ in range(_MAX_STEPS):
        node = flow.node(at)
        if at != branch and node.operation.op in _COMPARING:
            decision = at
        reads = sorted(set(operand_steps(node.operands)), reverse=True)
        at = next((step for step in reads if _is_other_truth(flow, step, other_value)), Step(0))
        if not at:
            break
    return decision


def _is_other_truth(flow: Flow, step: Step, other_value: Callable[[Step], Any]) -> bool:
    """Is a value true in one run and false in the other?"""
    values = flow.value(step), other_value(step)
    return all(value in (0, 1) for value in values) and values[0] != values[1]
