"""Checks that hold for every cause tree that was computed completely."""

from __future__ import annotations

import re

import numpy as np

from tests.causes.explaining import causes, question_of
from whence.causes.tree import CauseSearch
from whence.model import Cause, Influence, Predicate
from whence.program.ids import Step
from whence.trace.columns import whole

_CONDITIONS = (Influence.DIRECT, Influence.INDIRECT, Influence.PREMISE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?\d+")
# Comparisons of variables only: C and Python compute other expressions differently.
_COMPARISON = r"\w+ (<|<=|>|>=|==|!=) \w+"
_COMPARISONS = re.compile(rf"{_COMPARISON}( (&&|\|\|) {_COMPARISON})*")


def check_consistent(tree: CauseSearch) -> None:
    found = causes(tree)
    assert [cause.id for cause in found] == list(range(len(tree)))
    assert len({cause.key for cause in found}) == len(found)
    below = [child for cause in found for child in tree.children(cause.id)]
    assert sorted(below) == list(range(1, len(tree))), "each cause has one parent"
    for cause in found:
        check_place(tree, cause)
        check_steps(tree, cause)
        check_predicate(tree, cause)


def check_place(tree: CauseSearch, cause: Cause) -> None:
    assert (cause.influence is Influence.FAILURE) == (cause.id == 0)
    if cause.parent is None:
        assert (cause.id, cause.level) == (0, 0)
    else:
        assert cause.parent < cause.id
        assert cause.level == tree.cause(cause.parent).level + 1
        assert cause.id in tree.children(cause.parent)
    assert len(set(cause.also)) == len(cause.also)
    assert not {cause.id, cause.parent} & set(cause.also)
    assert set(cause.also) < set(range(len(tree)))


def check_steps(tree: CauseSearch, cause: Cause) -> None:
    steps = tree.steps(cause.id)
    assert cause.instances == len(steps) > 0
    assert np.all(np.diff(steps.astype(np.int64)) > 0)
    assert 0 < steps[0] <= steps[-1] <= tree.thread.stream.steps
    places = (tree.thread.image.place(op) for op in {tree.flow.op_of(Step(int(s))) for s in steps})
    ran = {(place.file, place.line) for place in places if place}
    shown = [(statement.file, statement.line) for statement in cause.statements]
    assert len(set(shown)) == len(shown)
    assert set(shown) <= ran
    assert shown or not ran


def check_predicate(tree: CauseSearch, cause: Cause) -> None:
    """Check that the predicate held, and that a direct condition controls what it bears on."""
    flow, question = tree.flow, question_of(tree, cause.id)
    assert cause.times >= 1
    check_outcome(cause.predicate)
    if cause.influence not in _CONDITIONS:
        return
    for step in question.steps:
        assert flow.is_branch(step)
        assert flow.queries.side_of(step) == question.side
    if cause.influence is Influence.DIRECT and not tree.hidden:
        for step in question.bears_on:
            branch = flow.controlling_branch(step)
            assert branch is not None
            assert tree.conditions.head(branch) == question.op
            assert flow.queries.side_of(branch) == question.side


def check_times(tree: CauseSearch) -> None:
    """Check that no condition held less often than its cause says."""
    flow = tree.flow
    blocks = flow.thread.image.code.stretch_block[whole(flow.thread.stream.stretch)]
    for cause in causes(tree):
        question = question_of(tree, cause.id)
        if cause.influence in _CONDITIONS:
            branching = {flow.queries.block_of(flow.instance_of(step)) for step in question.steps}
            went = np.isin(blocks[:-1], list(branching)) & (blocks[1:] == question.side)
            assert cause.times <= np.count_nonzero(went), cause


def check_outcome(predicate: Predicate) -> None:
    """Check that the outcome of a comparison of variables follows from their values."""
    words = set(_WORD.findall(predicate.text))
    values = {word: predicate.values.get(word, "") for word in words}
    known = {word: int(value) for word, value in values.items() if _NUMBER.fullmatch(value)}
    if words == set(known) and _COMPARISONS.fullmatch(predicate.text):
        text = predicate.text.replace("&&", "and").replace("||", "or")
        assert str(bool(eval(text, {}, known))).lower() == predicate.outcome, predicate
