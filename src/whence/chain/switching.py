"""Which branch, forced the other way, makes the failing run pass?  FIC 4.1.

The run with that branch switched is the passing run to compare with.  Branches that the cause tree
names come first, in the order of the run: of several that make the test pass, the first is the
nearest to the root.  Then all others follow, the last first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from whence.causes.questions import FailedCondition
from whence.causes.tree import CauseSearch
from whence.chain.causality import CausalityTests, OutOfReruns
from whence.model import Outcome
from whence.program.ids import Op, Step
from whence.trace.columns import BRANCH
from whence.trace.flow import Flow
from whence.trace.rerunning import Force

_MAX_DEPTH = 4  # levels of the cause tree whose branches are tried first; guessed
_MAX_CAUSES = 60  # causes whose branches are tried first; guessed
_MAX_INSTANCES = 20  # executions of one branch that are tried; guessed


def passing_switch(
    tree: CauseSearch, tests: CausalityTests, say: Callable[[str], None]
) -> Step | None:
    """Return the branch that makes the test pass if it goes the other way; None if none does."""
    excluded = _own_branches(tree)
    tried: set[Step] = set()
    try:
        for number, branch in enumerate(_candidates(tree)):
            if branch in tried or branch in excluded:
                continue
            tried.add(branch)
            force = Force(branch)
            if not tests.rerunner.can(force):
                continue
            if number % 10 == 0:
                say(f"looking for a branch that makes the test pass: {len(tried)} tried")
            if tests.outcome([force]) is Outcome.PASS:
                return branch
    except OutOfReruns:
        return None
    return None


def _own_branches(tree: CauseSearch) -> frozenset[Step]:
    """Return the branches that are the failure: switching them only hides it."""
    question = tree.failure.question
    if isinstance(question, FailedCondition):
        return question.steps
    return frozenset(question.controlling)


def _candidates(tree: CauseSearch) -> Iterator[Step]:
    flow = tree.failure.flow
    last = tree.failure.question.about
    yield from sorted(step for step in _in_tree(tree, flow) if step <= last)
    yield from _all_branches(flow, last)


def _in_tree(tree: CauseSearch, flow: Flow) -> set[Step]:
    """Return the branches that the causes of the failure name."""
    level, found = [0], set()
    for _ in range(_MAX_DEPTH):
        level = [child for cause in level for child in tree.children(cause)][:_MAX_CAUSES]
        for cause in level:
            found |= {Step(s) for s in tree.steps(cause).tolist() if flow.is_branch(Step(s))}
    return found


def _all_branches(flow: Flow, last: Step) -> Iterator[Step]:
    """Yield the branches of the program's own code before a step, the last first."""
    image = flow.thread.image
    ops: list[int] = np.flatnonzero(np.asarray(image.code.kind) == BRANCH).tolist()
    steps: list[int] = []
    for op in map(Op, ops):
        if not image.is_library[image.function_of(op)]:
            executions = flow.executions(op)
            end = executions.before(last)
            steps += executions[max(end - _MAX_INSTANCES, 0) : end].tolist()
    yield from map(Step, sorted(steps, reverse=True))
