"""Control flow, checked against the definitions on random graphs."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.frontend.static.graphs import Shape, function, module, reachable, shapes
from whence.frontend.c.flow import (
    MAX_CHAIN,
    block_successors,
    control_dependence,
    gather,
    guards,
    is_assertion,
    is_landing,
    marked,
    postdominators,
    region,
)
from whence.program.graph import loop_heads


def postdominates(shape: Shape, other: int, block: int) -> bool:
    """Does every path from `block` to an exit pass through `other`?  (By definition.)"""
    return not any(not shape[last] for last in reachable(shape, block, avoid=other))


def can_be_left(shape: Shape) -> bool:
    return all(any(not shape[b] for b in reachable(shape, s)) for s in range(len(shape)))


def test_successors_are_kept_once_in_the_order_written() -> None:
    assert block_successors(function([[2, 1, 2], [2], []])) == [[2, 1], [2], []]


def test_an_invoke_goes_to_its_normal_block_and_to_its_landing_pad() -> None:
    f = function([[1, 2], [], []], invokes=frozenset({0}))
    assert block_successors(f) == [[1, 2], [], []]
    assert [is_landing(block) for block in f.blocks] == [False, False, True]


@given(shapes())
def test_every_cycle_contains_a_loop_head(shape: Shape) -> None:
    heads = loop_heads(shape)
    for block in set(range(len(shape))) - heads:
        steps = [to for to in shape[block] if to not in heads]
        seen: set[int] = set()
        while steps:
            at = steps.pop()
            assert at != block
            if at not in seen:
                seen.add(at)
                steps += [to for to in shape[at] if to not in heads]


def test_a_graph_without_cycles_has_no_loops() -> None:
    assert loop_heads([[1, 2], [3], [3], []]) == set()
    assert loop_heads([[1], [2, 3], [1], []]) == {1}


@given(shapes())
def test_postdominators_are_those_of_the_definition(shape: Shape) -> None:
    assume(can_be_left(shape))
    found = postdominators(function(shape))
    for block in range(len(shape)):
        strict = {o for o in range(len(shape)) if o != block and postdominates(shape, o, block)}
        chain = []
        above = found[block]
        while above is not None:
            chain.append(above)
            above = found[above]
        assert set(chain) == strict


@given(shapes())
def test_every_block_has_a_postdominator_even_in_endless_loops(shape: Shape) -> None:
    found = postdominators(function(shape))
    for block in range(len(shape)):
        above, steps = found[block], 0
        while above is not None:
            above, steps = found[above], steps + 1
            assert steps <= len(shape)


def test_the_body_of_an_endless_loop_meets_after_an_if() -> None:
    """for (;;) { if (c) a(); b(); }"""
    assert postdominators(function([[1], [2, 3], [3], [1]])) == [1, 3, 3, None]


def test_continue_in_an_endless_loop_controls_the_rest_of_the_iteration() -> None:
    """for (;;) { if (c) continue; b(); }"""
    depends = control_dependence(function([[1], [2, 3], [1], [1]]))
    assert depends == [set(), set(), {(1, 0)}, {(1, 1)}]


def test_what_follows_an_assertion_does_not_depend_on_it() -> None:
    f = function([[1, 2], [], []], calls={1: "__assert_fail"})
    assert is_assertion(f.blocks[1])
    assert postdominators(f) == [2, None, None]
    assert control_dependence(f) == [set(), {(0, 0)}, set()]


def test_a_throw_controls_what_follows() -> None:
    f = function([[1, 2], [], []], calls={1: "__cxa_throw"})
    assert postdominators(f) == [None, None, None]
    assert control_dependence(f)[2] == {(0, 1)}


def test_what_follows_a_call_does_not_depend_on_cleaning_up_after_it() -> None:
    f = function([[1, 2], [], [3], []], invokes=frozenset({0}), resumes=frozenset({3}))
    assert postdominators(f) == [1, None, 3, None]
    assert control_dependence(f) == [set(), set(), {(0, 1)}, {(0, 1)}]


def test_what_follows_a_call_depends_on_an_exception_that_is_caught() -> None:
    f = function([[1, 2], [], [3, 4], [], []], invokes=frozenset({0}), resumes=frozenset({3}))
    assert postdominators(f) == [None, None, 4, None, None]
    assert control_dependence(f)[1] == {(0, 0)}


def test_a_loop_that_only_an_exception_leaves_is_endless() -> None:
    f = function([[1], [2, 3], [1], []], invokes=frozenset({1}), resumes=frozenset({3}))
    assert control_dependence(f) == [set(), set(), set(), {(1, 1)}]


def test_a_branch_between_two_assertions_controls_which_fails() -> None:
    f = function([[1, 2], [], []], calls={1: "abort", 2: "abort"})
    assert control_dependence(f) == [set(), {(0, 0)}, {(0, 1)}]


@given(shapes())
def test_control_dependence_is_that_of_the_definition(shape: Shape) -> None:
    """A block depends on an edge that makes it certain, of a branch that does not."""
    assume(can_be_left(shape))
    f = function(shape)
    found = control_dependence(f)
    for branch, targets in enumerate(block_successors(f)):
        for i, target in enumerate(targets):
            for block in range(len(shape)):
                certain = block == target or postdominates(shape, block, target)
                avoidable = block == branch or not postdominates(shape, block, branch)
                assert ((branch, i) in found[block]) == (certain and avoidable)


@given(shapes())
def test_gather_is_the_union_over_the_region(shape: Shape) -> None:
    f = function(shape)
    found = gather(f, [1 << block for block in range(len(shape))])
    meets = postdominators(f)
    for branch, targets in enumerate(block_successors(f)):
        for i, target in enumerate(targets):
            blocks = reachable(shape, target, avoid=meets[branch])
            assert region(f, branch, i) == blocks
            if len(targets) > 1:
                assert found[branch, i] == sum(1 << block for block in blocks)
            else:
                assert (branch, i) not in found


@st.composite
def programs(draw: st.DrawFn) -> tuple[Shape, frozenset[int]]:
    """Draw a shape, and the blocks that end in an invoke (landing pads have no other edges)."""
    shape = draw(shapes())
    inner = [i for i, targets in enumerate(shape) if len(targets) == 1 and targets != [i]]
    invokes = frozenset(draw(st.sets(st.sampled_from(inner)))) if inner else frozenset[int]()
    shape = [list(targets) for targets in shape]
    pad = None
    for block in sorted(invokes):
        pad = pad if pad is not None and draw(st.booleans()) else len(shape)
        if pad == len(shape):
            shape.append(draw(st.lists(st.integers(1, max(1, block)), max_size=1)))
        shape[block].append(pad)
    return shape, invokes


@given(programs(), st.lists(st.integers(0, MAX_CHAIN), min_size=20, max_size=20))
def test_the_marked_blocks_determine_the_path(
    program: tuple[Shape, frozenset[int]], costs: list[int]
) -> None:
    shape, invokes = program
    f = function(shape, invokes=invokes)
    marks = marked(f, lambda block: costs[block])
    logged = marks | {i for i, block in enumerate(f.blocks) if is_landing(block)}
    assert 0 not in marks
    assert not any(is_landing(f.blocks[block]) for block in marks)
    ways = block_successors(f)
    for targets in ways:  # whatever comes next in the log, only one successor fits
        silent = [to for to in targets if to not in logged]
        assert not silent or all(to in logged and is_landing(f.blocks[to])
                                 for to in targets if to != silent[0])  # fmt: skip
    quiet = [[to for to in targets if to not in logged] for targets in ways]
    for block in range(len(shape)):
        spent, at, steps = costs[block], block, 0
        while quiet[at]:
            (at,) = quiet[at]
            spent, steps = spent + costs[at], steps + 1
            assert steps <= len(shape), "a cycle without a marked block"
            assert spent <= MAX_CHAIN


def test_straight_code_is_not_marked() -> None:
    assert marked(function([[1], [2], []])) == set()


def test_both_targets_of_a_branch_are_marked() -> None:
    assert marked(function([[1, 2], [2], []])) == {1, 2}


def test_an_endless_loop_is_marked_at_its_head() -> None:
    assert marked(function([[1], [2], [1]])) == {1}


def test_the_normal_block_of_an_invoke_is_not_marked() -> None:
    assert marked(function([[1, 2], [], []], invokes=frozenset({0}))) == set()


def test_a_branch_guards_what_follows_if_one_side_exits_in_a_called_function() -> None:
    f = function([[1, 2], [3], [3], []], calls={1: "give_up"}, name="f")
    give_up = function([[1, 2], [], []], calls={2: "exit"}, name="give_up")
    assert guards([module(f), module(give_up)]) == [{"f": {(0, 0)}}, {"give_up": {(0, 1)}}]


def test_a_side_that_loops_for_ever_is_a_guard() -> None:
    assert guards([module(function([[1, 2], [1], []]))]) == [{"f": {(0, 0)}}]


def lines_executed(size: int) -> int:
    """Count the lines that analyse a ladder of ifs in a loop around a switch over its steps."""
    shape = [[1], list(range(2, size))] + [[min(i + 1, size), 1] for i in range(2, size)] + [[]]
    f = function(shape)
    count = 0

    def trace(_frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        postdominators(f)
        marked(f)
        gather(f, [1 << (i % 64) for i in range(len(shape))])
    finally:
        sys.settrace(before)
    return count


def test_twice_as_large_a_function_takes_about_twice_the_work() -> None:
    assert lines_executed(1000) < 3 * lines_executed(500)
