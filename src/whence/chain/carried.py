"""Where did a value that helps come from, if it was only copied on its way?

Several steps carry one wrong value: a variable, an element of a list, what a function returned.
With the passing value in any of them the test passes, so the chain may begin at each.  It begins at
the first of them: the fault did its damage there or before.

What a function was given counts as right: its arguments, and what was written before it was
entered.  Otherwise the search would end at an input of the program, which always helps.  A function
that returns a constant chose it by a branch: then another value of what that branch tests is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from whence.causes.tree import CauseSearch
from whence.chain.causality import CausalityTests, OutOfReruns
from whence.chain.given import entered_by, is_argument
from whence.chain.values import ValueSearch
from whence.model import Outcome
from whence.program.ids import Step
from whence.trace.flow import Flow, StoredBits
from whence.trace.rerunning import Assign

_MAX_COPIES = 20  # copies that are followed; guessed
_MAX_CHOSEN = 30  # reruns with other values of what a branch tests; guessed
_MAX_WALKED = 200  # operations between two definitions that are looked at; guessed


def first_carrier(tree: CauseSearch, tests: CausalityTests, found: Assign) -> Assign:
    """Return the first value of those that carry the same wrong one, and make the test pass."""
    search = ValueSearch(tree, tests)
    search.steps()  # they have the texts and numbers of the run
    with suppress(OutOfReruns):
        for _ in range(_MAX_COPIES):
            one = _one_back(search, found)
            if one is None:
                return found
            found = one
    return found


def _one_back(search: ValueSearch, found: Assign) -> Assign | None:
    flow, step = search.tree.failure.flow, found.definition
    sources = [*_sources(flow, step)]
    for source in sources:
        if search.is_computed(step) and flow.activation_of(source) == flow.activation_of(step):
            continue  # what was computed there is as likely to be at fault as its operands
        same = Assign(source, found.value)
        if search.tests.rerunner.can(same) and search.tests.outcome([same]) is Outcome.PASS:
            return same
        other = search.at(source)
        if other is not None:
            return other
    return None if sources or search.is_computed(step) else _chosen_otherwise(search, step)


def _chosen_otherwise(search: ValueSearch, constant: Step) -> Assign | None:
    """Return a value that is tested by the branch that led to a constant, if it helps."""
    flow = search.tree.failure.flow
    branch = flow.controlling_step(constant)
    if branch is None or not flow.is_branch(branch):
        return None
    tested = search.of_branch(branch)
    return tested.first_of(tested.tested_by(branch), _MAX_CHOSEN)


def _sources(flow: Flow, step: Step) -> Iterator[Step]:
    """Yield the nearest definitions that a definition comes from, if its function made them."""
    entered = entered_by(flow, step)
    work, seen = [step], {step}
    while work and len(seen) < _MAX_WALKED:
        for operand in flow.node(work.pop()).operands:
            behind = operand.step if isinstance(operand, StoredBits) else operand
            if not isinstance(behind, int) or behind in seen or behind <= entered:
                continue
            seen.add(behind)
            if not flow.defines(behind):
                work.append(behind)
            elif not is_argument(flow, behind):
                yield behind
