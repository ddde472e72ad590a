"""Which branch, forced the other way, makes the failing run pass?  FIC 4.1.

The run with that branch switched is the passing run to compare with.  Branches that the cause tree
names come first, in the order of the run: of several that make the test pass, the first is the
nearest to the root.  But a branch far before the fault may make the test pass by chance.  So the
first that a small change of its condition would switch comes before all others (see `bounds`).
Then the same branches are forced each time that they run: a fault that does its damage twice is not
mended once.  Then all others follow, the last first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from whence.causes.questions import FailedCondition
from whence.causes.tree import CauseSearch
from whence.chain.bounds import is_at_bound
from whence.chain.causality import CausalityTests, OutOfReruns
from whence.model import Outcome
from whence.program.ids import Op, Step
from whence.trace.columns import BRANCH
from whence.trace.flow import Flow
from whence.trace.rerunning import Force

_MAX_DEPTH = 4  # levels of the cause tree whose branches are tried first; guessed
_MAX_CAUSES = 60  # causes whose branches are tried first; guessed
_MAX_INSTANCES = 20  # executions of one branch that are tried; guessed
_MAX_RUNS = 200  # reruns until the first branch helps; the others are for values; guessed
_MAX_MORE = 60  # reruns that look for a better branch, after one that helps; guessed


def passing_switch(
    tree: CauseSearch, tests: CausalityTests, say: Callable[[str], None], most: int = _MAX_RUNS
) -> Force | None:
    """Return the branch that makes the test pass if it goes the other way; None if none does.

    No branch is tried for the first time after `most` reruns.
    """
    search = _SwitchSearch(tree, tests, say, most)
    try:
        for group in _candidates(tree):
            found = search.best_of(group)
            if found is not None or tests.runs > most:
                return found
    except OutOfReruns:
        return None
    return None


class _SwitchSearch:
    """Forces branches, and remembers which were tried."""

    def __init__(
        self, tree: CauseSearch, tests: CausalityTests, say: Callable[[str], None], most: int
    ) -> None:
        self._flow, self._tests, self._say = tree.failure.flow, tests, say
        self._most = most
        self._excluded = _own_branches(tree)
        self._tried: set[Force] = set()

    def best_of(self, group: Iterable[Force]) -> Force | None:
        """Return the first that makes the test pass; one at its bound comes before all others."""
        tests, first, last = self._tests, None, 0
        possible = (force for force in group if self._is_possible(force))
        while part := [*itertools.islice(possible, tests.jobs)]:
            self._say(f"looking for a branch that makes the test pass: {len(self._tried)} tried")
            tests.run_ahead([([force], None) for force in part])
            for force in part:
                self._tried.add(force)
                if tests.runs >= (self._most if first is None else last):
                    return first
                if tests.outcome([force]) is not Outcome.PASS:
                    continue
                if force.is_always or is_at_bound(self._flow, force.branch):
                    return force
                if first is None:
                    first, last = force, tests.runs + _MAX_MORE
        return first

    def _is_possible(self, force: Force) -> bool:
        is_new = force not in self._tried and force.branch not in self._excluded
        return is_new and self._tests.rerunner.can(force)


def _own_branches(tree: CauseSearch) -> frozenset[Step]:
    """Return the branches that are the failure: switching them only hides it."""
    question = tree.failure.question
    if isinstance(question, FailedCondition):
        return question.steps
    return frozenset(question.controlling)


def _candidates(tree: CauseSearch) -> Iterator[Iterable[Force]]:
    """Yield the groups of branches; a later one is tried if none before it helps."""
    flow = tree.failure.flow
    last = tree.failure.question.about
    named = sorted(step for step in _in_tree(tree, flow) if step <= last)
    yield map(Force, named)
    yield _each_time(named, flow)
    others = [*_all_branches(flow, last)]
    yield map(Force, others)
    yield _each_time(sorted(others), flow)


def _each_time(branches: Sequence[Step], flow: Flow) -> Iterator[Force]:
    """Yield the first execution of each branch that went one way, to force it each time."""
    seen: set[tuple[Op, object]] = set()
    for branch in branches:
        key = flow.op_of(branch), flow.decision(branch)
        if key not in seen and len(flow.executions(key[0])) > 1:
            yield Force(branch, is_always=True)
        seen.add(key)


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
