"""Are the claims of every search method true for any simulated program?"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.search.oracles import (
    Oracle,
    answer,
    any_oracles,
    changes,
    passes_without,
    with_dependencies,
)
from whence.model import ChangeId, Complaint, Outcome, Reverted
from whence.search.dependencies import Dependencies
from whence.search.isolate import METHODS, Answer, IsolateProblem

REVERTING = ("fast", "after")


def ids(*numbers: int) -> frozenset[ChangeId]:
    return frozenset(ChangeId(number) for number in numbers)


def root_of(found: Answer) -> Reverted:
    return frozenset().union(*found.root)


def check_claim(found: Answer, oracle: Oracle) -> None:
    """Check that the claims of an answer agree with the oracle."""
    assert found.root
    assert not root_of(found) & frozenset().union(*found.auxiliary)
    passes = oracle(found.reverted).outcome is Outcome.PASS
    assert passes == found.holds
    assert found.holds or found.reason


def check_each_is_needed(found: Answer, oracle: Oracle) -> None:
    for unit in (*found.root, *found.auxiliary):
        assert oracle(found.reverted - unit).outcome is not Outcome.PASS


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data(), count=st.integers(1, 9), size=st.integers(1, 3), functions=st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_any_method_on_any_oracle_claims_only_what_holds(
    method: str, data: st.DataObject, count: int, size: int, functions: int
) -> None:
    oracle = data.draw(any_oracles(count))
    problem = IsolateProblem(changes(count, block_size=size, functions=functions), method=method)
    found = answer(problem, oracle)
    check_claim(found, oracle)
    if method in REVERTING:
        assert found.holds
        check_each_is_needed(found, oracle)
    elif found.holds and found.reason is None:
        for unit in found.root:
            assert oracle(found.reverted - unit).outcome is not Outcome.PASS


@pytest.mark.parametrize("method", REVERTING)
@given(data=st.data(), count=st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_with_monotone_outcomes_exactly_the_causes_are_found(
    method: str, data: st.DataObject, count: int
) -> None:
    causes = frozenset(
        map(ChangeId, data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=3)))
    )
    found = answer(IsolateProblem(changes(count), method=method), Oracle(passes_without(causes)))
    assert found.reverted == root_of(found) == causes


@given(data=st.data(), count=st.integers(2, 7))
@settings(max_examples=150, deadline=None)
def test_no_proper_subset_of_a_small_answer_passes(data: st.DataObject, count: int) -> None:
    """For up to three units no proper subset passes, not only none with one unit less."""
    oracle = data.draw(any_oracles(count))
    found = answer(IsolateProblem(changes(count)), oracle)
    units = (*found.root, *found.auxiliary)
    if len(units) <= 3:
        subsets = chain.from_iterable(combinations(units, n) for n in range(len(units)))
        for subset in subsets:
            assert oracle(frozenset().union(*subset)).outcome is not Outcome.PASS


@pytest.mark.parametrize("method", REVERTING)
@given(data=st.data(), count=st.integers(2, 25))
@settings(max_examples=100, deadline=None)
def test_changes_needed_only_to_build_are_auxiliary(
    method: str, data: st.DataObject, count: int
) -> None:
    cause = ChangeId(data.draw(st.integers(0, count - 1)))
    others = [ChangeId(i) for i in range(count) if i != cause]
    needed = frozenset(data.draw(st.sets(st.sampled_from(others), max_size=4)))
    oracle = Oracle(with_dependencies(frozenset({cause}), {cause: needed}))
    found = answer(IsolateProblem(changes(count), method=method), oracle)
    assert found.reverted == needed | {cause}
    assert root_of(found) == {cause}


def test_symmetric_delta_debugging_misses_a_cause_and_says_so() -> None:
    """As in AFTER's running example: the test passes only with changes 1 and 2 reverted."""

    def judge(reverted: Reverted) -> Outcome:
        sorted_, swapped, minus = (ChangeId(i) not in reverted for i in range(3))
        total = (2 if sorted_ and swapped else 3) + (-1 if minus else 1)
        return Outcome.PASS if total == 4 else Outcome.FAIL

    missed = answer(IsolateProblem(changes(4), method="dd"), Oracle(judge))
    assert root_of(missed) == ids(2)
    assert not missed.holds
    assert "does not pass" in (missed.reason or "")
    for method in REVERTING:
        found = answer(IsolateProblem(changes(4), method=method), Oracle(judge))
        assert found.holds
        assert ChangeId(2) in root_of(found)
        assert len(found.root) == 2


def test_two_causes_among_a_hundred_with_dependencies_take_at_most_twenty_runs() -> None:
    requires = {ChangeId(i): ids(i + 1) for i in range(0, 100, 2) if i not in (20, 70)}
    problem = IsolateProblem(changes(100), Dependencies(requires))
    oracle = Oracle(with_dependencies(ids(21, 71), requires))
    assert root_of(answer(problem, oracle)) == ids(21, 71)
    assert len(oracle.asked) <= 20


def test_the_most_suspicious_cause_is_found_at_once() -> None:
    problem = IsolateProblem(changes(1000), weight={ChangeId(617): 1e6})
    oracle = Oracle(passes_without(ids(617)))
    assert root_of(answer(problem, oracle)) == ids(617)
    assert len(oracle.asked) <= 3


def test_the_search_learns_from_complaints_of_the_compiler() -> None:
    """Change 50 does not build without 80, and the compiler names the missing function."""
    everything = list(changes(100))
    for number in (50, 80):
        old = everything[number]
        fields = {name: getattr(old, name) for name in old.__slots__}
        everything[number] = type(old)(**fields | {"removed": b"lookup\n"})

    def complain(reverted: Reverted) -> tuple[Complaint, ...]:
        broken = 50 in reverted and 80 not in reverted
        return (Complaint("file", 51, ("lookup",), "lookup undeclared"),) if broken else ()

    requires = {ChangeId(50): ids(80)}
    oracle = Oracle(with_dependencies(ids(50), requires), complain)
    found = answer(IsolateProblem(tuple(everything)), oracle)
    assert root_of(found) == ids(50)
    assert found.auxiliary == (ids(80),)
    assert len(oracle.asked) <= 20


def test_all_finds_every_independent_set() -> None:
    def judge(reverted: Reverted) -> Outcome:
        sets = (ids(3), ids(8, 9), ids(15))
        return Outcome.PASS if any(each <= reverted for each in sets) else Outcome.FAIL

    found = answer(IsolateProblem(changes(20), find_all=True), Oracle(judge))
    assert {found.reverted, *found.alternatives} == {ids(3), ids(8, 9), ids(15)}
    assert len(found.reverted) == 1


def test_adjacent_pieces_of_a_block_count_as_one_unit() -> None:
    problem = IsolateProblem(changes(40, block_size=10))
    oracle = Oracle(passes_without(ids(22, 23)))
    found = answer(problem, oracle)
    assert found.root == (ids(22, 23),)


def test_changes_of_a_function_that_must_be_reverted_together_are_one_root() -> None:
    def judge(reverted: Reverted) -> Outcome:
        touched = reverted & ids(3, 4, 5)
        if touched and touched != ids(3, 4, 5):
            return Outcome.OTHER
        return Outcome.PASS if touched else Outcome.FAIL

    found = answer(IsolateProblem(changes(12, functions=4)), Oracle(judge))
    assert found.root == (ids(3, 4, 5),)
    assert found.auxiliary == ()


def test_a_single_change_is_preferred_to_a_more_suspicious_group() -> None:
    """Three tied changes pass and are more suspicious, but change 9 passes alone."""

    def judge(reverted: Reverted) -> Outcome:
        tied = reverted & ids(0, 2, 4)
        if 9 in reverted:
            return Outcome.PASS
        if tied and len(tied) < 3:
            return Outcome.BROKEN
        return Outcome.PASS if tied else Outcome.FAIL

    weight = {ChangeId(i): 100.0 for i in (0, 2, 4)}
    found = answer(IsolateProblem(changes(12), weight=weight), Oracle(judge))
    assert found.reverted == ids(9)


def test_declarations_and_renamings_that_a_root_needs_to_build_are_auxiliary() -> None:
    """As in AFTER's Fig. 4: y became m, and the sum that uses it has another constant."""

    def judge(reverted: Reverted) -> Outcome:
        together = reverted & ids(0, 1, 2)
        if together and len(together) < 3:
            return Outcome.BROKEN
        return Outcome.PASS if together else Outcome.FAIL

    problem = IsolateProblem(changes(9, functions=3), minor=ids(0, 1))
    found = answer(problem, Oracle(judge))
    assert found.root == (ids(2),)
    assert found.auxiliary == (ids(0), ids(1))


def _only_together(*tied: int) -> Callable[[Reverted], Outcome]:
    """Return a judge: the program breaks unless these changes are reverted together."""

    def judge(reverted: Reverted) -> Outcome:
        together = reverted & ids(*tied)
        if together and together < ids(*tied):
            return Outcome.BROKEN
        return Outcome.PASS if together else Outcome.FAIL

    return judge


def test_a_root_among_changes_that_only_work_together_is_called_a_guess() -> None:
    found = answer(IsolateProblem(changes(9, functions=9)), Oracle(_only_together(0, 4)))
    assert found.reverted == ids(0, 4)
    assert (len(found.root), len(found.auxiliary), found.is_guess) == (1, 1, True)


def test_a_root_that_brings_the_failure_back_is_no_guess() -> None:
    requires = {ChangeId(4): ids(0)}
    judge = with_dependencies(ids(4), requires)
    found = answer(IsolateProblem(changes(9, functions=9)), Oracle(judge))
    assert (found.root, found.is_guess) == ((ids(4),), False)


def test_a_root_beside_a_declaration_is_no_guess() -> None:
    problem = IsolateProblem(changes(9, functions=9), minor=ids(0))
    found = answer(problem, Oracle(_only_together(0, 4)))
    assert (found.root, found.auxiliary, found.is_guess) == ((ids(4),), (ids(0),), False)
