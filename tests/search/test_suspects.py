"""Which of several suspects does the search name?"""

from __future__ import annotations

from tests.search.oracles import Oracle, changes
from whence.model import ChangeId, Outcome, Reverted
from whence.search.dependencies import Dependencies
from whence.search.isolate import Answer, IsolateProblem
from whence.search.space import Search
from whence.search.suspects import Phase, find_among

COUNT = 4


def ids(*numbers: int) -> frozenset[ChangeId]:
    return frozenset(map(ChangeId, numbers))


def found_among(problem: IsolateProblem, oracle: Oracle) -> Answer | None:
    """Search with all changes as suspects, the first one likeliest."""
    everything = tuple(map(ChangeId, range(COUNT)))
    phase = Phase(everything, dict.fromkeys(everything, 1.0))
    search: Search[Answer | None] = find_among(problem, [phase])
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
