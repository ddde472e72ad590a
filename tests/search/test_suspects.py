"""Which of several suspects does the search name?"""

from __future__ import annotations

from tests.search.oracles import Oracle, changes
from whence.model import ChangeId, Outcome, Reverted
from whence.search.dependencies import Dependencies
from whence.search.isolate import Answer, IsolateProblem
from whence.search.space import Search
from whence.search.suspects import Phase, find_among, find_another

COUNT = 4


def ids(*numbers: int) -> frozenset[ChangeId]:
    return frozenset(map(ChangeId, numbers))


def found_among(problem: IsolateProblem, oracle: Oracle) -> Answer | None:
    """Search with all changes as suspects, the first one likeliest."""
    everything = tuple(map(ChangeId, range(COUNT)))
    phase = Phase(everything, dict.fromkeys(everything, 1.0))
    return ended(find_among(problem, [phase]), oracle)


def ended(search: Search[Answer | None], oracle: Oracle) -> Answer | None:
    """Run a search to its end."""
    try:
        asked = next(search)
        for _ in range(1000):
            asked = search.send(oracle(asked))
    except StopIteration as end:
        found: Answer | None = end.value
        return found
    raise AssertionError("the search does not end")


def test_a_suspect_that_suffices_alone_comes_before_one_that_requires_others() -> None:
    """The first suspect makes the test pass only with another change, the last one alone.

    Both together behave differently: the test then fails in another way.
    """

    def judge(reverted: Reverted) -> Outcome:
        if reverted >= ids(0, 1) and 3 not in reverted:
            return Outcome.PASS
        if reverted == ids(3):
            return Outcome.PASS
        return Outcome.OTHER if reverted & ids(0, 1, 3) else Outcome.FAIL

    problem = IsolateProblem(changes(COUNT), Dependencies({ChangeId(0): ids(1)}))
    found = found_among(problem, Oracle(judge))
    assert found is not None
    assert found.reverted == ids(3)


def test_another_set_is_found_among_the_suspects_if_the_first_one_needs_other_changes() -> None:
    """The first set does not build in the good version, so nothing says that it is the fault."""

    def judge(reverted: Reverted) -> Outcome:
        if 1 in reverted and 0 not in reverted:
            return Outcome.BROKEN
        return Outcome.PASS if reverted & ids(0, 2) else Outcome.FAIL

    problem = IsolateProblem(changes(COUNT), Dependencies())
    suspects = tuple(map(ChangeId, (0, 2)))
    found = ended(find_another(problem, ids(0), suspects), Oracle(judge))
    assert found is not None
    assert found.reverted == ids(2)
    assert ended(find_another(problem, ids(0)), Oracle(judge)) is None


def test_there_is_no_other_set_if_the_first_one_breaks_the_good_version() -> None:
    problem = IsolateProblem(changes(COUNT), Dependencies())
    suspects = tuple(map(ChangeId, range(COUNT)))

    def judge(reverted: Reverted) -> Outcome:
        return Outcome.PASS if reverted & ids(0) else Outcome.FAIL

    oracle = Oracle(judge)
    assert ended(find_another(problem, ids(0), suspects), oracle) is None
